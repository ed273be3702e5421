"""Marks of the program's own in a profile: ranges, domains, and every module of a model.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/markers.py [results]
"""

import sys

import npuprof
import npuprof.profiler as profiler
from npuprof import mstx
from toy_model import Training


def main() -> None:
    results = sys.argv[1] if len(sys.argv) > 1 else "out/markers"
    training = Training(device=npuprof.sim.device())
    mstx.instrument_modules(training.model)
    with profiler.profile(
        on_trace_ready=profiler.tensorboard_trace_handler(results),
        experimental_config=profiler._ExperimentalConfig(mstx=True),
    ) as prof:
        for number in range(3):
            with mstx.annotate(f"step {number}", domain="training"):
                training.step()
            mstx.mark("done")
            prof.step()


if __name__ == "__main__":
    main()
