#!/usr/bin/env python3
"""Compares all that npuprof makes of small simulated profiles with what it made before.

A case is a folder of cases/ with a file `command` and the expected results. The first line of `command` is how
npusim makes the profiles, the others are run for each of them:

    npusim toy --steps 1
    npuprof parse {profile} --export text,db -o {results}

{profile} is a result directory, {cann} its PROF_* directory. Files below {results} are compared byte by byte;
databases by the text of their tables, events of timelines one on a line.

    golden.py check [CASE...]     prints differences; status 1 if there are any
    golden.py renew [CASE...]     takes what comes out now as expected: look at `git diff` before it is committed
"""

import argparse
import difflib
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "cases"
DEFAULT_PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin"
MOST_LINES = 40  # Of one file's differences.
LOOSE_TIME = re.compile(r"_\d{14}(?=\.)")  # Of the export, in names of files.


def database_text(path):
    """Tables and indexes by name, rows in the order they are stored."""
    lines = []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        schema = database.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL "
                                  "ORDER BY type, name").fetchall()
        for kind, name, sql in schema:
            lines.append(sql)
            if kind == "table":
                rows = database.execute(f'SELECT * FROM "{name}"')
                lines += ["\t".join("NULL" if value is None else repr(value) for value in row)
                          for row in rows]
            lines.append("")
    return "\n".join(lines)


def file_text(path):
    """What is compared of a file."""
    if path.suffix == ".db":
        return database_text(path)
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    return text.replace("},{", "},\n{") if path.suffix == ".json" else text


def run(program, arguments):
    """Runs a program; whatever it complains about is an error here."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("NPUPROF_", "ASCEND_"))}
    done = subprocess.run([str(program), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"{program.name} {shlex.join(arguments)} ended with status "
                           f"{done.returncode}:\n{done.stderr}")


def collected(results, rank, names):
    """Texts of the files of one rank by the names they have as expected results."""
    texts = {}
    for path in sorted(results.rglob("*")):
        if path.is_file():
            parts = [part for part in path.relative_to(results).parts if part not in names]
            name = LOOSE_TIME.sub("_TIME", str(pathlib.Path(rank, *parts)))
            texts[name + ".txt" if path.suffix == ".db" else name] = file_text(path)
    return texts


def outcome(case, programs):
    """Texts of all files that the commands of a case make, by name."""
    lines = (case / "command").read_text(encoding="utf-8").splitlines()
    first, *others = [shlex.split(line, comments=True) for line in lines
                      if line and not line.startswith("#")]
    texts = {}
    with tempfile.TemporaryDirectory(prefix="npuprof_golden_") as folder:
        raw = pathlib.Path(folder, "raw")
        run(programs / first[0], [*first[1:], "-o", str(raw)])
        manifest = json.loads((raw / "manifest.json").read_text(encoding="utf-8"))
        for number, rank in enumerate(manifest["ranks"]):
            profile = raw / rank["path"]
            (cann,) = glob.glob(str(profile / "PROF_*"))
            results = pathlib.Path(folder, f"results_{number}")
            results.mkdir()
            places = {"profile": str(profile), "cann": cann, "results": str(results)}
            for program, *arguments in others:
                run(programs / program, [word.format(**places) for word in arguments])
            names = {profile.name, os.path.basename(cann), "ASCEND_PROFILER_OUTPUT"}
            texts.update(collected(results, f"rank_{number}", names))
    return texts


def expected(case):
    """Texts of all files of a case by name."""
    return {str(path.relative_to(case)): path.read_bytes().decode("utf-8", "surrogateescape")
            for path in case.rglob("*") if path.is_file() and path.name != "command"}


def differences(before, now):
    """Lines that tell how two sets of texts differ; none if they do not."""
    lines = []
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) == now.get(name):
            continue
        if name not in now or name not in before:
            lines.append(f"{name}: {'is no longer made' if name not in now else 'is new'}")
            continue
        found = list(difflib.unified_diff(before[name].splitlines(), now[name].splitlines(),
                                          f"{name} (expected)", f"{name} (now)", n=0, lineterm=""))
        if not found:
            found = [f"{name}: only line ends differ"]
        lines += [line if len(line) <= 400 else line[:400] + "..." for line in found[:MOST_LINES]]
        if len(found) > MOST_LINES:
            lines.append(f"... {len(found) - MOST_LINES} more lines of {name}")
    return lines


def renew(case, texts):
    """Replaces the expected results."""
    for path in case.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    for name, text in texts.items():
        path = case / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["check", "renew"])
    parser.add_argument("names", nargs="*", help="cases; all if none is given")
    parser.add_argument("--cases", type=pathlib.Path, default=CASES)
    parser.add_argument("--programs", type=pathlib.Path, default=DEFAULT_PROGRAMS,
                        help="folder of npuprof and npusim")
    arguments = parser.parse_intermixed_args()
    names = arguments.names or sorted(path.parent.name
                                      for path in arguments.cases.glob("*/command"))
    status = 0
    for name in names:
        case = arguments.cases / name
        try:
            texts = outcome(case, arguments.programs)
        except (OSError, RuntimeError) as failure:
            status = 1
            print(f"{name}: {failure}\n")
            continue
        if arguments.action == "renew":
            renew(case, texts)
            continue
        found = differences(expected(case), texts)
        if found:
            status = 1
            print(f"{name}:", *found, sep="\n")
            print(f"If this is meant to be: tests/golden/golden.py renew {name}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
