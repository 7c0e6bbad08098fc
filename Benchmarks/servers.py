"""The programs that the benchmarks start, and where they run."""

import json
import os
import resource
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Optional

PING = b'{"jsonrpc":"2.0","id":1,"method":"agent.ping"}\n'
REFRESH = b'{"jsonrpc":"2.0","id":1,"method":"tasks.refresh"}\n'


class Failure(Exception):
    """What could not be measured, in words for the person at the terminal."""


class Placement:
    """The server on one core and the load on another, both before all other programs where that is allowed."""

    def __init__(self):
        cores = sorted(os.sched_getaffinity(0))
        self.server, self.load = (cores[0], cores[1]) if len(cores) > 1 else (None, None)
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            self.real_time = True
        except PermissionError:
            self.real_time = False
        self.move(self.load)

    def move(self, core: Optional[int]):
        if core is not None:
            os.sched_setaffinity(0, {core})

    def spawn_server(self, command: list, log) -> subprocess.Popen:
        self.move(self.server)
        try:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        finally:
            self.move(self.load)

    def run_as_server(self, command: list) -> str:
        self.move(self.server)
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout
        finally:
            self.move(self.load)

    def __str__(self):
        cores = "one core for both" if self.load is None else f"server on core {self.server}, load on core {self.load}"
        return cores + (", real-time priority" if self.real_time else ", normal priority")


def raise_open_files() -> int:
    """Lets this program and what it starts open as many files as the system allows; returns how many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def exchange(connection: socket.socket, request: bytes = PING) -> bytes:
    connection.sendall(request)
    answer = b""
    while not answer.endswith(b"\n"):
        part = connection.recv(1 << 20)
        if not part:
            raise Failure("the server closed a connection")
        answer += part
    return answer


class Home:
    """A configuration and a state directory, which outlive a server when it is given them."""

    def __init__(self, plugins: Optional[dict] = None):
        self.temporary = tempfile.TemporaryDirectory(prefix="ringi-bench-")
        self.folder = Path(self.temporary.name)
        (self.folder / "config" / "plugins.d").mkdir(parents=True)
        (self.folder / "state").mkdir()
        # A first poll of many tasks on a busy machine takes longer than a client would wait.
        (self.folder / "config" / "ringi.json").write_text('{"limits": {"requestTimeout": "10m"}}', encoding="utf-8")
        self.configure(plugins or {})

    def configure(self, plugins: dict):
        for name, plugin in plugins.items():
            file = self.folder / "config" / "plugins.d" / f"{name}.json"
            file.touch(mode=0o600)  # it holds a password
            file.write_text(json.dumps(plugin), encoding="utf-8")

    @property
    def database(self) -> Path:
        return self.folder / "state" / "ringi.db"

    def cleanup(self):
        self.temporary.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cleanup()


class Server:
    """A server that was just started and has given its first answer."""

    def __init__(self, name: str, program: Path, placement: Placement, home: Optional["Home"] = None):
        self.name = name
        self.home = home or Home()
        self.keeps_home = home is not None
        folder = self.home.folder
        self.path = str(folder / "agent.sock")
        self.log = folder / "log"
        command = [str(program), "--config", str(folder / "config"), "--state", str(folder / "state"),
                   "--socket", self.path]
        with open(self.log, "wb") as log:
            started = time.perf_counter()
            self.process = placement.spawn_server(command, log)
        try:
            with self.connect(patience=60) as connection:
                exchange(connection)
            self.start_ms = (time.perf_counter() - started) * 1000
            self.resident = self.resident_bytes()
        except BaseException:
            self.__exit__()
            raise

    def connect(self, patience: float = 0) -> socket.socket:
        end = time.monotonic() + patience
        while True:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(10)
            try:
                connection.connect(self.path)
                return connection
            except BlockingIOError as problem:
                # Others wait to be accepted, as many as the kernel lets.
                connection.close()
                if time.monotonic() > end + 10:
                    raise Failure(f"{self.name} accepts nobody for ten seconds") from problem
                time.sleep(0.0002)
            except (FileNotFoundError, ConnectionRefusedError) as problem:
                connection.close()
                if time.monotonic() > end or self.process.poll() is not None:
                    raise Failure(f"{self.name} does not listen: {problem}\n{self.log.read_text()}") from problem
                time.sleep(0.0002)

    def call(self, method: str, params: dict) -> dict:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        with self.connect() as connection:
            answer = json.loads(exchange(connection, json.dumps(request).encode() + b"\n"))
        if "result" not in answer:
            raise Failure(f"{self.name}, {method}: {answer}")
        return answer["result"]

    def resident_bytes(self) -> int:
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    def peak_bytes(self) -> int:
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

    def cpu_ms(self) -> float:
        """What all its threads have used, by the process's own clock (the kernel's MAKE_PROCESS_CPUCLOCK)."""
        return time.clock_gettime(~self.process.pid << 3 | 2) * 1000

    def refresh(self) -> dict:
        """Has it poll its backends, and waits for the answer."""
        with self.connect() as connection:
            connection.settimeout(300)
            answer = json.loads(exchange(connection, REFRESH))
        if "result" not in answer:
            raise Failure(f"{self.name} cannot poll: {answer}")
        return answer["result"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)
        if not self.keeps_home:
            self.home.cleanup()


class Sandbox:
    """A backend with open tasks that nobody touches."""

    def __init__(self, program: Path, count: int):
        self.count = count
        self.process = subprocess.Popen([str(program), "sap-workflow"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE)
        try:
            self.url = self.process.stdout.readline().decode().strip()
            self.ask("/_control/tasks", {"count": count, "subject": "Approve order {n}"})
        except BaseException:
            self.__exit__()
            raise

    def ask(self, target: str, body: Optional[dict] = None, headers: Optional[dict] = None) -> bytes:
        request = urllib.request.Request(self.url + target, json.dumps(body).encode() if body else None, headers or {})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()

    @property
    def plugin(self) -> dict:
        """The configuration of an instance that polls it at the start, and then when it is told to."""
        settings = {"environment": "neo", "url": self.url + "/workflow-service/rest", "user": "P1000009",
                    "password": "administer-9"}
        return {"provider": "sap-workflow", "settings": settings, "poll": {"every": "1d"}}

    def pages(self, folder: Path) -> list:
        """Files with the pages of the latest poll, which are asked for again just as the poll did."""
        asked = [request for request in json.loads(self.ask("/_control/requests"))
                 if request["path"].endswith("/v1/task-instances")]
        first = max(index for index, request in enumerate(asked) if "createdFrom" not in request["target"])
        files, tasks = [], set()
        for index, request in enumerate(asked[first:]):
            login = {name: value for name, value in request["headers"] if name.lower() == "authorization"}
            page = self.ask(request["target"], headers=login)
            tasks |= {task["id"] for task in json.loads(page)}
            files.append(folder / f"page-{index}.json")
            files[-1].write_bytes(page)
        if len(tasks) != self.count:
            raise Failure(f"a poll reads {len(tasks)} of {self.count} tasks")
        return files

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)


def stop(process: subprocess.Popen):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
