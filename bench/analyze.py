#!/usr/bin/env python3
"""How fast npuprof answers, beside msprof-analyze on the same database in the same run.

    bench/analyze.py [--kernels 200000,1000000] [--modes module_statistic,operator_mfu] [--reference PROGRAM]

Makes a profile on the simulated NPU (mstx ranges for modules), parses it to a database, and asks both programs.
`--reference` is msprof-analyze (default: the one on PATH, if there is one; its row is left out otherwise). Each row
is a process with its children: wall time, CPU time, most memory in use. Ratios are of the row over that of npuprof
from the same source; of CPU times they hardly depend on what else the machine does.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build" / "release" / "bin"
# Of a transformer of 32 layers on one device, as the other benchmarks have it.
KERNELS_PER_STEP = 7336


class Cost:
    """What a command took."""

    def __init__(self, wall_s, cpu_s, peak_mb):
        self.wall_s = wall_s
        self.cpu_s = cpu_s
        self.peak_mb = peak_mb


def family_memory_mb(pid):
    """Resident memory of a process and all below it."""
    total_kb = 0
    pids = [pid]
    while pids:
        one = pids.pop()
        try:
            status = pathlib.Path(f"/proc/{one}/status").read_text(encoding="ascii", errors="replace")
            for task in pathlib.Path(f"/proc/{one}/task").iterdir():
                pids += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, ValueError):
            continue
        for line in status.splitlines():
            if line.startswith("VmRSS:"):
                total_kb += int(line.split()[1])
    return total_kb / 1024


def run(command):
    """Runs it and returns its cost; leaves the program if it fails."""
    before = os.times()
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    peak_mb = [0.0]
    done = threading.Event()

    def watch():
        while not done.wait(0.01):
            peak_mb[0] = max(peak_mb[0], family_memory_mb(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    done.set()
    watcher.join()
    wall_s = time.monotonic() - start
    after = os.times()
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} failed:\n{output[-2000:]}")
    cpu_s = (after.children_user - before.children_user +
             after.children_system - before.children_system)
    return Cost(wall_s, cpu_s, peak_mb[0])


def make_data(programs, kernels, folder):
    """A raw profile and its database."""
    steps = max(1, round(kernels / KERNELS_PER_STEP))
    run([programs / "npusim", "transformer", "--ranks", "1", "--layers", "32", "--hidden", "1024", "--heads", "16",
         "--sequence", "512", "--micro-batches", "8", "--steps", steps,
         "--mstx", "--no-memory", "-o", folder / "raw"])
    run([programs / "npuprof", "parse", folder / "raw", "--export", "db", "-o", folder / "db", "-q"])
    return folder / "raw", folder / "db"


def show(who, mode, source, cost, base=None):
    """A row; `base` is what it is compared with."""
    ratio = (f"{cost.wall_s / base.wall_s:8.1f} {cost.cpu_s / base.cpu_s:8.1f} {cost.peak_mb / base.peak_mb:8.1f}"
             if base else "")
    print(f"{mode:<18} {who:<15} {source:<4} {cost.wall_s:9.2f} {cost.cpu_s:9.2f} {cost.peak_mb:9.0f} {ratio}",
          flush=True)


def measure(programs, kernels, arguments):
    """All rows of one size."""
    with tempfile.TemporaryDirectory(prefix="npuprof-bench-") as name:
        folder = pathlib.Path(name)
        raw, database = make_data(programs, kernels, folder)
        print(f"{kernels} kernels\n{'mode':<18} {'program':<15} {'from':<4} {'wall s':>9} {'CPU s':>9} {'peak MB':>9} "
              f"{'x wall':>8} {'x CPU':>8} {'x memory':>8}", flush=True)
        for mode in arguments.modes.split(","):
            ours = {}
            for source, path in (("db", database), ("raw", raw)):
                ours[source] = run([programs / "npuprof", "analyze", "-m", mode, "-d", path, "-o",
                                    folder / f"ours_{source}", "--export-type", "db", "-q"])
                show("npuprof", mode, source, ours[source])
            parse = run([programs / "npuprof", "parse", raw, "--export", "db", "-o", folder / "again", "-q"])
            show("npuprof parse", mode, "raw", parse, ours["raw"])
            if arguments.reference:
                theirs = run([arguments.reference, "-m", mode, "-d", database, "-o", folder / "theirs"])
                show("msprof-analyze", mode, "db", theirs, ours["db"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", default="200000")
    parser.add_argument("--modes", default="module_statistic,operator_mfu")
    parser.add_argument("--reference", default=shutil.which("msprof-analyze"))
    parser.add_argument("--programs", type=pathlib.Path, default=PROGRAMS, help="folder of npuprof and npusim")
    arguments = parser.parse_args()
    for kernels in arguments.kernels.split(","):
        measure(arguments.programs, int(kernels), arguments)


if __name__ == "__main__":
    main()
