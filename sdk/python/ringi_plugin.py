"""Ringi plugins in Python 3.9 and newer: one file, to be copied beside the plugin; nothing else is needed.

    from ringi_plugin import Plugin, NotFound

    plugin = Plugin("todo", "1.0")
    waiting = {"1": "Water the plants"}

    @plugin.method(mutation=True)
    def add(title: str, urgent: bool = False):
        "Adds a task."
        ...

    @plugin.tasks.list
    def open_tasks():
        return [{"id": key, "title": title} for key, title in waiting.items()]

    @plugin.tasks.complete
    def complete(task, action, comment=None):
        ...

    plugin.run()

What the messages mean is in docs/plugins.md; this file carries them.

- The functions stay what they are, so a test can call them. They run one at a time, each in a thread, and another gets
  its turn while one waits for the agent; `Plugin(..., concurrency=8)` lets eight run at once.
- Standard output belongs to the protocol: from `run()` on, what the plugin, its libraries and the programs it starts print
  goes to standard error, and so to the agent's log.
- An exception of this module is an answer; see `RingiError`. Any other is a fault: its traceback goes to the log, and the
  caller gets a `backend-error`, or `outcome-unknown` where something may have been written.
"""

import collections.abc
import datetime
import inspect
import json
import logging
import os
import queue
import sys
import threading
import time
import traceback
import typing

__all__ = [
    "AgentError", "BackendError", "Cancelled", "Conflict", "InvalidParams", "LogHandler", "LoginRequired", "NotFound",
    "OutcomeUnknown", "Overloaded", "Plugin", "RingiError", "Secret", "Unavailable"]


# Errors

class RingiError(Exception):
    """What a call answers in place of a result: a message for people, and what programs should know besides.

    Of a write (`tasks.complete`, `claim`, `release`, a mutation) every error but `OutcomeUnknown`, `Cancelled` and
    `Conflict` says that nothing has happened.
    """

    kind, code = "backend-error", -32002

    def __init__(self, message, **data):
        super().__init__(message)
        self.message, self.data = message, {key: value for key, value in data.items() if value is not None}

    def as_json(self):
        return {"code": self.code, "message": self.message, "data": {"kind": self.kind, **self.data}}


class BackendError(RingiError):
    """The backend refuses, or makes no sense; `code` is its own word for that."""

    def __init__(self, message, code=None, **data):
        super().__init__(message, code=None if code is None else str(code), **data)


class InvalidParams(RingiError):
    """The params fit the schema, and are wrong all the same."""
    kind, code = "invalid-params", -32602


class LoginRequired(RingiError):
    """The backend wants a login that the plugin can't make."""
    kind, code = "login-required", -32003


class NotFound(RingiError):
    """There is no such thing. Of a task that is not there, `tasks.get` returns None instead."""
    kind, code = "not-found", -32004


class Conflict(RingiError):
    """A write was not done: somebody was first, or things have changed. `task` is the task as it is now."""
    kind, code = "conflict", -32005

    def __init__(self, message, task=None, **data):
        super().__init__(message, task=task, **data)


class Unavailable(RingiError):
    """The backend can't be reached now; `retry_after` is in seconds."""
    kind, code = "unavailable", -32006

    def __init__(self, message, retry_after=None, **data):
        super().__init__(message, retryAfter=retry_after, **data)


class OutcomeUnknown(RingiError):
    """A write was sent, and nothing tells whether it was done. The agent looks with `tasks.get`."""
    kind, code = "outcome-unknown", -32008


class Overloaded(RingiError):
    """More was asked than the plugin can work on now."""
    kind, code = "overloaded", -32000


class Cancelled(RingiError):
    """Nobody waits for the answer any more."""
    kind, code = "cancelled", -32800


class _UnknownMethod(RingiError):
    def as_json(self):
        return {"code": -32601, "message": self.message}


class AgentError(Exception):
    """The agent refused what the plugin asked; `kind`, `code`, `message` and `data` are the agent's."""

    def __init__(self, error):
        super().__init__(error.get("message", ""))
        self.code, self.message, self.data = error.get("code"), str(self), error.get("data") or {}
        self.kind = self.data.get("kind")

    def as_json(self):
        return {"code": self.code, "message": self.message, "data": self.data}


# Schemas

class Secret(str):
    """The type of a setting that is never shown: a string for the plugin; in its file also a place to read it from."""


_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array",
          type(None): "null"}


def schema_of(hint):
    """The JSON Schema of a type hint.

    str, bool, int, float, None, list, dict, list[X], dict[str, X], Optional, Union, Literal and Secret are known, and
    Annotated[X, "a description"] or Annotated[X, {"minLength": 1}] adds to one. Anything else takes any value.
    """
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is Secret:
        return {"x-secret": True}
    if isinstance(hint, type) and hint in _TYPES:
        return {"type": _TYPES[hint]}
    if origin is typing.Annotated:
        schema = schema_of(parts[0])
        for extra in parts[1:]:
            schema.update({"description": extra} if isinstance(extra, str) else extra)
        return schema
    if origin is typing.Literal:
        return {"enum": list(parts)}
    if origin is typing.Union or type(hint).__name__ == "UnionType":
        choices = [schema_of(part) for part in parts]
        if all(set(choice) == {"type"} for choice in choices):
            return {"type": [choice["type"] for choice in choices]}
        return {} if {} in choices else {"anyOf": choices}
    if origin in (list, tuple, set, collections.abc.Sequence, collections.abc.Iterable):
        return {"type": "array", **({"items": schema_of(parts[0])} if parts else {})}
    if origin in (dict, collections.abc.Mapping):
        return {"type": "object", **({"additionalProperties": schema_of(parts[1])} if parts else {})}
    return {}


def _schema_of_parameters(function):
    """The JSON Schema of what a function takes by name."""
    hints = typing.get_type_hints(function, include_extras=True)
    properties, required, is_open = {}, [], False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            is_open = True
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            properties[name] = schema_of(hints.get(name))
            if name not in hints:
                properties[name] = {}
            if parameter.default is parameter.empty:
                required.append(name)
            elif parameter.default is not None and not isinstance(parameter.default, Secret):
                properties[name]["default"] = parameter.default
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if not is_open:
        schema["additionalProperties"] = False
    return schema


def _awaits_secrets(settings, schema):
    """Whether the settings still say where a secret is, in which case the agent sends them again with its value."""
    if not isinstance(schema, dict):
        return False
    if schema.get("x-secret") is True:
        return isinstance(settings, dict)
    if isinstance(settings, dict):
        inner = [(value, schema.get("properties", {}).get(key, schema.get("additionalProperties")))
                 for key, value in settings.items()]
    else:
        inner = [(value, schema.get("items")) for value in settings] if isinstance(settings, list) else []
    inner += [(settings, choice) for word in ("anyOf", "oneOf", "allOf") for choice in schema.get(word, [])]
    return any(_awaits_secrets(*each) for each in inner)


def _fits(value, schema):
    """Whether a value has the types and the keys that a schema derived here asks for. The agent checks the rest."""
    kinds = {"string": str, "integer": int, "number": (int, float), "object": dict, "array": list}
    if "anyOf" in schema:
        return any(_fits(value, choice) for choice in schema["anyOf"])
    names = schema.get("type", [])
    tests = {"boolean": lambda: isinstance(value, bool), "null": lambda: value is None}
    if names and not any(
            tests.get(name, lambda: isinstance(value, kinds[name]) and not isinstance(value, bool))()
            for name in ([names] if isinstance(names, str) else names)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, dict):
        properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        return all(name in value for name in schema.get("required", [])) and all(
            _fits(member, properties[key]) if key in properties else rest is not False for key, member in value.items())
    return not isinstance(value, list) or all(_fits(each, schema.get("items", {})) for each in value)


# The plugin

class _Handler:
    """A function that answers calls."""

    def __init__(self, function, is_write=False, known=None):
        """`known` are the names of what comes, where the function need not take all of it."""
        self.function, self.is_write, self.known = function, is_write, known
        self.signature = inspect.signature(function)
        strange = [] if known is None else [
            each.name for each in self.signature.parameters.values()
            if each.name not in known and each.default is each.empty and each.kind is not each.VAR_KEYWORD]
        if strange:
            raise TypeError("%s takes %s, which is none of %s" % (function.__name__, strange[0], ", ".join(known) or "it"))

    def __call__(self, params):
        if self.known is not None:
            params = self._fitted(params)
        try:
            bound = self.signature.bind(**params)
        except TypeError as error:
            raise InvalidParams("The params don't fit: %s." % error) from None
        return self.function(*bound.args, **bound.kwargs)

    def _fitted(self, params):
        """The params that the function takes, with None for those that were not given."""
        taken = self.signature.parameters.values()
        if any(each.kind is each.VAR_KEYWORD for each in taken):
            return params
        return {each.name: params.get(each.name) for each in taken
                if each.name in params or each.default is each.empty}


class _Tasks:
    """Decorators for the functions of a task source; `list` makes the plugin one."""

    def __init__(self, handlers):
        self._handlers = handlers

    def _add(self, name, function, is_write, *known):
        self._handlers["tasks." + name] = _Handler(function, is_write, known)
        return function

    def list(self, function):
        """`list()` returns the open tasks, or `{"tasks": [...], "complete": False}` where that is a part of them."""
        self._add("list", lambda: _listed(function()), False)
        return function

    def get(self, function):
        """`get(task)` returns the task of an id as it is now, decided or not; None when there is none."""
        return self._add("get", function, False, "task")

    def context(self, function):
        """`context(task)` returns what a person should read besides."""
        return self._add("context", function, False, "task")

    def complete(self, function):
        """`complete(task, action, decision, comment, context)` decides, and returns the task as it is now, or None.

        It gets those of these arguments that it takes.
        """
        return self._add("complete", function, True, "task", "action", "decision", "comment", "context")

    def claim(self, function):
        """`claim(task)` reserves a task for the user, and returns it as it is now, or None."""
        return self._add("claim", function, True, "task")

    def release(self, function):
        """`release(task)` gives a task back, and returns it as it is now, or None."""
        return self._add("release", function, True, "task")


def _listed(tasks):
    return tasks if isinstance(tasks, dict) else {"tasks": list(tasks)}


class _State:
    """What the agent keeps for the plugin, beyond the end of both. Values are whatever JSON can hold."""

    def __init__(self, plugin):
        self._plugin = plugin

    def get(self, key, default=None):
        value = self._plugin._ask("state.get", {"key": key})
        return default if value is None else value

    def set(self, key, value):
        """Keeps a value; when this returns it would survive a crash."""
        self._plugin._ask("state.set", {"key": key, "value": value})

    def delete(self, key):
        self.set(key, None)


class _Call:
    """A call of the agent's that is worked on, or waits for its turn."""

    def __init__(self, id, token):
        self.id, self.token, self.is_cancelled, self.waits_at = id, token, False, None


_CANCELLED, _ENDED = object(), object()


class Plugin:
    """A plugin: what it offers, what it was given, and what it can ask of the agent."""

    def __init__(self, name, version="1.0", concurrency=1):
        """`concurrency` is how many functions may run at once."""
        self.name, self.version = name, version
        #: The instance's name, which comes before its methods and tasks; known once `start` is called.
        self.instance = name
        #: The settings of the plugin's file.
        self.settings = {}
        self.state = _State(self)
        self._offers, self._handlers = [], {}
        self.tasks = _Tasks(self._handlers)
        self._start, self._settings_schema, self._stop = None, None, None
        self._out, self._out_lock = None, threading.Lock()
        self._turns, self._work = threading.Semaphore(concurrency), queue.SimpleQueue()
        self._lock, self._last_id, self._has_ended = threading.Lock(), 0, False
        self._calls, self._questions = {}, {}
        self._present = threading.local()

    # What it offers

    def method(self, function=None, *, name=None, summary=None, mutation=False, params=None, result=None):
        """Makes a function a method, which clients call as INSTANCE.NAME.

        Its name, its summary (the first line of its docstring) and the schemas are the function's own where they are not
        given; `params` and `result` are JSON Schemas. `mutation=True` is for what changes something.
        """
        if function is None:
            return lambda function: self.method(
                function, name=name, summary=summary, mutation=mutation, params=params, result=result)
        hints = typing.get_type_hints(function, include_extras=True)
        own = (inspect.getdoc(function) or "").split("\n")[0]
        offer = {"name": name or function.__name__, "summary": own if summary is None else summary,
                 "params": params or _schema_of_parameters(function), "mutation": mutation}
        result = result or (schema_of(hints["return"]) if "return" in hints else None)
        if result:
            offer["result"] = result
        self._offers.append(offer)
        self._handlers[offer["name"]] = _Handler(function, is_write=mutation)
        return function

    def start(self, function=None, *, settings=None):
        """Makes a function the one that is called first, with the settings.

        What it takes is what settings there are, unless `settings` is their JSON Schema. It comes once, with the values of
        secrets in their places, before any other function.
        """
        if function is None:
            return lambda function: self.start(function, settings=settings)
        self._settings_schema = settings or _schema_of_parameters(function)
        self._start = _Handler(function)
        return function

    def stop(self, function):
        """Makes a function the one that is called last; it has a second."""
        self._stop = function
        return function

    # What it can ask

    def call(self, method, params=None, on_progress=None):
        """Calls a method of the agent or a plugin, as far as `allow` of the plugin's file goes.

        `on_progress` takes what the method tells meanwhile. Raises `AgentError`.
        """
        return self._ask("agent.call", {"method": method, "params": dict(params or {})}, on_progress)

    def event(self, type, data=None, subject=None):
        """Publishes an event. The agent's log tells what is wrong with one that it refuses."""
        event = {"type": type, "data": {} if data is None else data}
        self._notify("event", event if subject is None else {**event, "subject": subject})

    def log(self, message, level="info"):
        """Writes to the agent's log: debug, info, warning or error."""
        if self._has_ended:
            # The agent reads no messages any more; what is on standard error it logs.
            print(message, file=sys.stderr, flush=True)
            return
        self._notify("log", {"level": level, "message": str(message)})

    def progress(self, value):
        """Tells the caller of the present call how far it has come; without effect where nobody asked."""
        call = self._call
        if call is not None and call.token is not None:
            self._notify("$/progress", {"token": call.token, "value": value})

    @property
    def is_cancelled(self):
        """Whether nobody waits for the present call any more."""
        call = self._call
        return self._has_ended or (call is not None and call.is_cancelled)

    def check_cancelled(self):
        """Raises `Cancelled` when nobody waits for the present call any more."""
        if self.is_cancelled:
            raise Cancelled("The call was cancelled.")

    # Its life

    def run(self):
        """Serves the agent until it ends the plugin."""
        source = self._take_over_streams()
        threading.Thread(target=self._read, args=(source,), daemon=True).start()
        try:
            for call, method, params in iter(self._work.get, None):
                self._turns.acquire()
                threading.Thread(target=self._serve, args=(call, method, params), daemon=True).start()
        except KeyboardInterrupt:
            pass
        self._end()

    def _take_over_streams(self):
        source, self._out = os.fdopen(os.dup(0), "rb"), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        # What was printed before goes where all prints go.
        sys.stdout.flush()
        sys.stdout = sys.stderr
        return source

    def _end(self):
        self._has_ended = True
        deadline = time.monotonic() + 1.5
        stop = threading.Thread(target=self._stop or (lambda: None), daemon=True)
        stop.start()
        stop.join(1)
        while self._calls and time.monotonic() < deadline:
            time.sleep(0.01)

    # Messages in

    def _read(self, source):
        try:
            for line in source:
                try:
                    self._take(json.loads(line))
                except Exception:
                    traceback.print_exc()
        finally:
            self._has_ended = True
            with self._lock:
                for box in self._questions.values():
                    box.put((_ENDED, None))
            self._work.put(None)

    def _take(self, message):
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            box = self._questions.get(message.get("id"))
            if box:
                box.put(("answer", message))
        elif "id" in message:
            call = _Call(message["id"], params.pop("progressToken", None))
            self._calls[call.id] = call
            self._work.put((call, method, params))
        elif method == "$/cancelRequest":
            self._cancel(params.get("id"))
        elif method == "$/progress":
            box = self._questions.get(params.get("token"))
            if box:
                box.put(("progress", params.get("value")))

    def _cancel(self, id):
        call = self._calls.get(id)
        if call is not None:
            call.is_cancelled = True
            box = call.waits_at
            if box:
                box.put((_CANCELLED, None))

    # Calls

    @property
    def _call(self):
        return getattr(self._present, "call", None)

    def _serve(self, call, method, params):
        # Whatever the plugin's own code does, its turn ends, and the call with it.
        try:
            self._present.call = call
            self._respond(call, method, params, self._handlers.get(method))
        finally:
            self._calls.pop(call.id, None)
            self._turns.release()

    def _answer(self, handler, method, params):
        if method == "initialize":
            return self._initialize(params)
        if method == "shutdown":
            return None
        if handler is None:
            raise _UnknownMethod("There is no method %s." % method)
        return handler(params)

    def _fault(self, error, handler):
        """What a caller is told of an exception that the plugin did not mean to be an answer."""
        try:
            traceback.print_exception(type(error), error, error.__traceback__)
        except BaseException:
            pass  # Standard error may be closed, and an exception may not want to be printed.
        if isinstance(error, AgentError) and not (handler is not None and handler.is_write):
            return error.as_json()
        try:
            message = "%s: %s" % (type(error).__name__, error)
        except BaseException:
            message = type(error).__name__
        kind = OutcomeUnknown if handler is not None and handler.is_write else RingiError
        return kind(message).as_json()

    def _respond(self, call, method, params, handler):
        try:
            self.check_cancelled()
            self._send({"id": call.id, "result": self._answer(handler, method, params)})
        except RingiError as error:
            self._send_error(call, error.as_json, handler)
        except BaseException as error:
            fault = self._fault(error, handler)
            self._send_error(call, lambda: fault, handler)

    def _send_error(self, call, as_json, handler):
        try:
            self._send({"id": call.id, "error": as_json()})
        except BaseException as other:
            # What the error itself carries can't be written.
            self._send({"id": call.id, "error": self._fault(other, handler)})

    def _initialize(self, params):
        self.instance, self.settings = params.get("instance", self.name), params.get("settings", {})
        manifest = {"name": self.name, "version": self.version, "methods": self._offers}
        if "tasks.list" in self._handlers:
            manifest.update(tasks=True, taskContext="tasks.context" in self._handlers)
        if self._settings_schema is not None:
            manifest["settingsSchema"] = self._settings_schema
        schema = self._settings_schema
        # The agent refuses settings that don't fit, and says where in the file they are.
        if self._start is not None and not _awaits_secrets(self.settings, schema) and _fits(self.settings, schema):
            self._start(self.settings)
        return manifest

    # Messages out

    def _send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False, default=_plain)
        rest = memoryview((text + "\n").encode("utf-8", "replace"))
        if self._out is None:
            raise RuntimeError("The agent can be spoken to once run() is called.")
        try:
            with self._out_lock:
                while rest:
                    rest = rest[os.write(self._out, rest):]
        except BrokenPipeError:
            self._has_ended = True

    def _notify(self, method, params):
        self._send({"method": method, "params": params})

    def _ask(self, method, params, on_progress=None):
        box = queue.SimpleQueue()
        with self._lock:
            self._last_id += 1
            id = self._last_id
            self._questions[id] = box
        if on_progress is not None:
            params["params"]["progressToken"] = id
        call = self._call
        try:
            if call is not None:
                call.waits_at = box
            if self.is_cancelled:
                box.put((_ENDED if self._has_ended else _CANCELLED, None))
            else:
                self._send({"id": id, "method": method, "params": params})
            return self._wait(id, box, on_progress)
        finally:
            if call is not None:
                call.waits_at = None
            with self._lock:
                del self._questions[id]

    def _wait(self, id, box, on_progress):
        while True:
            what, value = self._next(box)
            if what == "progress":
                on_progress(value)
            elif what == "answer":
                if "error" in value:
                    raise AgentError(value["error"])
                return value.get("result")
            elif what is _CANCELLED:
                self._notify("$/cancelRequest", {"id": id})
                raise Cancelled("The call was cancelled.")
            else:
                raise Unavailable("The agent has ended the plugin.")

    def _next(self, box):
        """Waits for what the agent says; meanwhile another call has its turn."""
        if self._call is None:
            return box.get()
        self._turns.release()
        try:
            return box.get()
        finally:
            self._turns.acquire()


def _plain(value):
    """What JSON has no word for: times become RFC 3339."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    raise TypeError("%r can't be written as JSON" % (value,))


class LogHandler(logging.Handler):
    """Carries what Python's `logging` is told into the agent's log: `logging.getLogger().addHandler(LogHandler(plugin))`."""

    def __init__(self, plugin, level=logging.NOTSET):
        super().__init__(level)
        self.plugin = plugin

    def emit(self, record):
        levels = [(logging.ERROR, "error"), (logging.WARNING, "warning"), (logging.INFO, "info")]
        try:
            level = next((word for number, word in levels if record.levelno >= number), "debug")
            self.plugin.log(self.format(record), level)
        except Exception:
            self.handleError(record)
