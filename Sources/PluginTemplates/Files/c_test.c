// Tests of the plugin, with an agent that keeps its state in a variable.

#include "plugin.c"

#include <assert.h>

static json_t *state, *result;
static char kind[40], event[100];

static void answer(const ringi_host *host, ringi_call call, json_t *value) {
  json_decref(result);
  result = value;
}

static void fail(const ringi_host *host, ringi_call call, const char *why, const char *message, json_t *data) {
  snprintf(kind, sizeof kind, "%s", why);
  json_decref(data);
}

static void log_line(const ringi_host *host, const char *level, const char *message) {}

static void publish(const ringi_host *host, const char *type, const char *subject, json_t *data) {
  snprintf(event, sizeof event, "%s", type);
  json_decref(data);
}

static json_t *state_get(const ringi_host *host, const char *key, json_t **error) {
  return state ? json_incref(state) : json_null();
}

static bool state_set(const ringi_host *host, const char *key, json_t *value, json_t **error) {
  json_decref(state);
  state = value;
  return true;
}

static void call(void *instance, const char *method, json_t *params) {
  kind[0] = 0;
  ringi_plugin_call(instance, method, params, 1);
  json_decref(params);
}

static const char *text(json_t *object, const char *key) { return json_string_value(json_object_get(object, key)); }

int main(void) {
  ringi_host host = {.abi = RINGI_PLUGIN_ABI, .instance = "@NAME@", .answer = answer, .fail = fail, .log = log_line,
                     .publish = publish, .state_get = state_get, .state_set = state_set};
  char error[100];
  json_t *settings = json_object(), *description = ringi_plugin_describe();
  assert(json_is_object(description));
  void *instance = ringi_plugin_create(&host, settings, error, sizeof error);

  call(instance, "add", json_pack("{s:s}", "title", "Feed the cat"));
  assert(strcmp(json_string_value(result), "2") == 0 && strcmp(event, "@NAME@-added") == 0);
  call(instance, "tasks.list", json_object());
  assert(json_array_size(json_object_get(result, "tasks")) == 2);

  call(instance, "tasks.complete", json_pack("{s:s, s:s}", "task", "1", "action", "approve"));
  assert(strcmp(text(result, "outcome"), "approved") == 0);
  call(instance, "tasks.complete", json_pack("{s:s, s:s}", "task", "1", "action", "reject"));
  assert(strcmp(kind, "conflict") == 0);
  call(instance, "tasks.get", json_pack("{s:s}", "task", "7"));
  assert(json_is_null(result));

  ringi_plugin_destroy(instance);
  json_decref(settings);
  json_decref(description);
  json_decref(result);
  json_decref(state);
  puts("ok");
}
