"""Programs of others that our results are tried with, in virtual environments.

They are made once for a user and shared by all check-outs, since some of them are large: below
$NPUPROF_TEST_ENVIRONMENTS, or in the user's folder for caches.
"""

import fcntl
import os
import shutil
import subprocess

import pytest

PYTHON = "/usr/bin/python3"


def _environments():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("NPUPROF_TEST_ENVIRONMENTS") or os.path.join(cache, "npuprof",
                                                                       "environments")


def run(*command, **options):
    """The finished process, with all it printed in stdout."""
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, **options)


def find(name):
    """The environment of this name, None if it was not made yet."""
    directory = os.path.join(_environments(), name)
    return directory if os.path.exists(os.path.join(directory, "complete")) else None


def install(*packages, name=None):
    """The environment with these packages; skips the test if they cannot be installed, on a
    machine without a network for instance."""
    name = name or "-".join(packages).replace("==", "-")
    os.makedirs(_environments(), exist_ok=True)
    directory = os.path.join(_environments(), name)
    # Tests of several check-outs may want it at the same time.
    with open(directory + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if find(name) is None:
            _make(directory, packages)
    return directory


def _make(directory, packages):
    shutil.rmtree(directory, ignore_errors=True)
    made = run(PYTHON, "-m", "venv", directory)
    if made.returncode == 0:
        made = run(os.path.join(directory, "bin", "pip"), "install", "--quiet", *packages)
    if made.returncode != 0:
        shutil.rmtree(directory, ignore_errors=True)
        reasons = made.stdout.strip().splitlines() or ["no reason given"]
        pytest.skip(f"cannot install {', '.join(packages)}: {reasons[-1]}")
    with open(os.path.join(directory, "complete"), "w", encoding="utf-8"):
        pass
