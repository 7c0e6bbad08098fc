"""What the store costs: events recorded a second, a hundred thousand tasks, a million events."""

import json
import os
import sqlite3
import statistics
import time
from pathlib import Path

from servers import Failure, Home, Sandbox, Server, exchange

KNOWN_TASKS = 100_000
EVENTS = 1_000_000
PAGE = 1000
RESTARTS = 3

EVENT = {"type": "bench", "subject": "sap/98713ac2-ecb1-11f1-9d2b-00163e7a1c44",
         "data": {"title": "Approve order 300280", "requester": "P2000123456", "amount": 1250.5}}
PUBLISH = ["--method", "events.publish", "--params", json.dumps(EVENT)]

# Name: what the table calls it, the load generator's options, and how many events the floor commits together.
PUBLISHERS = {
    "publish": ("1 publisher", PUBLISH, 1),
    "publish-pipelined": ("1 publisher, 32 open", [*PUBLISH, "--depth", "32"], 32),
    "publish-clients": ("64 publishers", [*PUBLISH, "--connections", "64"], 64),
}
# What takes a state of its own, which is made once.
STATES = ("tasks", "log")
# What the table calls it, the state, the figure, what it is divided by, and its format.
FIGURES = [
    (f"s from exec to the answer of tasks.refresh, {KNOWN_TASKS:,} tasks being new", "tasks", "poll_s", 1, "{:.1f}"),
    ("s of ringid's CPU until then", "tasks", "poll_cpu_s", 1, "{:.1f}"),
    ("MB resident after it", "tasks", "polled", 1e6, "{:.1f}"),
    ("MB resident at most", "tasks", "peak", 1e6, "{:.1f}"),
    ("MB resident after a restart", "tasks", "restarted", 1e6, "{:.1f}"),
    ("ms from exec to the first answer", "tasks", "restart_ms", 1, "{:.0f}"),
    (f"ms of tasks.list of {PAGE:,} of them", "tasks", "list_ms", 1, "{:.1f}"),
    (f"ms from exec to the first answer with {EVENTS:,} events, not in the page cache", "log", "cold_ms", 1, "{:.1f}"),
    ("ms from exec to the first answer, in the page cache", "log", "warm_ms", 1, "{:.1f}"),
    (f"ms of events.list of {PAGE:,} from the middle", "log", "list_ms", 1, "{:.1f}"),
    ("ms from subscribing in the middle to the first event", "log", "first_ms", 1, "{:.2f}"),
    ("events/s replayed from the middle to the end", "log", "replayed_per_second", 1, "{:,.0f}"),
    ("CPU µs per event replayed", "log", "cpu_us", 1, "{:.1f}"),
    ("MB resident after that", "log", "resident", 1e6, "{:.1f}"),
]


class Ringid(Server):
    """The agent on a home that outlives it."""

    def __init__(self, bench, home: Home):
        super().__init__("ringid", bench.programs["ringid"], bench.placement, home)


def settled(server: Server) -> int:
    """Its resident memory once that has been the same for a second."""
    before, end = -1, time.monotonic() + 15
    while time.monotonic() < end:
        now = server.resident_bytes()
        if now == before:
            break
        before = now
        time.sleep(1)
    return before


# Events a second


def event_text(bench) -> str:
    """An event as the store keeps it."""
    with Home() as home:
        with Ringid(bench, home) as server:
            server.call("events.publish", EVENT)
        with sqlite3.connect(home.database) as database:
            return database.execute("SELECT text FROM event").fetchone()[0].decode()


def measure_publish(bench, name: str, repetition: int):
    """Publishes through the socket; for the floor, has SQLite alone insert events of the same size."""
    _, options, together = PUBLISHERS[name]
    size = len(event_text(bench).encode())
    for server_name in ("ringid", "floor") if repetition % 2 == 0 else ("floor", "ringid"):
        with Home() as home:
            if server_name == "floor":
                command = [bench.commit, str(home.database), str(size), str(together), str(bench.seconds)]
                figures = json.loads(bench.placement.run_as_server(command))
            else:
                with Ringid(bench, home) as server:
                    figures = bench.load(server, options)
        bench.note(name, server_name, repetition, figures)


# A hundred thousand tasks


def measure_tasks(bench):
    """Two instances with half of the tasks each, as no instance lists more than 50,000."""
    with Home() as home:
        with Sandbox(bench.programs["sandbox"], KNOWN_TASKS // 2) as one, \
                Sandbox(bench.programs["sandbox"], KNOWN_TASKS // 2) as other:
            home.configure({"one": one.plugin, "other": other.plugin})
            began = time.monotonic()
            with Ringid(bench, home) as server:
                server.refresh()
                figures = {"poll_s": time.monotonic() - began, "poll_cpu_s": server.cpu_ms() / 1000,
                           "polled": settled(server), "peak": server.peak_bytes(), "list_ms": listing(server)}
            bench.note("tasks", "ringid", 0, figures)
        # Without the backends, so that memory shows what was loaded and nothing else.
        for repetition in range(RESTARTS):
            with Ringid(bench, home) as server:
                figures = {"restart_ms": server.start_ms, "restarted": settled(server),
                           "restart_peak": server.peak_bytes(), "list_ms": listing(server)}
            bench.note("tasks", "ringid", repetition + 1, figures)


def listing(server: Server) -> float:
    """Milliseconds of a list of a thousand tasks, somewhere in the list."""
    times, cursor = [], None
    for _ in range(20):
        params = {"limit": PAGE, **({"cursor": cursor} if cursor else {})}
        took, result = timed(server, "tasks.list", params)
        if len(result["tasks"]) != PAGE:
            raise Failure(f"tasks.list gave {len(result['tasks'])} of {PAGE} tasks")
        times.append(took)
        cursor = result["nextCursor"]
    return statistics.median(times)


def timed(server: Server, method: str, params: dict) -> tuple:
    """A call's milliseconds until the last byte of its answer, and its result."""
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"
    with server.connect() as connection:
        began = time.perf_counter()
        answer = exchange(connection, request)
        took = (time.perf_counter() - began) * 1000
    answer = json.loads(answer)
    if "result" not in answer:
        raise Failure(f"{method}: {answer}")
    return took, answer["result"]


# A million events


def fill(database: Path):
    """Fills the store of an agent that has stopped with events about tasks, 425 to 681 bytes each."""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        known = [json.loads(text) for text, in connection.execute("SELECT text FROM event ORDER BY sequence")]
        source = known[0]["source"]
        now = int(time.time() * 1000)

        def rows():
            for sequence in range(len(known) + 1, EVENTS + 1):
                at = now - (EVENTS - sequence) * 1000
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 1000)) + f".{at % 1000:03}Z"
                key = f"sap/{sequence:08x}-ecb1-11f1-9d2b-00163e7a1c44"
                text = (f'{{"specversion":"1.0","id":"01K{sequence:023}","source":"{source}","type":"task-noted",'
                        f'"time":"{stamp}","subject":"{key}","sequence":{sequence},'
                        f'"datacontenttype":"application/json","data":{{"task":{{"id":"{key}","provider":"sap",'
                        f'"title":"Approve order {sequence}","status":"ready","priority":"medium",'
                        f'"requester":"P2000123456","note":"{"x" * (sequence % 250)}"}}}}}}')
                yield sequence, "task-noted", at, text.encode()

        connection.executemany("INSERT INTO event (sequence, type, time, text) VALUES (?, ?, ?, ?)", rows())
    connection.close()


def forget(database: Path):
    """Has the system drop what it holds of a file, so that the next to read it reads the disk."""
    with open(database, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure_log(bench):
    with Home() as home:
        with Ringid(bench, home) as server:
            server.call("events.publish", EVENT)
        fill(home.database)
        for repetition in range(RESTARTS):
            forget(home.database)
            with Ringid(bench, home) as server:
                figures = {"cold_ms": server.start_ms}
            with Ringid(bench, home) as server:
                figures |= {"warm_ms": server.start_ms, **events_from_the_middle(server), **replay(server)}
                figures["resident"] = settled(server)
            bench.note("log", "ringid", repetition, figures)


def events_from_the_middle(server: Server) -> dict:
    times = []
    for number in range(20):
        since = EVENTS // 2 + number * 7919
        took, result = timed(server, "events.list", {"since": since, "limit": PAGE})
        if [event["sequence"] for event in result["events"]] != list(range(since + 1, since + 1 + PAGE)):
            raise Failure(f"events.list gave other events than those after {since}")
        times.append(took)
    return {"list_ms": statistics.median(times)}


def replay(server: Server) -> dict:
    """Subscribes from the middle on: the time to the first event, and the rate to the last."""
    since = EVENTS // 2
    last = timed(server, "events.list", {"since": EVENTS})[1]["sequence"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"since": since}}
    with server.connect() as connection:
        began, cpu_began = time.perf_counter(), server.cpu_ms()
        connection.sendall(json.dumps(request).encode() + b"\n")
        lines, first, end = 0, None, b""
        while lines < 1 + last - since:
            part = connection.recv(1 << 20)
            if not part:
                raise Failure("the server closed a connection")
            lines += part.count(b"\n")
            if first is None and lines > 1:
                first = (time.perf_counter() - began) * 1000
            end = (end + part)[-2000:]
        took, cpu = time.perf_counter() - began, server.cpu_ms() - cpu_began
    events = lines - 1
    found = json.loads(end[:-1].rsplit(b"\n", 1)[-1])["params"]["event"]["sequence"]
    if found != last or events != last - since:
        raise Failure(f"the replay of {last - since} events to {last} gave {events} to {found}")
    return {"first_ms": first, "replayed_per_second": events / took, "cpu_us": cpu * 1000 / events}
