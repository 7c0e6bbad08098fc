"""A task source to start from: a list of things to do, kept by the agent. docs/plugins.md tells the rest."""

from typing import Literal

from ringi_plugin import Conflict, Plugin

plugin = Plugin("@NAME@", "1.0")


# Replace these three by what your backend has.

def load():
    return plugin.state.get("tasks", {"1": {"id": "1", "title": "Write a plugin"}})


def save(tasks):
    plugin.state.set("tasks", tasks)


@plugin.start
def start(greeting: str = "hello"):
    """What it takes are the settings, with their types: "settings": {"greeting": "good morning"}."""
    plugin.log("%s, this is %s" % (greeting, plugin.instance))


@plugin.method(mutation=True)
def add(title: str, priority: Literal["low", "medium", "high", "urgent"] = "medium") -> str:
    """Adds a task, and tells its id."""
    tasks = load()
    key = str(len(tasks) + 1)
    tasks[key] = {"id": key, "title": title, "priority": priority}
    save(tasks)
    plugin.event("@NAME@-added", {"title": title})
    return key


@plugin.tasks.list
def open_tasks():
    return [task for task in load().values() if "outcome" not in task]


@plugin.tasks.get
def get(task):
    return load().get(task)


@plugin.tasks.complete
def complete(task, action, comment):
    tasks = load()
    if "outcome" in tasks[task]:
        raise Conflict("It is decided already.", task=tasks[task])
    tasks[task]["outcome"] = {"approve": "approved", "reject": "rejected", "complete": "completed"}[action]
    tasks[task]["raw"] = {"comment": comment}
    save(tasks)
    return tasks[task]


if __name__ == "__main__":
    plugin.run()
