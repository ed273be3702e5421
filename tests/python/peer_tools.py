"""Programs of others that our results are tried with, in a virtual environment below build/."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT

_DIRECTORY = os.path.join(ROOT, "build", "peer-tools")


def run(*command, **options):
    """The finished process, with all it printed in stdout."""
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, **options)


def install(*packages):
    """The environment with these packages; skips the test if they cannot be installed, on a
    machine without a network for instance."""
    directory = os.path.join(_DIRECTORY, "-".join(packages))
    mark = os.path.join(directory, "complete")
    if os.path.exists(mark):
        return directory
    shutil.rmtree(directory, ignore_errors=True)
    made = run("/usr/bin/python3", "-m", "venv", directory)
    if made.returncode == 0:
        made = run(os.path.join(directory, "bin", "pip"), "install", "--quiet", *packages)
    if made.returncode != 0:
        reasons = made.stdout.strip().splitlines() or ["no reason given"]
        pytest.skip(f"cannot install {', '.join(packages)}: {reasons[-1]}")
    with open(mark, "w", encoding="utf-8"):
        return directory
