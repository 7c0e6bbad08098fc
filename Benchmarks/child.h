// The plugin that the relay and the bare pipe start, from the folder that they lie in.
#pragma once
#include <libgen.h>
#include <unistd.h>

#include "wire.h"

struct child {
  /// What it reads, what it writes.
  int input, output;
};

static inline struct child start_child(const char *program) {
  int input[2], output[2];
  if (pipe(input) || pipe(output)) {
    perror("pipe");
    exit(2);
  }
  if (fork() == 0) {
    char *path = strdup(program), *plugin = NULL;
    dup2(input[0], 0);
    dup2(output[1], 1);
    for (int descriptor = 3; descriptor < 64; descriptor++) close(descriptor);
    if (asprintf(&plugin, "%s/plugin", dirname(path)) > 0) execl(plugin, "plugin", (char *)NULL);
    perror("plugin");
    _exit(2);
  }
  close(input[0]);
  close(output[1]);
  return (struct child){input[1], output[0]};
}

/// Reads once; false at the end.
static inline bool buffer_read(struct buffer *b, int descriptor) {
  char *room = buffer_room(b, READ_SIZE);
  ssize_t count = read(descriptor, room, b->capacity - b->end);
  if (count > 0) b->end += (size_t)count;
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/// Writes what there is room for; false when the other side has closed.
static inline bool buffer_write(struct buffer *b, int descriptor) {
  while (b->start < b->end) {
    ssize_t count = write(descriptor, b->bytes + b->start, buffer_length(b));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    b->start += (size_t)count;
  }
  return true;
}
