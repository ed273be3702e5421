#!/usr/bin/env python3
"""Sums up test results in JUnit XML files (as ctest and pytest write them).

Usage: count_tests.py FILE...

Prints "PASSED FAILED SKIPPED", three numbers. A skipped or disabled test is not a passed one.
"""

import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if case.get("status") == "notrun" and skipped is not None:
        # ctest gives the property that asked for the skip; any other reason is one like "Unable to
        # find executable", and such a test has failed.
        asked_for = (skipped.get("message") or "").startswith("SKIP_")
        return "skipped" if asked_for else "failed"
    if skipped is not None or case.get("status") == "disabled":
        return "skipped"
    return "passed"


def main():
    outcomes = [outcome(case) for path in sys.argv[1:]
                for case in ElementTree.parse(path).iter("testcase")]
    print(*(outcomes.count(kind) for kind in ("passed", "failed", "skipped")))


if __name__ == "__main__":
    main()
