// The least that a poll would cost if each page were parsed: jansson's json_loadb alone, nothing read, nothing freed.
//
//     parse ROUNDS FILE...      prints the CPU time of parsing all files once
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wire.h"

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void read_file(struct buffer *b, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  size_t count;
  while ((count = fread(buffer_room(b, READ_SIZE), 1, READ_SIZE, file)) > 0) b->end += count;
  fclose(file);
}

static double parse(const struct buffer *text) {
  json_error_t problem;
  double began = cpu_ms();
  json_t *value = json_loadb(text->bytes, text->end, 0, &problem);
  double took = cpu_ms() - began;
  if (!value) {
    fprintf(stderr, "parse: line %d: %s\n", problem.line, problem.text);
    exit(2);
  }
  json_decref(value);
  return took;
}

int main(int count, char **arguments) {
  int rounds = count > 2 ? atoi(arguments[1]) : 0;
  if (rounds < 1) {
    fprintf(stderr, "usage: parse ROUNDS FILE...\n");
    return 64;
  }
  struct buffer *texts = checked(calloc((size_t)count, sizeof *texts));
  for (int i = 2; i < count; i++) read_file(&texts[i], arguments[i]);
  double total = 0;
  // The first round is for the allocator.
  for (int round = 0; round <= rounds; round++)
    for (int i = 2; i < count; i++) {
      double took = parse(&texts[i]);
      if (round > 0) total += took;
    }
  printf("{\"cpu_ms\": %.4f}\n", total / rounds);
}
