"""What `cmake --install` puts below a prefix works there, without the tree it was built in."""

import glob
import os
import subprocess
import sys

import pytest

from conftest import ROOT
from outputs import needs_recorder

pytestmark = needs_recorder

BUILD = os.path.join(ROOT, "build", "release")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if not os.path.isfile(os.path.join(BUILD, "cmake_install.cmake")):
        pytest.skip("there is no release build")
    place = str(tmp_path_factory.mktemp("prefix"))
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place, "--strip"], check=True,
                   stdout=subprocess.DEVNULL)
    return place


def run(prefix, *command, **variables):
    packages, = glob.glob(f"{prefix}/lib/python3*/*-packages")
    environment = {"PATH": f"{prefix}/bin:/usr/bin:/bin", "PYTHONPATH": packages, "HOME": prefix, **variables}
    return subprocess.run(command, env=environment, cwd=prefix, capture_output=True, text=True, check=True)


def test_programs_simulate_and_parse(prefix):
    run(prefix, "npusim", "toy", "--steps", "2", "-o", "job")
    run(prefix, "npuprof", "parse", "job")
    assert glob.glob(f"{prefix}/job/*_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv")


def test_the_package_is_the_installed_one(prefix):
    found = run(prefix, sys.executable, "-c",
                "import npuprof, npuprof._native; print(npuprof.__file__, npuprof._native.__file__)").stdout
    assert all(path.startswith(prefix) for path in found.split()), found


def test_an_unchanged_program_is_recorded(prefix):
    with open(f"{prefix}/program.py", "w", encoding="utf-8") as file:
        file.write("from npuprof import mstx\nmstx.mark('hello')\n")
    run(prefix, "npuprof", "record", "--mstx", "-o", "recorded", "--", sys.executable, "program.py")
    assert glob.glob(f"{prefix}/recorded/*_ascend_pt/ASCEND_PROFILER_OUTPUT")


def test_a_program_links_the_recorder(prefix):
    with open(f"{prefix}/program.cc", "w", encoding="utf-8") as file:
        file.write('#include "npuprof/record.hpp"\nint main() { NPUPROF_RANGE("all"); }\n')
    subprocess.run(["c++", "-std=c++20", f"-I{prefix}/include", f"{prefix}/program.cc", f"-L{prefix}/lib",
                    "-lnpuprof", f"-Wl,-rpath,{prefix}/lib", "-o", f"{prefix}/program"], check=True)
    run(prefix, f"{prefix}/program")


def test_links_lead_somewhere(prefix):
    links = [os.path.join(folder, name) for folder, folders, names in os.walk(prefix)
             for name in folders + names if os.path.islink(os.path.join(folder, name))]
    assert f"{prefix}/bin/npuprof" in links
    assert f"{prefix}/lib/npusim/libascendcl.so" in links
    for link in links:
        assert os.path.exists(link), link
        assert not os.path.isabs(os.readlink(link)), link
