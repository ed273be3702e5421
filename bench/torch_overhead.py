#!/usr/bin/env python3
"""What profiling costs a PyTorch program that does nothing but tiny operators.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/torch_overhead.py

Each round runs the same loop without a profiler, with a callback that does nothing, with
torch.profiler and with npuprof, in a new random order, so that a machine that gets slower or faster
meanwhile does the same to all. Times are CPU time of the thread that runs the loop, in slices; the
best slice of all rounds counts, since other programs only ever add to the time of a slice. Many short
rounds find a quiet moment for everybody; few long ones may not. "after" is the wall time from the end
of the loop until the profiler has stopped, the median.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

import torch
import torch.profiler

import npuprof.profiler

os.environ["TORCH_NPU_WARNING_DISABLE"] = "1"  # Console lines about options would be in the way.
os.environ["NPUPROF_SIMULATE"] = "1"

MODES = {
    "operators": {},
    "shapes": {"record_shapes": True},
    "shapes, memory": {"record_shapes": True, "profile_memory": True},
    "stacks": {"with_stack": True},
    "all": {"record_shapes": True, "profile_memory": True, "with_stack": True,
            "with_modules": True},
}
# Ours alone: operators, and their kernels on the simulated NPU.
SIMULATED = "simulated NPU"


SLICE = 300  # Operators.


def loop(count: int) -> None:
    """Tiny operators."""
    one, two = torch.ones(1), torch.ones(1)
    for _ in range(count):
        torch.add(one, two)


@contextlib.contextmanager
def empty_callback():
    """The least that any profiler of operators adds."""
    build = pathlib.Path(npuprof.__path__[0]).parent.parent
    library = ctypes.CDLL(str(build / "lib" / "libbench_empty_callback.so"))
    library.add_empty_callback()
    try:
        yield
    finally:
        library.remove_empty_callback()


def torch_profiler(**options: bool) -> contextlib.AbstractContextManager:
    """PyTorch's own."""
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **options)


def npuprof_profiler(directory: str, mode: str) -> contextlib.AbstractContextManager:
    """Ours; the result is not parsed."""
    handler = npuprof.profiler.tensorboard_trace_handler(directory, analyse_flag=False)
    activity = npuprof.profiler.ProfilerActivity
    activities = [activity.CPU, activity.NPU] if mode == SIMULATED else [activity.CPU]
    return npuprof.profiler.profile(activities=activities, on_trace_ready=handler,
                                    **MODES.get(mode, {}))


def measure(profiler: contextlib.AbstractContextManager, count: int) -> tuple[float, float]:
    """Nanoseconds of CPU for each operator, and of wall time for each one afterwards."""
    with profiler:
        loop(SLICE)  # Buffers and caches are made now.
        slices = []
        for _ in range(count // SLICE):
            begin = time.thread_time_ns()
            loop(SLICE)
            slices.append(time.thread_time_ns() - begin)
        end = time.perf_counter_ns()
    return min(slices) / SLICE, (time.perf_counter_ns() - end) / count


def run(count: int, rounds: int, seed: int) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """All samples, by profiler and mode."""
    samples: dict[tuple[str, str], list[tuple[float, float]]] = {}
    jobs = [("none", ""), ("empty", ""), ("npuprof", SIMULATED)]
    jobs += [(who, mode) for mode in MODES for who in ("torch", "npuprof")]
    order = random.Random(seed)
    for _ in range(rounds):
        order.shuffle(jobs)
        for who, mode in jobs:
            directory = tempfile.mkdtemp(prefix="torch_overhead_")
            if who == "none":
                profiler: contextlib.AbstractContextManager = contextlib.nullcontext()
            elif who == "empty":
                profiler = empty_callback()
            elif who == "torch":
                profiler = torch_profiler(**MODES[mode])
            else:
                profiler = npuprof_profiler(directory, mode)
            samples.setdefault((who, mode), []).append(measure(profiler, count))
            shutil.rmtree(directory)
    return samples


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operators", type=int, default=3 * SLICE, help="in one sample")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        import npuprof._torch  # noqa: F401  pylint: disable=unused-import
    except ImportError:
        print("torch_overhead.py: npuprof was built without its hooks into PyTorch", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(sys.stderr):
        samples = run(arguments.operators, arguments.rounds, arguments.seed)

    def best(who: str, mode: str) -> float:
        return min(spent for spent, _ in samples[who, mode])

    def after(who: str, mode: str) -> float:
        return statistics.median(waited for _, waited in samples[who, mode])

    floor = best("none", "")
    print(f"without a profiler: {floor:.0f} ns for each operator")
    print(f"a callback that does nothing adds {best('empty', '') - floor:.0f} ns")
    print(f"{'':16}{'added ns':>18}{'slow-down':>18}{'':>8}{'after, ns':>20}")
    print(f"{'':16}{'torch':>9}{'npuprof':>9}{'torch':>9}{'npuprof':>9}{'ratio':>8}"
          f"{'torch':>10}{'npuprof':>10}")
    for mode in MODES:
        times = {who: best(who, mode) for who in ("torch", "npuprof")}
        added = {who: value - floor for who, value in times.items()}
        print(f"{mode:16}{added['torch']:9.0f}{added['npuprof']:9.0f}"
              f"{times['torch'] / floor:9.2f}{times['npuprof'] / floor:9.2f}"
              f"{added['npuprof'] / added['torch']:8.2f}"
              f"{after('torch', mode):10.0f}{after('npuprof', mode):10.0f}")
    simulated = best("npuprof", SIMULATED)
    print(f"{SIMULATED:16}{'':9}{simulated - floor:9.0f}{'':9}{simulated / floor:9.2f}"
          f"{'':18}{after('npuprof', SIMULATED):10.0f}")
    print("ratio: what npuprof adds over what torch.profiler adds, less than 1 is cheaper")
    return 0


if __name__ == "__main__":
    sys.exit(main())
