// The C face of Ringi for plugins that are shared libraries.
//
// A library exports the five functions at the end of this file, and is named by a file of plugins.d:
//
//     { "library": "./libtodo.so", "settings": { … } }
//
// Values are jansson's json_t (https://jansson.readthedocs.io); link with -ljansson. A function below either BORROWS a
// value (the caller keeps its reference; take one with json_incref to keep the value for longer) or TAKES it (the
// caller gives its reference away). Values that the agent hands over are shared with other threads: never change them;
// json_deep_copy makes one that may be changed. Strings are UTF-8, NUL-terminated, and borrowed for the call alone.
//
// What a library describes, is called with and answers has the shapes of docs/plugins.md, which programs and libraries
// have in common. A library lives in the agent's own process: a crash of it is one of the agent.

#ifndef RINGI_PLUGIN_H
#define RINGI_PLUGIN_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <cstdbool>
extern "C" {
#else
#include <stdbool.h>
#endif

// The version of this interface. It changes when a library built for another version would not work; the agent refuses
// a library whose ringi_plugin_abi() answers another one.
#define RINGI_PLUGIN_ABI 1

// A call that waits for its answer: a number, valid until it is answered or given up. What is said about one that is
// not valid any more is ignored.
typedef uint64_t ringi_call;

// What the agent offers to one instance. All functions may be called from any thread, from ringi_plugin_create on until
// ringi_plugin_destroy returns (or ringi_plugin_create does, with NULL); the first argument is always the host itself.
// Unless it says so, none of them waits. When the agent has begun to end the instance, which it does before it calls
// ringi_plugin_destroy, they do nothing more: nothing is answered, logged or published, and what waits fails with
// "plugin-down".
typedef struct ringi_host ringi_host;
struct ringi_host {
  // RINGI_PLUGIN_ABI of the agent.
  uint32_t abi;

  // The instance's name, the prefix of its methods and tasks.
  const char *instance;

  // Answers a call.
  //   result: TAKEN. Any value; NULL (jansson ran out of memory, or was given what is no UTF-8) fails the call, and so does
  //           a value that no JSON text could say: one inside itself, deeper than 256, not UTF-8.
  void (*answer)(const ringi_host *host, ringi_call call, json_t *result);

  // Answers a call with an error.
  //   kind:    one of "invalid-params", "login-required", "not-found", "conflict", "unavailable", "outcome-unknown",
  //            "overloaded", "cancelled", "backend-error"; NULL and anything else are "backend-error".
  //   message: what happened, and what to do next; a sentence for a person.
  //   data:    TAKEN. An object with more, such as {"retryAfter": 30} (seconds) or, for a conflict, {"task": TASK};
  //            NULL for nothing.
  void (*fail)(const ringi_host *host, ringi_call call, const char *kind, const char *message, json_t *data);

  // Tells the caller how far a call has come, if it asked for that.
  //   value: TAKEN.
  void (*progress)(const ringi_host *host, ringi_call call, json_t *value);

  // Whether nobody waits for the call's answer any more: its client took it back, or its time (limits.requestTimeout) is
  // over. Long work looks here from time to time, and then ends early; whether and how it answers is of no interest.
  bool (*is_cancelled)(const ringi_host *host, ringi_call call);

  // Writes a line to the agent's log. Secrets are taken out of it; a flood is cut.
  //   level: "debug", "info", "warning" or "error"; anything else is "info".
  void (*log)(const ringi_host *host, const char *level, const char *message);

  // Publishes an event; what is wrong with one is logged, and a flood is cut.
  //   type:    in lower case with hyphens, none of the agent's own: "order-shipped".
  //   subject: what it is about; NULL for nothing.
  //   data:    TAKEN. An object; NULL for an empty one.
  void (*publish)(const ringi_host *host, const char *type, const char *subject, json_t *data);

  // The three functions below WAIT for the agent. On the agent's own thread (in a method that is "inline", see
  // ringi_plugin_call) they fail at once.
  //   error: where to put a new reference to an error object {code, message, data: {kind, …}} when they fail; may be
  //          NULL, which means that it is of no interest. Without failure it is set to NULL.

  // Reads what the instance keeps under a key; it outlives the agent.
  //   returns: a new reference; json_null() when nothing is kept; NULL when it failed.
  json_t *(*state_get)(const ringi_host *host, const char *key, json_t **error);

  // Keeps a value under a key, in place of the one before. When it returns true, the value survives a crash.
  //   key:   255 bytes at most.
  //   value: TAKEN. 1 MiB at most, as text; NULL and json_null() take the key out.
  //   returns: false when it failed; what was kept stays, but where data.kind of the error is "plugin-down": there the
  //            value may have been kept.
  bool (*state_set)(const ringi_host *host, const char *key, json_t *value, json_t **error);

  // Calls a method of the agent, one that "allow" in the plugins.d file lists; without "allow", the instance's own,
  // events.publish, and tasks.* about its own tasks.
  //   params: TAKEN. An object; NULL for an empty one.
  //   returns: a new reference to the result; NULL when it failed.
  json_t *(*call)(const ringi_host *host, const char *method, json_t *params, json_t **error);

  // The agent's own.
  void *agent;
};

#define RINGI_PLUGIN_EXPORT __attribute__((visibility("default")))

// The agent calls the functions below on the threads of the instances, of which each has its own. Those of two instances
// of one library run at the same time, so what is not in the instance, such as a global variable, needs a lock.

// Which version of this interface the library was built for: RINGI_PLUGIN_ABI.
RINGI_PLUGIN_EXPORT uint32_t ringi_plugin_abi(void);

// What the library offers; called without consequences, before an instance is made and as often as the agent likes.
//   returns: a new reference to the object that a program answers `initialize` with:
//              {name, version, methods: [{name, summary, params, result, mutation, inline}], tasks, taskContext,
//               settingsSchema}
//            "inline": true is for a method that never waits, for no file and no lock: it is called on the agent's own
//            thread, which costs nothing and lets nothing else happen meanwhile.
RINGI_PLUGIN_EXPORT json_t *ringi_plugin_describe(void);

// Makes an instance. It is called on a thread of the instance's own, and may wait.
//   host:     BORROWED until ringi_plugin_destroy returns.
//   settings: BORROWED. They fit settingsSchema; what it marks "x-secret" is the secret's value.
//   error:    where to write why it failed: NUL-terminated, a sentence for a person, what is beyond error_size cut.
//   error_size: the size of error in bytes.
//   returns:  whatever the library knows the instance by; NULL when it failed. It is tried again later, and after five
//             failures within a minute no more.
RINGI_PLUGIN_EXPORT void *ringi_plugin_create(
    const ringi_host *host, json_t *settings, char *error, size_t error_size);

// Calls a method. Answer with host->answer or host->fail: before this returns, or later, from any thread.
//
// A method that is "inline" is called on the agent's own thread; any other one, and tasks.*, on the instance's, one at a
// time, so that one that waits keeps the others of this instance waiting and nobody else. Calls of both kinds may
// happen at the same time.
//   plugin: what ringi_plugin_create returned.
//   method: the method's name without the instance; with "tasks": true also "tasks.list", "tasks.get",
//           "tasks.complete", "tasks.claim", "tasks.release", and with "taskContext": true "tasks.context".
//   params: BORROWED. An object that fits the method's schema.
//   call:   what to answer.
RINGI_PLUGIN_EXPORT void ringi_plugin_call(void *plugin, const char *method, json_t *params, ringi_call call);

// Ends an instance. Called on its thread after the last call has returned; calls without an answer are over by then.
// Threads that the library started must have ended when this returns. The library itself stays loaded.
//   plugin: what ringi_plugin_create returned.
RINGI_PLUGIN_EXPORT void ringi_plugin_destroy(void *plugin);

#ifdef __cplusplus
}
#endif

#endif
