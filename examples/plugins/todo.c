// A list of things to do as a task source, in C. Build it:
//
//     cc -std=c11 -shared -fPIC -O2 -Wall -Iinclude -o libtodo.so examples/plugins/todo.c -ljansson

#include "ringi_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The agent calls all but `echo`, which is inline and looks at nothing, on one thread.
struct todo {
  const ringi_host *host;
  json_t *items;  // [{id, title, status?, outcome?}, …]
};

uint32_t ringi_plugin_abi(void) { return RINGI_PLUGIN_ABI; }

json_t *ringi_plugin_describe(void) {
  return json_pack(
      "{s:s, s:s, s:b, s:[{s:s, s:s, s:b, s:{s:s, s:{s:{s:s, s:i}}, s:[s]}, s:{s:s}},"
      " {s:s, s:s, s:b, s:{s:s, s:{}}}], s:{s:s, s:b, s:{s:{s:s, s:{s:s}}}}}",
      "name", "todo", "version", "1.0", "tasks", 1, "methods",
      "name", "add", "summary", "Adds a task.", "mutation", 1,
      "params", "type", "object", "properties", "title", "type", "string", "minLength", 1, "required", "title",
      "result", "type", "string",
      "name", "echo", "summary", "Answers what it is given.", "inline", 1,
      "params", "type", "object", "properties",
      "settingsSchema", "type", "object", "additionalProperties", 0,
      "properties", "first", "type", "array", "items", "type", "string");
}

static int append(struct todo *todo, const char *title) {
  char id[24];
  snprintf(id, sizeof id, "%zu", json_array_size(todo->items) + 1);
  return json_array_append_new(todo->items, json_pack("{s:s, s:s}", "id", id, "title", title));
}

void *ringi_plugin_create(const ringi_host *host, json_t *settings, char *error, size_t error_size) {
  struct todo *todo = calloc(1, sizeof *todo);
  if (!todo || !(todo->items = json_array())) {
    snprintf(error, error_size, "there is no memory");
    free(todo);
    return NULL;
  }
  todo->host = host;
  json_t *failure, *titles = host->state_get(host, "titles", &failure);
  if (!titles) {
    // To begin anew would overwrite what is kept.
    snprintf(error, error_size, "%s", json_string_value(json_object_get(failure, "message")));
    json_decref(failure);
    ringi_plugin_destroy(todo);
    return NULL;
  }
  if (!json_is_array(titles)) {
    json_decref(titles);
    titles = json_incref(json_object_get(settings, "first"));
  }
  size_t index;
  json_t *title;
  json_array_foreach(titles, index, title) if (json_is_string(title)) append(todo, json_string_value(title));
  json_decref(titles);
  return todo;
}

void ringi_plugin_destroy(void *plugin) {
  struct todo *todo = plugin;
  json_decref(todo->items);
  free(todo);
}

// The item of the call's `task`, borrowed.
static json_t *find(struct todo *todo, json_t *params) {
  const char *id = json_string_value(json_object_get(params, "task"));
  size_t index;
  json_t *item;
  json_array_foreach(todo->items, index, item)
    if (id && strcmp(id, json_string_value(json_object_get(item, "id"))) == 0) return item;
  return NULL;
}

static json_t *waiting(struct todo *todo) {
  json_t *tasks = json_array();
  size_t index;
  json_t *item;
  json_array_foreach(todo->items, index, item)
    if (!json_object_get(item, "outcome")) json_array_append_new(tasks, json_deep_copy(item));
  return json_pack("{s:o}", "tasks", tasks);
}

static void add(struct todo *todo, json_t *params, ringi_call call) {
  const ringi_host *host = todo->host;
  const char *title = json_string_value(json_object_get(params, "title"));
  json_t *titles = json_array(), *error, *item;
  size_t index;
  json_array_foreach(todo->items, index, item)
    json_array_append_new(titles, json_incref(json_object_get(item, "title")));
  json_array_append_new(titles, json_string(title));
  if (!host->state_set(host, "titles", titles, &error)) {
    host->fail(host, call, "unavailable", json_string_value(json_object_get(error, "message")), NULL);
    json_decref(error);
    return;
  }
  append(todo, title);
  host->publish(host, "todo-added", title, NULL);
  host->answer(host, call, json_sprintf("%zu", json_array_size(todo->items)));
}

static void complete(struct todo *todo, json_t *params, ringi_call call) {
  const ringi_host *host = todo->host;
  json_t *item = find(todo, params);
  if (!item) {
    host->fail(host, call, "not-found", "There is no such task.", NULL);
    return;
  }
  if (json_object_get(item, "outcome")) {
    host->fail(host, call, "conflict", "It was decided already.", json_pack("{s:o}", "task", json_deep_copy(item)));
    return;
  }
  const char *action = json_string_value(json_object_get(params, "action"));
  const char *outcome = strcmp(action, "approve") == 0 ? "approved" : strcmp(action, "reject") == 0 ? "rejected"
                                                                                                  : "completed";
  json_object_set_new(item, "status", json_string("done"));
  json_object_set_new(item, "outcome", json_string(outcome));
  // The agent keeps what it gets, and `item` may change again: it gets a copy.
  host->answer(host, call, json_deep_copy(item));
}

void ringi_plugin_call(void *plugin, const char *method, json_t *params, ringi_call call) {
  struct todo *todo = plugin;
  const ringi_host *host = todo->host;
  if (strcmp(method, "echo") == 0)
    host->answer(host, call, json_incref(params));
  else if (strcmp(method, "add") == 0)
    add(todo, params, call);
  else if (strcmp(method, "tasks.list") == 0)
    host->answer(host, call, waiting(todo));
  else if (strcmp(method, "tasks.complete") == 0)
    complete(todo, params, call);
  else if (strcmp(method, "tasks.get") == 0) {
    json_t *item = find(todo, params);
    host->answer(host, call, item ? json_deep_copy(item) : json_null());
  } else
    host->fail(host, call, "not-found", "There is no such method.", NULL);
}
