#!/bin/sh
# Tests of the plugin, without an agent: messages in, answers out.
cd "$(dirname "$0")" || exit
command -v jq >/dev/null || { echo "This test needs jq: apt install jq" >&2; exit 69; }

answers=$(sh plugin.sh <<'MESSAGES'
{"jsonrpc": "2.0", "id": 1, "method": "add", "params": {"title": "Feed the cat"}}
{"jsonrpc": "2.0", "id": 2, "method": "tasks.list"}
{"jsonrpc": "2.0", "id": 3, "method": "tasks.complete", "params": {"task": "1", "action": "approve"}}
{"jsonrpc": "2.0", "id": 4, "method": "tasks.complete", "params": {"task": "1", "action": "reject"}}
{"jsonrpc": "2.0", "id": 5, "method": "tasks.get", "params": {"task": "7"}}
MESSAGES
)

failures=0
# expect WHAT FILTER: that a jq filter over all answers finds true
expect() {
  if [ "$(printf '%s\n' "$answers" | jq -s "$2")" = true ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1" >&2
    failures=$((failures + 1))
  fi
}
expect "what is added is open" 'any(.id == 2 and [.result.tasks[].title] == ["Write a plugin", "Feed the cat"])'
expect "it is told" 'any(.method == "event" and .params.type == "@NAME@-added")'
expect "a task is decided" 'any(.id == 3 and .result.outcome == "approved")'
expect "a decision is taken once" 'any(.id == 4 and .error.code == -32005)'
expect "there is no such task" 'any(.id == 5 and has("result") and .result == null)'
[ "$failures" = 0 ] || { printf '%s\n' "$answers" >&2; exit 1; }
