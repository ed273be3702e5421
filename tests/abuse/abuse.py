#!/usr/bin/env python3
"""Damages profiles of all kinds in all ways it knows and sees what npuprof makes of them.

    abuse.py list                                        kinds of damage and inputs
    abuse.py run --cases 10000 --seed 7 --jobs 2         a campaign
    abuse.py run --kinds flip-bit,insert --inputs ranks  a part of one
    abuse.py one --seed 7 --case 123 --keep DIR          one case of it again; its files stay in DIR

A case is one kind of damage to a copy of one input and one run of npuprof. It passes if npuprof does not crash or hang,
says what is wrong (status 1 or 3 and a sentence), leaves the input and everything else but the output alone, writes
nothing malformed, and loses no row without a word. Every case depends on nothing but the seed and its number.
Status: 0 all passed, 1 some failed, 2 wrong arguments.
"""

import argparse
import collections
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback

import campaign
import inputs
import kinds
import program

DEFAULT_PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin"
MOST_SHOWN = 60
CURRENT = None  # The campaign of this process, which its workers inherit.


def run_case(number):
    try:
        return CURRENT.run(number)
    except Exception as failure:  # One case must not end a campaign of hours.
        broken = campaign.Case(number, CURRENT.kind_of(number).name)
        broken.failures.append(f"campaign: {type(failure).__name__}: {failure}")
        broken.stderr = traceback.format_exc()
        return broken


def show_kinds():
    for group, members in campaign.groups().items():
        print(group)
        for each in members:
            print(f"  {each.name:22} {each.text}")
    print(f"{len(kinds.KINDS)} kinds")


def topic(failure):
    """What is counted together: the words before the first colon."""
    return failure.split(":")[0]


def place(case):
    """Which file was damaged, without numbers."""
    return re.sub(r"\d+", "N", case.what.split(": ")[0].split(" ")[0].rsplit("/", 1)[-1])


def report(done, seed, arguments):
    """Counts by kind, a table of failures, and the last line."""
    by_kind = collections.defaultdict(lambda: [0, 0, 0])
    for case in done:
        by_kind[case.kind][2 if case.skipped else 1 if case.failures else 0] += 1
    print(f"\n{'kind':24} {'passed':>7} {'failed':>7} {'skipped':>7}")
    for name, (passed, failed, skipped) in sorted(by_kind.items()):
        print(f"{name:24} {passed:7} {failed or '-':>7} {skipped or '-':>7}")
    by_topic = collections.defaultdict(list)
    for case in done:
        for key in {topic(failure) for failure in case.failures}:
            by_topic[key, case.kind].append(case)
    if by_topic:
        print("\nfailures, one case of each sort:")
    for (key, name), cases in sorted(by_topic.items(), key=lambda item: (item[0][0], -len(item[1])))[:MOST_SHOWN]:
        case = cases[0]
        failure = next(each for each in case.failures if topic(each) == key)
        print(f"\n{len(cases)} x {name}: {failure}\n    {case.what}\n    {case.commands[-1] if case.commands else ''}\n"
              f"    tests/abuse/abuse.py one --seed {seed} --case {case.number} --keep DIR{given(arguments)}")
    statuses = collections.Counter(case.status for case in done if not case.skipped)
    print("\nstatus: " + ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    failed = sum(1 for case in done if case.failures)
    skipped = sum(1 for case in done if case.skipped)
    if skipped:
        print(f"{skipped} skipped: what they need is not there on this machine")
    print(f"{len(done) - failed - skipped} passed, {failed} failed")
    return 1 if failed else 0


def given(arguments):
    """Options that cases depend on."""
    text = ""
    if arguments.kinds:
        text += f" --kinds {arguments.kinds}"
    if arguments.inputs:
        text += f" --inputs {arguments.inputs}"
    return text


def run_all(arguments):
    cases = arguments.cases or arguments.rounds * len(CURRENT.kinds)
    numbers = range(arguments.first, arguments.first + cases)
    done = []
    start = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("fork")) as pool:
        for case in pool.map(run_case, numbers, chunksize=8):
            done.append(case)
            if arguments.log:
                with open(arguments.log, "a", encoding="utf-8") as log:
                    log.write(json.dumps(case.__dict__) + "\n")
            if sys.stderr.isatty() or len(done) % 500 == 0:
                failed = sum(1 for each in done if each.failures)
                print(f"\r{len(done)} of {len(numbers)} cases, {failed} failed, {time.monotonic() - start:.0f} s",
                      end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
    return report(done, arguments.seed, arguments)


def run_one(arguments):
    keep = pathlib.Path(arguments.keep) if arguments.keep else None
    if keep and keep.exists() and any(keep.iterdir()):
        print(f"abuse.py: {keep} is not empty", file=sys.stderr)
        return 2
    case = CURRENT.run(arguments.case, keep.resolve() if keep else None)
    print(f"case {case.number}: {case.kind} on {case.input}{' (skipped)' if case.skipped else ''}\n{case.what}")
    print(*case.commands, sep="\n")
    print(f"status {case.status}\n{case.stderr}")
    print(*[f"FAILED: {failure}" for failure in case.failures], sep="\n")
    print("0 passed, 1 failed" if case.failures else "1 passed, 0 failed")
    return 1 if case.failures else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["list", "run", "one"])
    parser.add_argument("--programs", type=pathlib.Path, default=DEFAULT_PROGRAMS, help="folder of npuprof and npusim")
    parser.add_argument("--cases", type=int, help="how many")
    parser.add_argument("--rounds", type=int, default=10, help="instead of --cases: how many of each kind")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kinds", default="", help="only these, joined by commas")
    parser.add_argument("--inputs", default="", help="only these, joined by commas")
    parser.add_argument("--case", type=int, default=0, help="with one: its number")
    parser.add_argument("--keep", help="with one: an empty folder for its files")
    parser.add_argument("--timeout", type=float, default=program.TIMEOUT_S, help="seconds after which a run hangs")
    parser.add_argument("--sanitized", action="store_true",
                        help="npuprof was built with sanitizers: leave it the memory and descriptors that these need")
    parser.add_argument("--log", help="with run: a file for all cases, one JSON object on a line")
    arguments = parser.parse_args()
    unknown = [name for name in split(arguments.kinds) if name not in kinds.KINDS]
    if unknown:
        parser.error(f"no kind of damage is called {', '.join(unknown)}; see `abuse.py list`")
    return arguments


def scratch():
    """Where cases are made. Memory is several times as fast as a disk, if there is enough."""
    memory = pathlib.Path("/dev/shm")
    if "TMPDIR" in os.environ or not memory.is_dir() or not os.access(memory, os.W_OK):
        return None
    return memory if shutil.disk_usage(memory).free > 2 << 30 else None


def split(text):
    return [part for part in text.split(",") if part]


def main():
    global CURRENT
    arguments = parse_arguments()
    if arguments.action == "list":
        show_kinds()
        return 0
    program.SANITIZED = arguments.sanitized
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # Scratch files go, as with other ends.
    with tempfile.TemporaryDirectory(prefix="npuprof_abuse_", dir=scratch()) as folder:
        os.chmod(folder, 0o755)  # Some cases run as another user.
        made = inputs.make_inputs(arguments.programs.resolve(), pathlib.Path(folder))
        unknown = [name for name in split(arguments.inputs) if name not in made]
        if unknown:
            print(f"abuse.py: no input is called {', '.join(unknown)}; there are {', '.join(made)}", file=sys.stderr)
            return 2
        CURRENT = campaign.Campaign(arguments.programs.resolve(), folder, made, arguments.seed, split(arguments.kinds),
                                    split(arguments.inputs), arguments.timeout)
        return run_one(arguments) if arguments.action == "one" else run_all(arguments)


if __name__ == "__main__":
    sys.exit(main())
