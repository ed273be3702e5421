#!/usr/bin/env python3
"""Tests of the campaign itself: every file has a layout, cases can be had again, and checks notice what they are for.

    abuse_test.py [--programs DIR]
"""

import argparse
import json
import os
import pathlib
import random
import re
import sqlite3
import stat
import sys
import tempfile
import unittest

import abuse
import allowed
import campaign
import checks
import inputs
import kinds
import layouts
import program
import results

FORMAT = pathlib.Path(__file__).resolve().parents[2] / "src" / "format"
PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin"


def trial_of(made, name, case):
    """An undamaged copy of an input, with its first command."""
    chosen = made.inputs[name]
    trial = made.prepare(case, chosen, random.Random(1))
    trial.run.arguments = list(chosen.commands[0])
    return trial


class LayoutsTest(unittest.TestCase):
    def test_sizes_are_those_of_the_format(self):
        for layout in [*layouts.LAYOUTS, *layouts.NEWER.values()]:
            if layout.form != "records":
                continue
            text = (FORMAT / layout.header).read_text(encoding="utf-8")
            found = re.search(rf"static_assert\(sizeof\({layout.struct_name}\) == (\w+)\)", text)
            self.assertIsNotNone(found, layout)
            named = {"kCompactBytes": 64, "kAdditionalBytes": 256}
            self.assertEqual(named.get(found[1]) or int(found[1]), layout.record_bytes, layout)

    def test_bounds_are_ascending_and_reach_the_end(self):
        for layout in layouts.LAYOUTS:
            for content in (b"", b"x", b"a\nb\n", bytes(1000), bytes(range(256)) * 4):
                bounds = layout.bounds(content)
                self.assertEqual(bounds, sorted(bounds))
                self.assertEqual((bounds[0], bounds[-1]), (0, len(content)), layout)


class CampaignTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="npuprof_abuse_test_", dir=abuse.scratch())
        cls.path = pathlib.Path(cls.folder.name)
        cls.made = campaign.Campaign(PROGRAMS, cls.path, inputs.make_inputs(PROGRAMS, cls.path), seed=1, timeout_s=20)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_file_of_every_input_has_a_layout(self):
        for each in self.made.inputs.values():
            for path in each.folder.rglob("*"):
                if path.is_file():
                    self.assertIsNotNone(layouts.layout_of(path.name), f"{path.name} of {each.name}: what is it?")

    def test_every_layout_is_that_of_some_file(self):
        names = {path.name for each in self.made.inputs.values() for path in each.folder.rglob("*") if path.is_file()}
        seen = {layouts.layout_of(name).family for name in names}
        self.assertEqual({layout.family for layout in layouts.LAYOUTS} - seen, set())

    def test_files_are_whole_records(self):
        for each in self.made.inputs.values():
            for path in each.folder.rglob("*"):
                layout = layouts.layout_of(path.name, each.newer) if path.is_file() else None
                if layout and layout.form == "records":
                    self.assertEqual(path.stat().st_size % layout.record_bytes, 0, f"{path.name} of {each.name}")

    def test_every_kind_of_damage_can_be_done_to_some_input(self):
        for kind in kinds.KINDS.values():
            if kind.needs_root:
                continue
            with self.subTest(kind.name):
                self.assertTrue(any(self.can_be_done(kind, name) for name in sorted(self.made.inputs)))

    def can_be_done(self, kind, name):
        for turn in range(6):
            try:
                return bool(kind.apply(self.made.prepare(self.path / "case", self.made.inputs[name], random.Random(turn))))
            except kinds.NotApplicable:
                continue
        return False

    def test_a_case_does_the_same_again(self):
        for number in range(0, len(kinds.KINDS), 10):
            first, second = self.made.run(number), self.made.run(number)
            self.assertEqual((first.kind, first.input, first.what), (second.kind, second.input, second.what))

    def test_an_undamaged_input_passes(self):
        for name in ("raw-training", "recorder-killed"):
            if name not in self.made.inputs:
                continue
            trial = trial_of(self.made, name, self.path / "case")
            kind = kinds.Kind("none", "", "", None)
            case = campaign.Case(0, "none", name, "nothing")
            self.made.judge(kind, trial, case)
            self.assertEqual(case.failures, [])

    def rows_failures(self, change, status=0, stderr=b"", **flags):
        """What is said of results with other counts than the whole ones."""
        trial = trial_of(self.made, "raw-level0", self.path / "case")
        whole = self.made.whole("raw-level0", tuple(trial.run.arguments))
        found = results.Results(counts=dict(whole.counts))
        change(found.counts)
        outcome = program.Outcome(status, False, b"", stderr)
        return list(checks.check_rows(trial, kinds.Kind("none", "", "", None, **flags), "x", outcome, found, whole))

    def test_a_silent_loss_is_noticed(self):
        def lose(counts):
            counts[next(name for name in counts if name.endswith("kernel_details.csv"))] -= 1
        self.assertRegex(self.rows_failures(lose)[0], "^silent loss: .*kernel_details.csv")
        self.assertEqual(self.rows_failures(lose, 1, b"npuprof: warning: a record is lost\n"), [])
        self.assertEqual(self.rows_failures(lambda counts: None), [])

    def test_invented_rows_are_noticed(self):
        def add(counts):
            counts[next(iter(counts))] += 1
        self.assertEqual(self.rows_failures(add), [])
        self.assertRegex(self.rows_failures(add, adds_garbage=True)[0], "^invented rows")


class ChecksTest(unittest.TestCase):
    def ends(self, status, stderr=b"", hangs=False, **flags):
        return list(checks.check_end(kinds.Kind("none", "", "", None, **flags),
                                     program.Outcome(status, hangs, b"", stderr)))

    def test_ends(self):
        self.assertEqual(self.ends(0), [])
        self.assertEqual(self.ends(3, b"npuprof: error: no profile in x\n"), [])
        self.assertEqual(self.ends(-11), ["crash: SIGSEGV"])
        self.assertEqual(self.ends(-9, hangs=True), ["hangs"])
        self.assertEqual(self.ends(1, b"parse: 0%\n"), ["no message: status 1"])
        self.assertEqual(self.ends(2, b"wrong\n"), ["wrong status: 2"])
        self.assertEqual(self.ends(2, b"wrong\n", wild_arguments=True), [])
        self.assertEqual(self.ends(3, b"npuprof: std::bad_alloc\n")[0][:13], "raw exception")
        self.assertEqual(self.ends(1, b"name \x1b[31m\n")[0][:17], "control character")
        self.assertEqual(self.ends(1, b"name \xff\n")[0][:17], "control character")

    def test_changes_of_other_places_are_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            trial = kinds.Trial(None, None, path, None)
            (path / "a").write_text("1")
            (path / "b").write_text("2")
            (path / "out").mkdir()
            before = checks.snapshot(path, [path / "out"])
            (path / "out" / "new").write_text("")
            self.assertEqual(list(checks.check_places(trial, before, checks.snapshot(path, [path / "out"]))), [])
            (path / "a").write_text("3")
            (path / "b").unlink()
            (path / "c").write_text("")
            (path / "out" / "x.partial-12").mkdir()
            self.assertEqual(list(checks.check_places(trial, before, checks.snapshot(path, [path / "out"]))),
                             ["writes elsewhere: a was changed", "writes elsewhere: b is gone",
                              "writes elsewhere: c is new"])
            self.assertEqual(list(checks.check_leftovers(trial)), ["leftover: out/x.partial-12"])

    def test_files_in_the_way_must_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "fifo")
            os.mkfifo(path)
            trial = kinds.Trial(None, None, path.parent, None, planted=[path])
            before = {str(path): checks.entry(path)}
            self.assertEqual(list(checks.check_planted(trial, before)), [])
            path.unlink()
            self.assertEqual(list(checks.check_planted(trial, before)), ["user's file: fifo is gone"])
            path.write_text("")
            self.assertEqual(list(checks.check_planted(trial, before)),
                             ["user's file: fifo was replaced or changed"])
            self.assertTrue(stat.S_ISREG(path.stat().st_mode))

    def far_times(self, times, stderr=b""):
        trial = kinds.Trial(None, None, pathlib.Path("/case"), None)
        whole = results.Results(times_ns=[("a", 10**18, 10**18 + 5)])
        return list(checks.check_times(trial, kinds.Kind("", "", "", None), "", program.Outcome(0, False, b"", stderr),
                                       results.Results(times_ns=times), whole))

    def test_far_times_are_noticed(self):
        self.assertEqual(self.far_times([("a", 10**18 - 10**9, 10**18 + 10**9)]), [])
        self.assertEqual(self.far_times([]), [])
        self.assertRegex(self.far_times([("a", 0, 10**18)])[0], "^far time: 0 ns in a")

    def test_without_a_clock_times_are_near_each_other(self):
        said = b"npuprof: warning: no clock\n"
        self.assertEqual(len(self.far_times([("a", 5, 6), ("b", 7, 8)])), 1)
        self.assertEqual(self.far_times([("a", 5, 6), ("b", 7, 8)], said), [])
        self.assertEqual(len(self.far_times([("a", 5, 6), ("b", 10**18, 10**18)], said)), 1)


class ResultsTest(unittest.TestCase):
    def read(self, name, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.write_bytes(content)
            return results.read_results(path.parent, [path.parent])

    def test_rows_of_tables(self):
        found = self.read("a_20260101000000.csv", b"Name,Start Time(us)\r\nx,1.5\t\r\n\"y,z\",2\r\n")
        self.assertEqual((found.counts, found.problems), ({"a.csv": 2}, []))
        self.assertEqual(found.times_ns, [("a.csv Start Time(us)", 1500, 2000)])

    def test_malformed_tables(self):
        for content in (b"", b"a,b\n1\n", b"a\n\x00\n", b"a\n\xff\n", b"a\n=1+1\n", b"a\n@x\n", b"a\n\"x\n"):
            self.assertEqual(len(self.read("a.csv", content).problems), 1, content)
        self.assertEqual(self.read("a.csv", b"a\n-1.5\n+2e3\n-\n").problems, [])

    def test_slices_of_timelines(self):
        events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Host"}},
                  {"ph": "X", "name": "a", "pid": 1, "ts": "3.5", "dur": 1}, {"ph": "s", "pid": 1, "id": 1, "ts": "3.5"}]
        found = self.read("trace_view.json", json.dumps(events).encode())
        self.assertEqual(found.counts, {"trace_view.json Host X": 1, "trace_view.json arrows s": 1})
        events[1]["dur"] = -1
        self.assertEqual(len(self.read("trace_view.json", json.dumps(events).encode()).problems), 1)

    def test_malformed_json(self):
        for content in (b"", b"[", b"[NaN]", b"[\"\xff\"]", b"{} {}"):
            self.assertEqual(len(self.read("a.json", content).problems), 1, content)

    def test_databases(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.db")
            with sqlite3.connect(path) as database:
                database.execute("CREATE TABLE T (startNs INTEGER)")
                database.executemany("INSERT INTO T VALUES (?)", [(5,), (7,)])
            database.close()
            found = results.read_results(path.parent, [path.parent])
            self.assertEqual((found.counts, found.times_ns), ({"a.db T": 2}, [("a.db T.startNs", 5, 7)]))
        self.assertEqual(len(self.read("b.db", b"no database at all").problems), 1)

    def test_perfetto_traces(self):
        packet = bytes([8 << 3, 5, 11 << 3 | 2, 2, 9 << 3, 1])
        found = self.read("a.perfetto-trace", bytes([1 << 3 | 2, len(packet)]) + packet)
        self.assertEqual((found.counts, found.problems), ({"a.perfetto-trace events 1": 1}, []))
        self.assertEqual(len(self.read("a.perfetto-trace", bytes([1 << 3 | 2, 50])).problems), 1)


class AllowedTest(unittest.TestCase):
    def test_every_exception_has_a_reason_and_kinds_that_exist(self):
        for each in allowed.ALLOWED:
            self.assertGreater(len(each.reason), 20)
            self.assertTrue(any(re.fullmatch(each.kinds, name) for name in kinds.KINDS), each)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, default=PROGRAMS)
    known, rest = parser.parse_known_args()
    PROGRAMS = known.programs.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
