// What the floor and the load generator share: a growing buffer, and messages in either framing.
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/// Bytes yet to be taken: `bytes[start..<end]`. All zero is an empty buffer.
struct buffer {
  char *bytes;
  size_t start, end, capacity;
};

enum framing { UNKNOWN, NEWLINE, CONTENT_LENGTH };

struct slice {
  const char *bytes;
  size_t length;
};

enum { READ_SIZE = 65536, HEADER_SIZE = 40 };

static inline void *checked(void *memory) {
  if (!memory) {
    perror("memory");
    exit(2);
  }
  return memory;
}

static inline size_t buffer_length(const struct buffer *b) { return b->end - b->start; }

/// Makes room for `size` more bytes and returns where they go; the caller then moves `end`.
static inline char *buffer_room(struct buffer *b, size_t size) {
  if (b->start == b->end) b->start = b->end = 0;
  if (b->capacity - b->end < size && b->start > 0) {
    memmove(b->bytes, b->bytes + b->start, buffer_length(b));
    b->end -= b->start;
    b->start = 0;
  }
  if (b->capacity - b->end < size) {
    b->capacity = 2 * b->capacity > b->end + size ? 2 * b->capacity : b->end + size;
    b->bytes = checked(realloc(b->bytes, b->capacity));
  }
  return b->bytes + b->end;
}

static inline void buffer_append(struct buffer *b, const char *bytes, size_t length) {
  memcpy(buffer_room(b, length), bytes, length);
  b->end += length;
}

/// Reads once without waiting; false when the other side has closed.
static inline bool buffer_receive(struct buffer *b, int socket) {
  char *room = buffer_room(b, READ_SIZE);
  ssize_t count = recv(socket, room, b->capacity - b->end, MSG_DONTWAIT);
  if (count > 0) b->end += (size_t)count;
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/// Sends what the socket takes without waiting; false when the other side has closed.
static inline bool buffer_send(struct buffer *b, int socket) {
  while (b->start < b->end) {
    ssize_t count = send(socket, b->bytes + b->start, buffer_length(b), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    b->start += (size_t)count;
  }
  return true;
}

/// The value of Content-Length among the header lines of `header`, or -1.
static inline long content_length(struct slice header) {
  static const char name[] = "Content-Length:";
  const char *line = header.bytes, *end = header.bytes + header.length;
  while (line < end) {
    if (strncasecmp(line, name, sizeof name - 1) == 0) return strtol(line + sizeof name - 1, NULL, 10);
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    line = newline ? newline + 1 : end;
  }
  return -1;
}

/// Takes the next whole message: 1, or 0 when more bytes are needed, or -1 when its header is broken.
static inline int next_message(struct buffer *b, enum framing framing, struct slice *message) {
  char *start = b->bytes + b->start;
  size_t length = buffer_length(b);
  if (length == 0) return 0;
  if (framing == NEWLINE) {
    char *newline = memchr(start, '\n', length);
    if (!newline) return 0;
    *message = (struct slice){start, (size_t)(newline - start)};
    b->start += message->length + 1;
    return 1;
  }
  char *end = memmem(start, length, "\r\n\r\n", 4);
  if (!end) return 0;
  long body = content_length((struct slice){start, (size_t)(end + 2 - start)});
  if (body < 0) return -1;
  size_t header = (size_t)(end + 4 - start);
  if (length - header < (size_t)body) return 0;
  *message = (struct slice){start + header, (size_t)body};
  b->start += header + (size_t)body;
  return 1;
}

/// Writes the header that goes before a message of `length` bytes; returns the header's length.
static inline size_t write_header(char *at, enum framing framing, size_t length) {
  return framing == NEWLINE ? 0 : (size_t)sprintf(at, "Content-Length: %zu\r\n\r\n", length);
}

/// Appends one message with its framing.
static inline void append_message(struct buffer *b, enum framing framing, struct slice message) {
  char *at = buffer_room(b, HEADER_SIZE + message.length + 1);
  size_t header = write_header(at, framing, message.length);
  memcpy(at + header, message.bytes, message.length);
  if (framing == NEWLINE) at[message.length] = '\n';
  b->end += header + message.length + (framing == NEWLINE);
}
