"""What records carries nothing of the simulator, and loads it only where an NPU is simulated."""

import glob
import os

import pytest

from conftest import PYTHON_DIRECTORY
from outputs import needs_recorder

pytestmark = needs_recorder
pytest.importorskip("npuprof._torch_build", reason="the hooks into PyTorch are not built")

# As the names of its functions and classes begin in symbols: npuprof::sim.
SIMULATOR_SYMBOL = b"N7npuprof3sim"
SIMULATOR_LIBRARY = b"libnpusim"

PROGRAM = """
import sys
import torch
import npuprof.profiler as profiler
with profiler.profile(activities=[{activities}],
                      on_trace_ready=profiler.tensorboard_trace_handler("out")):
    torch.ones(3) + 1
with open("/proc/self/maps", encoding="utf-8") as maps:
    text = maps.read()
print([name for name in ("npuprof/_torch.", "npuprof/_sim.", "libnpusim_cann") if name in text])
"""


def binary(name):
    path, = glob.glob(os.path.join(PYTHON_DIRECTORY, "npuprof", name))
    with open(path, "rb") as file:
        return file.read()


def test_symbols_of_the_simulator_are_in_its_own_module():
    """Otherwise the next test could find none wherever they are."""
    assert SIMULATOR_SYMBOL in binary("_sim.*.so")
    assert SIMULATOR_LIBRARY in binary("_sim.*.so")


@pytest.mark.parametrize("name", ["_torch.*.so", "_mindspore.*.so", "_native.*.so", "lib/libnpuprof.so.*", "bin/npuprof"])
def test_what_records_and_parses_has_no_symbol_of_the_simulator(name):
    assert SIMULATOR_SYMBOL not in binary(name)


def test_the_hooks_know_no_library_of_the_simulator():
    assert SIMULATOR_LIBRARY not in binary("_torch.*.so")


def test_a_recording_without_simulated_npu_loads_no_simulator(run_python):
    text = run_python(PROGRAM.format(activities="profiler.ProfilerActivity.CPU"))
    assert text.splitlines()[-1] == "['npuprof/_torch.']"


def test_a_recording_of_a_simulated_npu_loads_it(run_python):
    text = run_python(PROGRAM.format(activities="profiler.ProfilerActivity.NPU"),
                      env={"NPUPROF_SIMULATE": "1"})
    assert text.splitlines()[-1] == "['npuprof/_torch.', 'npuprof/_sim.', 'libnpusim_cann']"
