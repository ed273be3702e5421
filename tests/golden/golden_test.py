#!/usr/bin/env python3
"""Tests how golden.py compares."""

import pathlib
import sqlite3
import tempfile
import unittest

import golden


class GoldenTest(unittest.TestCase):
    def test_equal_texts_have_no_differences(self):
        self.assertEqual(golden.differences({"a": "x\ny"}, {"a": "x\ny"}), [])
        self.assertEqual(golden.differences({}, {}), [])

    def test_a_changed_line_is_shown_before_and_after(self):
        lines = golden.differences({"a": "same\nold", "b": "s"}, {"a": "same\nnew", "b": "s"})
        self.assertEqual(lines[0], "--- a (expected)")
        self.assertIn("-old", lines)
        self.assertIn("+new", lines)
        self.assertNotIn(" same", lines)

    def test_files_that_come_and_go(self):
        lines = golden.differences({"gone": "", "both": ""}, {"both": "", "new": ""})
        self.assertEqual(lines, ["gone: is no longer made", "new: is new"])

    def test_line_ends_count(self):
        self.assertEqual(golden.differences({"a": "x\r\n"}, {"a": "x\n"}),
                         ["a: only line ends differ"])

    def test_long_differences_are_cut(self):
        lines = golden.differences({"a": "old\n" * 500}, {"a": "new\n" * 500})
        self.assertEqual(len(lines), golden.MOST_LINES + 1)
        self.assertIn("more lines of a", lines[-1])

    def test_rows_and_types_of_a_database(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.db")
            with sqlite3.connect(path) as database:
                database.execute("CREATE TABLE t (a, b)")
                database.executemany("INSERT INTO t VALUES (?, ?)", [(2, None), ("1", 0.5)])
                database.execute("CREATE INDEX i ON t (a)")
            self.assertEqual(golden.file_text(path), "CREATE INDEX i ON t (a)\n\n"
                             "CREATE TABLE t (a, b)\n2\tNULL\n'1'\t0.5\n")

    def test_renewed_cases_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder)
            (case / "command").write_text("npusim toy\n")
            (case / "rank_9").mkdir()
            (case / "rank_9" / "old.csv").write_text("x")
            texts = {"rank_0/a.csv": "a\r\nb\udcff", "rank_0/deep/b.json": ""}
            golden.renew(case, texts)
            self.assertEqual(golden.expected(case), texts)
            self.assertTrue((case / "command").exists())


if __name__ == "__main__":
    unittest.main()
