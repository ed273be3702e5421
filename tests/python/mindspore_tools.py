"""MindSpore itself: programs that run with it, and its own analysis as a judge of our files."""

import os
import subprocess
import sys

from conftest import PYTHON_DIRECTORY, ROOT
from peer_tools import install, run

PACKAGES = ("mindspore==2.10.0", "numpy<2")
ENVIRONMENT = "mindspore-2.10.0"
# Another version, by hand: its interpreter.
OTHER = os.environ.get("NPUPROF_TEST_MINDSPORE")

# What the analysis asks CANN for. The counter of the simulated host has 100 MHz.
_INFO = """import json
print(json.dumps({"status": 0, "data": {"version_info": {"drv_version": 467473},
                                        "host_info": {"cpu_info": [{"Frequency": "100.000000"}]}}}))
"""
_ANALYSIS = """
import os
import sys
from mindspore.profiler.common.profiler_context import ProfilerContext
from mindspore.profiler.platform.npu_profiler import NPUProfilerAnalysis
for path in sys.argv[1:]:
    child = os.fork()  # It keeps settings of one directory for the next.
    if child == 0:
        ProfilerContext()._device_target = "Ascend"  # Else it leaves out the framework's side.
        NPUProfilerAnalysis.offline_analyse(path, False, None, False)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""


def interpreter():
    """That of the environment with MindSpore; skips the test where it cannot be made."""
    return OTHER or os.path.join(install(*PACKAGES, name=ENVIRONMENT), "bin", "python")


def version():
    """Of MindSpore."""
    script = "import importlib.metadata as data; print(data.version('mindspore'))"
    return run(interpreter(), "-c", script).stdout.strip()


def program(name):
    """A program of the build that the package is taken from."""
    beside = os.path.join(PYTHON_DIRECTORY, "npuprof", "bin", name)
    build = os.path.dirname(PYTHON_DIRECTORY)
    for path in (beside, os.path.join(build, "bin", name),
                 os.path.join(ROOT, "build", "release", "bin", name)):
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise FileNotFoundError(f"{name} is not built")


def run_program(source, directory, *arguments, env=None):
    """What a program prints that is run with MindSpore and npuprof in a directory."""
    path = directory / "program.py"
    path.write_text(source)
    done = subprocess.run([interpreter(), str(path), *map(str, arguments)], cwd=directory,
                          env={**os.environ, "PYTHONPATH": PYTHON_DIRECTORY, **(env or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=300)
    assert done.returncode == 0, done.stdout
    return done.stdout


def _stand_in_for_cann(folder):
    """Where MindSpore looks for programs of CANN; ours exports what they would."""
    tool = folder / "tools" / "profiler"
    scripts = tool / "profiler_tool" / "analysis"
    for place in (tool / "bin", scripts / "msprof", scripts / "interface"):
        place.mkdir(parents=True)
    (tool / "bin" / "msprof").write_text(f'#!/bin/sh\nexec "{program("npuprof")}" parse "$@"\n')
    (scripts / "msprof" / "msprof.py").write_text("")
    (scripts / "interface" / "get_msprof_info.py").write_text(_INFO)
    for script in tool.rglob("*"):
        script.chmod(0o755)
    return tool / "bin"


def vendor_analysis(results, folder):
    """Has MindSpore analyse result directories; returns what it said."""
    programs = _stand_in_for_cann(folder)
    script = folder / "analysis.py"
    script.write_text(_ANALYSIS)
    done = run(interpreter(), script, *results, cwd=folder,
               env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "GLOG_v": "2",
                    "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout
    return done.stdout


if __name__ == "__main__":
    sys.exit("This is for tests to import.")
