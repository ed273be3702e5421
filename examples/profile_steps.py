"""Profiles some steps of a training loop, chosen by a schedule.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/profile_steps.py [results]

Trains on the simulated NPU. On a real one, import torch_npu and take its device; nothing else changes.
"""

import sys

import npuprof
import npuprof.profiler as profiler
from toy_model import Training


def main() -> None:
    results = sys.argv[1] if len(sys.argv) > 1 else "out/profile_steps"
    training = Training(device=npuprof.sim.device())
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
        schedule=profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
        on_trace_ready=profiler.tensorboard_trace_handler(results),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        experimental_config=profiler._ExperimentalConfig(
            profiler_level=profiler.ProfilerLevel.Level1,
            export_type=[profiler.ExportType.Text, profiler.ExportType.Db],
        ),
    ) as prof:
        for _ in range(6):
            training.step()
            prof.step()


if __name__ == "__main__":
    main()
