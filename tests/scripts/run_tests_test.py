#!/usr/bin/env python3
"""Runs scripts/run_tests.py on a program that behaves like one of GoogleTest."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "run_tests.py"

# Knows the options that the script uses. Suite.Crash ends the process.
PROGRAM = f"""#!{sys.executable}
import sys
TESTS = ["Good", "Bad", "Crash", "Skip", "After"]
if sys.argv[1] == "--gtest_list_tests":
    print("Suite.")
    for test in TESTS:
        print("  " + test)
    sys.exit(0)
chosen = open(sys.argv[1].split("=", 1)[1]).read().strip().split("=", 1)[1].split(":")
failed = False
for test in TESTS:
    name = "Suite." + test
    if name not in chosen:
        continue
    print("[ RUN      ] " + name, flush=True)
    if test == "Crash":
        print("about to end", flush=True)
        sys.exit(3)
    state = {{"Bad": "[  FAILED  ]", "Skip": "[  SKIPPED ]"}}.get(test, "[       OK ]")
    failed = failed or test == "Bad"
    print("a line of " + test)
    print(f"{{state}} {{name}} (7 ms)", flush=True)
sys.exit(1 if failed else 0)
"""


class RunTestsTest(unittest.TestCase):
    def run_script(self, *options):
        with tempfile.TemporaryDirectory() as directory:
            program = pathlib.Path(directory) / "some_test"
            program.write_text(PROGRAM, encoding="utf-8")
            program.chmod(0o755)
            report = pathlib.Path(directory) / "report.xml"
            result = subprocess.run([sys.executable, SCRIPT, program, "--output", report, *options],
                                    capture_output=True, text=True, check=False)
            states = {}
            for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
                children = [child.tag for child in case]
                states[case.get("name")] = children[0] if children else "passed"
            return result, states

    def test_every_test_has_an_outcome(self):
        result, states = self.run_script()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(states, {"Suite.Good": "passed", "Suite.Bad": "failure", "Suite.Crash": "failure",
                                  "Suite.Skip": "skipped", "Suite.After": "passed"})
        self.assertIn("2 passed, 2 failed, 1 skipped", result.stdout)

    def test_a_process_that_ends_early_is_told(self):
        result, _ = self.run_script("--filter", "Crash")
        self.assertIn("about to end", result.stdout)
        self.assertIn("exit status 3", result.stdout)

    def test_all_is_well(self):
        result, states = self.run_script("--filter", "Good|After", "--alone", "some_test")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(states), 2)

    def test_no_test_at_all_is_a_failure(self):
        self.assertEqual(self.run_script("--filter", "Nothing")[0].returncode, 1)


if __name__ == "__main__":
    unittest.main()
