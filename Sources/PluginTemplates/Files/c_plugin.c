// A task source to start from: a list of things to do, kept by the agent. docs/plugins.md and ringi_plugin.h tell the rest.
// A library lives in the agent's own process, so a crash of it is one of the agent.

#include "ringi_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The agent calls an instance on one thread.
struct plugin {
  const ringi_host *host;
  json_t *tasks;  // all of them, by id
};

#define JSON(...) json_loads(#__VA_ARGS__, 0, NULL)

uint32_t ringi_plugin_abi(void) { return RINGI_PLUGIN_ABI; }

json_t *ringi_plugin_describe(void) {
  return JSON({
    "name": "@NAME@",
    "version": "1.0",
    "tasks": true,
    "methods": [{
      "name": "add",
      "summary": "Adds a task, and tells its id.",
      "mutation": true,
      "params": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "priority": {"enum": ["low", "medium", "high", "urgent"]}},
        "required": ["title"],
        "additionalProperties": false
      },
      "result": {"type": "string"}
    }],
    "settingsSchema": {"type": "object", "properties": {"greeting": {"type": "string"}}, "additionalProperties": false}
  });
}

void *ringi_plugin_create(const ringi_host *host, json_t *settings, char *error, size_t error_size) {
  struct plugin *plugin = calloc(1, sizeof *plugin);
  if (!plugin) {
    snprintf(error, error_size, "there is no memory");
    return NULL;
  }
  plugin->host = host;
  json_t *failure, *kept = host->state_get(host, "tasks", &failure);
  if (!kept) {
    // To begin anew would overwrite what is kept.
    snprintf(error, error_size, "%s", json_string_value(json_object_get(failure, "message")));
    json_decref(failure);
    free(plugin);
    return NULL;
  }
  // What the agent hands over is shared with others; a copy may be changed.
  plugin->tasks = json_is_object(kept) ? json_deep_copy(kept) : JSON({"1": {"id": "1", "title": "Write a plugin"}});
  json_decref(kept);
  const char *greeting = json_string_value(json_object_get(settings, "greeting"));
  host->log(host, "info", greeting ? greeting : "hello");
  return plugin;
}

void ringi_plugin_destroy(void *instance) {
  struct plugin *plugin = instance;
  json_decref(plugin->tasks);
  free(plugin);
}

// Has the agent keep tasks, which are taken; then they are the plugin's. Else the call has failed.
static bool save(struct plugin *plugin, json_t *tasks, ringi_call call) {
  const ringi_host *host = plugin->host;
  json_t *error;
  if (host->state_set(host, "tasks", json_deep_copy(tasks), &error)) {
    json_decref(plugin->tasks);
    plugin->tasks = tasks;
    return true;
  }
  host->fail(host, call, "unavailable", json_string_value(json_object_get(error, "message")), NULL);
  json_decref(error);
  json_decref(tasks);
  return false;
}

static void add(struct plugin *plugin, json_t *params, ringi_call call) {
  const ringi_host *host = plugin->host;
  char id[24];
  snprintf(id, sizeof id, "%zu", json_object_size(plugin->tasks) + 1);
  json_t *task = json_deep_copy(params);
  json_object_set_new(task, "id", json_string(id));
  json_t *tasks = json_deep_copy(plugin->tasks);
  json_object_set_new(tasks, id, task);
  if (!save(plugin, tasks, call)) return;
  host->publish(host, "@NAME@-added", NULL, json_pack("{s:O}", "title", json_object_get(params, "title")));
  host->answer(host, call, json_string(id));
}

static json_t *open_tasks(struct plugin *plugin) {
  json_t *open = json_array(), *task;
  const char *id;
  json_object_foreach(plugin->tasks, id, task)
    if (!json_object_get(task, "outcome")) json_array_append_new(open, json_deep_copy(task));
  return json_pack("{s:o}", "tasks", open);
}

static void complete(struct plugin *plugin, json_t *params, ringi_call call) {
  const ringi_host *host = plugin->host;
  const char *id = json_string_value(json_object_get(params, "task"));
  const char *action = json_string_value(json_object_get(params, "action"));
  json_t *task = json_object_get(plugin->tasks, id);
  if (!task) {
    host->fail(host, call, "not-found", "There is no such task.", NULL);
  } else if (json_object_get(task, "outcome")) {
    host->fail(host, call, "conflict", "It is decided already.", json_pack("{s:o}", "task", json_deep_copy(task)));
  } else {
    const char *outcome = strcmp(action, "approve") == 0  ? "approved"
                          : strcmp(action, "reject") == 0 ? "rejected"
                                                          : "completed";
    json_t *tasks = json_deep_copy(plugin->tasks);
    json_object_set_new(json_object_get(tasks, id), "outcome", json_string(outcome));
    if (save(plugin, tasks, call)) host->answer(host, call, json_deep_copy(json_object_get(tasks, id)));
  }
}

void ringi_plugin_call(void *instance, const char *method, json_t *params, ringi_call call) {
  struct plugin *plugin = instance;
  const ringi_host *host = plugin->host;
  if (strcmp(method, "add") == 0) {
    add(plugin, params, call);
  } else if (strcmp(method, "tasks.list") == 0) {
    host->answer(host, call, open_tasks(plugin));
  } else if (strcmp(method, "tasks.get") == 0) {
    json_t *task = json_object_get(plugin->tasks, json_string_value(json_object_get(params, "task")));
    host->answer(host, call, task ? json_deep_copy(task) : json_null());
  } else if (strcmp(method, "tasks.complete") == 0) {
    complete(plugin, params, call);
  } else {
    host->fail(host, call, "not-found", "There is no such method.", NULL);
  }
}
