// The load generator: calls one method over and over on a Unix socket, each connection with `depth` requests open, and
// prints one line of JSON. Every answer is checked; the first wrong one ends the run with a message and status 1.
// `loadgen --help` lists the options.
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

static const char usage[] =
  "loadgen [option...] SOCKET\n"
  "  --connections N     how many clients (1)\n"
  "  --depth N           requests each keeps open (1)\n"
  "  --seconds S         how long to measure (1)\n"
  "  --warmup S          how long to run before that (0)\n"
  "  --requests N        stop after N requests instead, all of them measured\n"
  "  --framing F         newline, or content-length\n"
  "  --method M          what to call (agent.ping)\n"
  "  --params JSON       with what ({})\n"
  "  --result JSON       what every answer's result must equal (anything)\n"
  "  --subscribers N     instead publish events to N subscribers; a request is done when it is answered and all of\n"
  "                      them have its event\n"
  "  --patience S        give up when nothing arrives for so long (10)\n";

enum { ID_DIGITS = 9, FIRST_ID = 100000000, ASIDE_ID = 999999999, HOLE = '\1', HOLES = 2 };

static struct {
  const char *socket, *method, *params;
  enum framing framing;
  json_t *result;
  size_t connections, depth, subscribers;
  uint64_t requests;
  double seconds, warmup;
  int patience;
} options = {
  .method = "agent.ping", .params = "{}", .framing = NEWLINE, .connections = 1, .depth = 1, .seconds = 1,
  .patience = 10};

struct connection {
  int socket;
  bool wants_output, subscriber;
  struct buffer input, output;
  uint64_t received;  // events, by a subscriber
  char *subscription;
};

/// One request that is kept open, again and again: its id grows by the number of slots each time.
struct slot {
  uint64_t id, sent_at;
  struct connection *connection;
  size_t missing;  // the answer and the events that have not arrived yet
  bool unanswered;
};

/// The text of a request with its framing, and where its id (and the event's number, which is the same) goes.
struct request {
  struct buffer text;
  size_t holes[HOLES], hole_count;
};

static int epoll;
static struct connection *connections;
static struct slot *slots;
static size_t slot_count;
static uint64_t *published;  // the numbers of the open events, in a ring: events must come in this order
static uint64_t publish_count;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("loadgen: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

/// Fails with the beginning of the message that is at fault.
__attribute__((noreturn)) static void reject(struct slice message, const char *what) {
  fail("%s: %.*s", what, message.length < 400 ? (int)message.length : 400, message.bytes);
}

// Time

static uint64_t clock_now(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time)) fail("the server has ended");
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t now(void) { return clock_now(CLOCK_MONOTONIC); }

/// Times in nanoseconds, in buckets less than one per cent wide.
enum { STEP_BITS = 7, STEPS = 1 << STEP_BITS, BUCKETS = (64 - STEP_BITS + 1) * STEPS };
static uint64_t histogram[BUCKETS], histogram_count;

static void record(uint64_t time) {
  unsigned shift = time < STEPS ? 0 : 63 - STEP_BITS - (unsigned)__builtin_clzll(time);
  histogram[shift * STEPS + (time >> shift)]++;
  histogram_count++;
}

static double percentile(double share) {
  uint64_t rank = (uint64_t)(share * (double)histogram_count), seen = 0;
  for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
    seen += histogram[bucket];
    if (seen <= rank) continue;
    unsigned shift = bucket < 2 * STEPS ? 0 : bucket / STEPS - 1;
    return ((double)(bucket - shift * STEPS) + 0.5) * (double)(1ull << shift) / 1000;
  }
  return 0;
}

// Requests

static struct request make_request(const char *method, const char *params) {
  char *text;
  int length = asprintf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%c,\"method\":\"%s\",\"params\":%s}", HOLE, method, params);
  checked(length < 0 ? NULL : text);
  struct request request = {0};
  struct buffer body = {0};
  for (const char *at = text; *at; at++) {
    if (*at != HOLE) {
      buffer_append(&body, at, 1);
      continue;
    }
    request.holes[request.hole_count++] = body.end;
    buffer_append(&body, "000000000", ID_DIGITS);
  }
  append_message(&request.text, options.framing, (struct slice){body.bytes, body.end});
  size_t header = request.text.end - body.end - (options.framing == NEWLINE);
  for (size_t i = 0; i < request.hole_count; i++) request.holes[i] += header;
  free(body.bytes);
  free(text);
  return request;
}

static void append_request(struct connection *c, const struct request *request, uint64_t id) {
  char digits[24];
  sprintf(digits, "%09llu", (unsigned long long)id);
  char *at = buffer_room(&c->output, request->text.end);
  memcpy(at, request->text.bytes, request->text.end);
  for (size_t i = 0; i < request->hole_count; i++) memcpy(at + request->holes[i], digits, ID_DIGITS);
  c->output.end += request->text.end;
}

// Checking

static json_t *parse(struct slice message) {
  json_error_t problem;
  json_t *value = json_loadb(message.bytes, message.length, JSON_REJECT_DUPLICATES, &problem);
  const char *version = json_string_value(json_object_get(value, "jsonrpc"));
  if (!version || strcmp(version, "2.0"))
    reject(message, "not a JSON-RPC message");
  return value;
}

static uint64_t digits_at(const char *text) {
  uint64_t number = 0;
  for (int i = 0; i < ID_DIGITS; i++) {
    if (text[i] < '0' || text[i] > '9') return 0;
    number = 10 * number + (uint64_t)(text[i] - '0');
  }
  return number;
}

/// Checks an answer by parsing it; returns its id.
static uint64_t check_answer(json_t *message, struct slice text) {
  json_t *id = json_object_get(message, "id"), *result = json_object_get(message, "result");
  bool good = json_is_integer(id) && result && json_object_size(message) == 3 &&
    (!options.result || json_equal(result, options.result));
  if (!good) reject(text, "a wrong answer");
  return (uint64_t)json_integer_value(id);
}

// Answers to the same call differ in nothing but the id. So the first is parsed, and one that is equal to it byte by
// byte around the id needs no parsing; any other is parsed too.
static struct {
  struct buffer text;
  size_t id_at;
} known_answer;

static void remember_answer(struct slice text, uint64_t id) {
  char digits[24];
  sprintf(digits, "%llu", (unsigned long long)id);
  const char *at = memmem(text.bytes, text.length, digits, ID_DIGITS);
  if (!options.result || !at) return;
  const char *rest = at + ID_DIGITS;
  if (memmem(rest, (size_t)(text.bytes + text.length - rest), digits, ID_DIGITS)) return;
  buffer_append(&known_answer.text, text.bytes, text.length);
  known_answer.id_at = (size_t)(at - text.bytes);
}

static uint64_t answered_id(struct slice text) {
  size_t head = known_answer.id_at, tail = head + ID_DIGITS;
  const char *known = known_answer.text.bytes;
  if (known && text.length == known_answer.text.end && memcmp(text.bytes, known, head) == 0 &&
    memcmp(text.bytes + tail, known + tail, text.length - tail) == 0)
    return digits_at(text.bytes + head);
  json_t *message = parse(text);
  uint64_t id = check_answer(message, text);
  json_decref(message);
  if (!known) remember_answer(text, id);
  return id;
}

static uint64_t parsed_number(struct connection *c, struct slice text) {
  json_t *message = parse(text), *params = json_object_get(message, "params");
  json_t *data = json_object_get(json_object_get(params, "event"), "data");
  const char *method = json_string_value(json_object_get(message, "method"));
  const char *subscription = json_string_value(json_object_get(params, "subscription"));
  bool good = method && strcmp(method, "bench") == 0 && subscription && strcmp(subscription, c->subscription) == 0;
  uint64_t number = good ? (uint64_t)json_integer_value(json_object_get(data, "number")) : 0;
  json_decref(message);
  return number;
}

static uint64_t found_number(struct slice text) {
  static const char member[] = "\"number\":";
  const char *at = memmem(text.bytes, text.length, member, sizeof member - 1);
  const char *end = text.bytes + text.length;
  return at && end - at >= (long)sizeof member + ID_DIGITS ? digits_at(at + sizeof member - 1) : 0;
}

/// Checks that an event is the subscriber's next one; returns its number. To cost little, only one in 64 is parsed, and
/// those in which the number is not found as it was sent.
static uint64_t event_number(struct connection *c, struct slice text) {
  uint64_t number = c->received % 64 == 0 ? 0 : found_number(text);
  if (number == 0) number = parsed_number(c, text);
  if (c->received == publish_count || number != published[c->received % slot_count])
    reject(text, "not the subscriber's next event");
  c->received++;
  return number;
}

// Connections

static void watch(struct connection *c, int operation) {
  struct epoll_event interest = {EPOLLIN | (c->wants_output ? EPOLLOUT : 0), {.ptr = c}};
  if (epoll_ctl(epoll, operation, c->socket, &interest)) fail("epoll_ctl: %s", strerror(errno));
}

static void flush(struct connection *c) {
  if (!buffer_send(&c->output, c->socket)) fail("the server closed a connection");
  bool wants_output = buffer_length(&c->output) > 0;
  if (wants_output == c->wants_output) return;
  c->wants_output = wants_output;
  watch(c, EPOLL_CTL_MOD);
}

static void open_connection(struct connection *c) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(options.socket) >= sizeof address.sun_path) fail("%s: too long for a socket's path", options.socket);
  strcpy(address.sun_path, options.socket);
  c->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->socket < 0 || connect(c->socket, (struct sockaddr *)&address, sizeof address))
    fail("%s: %s", options.socket, strerror(errno));
  struct timeval patience = {.tv_sec = options.patience};
  setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  watch(c, EPOLL_CTL_ADD);
}

/// Sends a request and waits for its answer, before or after the measured time. Nothing else may come.
static json_t *ask(struct connection *c, const struct request *request) {
  append_request(c, request, ASIDE_ID);
  flush(c);
  struct slice text;
  int found;
  while ((found = next_message(&c->input, options.framing, &text)) == 0) {
    char *room = buffer_room(&c->input, READ_SIZE);
    ssize_t count = recv(c->socket, room, READ_SIZE, 0);
    if (count == 0) fail("the server closed a connection");
    if (count < 0) fail("no answer for %d seconds", options.patience);
    c->input.end += (size_t)count;
  }
  if (found < 0) fail("a message without Content-Length");
  json_t *message = parse(text), *id = json_object_get(message, "id"), *result = json_object_get(message, "result");
  if (!json_is_integer(id) || json_integer_value(id) != ASIDE_ID || !result)
    reject(text, "an answer to no open request");
  json_incref(result);
  json_decref(message);
  return result;
}

static void subscribe(struct connection *c) {
  struct request request = make_request("events.subscribe", "{\"types\":[\"bench\"]}");
  json_t *result = ask(c, &request);
  const char *subscription = json_string_value(json_object_get(result, "subscription"));
  if (!subscription) fail("events.subscribe gave no subscription");
  c->subscriber = true;
  c->subscription = checked(strdup(subscription));
  json_decref(result);
  free(request.text.bytes);
}

/// The server's CPU clock: all threads, in user and kernel mode.
static clockid_t server_clock(void) {
  struct ucred server;
  socklen_t length = sizeof server;
  clockid_t clock;
  if (getsockopt(connections[0].socket, SOL_SOCKET, SO_PEERCRED, &server, &length) ||
    clock_getcpuclockid(server.pid, &clock))
    fail("no CPU clock of the server");
  return clock;
}

// The run

static struct {
  uint64_t sent;
  size_t open;
  uint64_t done, events;  // since the measuring began
  uint64_t began, ended, cpu_began, cpu_ended, own_cpu_began, own_cpu_ended;
  bool measuring, over;
} run;

static struct request request;

static void send_next(struct slot *slot) {
  slot->id = slot->id ? slot->id + slot_count : FIRST_ID + (uint64_t)(slot - slots);
  slot->missing = 1 + options.subscribers;
  slot->unanswered = true;
  slot->sent_at = now();
  if (options.subscribers) published[publish_count++ % slot_count] = slot->id;
  append_request(slot->connection, &request, slot->id);
  run.sent++;
  run.open++;
}

static bool may_send(void) { return !run.over && (options.requests == 0 || run.sent < options.requests); }

/// Notes that a part of what a request waits for is there; with the last one it is done, and the next request goes.
static void arrived(struct slot *slot, uint64_t time) {
  if (--slot->missing > 0) return;
  run.open--;
  if (run.measuring) {
    run.done++;
    record(time - slot->sent_at);
  }
  if (may_send()) send_next(slot);
}

static void take_message(struct connection *c, struct slice text, uint64_t time) {
  if (c->subscriber) {
    struct slot *slot = &slots[(event_number(c, text) - FIRST_ID) % slot_count];
    if (run.measuring) run.events++;
    arrived(slot, time);
    flush(slot->connection);
    return;
  }
  uint64_t id = answered_id(text);
  struct slot *slot = &slots[(id - FIRST_ID) % slot_count];
  if (slot->id != id || slot->connection != c || !slot->unanswered)
    reject(text, "an answer to no open request");
  slot->unanswered = false;
  arrived(slot, time);
}

static void serve_input(struct connection *c) {
  if (!buffer_receive(&c->input, c->socket)) fail("the server closed a connection");
  uint64_t time = now();
  struct slice text;
  int found;
  while ((found = next_message(&c->input, options.framing, &text)) > 0) take_message(c, text, time);
  if (found < 0) fail("a message without Content-Length");
  flush(c);
}

static void begin_measuring(clockid_t server) {
  run.measuring = true;
  run.cpu_began = clock_now(server);
  run.own_cpu_began = clock_now(CLOCK_PROCESS_CPUTIME_ID);
  run.began = now();
}

static void end_measuring(clockid_t server) {
  run.ended = now();
  run.cpu_ended = clock_now(server);
  run.own_cpu_ended = clock_now(CLOCK_PROCESS_CPUTIME_ID);
  run.measuring = false;
  run.over = true;
}

static void measure(void) {
  clockid_t server = server_clock();
  uint64_t warm = now() + (uint64_t)(options.warmup * 1e9);
  uint64_t end = options.requests ? UINT64_MAX : warm + (uint64_t)(options.seconds * 1e9);
  if (options.requests) begin_measuring(server);
  for (size_t i = 0; i < slot_count && may_send(); i++) send_next(&slots[i]);
  for (size_t i = 0; i < options.connections; i++) flush(&connections[i]);
  while (run.open > 0) {
    struct epoll_event ready[256];
    int count = epoll_wait(epoll, ready, 256, options.patience * 1000);
    if (count == 0) fail("no answer for %d seconds, %zu requests are open", options.patience, run.open);
    for (int i = 0; i < count; i++) {
      struct connection *c = ready[i].data.ptr;
      if (ready[i].events & EPOLLOUT) flush(c);
      if (ready[i].events & ~(uint32_t)EPOLLOUT) serve_input(c);
    }
    uint64_t time = now();
    if (!run.measuring && !run.over && time >= warm) begin_measuring(server);
    if (run.measuring && time >= end) end_measuring(server);
  }
  if (run.measuring) end_measuring(server);
}

static void report(void) {
  double seconds = (double)(run.ended - run.began) / 1e9, cpu = (double)(run.cpu_ended - run.cpu_began) / 1000;
  double own_cpu = (double)(run.own_cpu_ended - run.own_cpu_began) / 1e9;
  if (run.done == 0) fail("no request was done in the measured time");
  printf("{\"requests\":%llu,\"events\":%llu,\"seconds\":%.3f,\"per_second\":%.1f,\"p50_us\":%.2f,\"p99_us\":%.2f,"
    "\"cpu_us\":%.3f,\"load\":%.2f",
    (unsigned long long)run.done, (unsigned long long)run.events, seconds, (double)run.done / seconds, percentile(0.5),
    percentile(0.99), cpu / (double)run.done, own_cpu / seconds);
  if (run.events) printf(",\"events_per_second\":%.1f,\"cpu_us_per_event\":%.4f", (double)run.events / seconds,
    cpu / (double)run.events);
  puts("}");
}

// Options

static json_t *json_option(const char *name, const char *text) {
  json_error_t problem;
  json_t *value = json_loads(text, JSON_DECODE_ANY, &problem);
  if (!value) fail("%s: %s", name, problem.text);
  return value;
}

static enum framing framing_option(const char *text) {
  if (strcmp(text, "newline") == 0) return NEWLINE;
  if (strcmp(text, "content-length") == 0) return CONTENT_LENGTH;
  fail("--framing: %s: newline or content-length", text);
}

static void read_options(int count, char **arguments) {
  static const struct option known[] = {
    {"connections", 1, NULL, 'c'}, {"depth", 1, NULL, 'd'}, {"seconds", 1, NULL, 's'}, {"warmup", 1, NULL, 'w'},
    {"requests", 1, NULL, 'n'}, {"framing", 1, NULL, 'f'}, {"method", 1, NULL, 'm'}, {"params", 1, NULL, 'p'},
    {"result", 1, NULL, 'r'}, {"subscribers", 1, NULL, 'S'}, {"patience", 1, NULL, 'P'}, {"help", 0, NULL, 'h'},
    {NULL, 0, NULL, 0}};
  int option;
  while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
    switch (option) {
      case 'c': options.connections = strtoul(optarg, NULL, 10); break;
      case 'd': options.depth = strtoul(optarg, NULL, 10); break;
      case 's': options.seconds = strtod(optarg, NULL); break;
      case 'w': options.warmup = strtod(optarg, NULL); break;
      case 'n': options.requests = strtoull(optarg, NULL, 10); break;
      case 'f': options.framing = framing_option(optarg); break;
      case 'm': options.method = optarg; break;
      case 'p': options.params = optarg; break;
      case 'r': options.result = json_option("--result", optarg); break;
      case 'S': options.subscribers = strtoul(optarg, NULL, 10); break;
      case 'P': options.patience = atoi(optarg); break;
      case 'h': fputs(usage, stdout); exit(0);
      default: fputs(usage, stderr); exit(64);
    }
  }
  options.socket = arguments[optind];
  bool valid = options.socket && options.connections && options.depth && options.patience > 0;
  if (!valid || (options.subscribers && options.connections > 1)) {
    fputs(usage, stderr);
    exit(64);
  }
}

int main(int count, char **arguments) {
  read_options(count, arguments);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  size_t total = options.connections + options.subscribers;
  slot_count = options.connections * options.depth;
  connections = checked(calloc(total, sizeof *connections));
  slots = checked(calloc(slot_count, sizeof *slots));
  published = checked(calloc(slot_count, sizeof *published));
  epoll = epoll_create1(EPOLL_CLOEXEC);
  for (size_t i = 0; i < total; i++) open_connection(&connections[i]);
  for (size_t i = options.connections; i < total; i++) subscribe(&connections[i]);
  for (size_t i = 0; i < slot_count; i++) slots[i].connection = &connections[i / options.depth];
  request = options.subscribers
    ? make_request("events.publish", "{\"type\":\"bench\",\"data\":{\"number\":\1,\"title\":\"Approve order 300280\"}}")
    : make_request(options.method, options.params);

  measure();

  // What was sent twice, or to the wrong client, is found in front of one last answer.
  struct request last = make_request("agent.ping", "{}");
  for (size_t i = 0; i < total; i++) json_decref(ask(&connections[i], &last));
  report();
}
