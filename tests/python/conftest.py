"""What the tests of the Python package share."""

import glob
import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def _python_directory():
    """Where the package is: NPUPROF_PYTHON, that of the release build, or without compiled code."""
    built = os.path.join(ROOT, "build", "release", "python")
    found = built if os.path.isdir(os.path.join(built, "npuprof")) else os.path.join(ROOT, "python")
    return os.path.abspath(os.environ.get("NPUPROF_PYTHON") or found)


PYTHON_DIRECTORY = _python_directory()
sys.path.insert(0, PYTHON_DIRECTORY)

# Set before npuprof is imported, which acts on them.
for variable in ("RANK", "PROF_CONFIG_PATH", "NPUPROF_RECORD", "ASCEND_WORK_PATH",
                 "MSMONITOR_USE_DAEMON", "KINETO_USE_DAEMON", "PROFILING_MODE",
                 "PROFILER_SAMPLECONFIG", "TORCH_NPU_WARNING_DISABLE",
                 "TORCH_NPU_DISABLED_WARNING", "MS_PROFILER_OPTIONS", "RANK_ID", "DEVICE_ID"):
    os.environ.pop(variable, None)

from npuprof import _backend, _markers, _run  # noqa: E402
from npuprof.mindspore import _location  # noqa: E402
from npuprof.profiler import _result_directory  # noqa: E402

_LINE = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[(INFO|WARNING|ERROR)\] \[(\d+)\] "
                   r"profiler\.py: (.*)\Z")


def complete_results(parent):
    """Result directories that the Python side has written its last words into."""
    found = []
    for path in sorted(glob.glob(f"{parent}/*_ascend_pt/profiler_info*.json")):
        with open(path, encoding="utf-8") as file:
            if "npuprof_version" in file.read():
                found.append(os.path.dirname(path))
    return found


class Console:
    """Lines printed since the last question."""

    def __init__(self, capsys):
        self._capsys = capsys

    def lines(self):
        """Pairs of level and text; every line must have the documented form."""
        found = []
        for line in self._capsys.readouterr().out.splitlines():
            match = _LINE.match(line)
            assert match, f"not a console line: {line!r}"
            assert int(match.group(2)) == os.getpid()
            found.append((match.group(1), match.group(3)))
        return found

    def texts(self, level):
        """Texts of one level."""
        return [text for found, text in self.lines() if found == level]


class SessionDouble:
    """Counts what is asked of the recorder."""

    calls = []
    is_simulated = False

    def __init__(self, result_dir, config):
        self.calls.append("open")
        self.config = config
        SessionDouble.last = self

    def warmup(self):
        self.calls.append("warmup")

    def start(self):
        self.calls.append("start")
        return {"syscnt_enable": True, "freq": 100, "start_cnt": 7, "start_monotonic": 70}

    def stop(self):
        self.calls.append("stop")

    def finalize(self):
        self.calls.append("finalize")


class MarkerDouble:
    """Remembers markers that would be recorded."""

    def __init__(self):
        self.events = []
        self._last_id = 0

    def mark(self, message, domain, stream=0):
        self.events.append(("mark", message, domain))

    def range_start(self, message, domain, stream=0):
        self._last_id += 1
        self.events.append(("start", message, domain))
        return self._last_id

    def range_end(self, range_id, domain):
        self.events.append(("end", range_id, domain))

    def messages(self, domain="default"):
        """Messages of marks and ranges of a domain."""
        return [event[1] for event in self.events if event[0] != "end" and event[2] == domain]


@pytest.fixture
def console(capsys):
    capsys.readouterr()
    return Console(capsys)


@pytest.fixture
def session_calls(monkeypatch):
    SessionDouble.calls = []
    monkeypatch.setattr(_backend, "Session", SessionDouble)
    return SessionDouble.calls


@pytest.fixture
def markers(monkeypatch):
    """Markers are on, in all domains, until the test ends."""
    double = MarkerDouble()
    for name in ("mark", "range_start", "range_end"):
        monkeypatch.setattr(_backend, name, getattr(double, name))
    _markers.activate([], [])
    yield double
    _markers.deactivate()


@pytest.fixture(autouse=True)
def fresh_state(monkeypatch, tmp_path):
    """Each test works in a directory of its own and as if npuprof had just been imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_result_directory, "last_location", None)
    _location.forget()
    _backend._said.clear()
    _run.other_profiler_active.cache_clear()
    yield
    _run.other_profiler_active.cache_clear()
    _run._owner = None


@pytest.fixture
def run_python(tmp_path):
    """Runs a program in a process of its own that can import npuprof; returns its output."""
    def run(source, *, env=None, timeout=60, background=False):
        path = tmp_path / f"program_{len(list(tmp_path.glob('program_*')))}.py"
        path.write_text(source)
        environment = {**os.environ, "PYTHONPATH": PYTHON_DIRECTORY,
                       **(env or {})}
        command = [sys.executable, "-u", str(path)]
        if background:
            return subprocess.Popen(command, env=environment, cwd=tmp_path, text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
        done = subprocess.run(command, env=environment, cwd=tmp_path, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              check=False)
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run
