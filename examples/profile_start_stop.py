"""Profiles a part of a program between start() and stop(), then asks for single results.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/profile_start_stop.py [results]
"""

import os
import sys

import npuprof
import npuprof.profiler as profiler
from toy_model import Training


def main() -> None:
    results = sys.argv[1] if len(sys.argv) > 1 else "out/profile_start_stop"
    os.makedirs(results, exist_ok=True)
    training = Training(device=npuprof.sim.device())
    prof = profiler.profile(record_shapes=True, with_stack=True, profile_memory=True)
    prof.start()
    for _ in range(3):
        training.step()
        prof.step()
    prof.stop()

    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=8))
    prof.export_chrome_trace(os.path.join(results, "trace.json"))
    prof.export_stacks(os.path.join(results, "stacks.log"), metric="self_cpu_time_total")
    prof.export_memory_timeline(os.path.join(results, "memory.html"), device="npu:0")


if __name__ == "__main__":
    main()
