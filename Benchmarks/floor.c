// The floor: how fast the same work can be with the same JSON library and nothing else. One thread, epoll, and for
// each message json_loadb, a response object, json_dumpb. It knows the methods that the benchmark calls.
//
//     floor [--config DIR] [--state DIR] --socket PATH      (the directories are taken for ringid's sake and not used)
#include <jansson.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

struct connection {
  int socket;
  enum framing framing;
  bool wants_output, closed;
  struct buffer input, output;
  unsigned long subscription;  // 0 when there is none
  char *type;                  // of the events subscribed to; NULL takes all
  struct connection *next_subscriber;
};

/// An event to be sent when the messages at hand are handled, serialised once.
struct event {
  char *type, *text;
};

static int epoll;
static struct connection *subscribers;
static unsigned long last_subscription;
static json_int_t last_sequence;
static struct event *events;
static size_t event_count, event_capacity;

// A connection borrows these while it is served and gives them back empty, so an idle one holds no buffer.
static struct buffer spare_input, spare_output;

static void borrow(struct buffer *own, struct buffer *spare) {
  if (own->bytes) return;
  *own = *spare;
  *spare = (struct buffer){0};
}

static void give_back(struct buffer *own, struct buffer *spare) {
  if (buffer_length(own) > 0) return;
  if (spare->bytes) {
    free(own->bytes);
  } else {
    *spare = *own;
  }
  *own = (struct buffer){0};
}

static void flush(struct connection *c) {
  if (!buffer_send(&c->output, c->socket)) c->closed = true;
  bool wants_output = buffer_length(&c->output) > 0 && !c->closed;
  if (wants_output != c->wants_output) {
    c->wants_output = wants_output;
    struct epoll_event interest = {EPOLLIN | (wants_output ? EPOLLOUT : 0), {.ptr = c}};
    epoll_ctl(epoll, EPOLL_CTL_MOD, c->socket, &interest);
  }
  give_back(&c->output, &spare_output);
}

// Answers

static void write_json(struct connection *c, json_t *value) {
  size_t header = c->framing == NEWLINE ? 0 : HEADER_SIZE;
  size_t length = 1024, room;
  char *at;
  do {
    at = buffer_room(&c->output, header + length + 1);
    room = c->output.capacity - c->output.end - header - 1;
    length = json_dumpb(value, at + header, room, JSON_COMPACT);
  } while (length > room);
  if (c->framing == NEWLINE) {
    at[length] = '\n';
    c->output.end += length + 1;
  } else {
    size_t written = write_header(at, c->framing, length);
    memmove(at + written, at + header, length);
    c->output.end += written + length;
  }
}

static void answer(struct connection *c, json_t *id, const char *member, json_t *value) {
  if (id) {
    json_t *response = json_object();
    json_object_set_new_nocheck(response, "jsonrpc", json_string_nocheck("2.0"));
    json_object_set_nocheck(response, "id", id);
    json_object_set_nocheck(response, member, value);
    write_json(c, response);
    json_decref(response);
  }
  json_decref(value);
}

static void answer_error(struct connection *c, json_t *id, int code, const char *message) {
  answer(c, id, "error", json_pack("{s:i, s:s}", "code", code, "message", message));
}

// Events

static json_t *subscribe(struct connection *c, json_t *params) {
  const char *type = json_string_value(json_array_get(json_object_get(params, "types"), 0));
  free(c->type);
  c->type = type ? checked(strdup(type)) : NULL;
  if (c->subscription == 0) {
    c->next_subscriber = subscribers;
    subscribers = c;
  }
  c->subscription = ++last_subscription;
  char name[24];
  snprintf(name, sizeof name, "%lu", c->subscription);
  return json_pack("{s:s, s:I}", "subscription", name, "sequence", last_sequence);
}

static json_t *publish(json_t *params) {
  const char *type = json_string_value(json_object_get(params, "type"));
  json_t *data = json_object_get(params, "data");
  char id[32], time_text[32];
  time_t now = time(NULL);
  struct tm utc;
  strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  snprintf(id, sizeof id, "%026lld", ++last_sequence);
  json_t *event = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:O?}", "specversion", "1.0", "id", id, "source",
    "ringi://localhost/floor", "type", type ? type : "", "time", time_text, "sequence", last_sequence,
    "datacontenttype", "application/json", "data", data);
  if (event_count == event_capacity) {
    event_capacity = event_capacity ? 2 * event_capacity : 16;
    events = checked(realloc(events, event_capacity * sizeof *events));
  }
  events[event_count++] = (struct event){checked(strdup(type ? type : "")), checked(json_dumps(event, JSON_COMPACT))};
  return json_pack("{s:o}", "event", event);
}

static void append_event(struct connection *c, const struct event *event) {
  static const char format[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"subscription\":\"%lu\",\"event\":%s}}";
  size_t bound = sizeof format + strlen(event->type) + 20 + strlen(event->text);
  size_t header = c->framing == NEWLINE ? 0 : HEADER_SIZE;
  char *at = buffer_room(&c->output, header + bound + 1);
  size_t length = (size_t)sprintf(at + header, format, event->type, c->subscription, event->text);
  size_t written = write_header(at, c->framing, length);
  if (header > 0) memmove(at + written, at + header, length);
  if (header == 0) at[length++] = '\n';
  c->output.end += written + length;
}

static void send_events(void) {
  if (event_count == 0) return;
  for (struct connection *c = subscribers; c; c = c->next_subscriber) {
    borrow(&c->output, &spare_output);
    for (size_t i = 0; i < event_count; i++)
      if (!c->type || strcmp(c->type, events[i].type) == 0) append_event(c, &events[i]);
    flush(c);
  }
  for (size_t i = 0; i < event_count; i++) {
    free(events[i].type);
    free(events[i].text);
  }
  event_count = 0;
}

// Requests

static void handle(struct connection *c, struct slice message) {
  json_error_t problem;
  json_t *request = json_loadb(message.bytes, message.length, 0, &problem);
  if (!request) {
    answer_error(c, json_null(), -32700, problem.text);
    return;
  }
  json_t *id = json_object_get(request, "id"), *params = json_object_get(request, "params");
  const char *method = json_string_value(json_object_get(request, "method"));
  if (!method) {
    answer_error(c, id ? id : json_null(), -32600, "not a request");
  } else if (strcmp(method, "agent.ping") == 0) {
    answer(c, id, "result", json_string_nocheck("pong"));
  } else if (strcmp(method, "agent.echo") == 0) {
    answer(c, id, "result", params ? json_incref(params) : json_null());
  } else if (strcmp(method, "events.subscribe") == 0) {
    answer(c, id, "result", subscribe(c, params));
  } else if (strcmp(method, "events.publish") == 0) {
    answer(c, id, "result", publish(params));
  } else {
    answer_error(c, id, -32601, "no such method");
  }
  json_decref(request);
}

static void serve_input(struct connection *c) {
  borrow(&c->input, &spare_input);
  borrow(&c->output, &spare_output);
  if (!buffer_receive(&c->input, c->socket)) c->closed = true;
  if (c->framing == UNKNOWN && buffer_length(&c->input) > 0)
    c->framing = c->input.bytes[c->input.start] == 'C' ? CONTENT_LENGTH : NEWLINE;
  struct slice message;
  int found;
  while ((found = next_message(&c->input, c->framing, &message)) > 0) handle(c, message);
  if (found < 0) c->closed = true;
  flush(c);
  give_back(&c->input, &spare_input);
  send_events();
}

// Connections

static void accept_all(int listener) {
  int socket;
  while ((socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    struct connection *c = checked(calloc(1, sizeof *c));
    c->socket = socket;
    struct epoll_event interest = {EPOLLIN, {.ptr = c}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &interest);
  }
}

static void discard(struct connection *c) {
  for (struct connection **link = &subscribers; *link; link = &(*link)->next_subscriber) {
    if (*link != c) continue;
    *link = c->next_subscriber;
    break;
  }
  close(c->socket);
  free(c->input.bytes);
  free(c->output.bytes);
  free(c->type);
  free(c);
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "floor: %s: too long for a socket's path\n", path);
    exit(2);
  }
  strcpy(address.sun_path, path);
  unlink(path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
    perror(path);
    exit(2);
  }
  return listener;
}

static const char *socket_path(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i += 2)
    if (strcmp(arguments[i], "--socket") == 0) return arguments[i + 1];
  fprintf(stderr, "usage: floor [--config DIR] [--state DIR] --socket PATH\n");
  exit(64);
}

int main(int count, char **arguments) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  int listener = listen_at(socket_path(count, arguments));
  epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event interest = {EPOLLIN, {.ptr = NULL}}, ready[256];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &interest);
  for (;;) {
    int ready_count = epoll_wait(epoll, ready, 256, -1);
    for (int i = 0; i < ready_count; i++) {
      struct connection *c = ready[i].data.ptr;
      if (!c) {
        accept_all(listener);
        continue;
      }
      if (ready[i].events & EPOLLOUT) flush(c);
      if (ready[i].events & ~(uint32_t)EPOLLOUT) serve_input(c);
      if (c->closed) discard(c);
    }
  }
}
