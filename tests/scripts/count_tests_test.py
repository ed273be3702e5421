#!/usr/bin/env python3
"""Runs scripts/count_tests.py on results as ctest and pytest write them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "count_tests.py"

CTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="6" failures="1" disabled="1" skipped="2">
  <testcase name="good" status="run"><system-out></system-out></testcase>
  <testcase name="good too" status="run"><system-out></system-out></testcase>
  <testcase name="bad" status="fail"><failure message=""/></testcase>
  <testcase name="no program" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="no data" status="notrun">
    <skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="off" status="disabled"></testcase>
</testsuite>
"""

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
  <testcase name="a" /><testcase name="b"><failure message="x">x</failure></testcase>
  <testcase name="c"><error message="x">x</error></testcase>
  <testcase name="d"><skipped message="x">x</skipped></testcase>
</testsuite></testsuites>
"""


class CountTestsTest(unittest.TestCase):
    def counts(self, *contents):
        with tempfile.TemporaryDirectory() as directory:
            paths = []
            for number, content in enumerate(contents):
                paths.append(pathlib.Path(directory) / f"{number}.xml")
                paths[-1].write_text(content, encoding="utf-8")
            result = subprocess.run([sys.executable, SCRIPT, *paths], capture_output=True,
                                    text=True, check=False)
            return result.returncode, result.stdout.strip()

    def test_tells_failed_from_skipped(self):
        self.assertEqual(self.counts(CTEST), (0, "2 2 2"))
        self.assertEqual(self.counts(PYTEST), (0, "1 2 1"))

    def test_sums_files(self):
        self.assertEqual(self.counts(CTEST, PYTEST), (0, "3 4 3"))
        self.assertEqual(self.counts(), (0, "0 0 0"))

    def test_refuses_broken_files(self):
        status, output = self.counts("<testsuite")
        self.assertNotEqual(status, 0)
        self.assertEqual(output, "")


if __name__ == "__main__":
    unittest.main()
