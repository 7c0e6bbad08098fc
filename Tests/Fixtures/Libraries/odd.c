// A library that does what its calls tell it, the forbidden things too.

#include "ringi_plugin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ABI
#define ABI RINGI_PLUGIN_ABI
#endif

struct odd {
  const ringi_host *host;
  json_t *settings;
};

struct later {
  const ringi_host *host;
  ringi_call call;
};

#ifdef HANGING
__attribute__((constructor)) static void hang(void) { sleep(3600); }
#endif

uint32_t ringi_plugin_abi(void) { return ABI; }

json_t *ringi_plugin_describe(void) {
#ifdef DESCRIPTION
  return json_loads(DESCRIPTION, 0, NULL);
#else
  const char *inlines[] = {"echo", "null", "twice", "ask-inline", "stray", "no-json", NULL};
  const char *others[] = {"later", "never", "sleep", "refuse", "tell", "flood", "ask", "state", "settings",
                          "until-cancelled", "progress", NULL};
  json_t *methods = json_array();
  for (int index = 0; inlines[index]; index++)
    json_array_append_new(methods, json_pack("{s:s, s:b}", "name", inlines[index], "inline", 1));
  for (int index = 0; others[index]; index++)
    json_array_append_new(methods, json_pack("{s:s}", "name", others[index]));
  json_array_append_new(methods, json_pack("{s:s, s:b}", "name", "act", "mutation", 1));
  return json_pack("{s:s, s:o, s:{s:s, s:{s:{s:b}}}}", "name", "odd", "methods", methods, "settingsSchema", "type",
                   "object", "properties", "token", "x-secret", 1);
#endif
}

#ifndef WITHOUT_CREATE
void *ringi_plugin_create(const ringi_host *host, json_t *settings, char *error, size_t error_size) {
  const char *refusal = json_string_value(json_object_get(settings, "refuse"));
  if (refusal) {
    snprintf(error, error_size, "%s", refusal);
    return NULL;
  }
  if (json_object_get(settings, "hang")) sleep(60);
  struct odd *odd = malloc(sizeof *odd);
  odd->host = host;
  odd->settings = json_incref(settings);
  return odd;
}
#endif

void ringi_plugin_destroy(void *plugin) {
  struct odd *odd = plugin;
  if (json_object_get(odd->settings, "stay")) sleep(60);
  json_decref(odd->settings);
  free(odd);
}

static void *answer_later(void *argument) {
  struct later *later = argument;
  usleep(20000);
  later->host->progress(later->host, later->call, json_string("half"));
  later->host->answer(later->host, later->call, json_string("from another thread"));
  free(later);
  return NULL;
}

static void start(const ringi_host *host, ringi_call call) {
  struct later *later = malloc(sizeof *later);
  *later = (struct later){host, call};
  pthread_t thread;
  pthread_create(&thread, NULL, answer_later, later);
  pthread_detach(thread);
}

static void wait_for_cancel(const ringi_host *host, ringi_call call) {
  host->progress(host, call, json_string("begun"));
  while (!host->is_cancelled(host, call)) usleep(1000);
  host->log(host, "info", "it was cancelled");
  host->answer(host, call, json_string("too late"));
}

static void ask(const ringi_host *host, json_t *params, ringi_call call) {
  json_t *error;
  json_t *result = host->call(host, json_string_value(json_object_get(params, "method")),
                              json_incref(json_object_get(params, "params")), &error);
  host->answer(host, call, result ? result : json_pack("{s:o}", "error", error));
}

static void state(const ringi_host *host, json_t *params, ringi_call call) {
  const char *key = json_string_value(json_object_get(params, "key"));
  json_t *error = NULL, *value = json_object_get(params, "value");
  if (json_is_string(value) && strcmp(json_string_value(value), "no JSON") == 0)
    value = json_string_nocheck("\xFF");
  else
    json_incref(value);
  if (value && !host->state_set(host, key, value, &error)) {
    host->answer(host, call, json_pack("{s:o}", "error", error));
    return;
  }
  host->answer(host, call, host->state_get(host, key, NULL));
}

// What jansson lets be made, and no text can say.
static json_t *no_json(const char *kind) {
  json_t *value = json_array();
  if (strcmp(kind, "cyclic") == 0) {
    json_t *other = json_array();
    json_array_append(value, other);
    json_array_append(value, other);
    json_array_append(other, value);
  } else if (strcmp(kind, "deep") == 0)
    for (int depth = 0; depth < 100000; depth++) {
      json_t *outer = json_array();
      json_array_append_new(outer, value);
      value = outer;
    }
  else if (strcmp(kind, "key") == 0) {
    value = json_object();
    json_object_set_new_nocheck(value, "\xC3(", json_null());
  } else
    json_array_append_new(value, json_string_nocheck("\xF0\x28\x8C\x28"));
  return value;
}

void ringi_plugin_call(void *plugin, const char *method, json_t *params, ringi_call call) {
  struct odd *odd = plugin;
  const ringi_host *host = odd->host;
  if (strcmp(method, "echo") == 0) host->answer(host, call, json_incref(params));
  else if (strcmp(method, "no-json") == 0)
    host->answer(host, call, no_json(json_string_value(json_object_get(params, "kind"))));
  else if (strcmp(method, "null") == 0) host->answer(host, call, NULL);
  else if (strcmp(method, "twice") == 0) {
    host->answer(host, call, json_integer(1));
    host->answer(host, call, json_integer(2));
    host->fail(host, call, "not-found", "a third one", json_object());
  } else if (strcmp(method, "stray") == 0) {
    host->answer(host, call + 1000, json_integer(1));
    host->answer(NULL, call, json_integer(1));
    host->progress(host, 0, json_integer(1));
    host->answer(host, call, json_string("fine"));
  } else if (strcmp(method, "later") == 0) start(host, call);
  else if (strcmp(method, "sleep") == 0) {
    host->progress(host, call, json_string("begun"));
    usleep(1000 * json_integer_value(json_object_get(params, "ms")));
    host->answer(host, call, json_string("slept"));
  } else if (strcmp(method, "act") == 0) usleep(1000 * json_integer_value(json_object_get(params, "ms")));
  else if (strcmp(method, "refuse") == 0)
    host->fail(host, call, json_string_value(json_object_get(params, "kind")),
               json_string_value(json_object_get(params, "message")), json_incref(json_object_get(params, "data")));
  else if (strcmp(method, "tell") == 0) {
    host->log(host, "warning", json_string_value(json_object_get(params, "log")));
    host->publish(host, json_string_value(json_object_get(params, "event")), "s", json_pack("{s:i}", "n", 1));
    host->answer(host, call, json_null());
  } else if (strcmp(method, "flood") == 0) {
    for (int n = 0; n < 20000; n++) {
      host->log(host, "info", "a line");
      host->publish(host, "flood", NULL, NULL);
    }
    host->answer(host, call, json_string("done"));
  } else if (strcmp(method, "ask") == 0 || strcmp(method, "ask-inline") == 0) ask(host, params, call);
  else if (strcmp(method, "state") == 0) state(host, params, call);
  else if (strcmp(method, "settings") == 0) host->answer(host, call, json_incref(odd->settings));
  else if (strcmp(method, "until-cancelled") == 0) wait_for_cancel(host, call);
  else if (strcmp(method, "progress") == 0) start(host, call);
}
