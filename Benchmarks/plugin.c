// A plugin that does as little as one can: it finds the parts of a message by their order in what ringid and the load
// generator write, and answers with the params.
#include "child.h"

static const char manifest[] =
  "{\"name\":\"bench\",\"methods\":[{\"name\":\"echo\",\"params\":{\"type\":\"object\"}}]}";

/// What stands behind `key` up to `end`.
static struct slice find(struct slice message, const char *key, char end) {
  const char *start = memmem(message.bytes, message.length, key, strlen(key));
  if (!start) return (struct slice){NULL, 0};
  start += strlen(key);
  const char *stop = memchr(start, end, (size_t)(message.bytes + message.length - start));
  return stop ? (struct slice){start, (size_t)(stop - start)} : (struct slice){NULL, 0};
}

static bool equals(struct slice text, const char *other) {
  return text.length == strlen(other) && memcmp(text.bytes, other, text.length) == 0;
}

static void answer(struct buffer *output, struct slice message) {
  struct slice id = find(message, "\"id\":", ','), method = find(message, "\"method\":\"", '"');
  const char *params = memmem(message.bytes, message.length, "\"params\":", 9);
  struct slice result = {"null", 4};
  if (!id.bytes || !method.bytes) return;
  if (equals(method, "initialize")) {
    result = (struct slice){manifest, sizeof manifest - 1};
  } else if (equals(method, "agent.ping")) {
    result = (struct slice){"\"pong\"", 6};
  } else if (params) {
    params += 9;
    result = (struct slice){params, (size_t)(message.bytes + message.length - 1 - params)};
  }
  static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":", between[] = ",\"result\":";
  buffer_append(output, before, sizeof before - 1);
  buffer_append(output, id.bytes, id.length);
  buffer_append(output, between, sizeof between - 1);
  buffer_append(output, result.bytes, result.length);
  buffer_append(output, "}\n", 2);
}

int main(void) {
  struct buffer input = {0}, output = {0};
  struct slice message;
  while (buffer_read(&input, 0)) {
    while (next_message(&input, NEWLINE, &message) > 0) answer(&output, message);
    if (!buffer_write(&output, 1)) return 1;
  }
  return 0;
}
