"""Runs the real parser on recorded directories and reads what it wrote."""

import glob
import json
import os
import sqlite3
import subprocess

import pytest

from npuprof import _backend, _parser

needs_recorder = pytest.mark.skipif(_backend._native is None or _parser.binary() is None,
                                    reason="the compiled modules or the program are not built")


def npuprof(*arguments, **options):
    """Runs the program; what it printed is in the result."""
    return subprocess.run([_parser.binary(), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, check=False, **options)


def npusim(*arguments):
    """Runs the simulator; skips the test if it is not built."""
    program = _parser.binary()
    simulator = program and os.path.join(os.path.dirname(os.path.realpath(program)), "npusim")
    if not simulator or not os.path.exists(simulator):
        pytest.skip("the programs npuprof and npusim are not built")
    subprocess.run([simulator, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def parse(result, exports="text,db"):
    """Parses a result directory and returns the exit status."""
    done = npuprof("parse", result, "--export", exports, "--quiet")
    assert done.returncode in (0, 1), done.stderr
    return done.returncode


def timeline(result):
    """The events of trace_view.json but for the names of rows."""
    with open(os.path.join(result, "ASCEND_PROFILER_OUTPUT", "trace_view.json"),
              encoding="utf-8") as file:
        return [event for event in json.load(file) if event["ph"] != "M"]


def query(result, text):
    """Rows of the database."""
    (path,) = glob.glob(os.path.join(result, "ASCEND_PROFILER_OUTPUT",
                                     "ascend_pytorch_profiler*.db"))
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        return connection.execute(text).fetchall()


def has_table(result, name):
    """Whether the database has a table."""
    return bool(query(result, f"SELECT 1 FROM sqlite_master WHERE name = '{name}'"))


def ranges(result):
    """Name, start and end of the ranges of the program, by start."""
    return query(result, "SELECT s.value, CAST(p.startNs AS INTEGER), CAST(p.endNs AS INTEGER) "
                         "FROM PYTORCH_API p JOIN STRING_IDS s ON s.id = p.name ORDER BY 2, 3 DESC")


def marks(result):
    """Message, domain, start and end of markers, by start."""
    return query(result, "SELECT m.value, d.value, e.startNs, e.endNs FROM MSTX_EVENTS e "
                         "JOIN STRING_IDS m ON m.id = e.message "
                         "JOIN STRING_IDS d ON d.id = e.domainId ORDER BY 3, 4 DESC")
