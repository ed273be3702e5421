#!/usr/bin/env python3
"""Runs scripts/check_layers.py on small trees with and without violations."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"


class CheckLayersTest(unittest.TestCase):
    def run_on(self, files):
        """Returns the exit status and the messages for a tree with these files."""
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, content in {"cmake/layers.txt": "base\nformat\nload\n", **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content, encoding="utf-8")
            result = subprocess.run([sys.executable, SCRIPT, root], capture_output=True,
                                    text=True, check=False)
            return result.returncode, result.stderr

    def assert_refused(self, name, content, message):
        status, messages = self.run_on({"src/base/good.h": "#pragma once\n", name: content})
        self.assertEqual(status, 1)
        self.assertEqual(len(messages.splitlines()), 1, messages)
        self.assertIn(message, messages)

    def test_accepts_own_and_higher_folders(self):
        status, messages = self.run_on({
            "src/base/a.h": "#include <vector>\n#include <sys/mman.h>\n",
            "src/format/b.h": '#include "base/a.h"\n#include "npuprof/api.h"\n',
            "src/load/host/c.cc": '#include "load/host/c.h"\n  #  include "format/b.h"\n',
            "sim/d.cc": '#include "load/host/c.h"\n',
            "tests/e.cc": '#include "sim/d.h"\n#include "load/host/c.h"\n',
        })
        self.assertEqual((status, messages), (0, ""))

    def test_refuses_lower_folders(self):
        self.assert_refused("src/base/bad.cc", '\n#include "load/c.h"\n',
                            "src/base/bad.cc:2: src/base may not include load/")
        self.assert_refused("src/base/bad.cc", "#include <load/c.h>\n", "may not include load/")

    def test_refuses_the_simulator_and_tests(self):
        self.assert_refused("src/load/bad.cc", '#include "sim/d.h"\n', "may not include sim/")
        self.assert_refused("src/load/bad.cc", '#include "tests/d.h"\n', "may not include tests/")

    def test_refuses_ways_around(self):
        self.assert_refused("src/base/bad.cc", '#include "../load/c.h"\n', "is relative")
        self.assert_refused("src/base/bad.cc", '#include "good.h"\n', "has no folder")

    def test_refuses_folders_without_a_layer(self):
        self.assert_refused("src/extra/new.cc", "int x;\n", "src/extra is not listed")

    def test_refuses_a_tree_without_sources(self):
        status, messages = self.run_on({})
        self.assertEqual(status, 1)
        self.assertIn("no source files", messages)


if __name__ == "__main__":
    unittest.main()
