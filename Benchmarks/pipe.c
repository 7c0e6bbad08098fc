// The time of a round trip over a bare pipe to the plugin and back, without any server.
//
//     pipe SECONDS REQUEST-FILE
#include <time.h>

#include "child.h"

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// Writes the request and reads until the answer's end.
static void exchange(struct child child, struct slice request, struct buffer *answer) {
  struct slice message;
  for (size_t written = 0; written < request.length;) {
    ssize_t count = write(child.input, request.bytes + written, request.length - written);
    if (count < 0) exit(2);
    written += (size_t)count;
  }
  while (next_message(answer, NEWLINE, &message) == 0)
    if (!buffer_read(answer, child.output)) exit(2);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: pipe SECONDS REQUEST-FILE\n");
    return 64;
  }
  FILE *file = fopen(arguments[2], "r");
  struct buffer request = {0}, answer = {0};
  if (!file) {
    perror(arguments[2]);
    return 2;
  }
  while (buffer_read(&request, fileno(file))) {}
  struct slice text = {request.bytes, request.end};
  struct child child = start_child(arguments[0]);
  size_t times = 0, room = 1 << 20;
  double *lengths = checked(malloc(room * sizeof *lengths)), seconds = strtod(arguments[1], NULL);
  for (int i = 0; i < 100; i++) exchange(child, text, &answer);
  for (double end = now_us() + seconds * 1e6; times < room; times++) {
    double began = now_us();
    exchange(child, text, &answer);
    lengths[times] = now_us() - began;
    if (began > end) break;
  }
  qsort(lengths, times, sizeof *lengths, compare);
  printf("{\"p50_us\":%.2f,\"p99_us\":%.2f}\n", lengths[times / 2], lengths[times * 99 / 100]);
  return 0;
}
