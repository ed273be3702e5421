"""A program whose PyTorch is not the one that the hooks were built for."""

import importlib

import pytest

from outputs import needs_recorder, npuprof

pytestmark = needs_recorder
build = pytest.importorskip("npuprof._torch_build", reason="the hooks into PyTorch are not built")

PROGRAM = """
import sys
import torch
import npuprof.profiler as profiler
with profiler.profile(activities=[profiler.ProfilerActivity.CPU],
                      on_trace_ready=profiler.tensorboard_trace_handler("out")) as prof:
    pass
profiler.profile.enable_profiler_in_child_thread()
assert not {"npuprof._torch", "npuprof._sim"} & set(sys.modules)
import npuprof
try:
    npuprof.sim.device()
except RuntimeError as failure:
    print("refused:", failure)
print("done")
"""


@pytest.fixture
def other_torch(tmp_path):
    """Makes a package that calls itself torch; returns the folder it is in."""
    def make(version):
        folder = tmp_path / "site" / "torch"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f"__version__ = {version!r}\n")
        return str(folder.parent)

    return make


@pytest.mark.parametrize("version", ["9.1.0+cu999", build.VERSION])
def test_its_operators_are_not_recorded(other_torch, run_python, tmp_path, version):
    """The version tells, or, with an equal one, that other libraries are loaded."""
    folder = other_torch(version)
    text = run_python(f"import sys; sys.path.insert(0, {folder!r})\n" + PROGRAM)
    lines = text.splitlines()
    (said,) = [line for line in lines if "was built for" in line and "refused" not in line]
    assert f"PyTorch {version} of {folder}/torch" in said
    assert f"{build.VERSION} of {build.DIRECTORY}: operators are not recorded." in said
    assert len([line for line in lines if line.startswith("refused: This program has")]) == 1
    assert lines[-1] == "done"
    assert len(list(tmp_path.glob("out/*_ascend_pt/ASCEND_PROFILER_OUTPUT"))) == 1


def test_a_program_that_is_recorded_from_outside_goes_on(other_torch, tmp_path):
    folder = other_torch("9.1.0")
    (tmp_path / "train.py").write_text(f"import sys; sys.path.insert(0, {folder!r})\n"
                                       "import torch; print('trained')\n")
    done = npuprof("record", "--activities", "CPU", "-o", "out", "--", "/usr/bin/python3",
                   "train.py", cwd=tmp_path)
    assert done.stdout == "trained\n", done.stderr
    assert done.stderr.count("operators are not recorded.") == 1


def test_the_torch_that_the_hooks_were_built_for_fits():
    torch = pytest.importorskip("torch")
    match = importlib.import_module("npuprof._torch_match")
    assert match.mismatch(torch) is None
