"""Trains until it is told to stop, ready to be profiled at any time from outside.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/profile_on_request.py out/config &
    build/release/bin/npuprof dynamic out/config --active 2 --analyse -o out/on_request

The second command may be given again and again; each time two steps are profiled.
"""

import sys
import time

import npuprof
from npuprof.profiler import dynamic_profile as dp
from toy_model import Training


def main() -> None:
    config = sys.argv[1] if len(sys.argv) > 1 else "out/config"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    training = Training(device=npuprof.sim.device())
    dp.init(config)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        training.step()
        dp.step()
        time.sleep(0.05)


if __name__ == "__main__":
    main()
