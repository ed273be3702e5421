#!/usr/bin/env python3
"""Estimates what building from nothing takes on two cores, from logs of ninja. Prints seconds.

Usage: cold_time.py NINJA_LOG...

An object out of a compiler cache takes no time, so what those took that were compiled stands for all.
"""

import argparse
import pathlib

CORES = 2
# Less than this, and it came out of a cache.
CACHED_S = 1.0
# Of an object, where none was compiled: measured on two cores.
USUAL_S = 12.5


def build_seconds(log):
    times = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].endswith(".o"):
            times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    compiled = [seconds for seconds in times.values() if seconds > CACHED_S]
    mean = sum(compiled) / len(compiled) if len(compiled) > len(times) / 2 else USUAL_S
    return len(times) * mean / CORES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logs", nargs="*", type=pathlib.Path)
    print(round(sum(build_seconds(log) for log in parser.parse_args().logs)))


if __name__ == "__main__":
    main()
