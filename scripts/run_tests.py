#!/usr/bin/env python3
"""Runs GoogleTest programs, several at once.

A process runs many tests of a program one after another: to start one for each test takes longer than
most tests do. If a process ends early, the test it was at has failed, and another process goes on with
the tests after it.

Usage: run_tests.py PROGRAM... [--jobs N] [--filter REGEX] [--alone PROGRAM] [--output FILE]
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree

TESTS_PER_PROCESS = 25
# Without a word for so long, a process hangs.
SILENCE_S = 300


@dataclasses.dataclass
class Outcome:
    program: str
    test: str
    state: str  # passed, failed or skipped
    seconds: float = 0
    output: str = ""


def list_tests(program):
    listing = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True)
    tests = []
    suite = ""
    for line in listing.stdout.splitlines():
        name = line.split("  #")[0].rstrip()
        if line.startswith("  "):
            tests.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return [test for test in tests if "DISABLED_" not in test]


class Process:
    """One run of a program with some of its tests."""

    BEGIN = re.compile(r"^\[ RUN      \] (.+)$")
    END = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (.+?)(?:, where .*)? \((\d+) ms\)$")
    STATES = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}

    def __init__(self, program, tests):
        self.program = program
        self.tests = tests
        self.outcomes = []
        self.running = None
        self.lines = []

    def run(self):
        """The outcomes of the tests that ran; the last one failed if the process ended early."""
        # A file, since the list may be longer than a command line.
        with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags:
            flags.write(f"--gtest_filter={':'.join(self.tests)}\n")
            flags.flush()
            child = subprocess.Popen([self.program, f"--gtest_flagfile={flags.name}"], text=True,
                                     errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, start_new_session=True)
            watch = threading.Timer(SILENCE_S, child.kill)
            watch.start()
            for line in child.stdout:
                if self.take(line.rstrip("\n")):
                    watch.cancel()
                    watch = threading.Timer(SILENCE_S, child.kill)
                    watch.start()
            watch.cancel()
            status = child.wait()
        done = {outcome.test for outcome in self.outcomes}
        missing = [test for test in self.tests if test not in done]
        if missing or (status != 0 and all(o.state != "failed" for o in self.outcomes)):
            test = self.running or (missing[0] if missing else self.tests[-1])
            how = f"ended by signal {-status}" if status < 0 else f"exit status {status}"
            self.outcomes = [o for o in self.outcomes if o.test != test]
            self.outcomes.append(Outcome(self.program, test, "failed", 0,
                                         "\n".join(self.lines) + f"\nThe process ended early: {how}"))
        return self.outcomes

    def take(self, line):
        if match := self.BEGIN.match(line):
            self.running = match[1]
            self.lines = []
            return True
        if self.running and (match := self.END.match(line)) and match[2] == self.running:
            state = self.STATES[match[1]]
            output = "" if state == "passed" else "\n".join(self.lines)
            self.outcomes.append(Outcome(self.program, self.running, state, int(match[3]) / 1000, output))
            self.running = None
            return True
        self.lines.append(line)
        return False


def run_all(program, tests):
    outcomes = []
    while tests:
        outcomes += Process(program, tests).run()
        done = {outcome.test for outcome in outcomes}
        tests = [test for test in tests if test not in done]
    return outcomes


def write_report(path, outcomes):
    suite = ElementTree.Element("testsuite", name="GoogleTest", tests=str(len(outcomes)))
    for outcome in outcomes:
        case = ElementTree.SubElement(suite, "testcase", name=outcome.test, time=f"{outcome.seconds:.3f}",
                                      classname=pathlib.Path(outcome.program).name)
        if outcome.state != "passed":
            ElementTree.SubElement(case, {"failed": "failure", "skipped": "skipped"}[outcome.state],
                                   message=outcome.output[-2000:].encode("ascii", "replace").decode())
    for element in suite.iter():
        for key, value in element.attrib.items():
            element.set(key, re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", value))
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--filter", default="", help="only tests whose names match this expression")
    parser.add_argument("--alone", action="append", default=[], metavar="PROGRAM",
                        help="each test of this program in a process of its own")
    parser.add_argument("--output", help="JUnit XML file")
    arguments = parser.parse_args()

    begin = time.monotonic()
    pieces = []
    for program in arguments.programs:
        tests = [test for test in list_tests(program) if re.search(arguments.filter, test)]
        step = 1 if pathlib.Path(program).name in arguments.alone else TESTS_PER_PROCESS
        # Every n-th test, so that slow ones, which often stand side by side, are spread.
        count = -(-len(tests) // step)
        pieces += [(program, tests[first::count]) for first in range(count)]
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as executor:
        runs = [executor.submit(run_all, program, tests) for program, tests in pieces]
        for done in concurrent.futures.as_completed(runs):
            outcomes += done.result()
            for outcome in done.result():
                if outcome.state == "failed":
                    print(f"FAILED {outcome.test} ({pathlib.Path(outcome.program).name})\n"
                          f"{outcome.output[-4000:]}\n", flush=True)
    if arguments.output:
        write_report(arguments.output, sorted(outcomes, key=lambda o: (o.program, o.test)))
    states = [outcome.state for outcome in outcomes]
    print(f"{len(outcomes)} tests in {time.monotonic() - begin:.0f} s: {states.count('passed')} passed, "
          f"{states.count('failed')} failed, {states.count('skipped')} skipped")
    return 1 if "failed" in states or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
