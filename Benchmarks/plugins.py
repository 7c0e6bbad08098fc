"""What plugins cost: a call through a program beside a bare pipe, and many that do nothing."""

import json
import tempfile
import time

from servers import Failure, Home, Server

IDLE = 100
# Name: what the table calls it.
CALLS = {
    "plugin": "a call through a program, 100 bytes",
    "plugin-large": "a call through a program, 64 KiB",
}
LIBRARY = "library"
SCENARIOS = (*CALLS, LIBRARY, "idle-plugins")
# What the table calls it, the scenario, the figure, what it is divided by, and its format.
FIGURES = [
    ("a program's call, µs that it takes longer than agent.echo", "plugin", "hop_us", 1, "{:.1f}"),
    ("of that, a bare pipe's round trip would be µs", "plugin", "pipe_us", 1, "{:.1f}"),
    ("the same with 64 KiB", "plugin-large", "hop_us", 1, "{:.1f}"),
    ("of that, a bare pipe's round trip would be µs", "plugin-large", "pipe_us", 1, "{:.1f}"),
    ("an inline call of a library, CPU µs", LIBRARY, "cpu_us", 1, "{:.1f}"),
    ("agent.echo with the same, CPU µs", LIBRARY, "echo_cpu_us", 1, "{:.1f}"),
    (f"MB resident that {IDLE} idle programs add to ringid", "idle-plugins", "added", 1e6, "{:.2f}"),
    ("of that, their files alone", "idle-plugins", "files", 1e6, "{:.2f}"),
]


def settled(server: Server) -> int:
    """Its resident memory once that has been the same for half a second."""
    before, end = -1, time.monotonic() + 10
    while time.monotonic() < end:
        now = server.resident_bytes()
        if now == before:
            break
        before = now
        time.sleep(0.5)
    return before


def plugin(bench, **more) -> dict:
    return {"command": [str(bench.tools / "plugin")], **more}


def wait_until_running(server: Server, count: int):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        states = [row["state"] for row in server.call("plugins.list", {})["plugins"]]
        if states.count("running") == count:
            return
        time.sleep(0.01)
    raise Failure(f"ringid has not started {count} plugins: {states}")


def measure_call(bench, scenario: str, params: str, repetition: int):
    """Calls the plugin through ringid and through the relay; and over a bare pipe, and nobody at all (agent.echo)."""
    load = ["--params", params, "--result", params]
    for name in ("ringid", "floor") if repetition % 2 == 0 else ("floor", "ringid"):
        program = bench.programs["ringid"] if name == "ringid" else bench.tools / "relay"
        with Home({"p": plugin(bench)}) as home, Server(name, program, bench.placement, home) as server:
            if name == "ringid":
                wait_until_running(server, 1)
            figures = bench.load(server, ["--method", "p.echo", *load])
            if name == "ringid":
                echo = bench.load(server, ["--method", "agent.echo", *load])
                with tempfile.NamedTemporaryFile("w", suffix=".json") as request:
                    request.write(f'{{"jsonrpc":"2.0","id":1,"method":"echo","params":{params}}}\n')
                    request.flush()
                    command = [str(bench.tools / "pipe"), str(bench.seconds), request.name]
                    bare = json.loads(bench.placement.run_as_server(command))
                hop = figures["p50_us"] - echo["p50_us"]
                figures |= {"hop_us": hop, "pipe_us": bare["p50_us"], "hop_of_pipe": hop / bare["p50_us"],
                            "of_pipe": figures["p50_us"] / bare["p50_us"]}
        bench.note(scenario, name, repetition, figures)


def measure_library(bench, params: str, repetition: int):
    """Calls an inline method of a library, and agent.echo with the same."""
    load = ["--params", params, "--result", params]
    with (Home({"t": {"library": str(bench.tools / "libtodo.so")}}) as home,
          Server("ringid", bench.programs["ringid"], bench.placement, home) as server):
        wait_until_running(server, 1)
        figures, echo = {}, {}
        for name in ("library", "echo") if repetition % 2 == 0 else ("echo", "library"):
            if name == "library":
                figures = bench.load(server, ["--method", "t.echo", *load])
            else:
                echo = bench.load(server, ["--method", "agent.echo", *load])
    bench.note(LIBRARY, "ringid", repetition,
               figures | {"echo_cpu_us": echo["cpu_us"], "of_echo": figures["p50_us"] / echo["p50_us"],
                          "cpu_of_echo": figures["cpu_us"] / echo["cpu_us"]})


def measure_idle(bench, repetition: int):
    """The memory of ringid with many programs that do nothing, without them, and with their files switched off."""
    resident = {}
    for kind, files in [("none", {}), ("files", {f"p{n}": plugin(bench, enabled=False) for n in range(IDLE)}),
                        ("idle", {f"p{n}": plugin(bench) for n in range(IDLE)})]:
        with Home(files) as home, Server("ringid", bench.programs["ringid"], bench.placement, home) as server:
            wait_until_running(server, IDLE if kind == "idle" else 0)
            resident[kind] = settled(server)
    bench.note("idle-plugins", "ringid", repetition,
               {"added": resident["idle"] - resident["none"], "files": resident["files"] - resident["none"]})
