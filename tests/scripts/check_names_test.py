#!/usr/bin/env python3
"""Runs scripts/check_names.py on small trees."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_names.py"


class CheckNamesTest(unittest.TestCase):
    def check(self, **files):
        """Exit status and output for a tree; keys are paths with __ for / and a suffix after _."""
        with tempfile.TemporaryDirectory() as directory:
            for key, content in files.items():
                name, suffix = key.replace("__", "/").rsplit("_", 1)
                path = pathlib.Path(directory) / f"{name}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            result = subprocess.run([sys.executable, SCRIPT, directory], capture_output=True, text=True,
                                    check=False)
            return result.returncode, result.stdout

    @staticmethod
    def unnamed(text, namespace="npuprof::load"):
        return (f"namespace {namespace} {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n"
                f"}}  // namespace {namespace}\n")

    def test_two_files_of_a_library(self):
        one = self.unnamed("constexpr int kLimit = 1;")
        status, output = self.check(src__load__a_cc=one, src__load__b_cc=one)
        self.assertEqual(status, 1)
        self.assertIn("src/load/b.cc:4: kLimit is also in src/load/a.cc", output)

    def test_functions_and_types(self):
        a = self.unnamed("std::vector<int> read(int x) {\n  return {};\n}\n\nstruct Item {\n  int a;\n};")
        b = self.unnamed("double read(double y) {\n  return y;\n}\n\nclass Item {};")
        _, output = self.check(src__load__a_cc=a, src__load__b_cc=b)
        self.assertEqual(output.count("is also in"), 2)

    def test_a_header_of_an_outer_namespace(self):
        header = "namespace npuprof {\n\ninline constexpr double kMegabyte = 1;\n\n}  // namespace npuprof\n"
        status, output = self.check(src__base__units_h=header,
                                    src__load__a_cc=self.unnamed("constexpr double kMegabyte = 2;"))
        self.assertEqual(status, 1)
        self.assertIn("src/base/units.h:3", output)

    def test_names_from_elsewhere(self):
        taken = self.unnamed("using nlohmann::json;")
        own = self.unnamed("std::string json(int value) { return {}; }")
        self.assertEqual(self.check(src__load__a_cc=taken, src__load__b_cc=taken)[0], 0)
        self.assertEqual(self.check(src__load__a_cc=taken, src__load__b_cc=own)[0], 1)

    def test_other_libraries_and_namespaces_do_not_matter(self):
        header = "namespace npuprof::sim {\n\nint limit();\n\n}  // namespace npuprof::sim\n"
        status, output = self.check(sim__limit_h=header, src__load__a_cc=self.unnamed("int limit() { return 1; }"),
                                    src__link__a_cc=self.unnamed("int limit() { return 1; }", "npuprof::link"))
        self.assertEqual((status, output), (0, ""))

    def test_members_and_calls_are_no_declarations(self):
        text = "struct A {\n  int value = 0;\n};\n\nint f() {\n  return value(3);\n}"
        other = self.unnamed("struct B {\n  int value = 0;\n};")
        self.assertEqual(self.check(src__load__a_cc=self.unnamed(text), src__load__b_cc=other)[0], 0)


if __name__ == "__main__":
    unittest.main()
