#!/bin/sh
# A task source to start from: a list of things to do, which lives as long as the plugin. docs/plugins.md tells the rest.
# Standard output takes nothing but messages, one a line; what is for people goes to standard error.
command -v jq >/dev/null || { echo "this plugin needs jq: apt install jq" >&2; exit 69; }

# Replace these by what your backend has: all tasks, by id, as JSON.
tasks='{"1": {"id": "1", "title": "Write a plugin"}}'

manifest='{
  "name": "@NAME@", "version": "1.0", "tasks": true,
  "methods": [
    {"name": "add", "summary": "Adds a task, and tells its id.", "mutation": true, "result": {"type": "string"},
     "params": {"type": "object", "required": ["title"], "additionalProperties": false,
                "properties": {"title": {"type": "string"}, "priority": {"enum": ["low", "medium", "high", "urgent"]}}}}],
  "settingsSchema": {"type": "object", "additionalProperties": false}
}'

# ask FILTER [OPTION…]: what a jq filter finds in the message that came
ask() { filter=$1; shift; printf '%s\n' "$message" | jq -c "$@" "$filter"; }
# result JSON, refuse CODE TEXT [DATA], tell METHOD PARAMS: what goes to the agent
result() { ask '{jsonrpc: "2.0", id, result: $result}' --argjson result "$1"; }
refuse() {
  ask '{jsonrpc: "2.0", id, error: {code: $code, message: $text, data: $data}}' \
    --argjson code "$1" --arg text "$2" --argjson data "${3:-{\}}"
}
tell() { jq -cn '{jsonrpc: "2.0", method: $method, params: $params}' --arg method "$1" --argjson params "$2"; }

add() {
  key=$(printf '%s\n' "$tasks" | jq -r 'length + 1')
  tasks=$(ask '$tasks + {($key): (.params + {id: $key})}' --argjson tasks "$tasks" --arg key "$key")
  tell event "$(ask '{type: "@NAME@-added", data: .params}')"
  result "\"$key\""
}

list() { result "$(printf '%s\n' "$tasks" | jq -c '{tasks: [.[] | select(.outcome == null)]}')"; }

get() { result "$(ask '$tasks[.params.task]' --argjson tasks "$tasks")"; }

complete() {
  task=$(ask '$tasks[.params.task]' --argjson tasks "$tasks")
  if [ "$task" = null ]; then
    refuse -32004 "There is no such task."
  elif [ "$(printf '%s\n' "$task" | jq -r '.outcome')" != null ]; then
    refuse -32005 "It is decided already." "$(jq -cn '{task: $task}' --argjson task "$task")"
  else
    tasks=$(ask '.params as {$task, $action} | $tasks
        | .[$task].outcome = {approve: "approved", reject: "rejected", complete: "completed"}[$action]' \
      --argjson tasks "$tasks")
    get
  fi
}

while IFS= read -r message; do
  # Notifications, such as $/cancelRequest, and answers want nothing of this plugin.
  [ "$(ask 'has("id") and has("method")')" = true ] || continue
  case $(ask .method -r) in
    initialize) result "$manifest" ;;
    add) add ;;
    tasks.list) list ;;
    tasks.get) get ;;
    tasks.complete) complete ;;
    shutdown) result null ;;
    *) refuse -32601 "There is no such method." ;;
  esac
done
