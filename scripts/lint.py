#!/usr/bin/env python3
"""Runs clang-tidy over the compile database of the debug build; started by lint.sh.

A file that was clean is checked again only when something that the check reads has changed: the
file, its headers, the compile command, the list of checks, this script or clang-tidy itself. Tests
are left out: GoogleTest's macros make one of them take longer than a whole folder of the product.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "debug"
CACHE = ROOT / "build" / "lint"
CHECKED_FOLDERS = ("src", "sim", "include", "python", "fuzz", "bench", "examples")
CLANG_TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-14")


def capture(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
INCLUDE_ROOTS = (ROOT / "src", ROOT, ROOT / "include", ROOT / "python" / "torch_hooks",
                 ROOT / "python" / "torch_sim", ROOT / "tests")


@functools.cache
def included(path):
    """Headers of this tree that a file includes itself."""
    found = set()
    for name in INCLUDE.findall(path.read_bytes()):
        places = (root / name.decode() for root in (path.parent, *INCLUDE_ROOTS))
        found.update(itertools.islice((place for place in places if place.is_file()), 1))
    return found


def files_read(source):
    """The file and all headers of this tree that it reads."""
    seen = set()
    pending = [source]
    while pending:
        path = pending.pop()
        if path not in seen:
            seen.add(path)
            pending.extend(included(path))
    return seen


class Fingerprints:
    """Hashes of what a check depends on; each file is read once."""

    def __init__(self):
        self.common = "".join((capture(CLANG_TIDY, "--version"), (ROOT / ".clang-tidy").read_text(),
                               pathlib.Path(__file__).read_text()))
        self.of_file = {}

    def file(self, path):
        if path not in self.of_file:
            self.of_file[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.of_file[path]

    def unit(self, entry):
        inputs = sorted(files_read(pathlib.Path(entry["file"]).resolve()))
        digest = hashlib.sha256((self.common + entry["command"]).encode())
        for path in inputs:
            digest.update(f"{path} {self.file(path)}\n".encode())
        return digest.hexdigest()


def units_to_check(wanted):
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    units = {}
    for entry in entries:
        path = pathlib.Path(entry["file"]).resolve()
        if not path.is_relative_to(ROOT):
            continue
        name = path.relative_to(ROOT)
        if name.parts[0] in CHECKED_FOLDERS and (not wanted or path in wanted):
            units.setdefault(str(name), entry)
    return dict(sorted(units.items()))


def check(entry):
    # The database has the options of g++, some of which clang does not know.
    result = subprocess.run([CLANG_TIDY, "-p", str(BUILD), "--quiet",
                             "--extra-arg=-Wno-unknown-warning-option", entry["file"]],
                            capture_output=True, text=True, check=False)
    if result.returncode == 0:  # Standard error then has a count of suppressed warnings, no more.
        return True, result.stdout
    output = result.stdout + result.stderr
    if result.returncode < 0:
        output += f"{CLANG_TIDY} was ended by signal {-result.returncode} on {entry['file']}"
    return False, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="only these (default: all)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    wanted = {path.resolve() for path in arguments.files}
    units = units_to_check(wanted)
    if not units:
        print("lint: nothing to check in the compile database", file=sys.stderr)
        return 1

    CACHE.mkdir(parents=True, exist_ok=True)
    fingerprints = Fingerprints()
    marks = {name: CACHE / fingerprints.unit(entry) for name, entry in units.items()}
    pending = [name for name in units if not marks[name].exists()]
    failed = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as executor:
        checks = {executor.submit(check, units[name]): name for name in pending}
        for done in concurrent.futures.as_completed(checks):
            name = checks[done]
            clean, output = done.result()
            if clean:
                marks[name].touch()
            else:
                failed.append(name)
                print(output, flush=True)
    if not wanted:
        for stale in set(CACHE.iterdir()) - set(marks.values()):
            stale.unlink()
    print(f"lint: {len(units)} files, {len(pending)} checked now, {len(failed)} with findings")
    for name in sorted(failed):
        print(f"  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
