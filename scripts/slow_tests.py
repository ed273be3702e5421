#!/usr/bin/env python3
"""Names the tests that took longest, from JUnit XML files.

Usage: slow_tests.py [--count N] FILE...
"""

import argparse
import pathlib
import xml.etree.ElementTree as ElementTree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    tests = [(float(case.get("time") or 0), case.get("name"), path.stem)
             for path in arguments.files if path.exists()
             for case in ElementTree.parse(path).iter("testcase")]
    tests.sort(key=lambda test: -test[0])
    if tests:
        print("The slowest tests:")
    for seconds, name, stage in tests[:arguments.count]:
        print(f"{seconds:8.1f} s  {name} ({stage})")


if __name__ == "__main__":
    main()
