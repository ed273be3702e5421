#!/usr/bin/env python3
"""Checks that each folder of src/ includes only itself and folders above it in cmake/layers.txt.

Usage: check_layers.py [ROOT]    (ROOT: the source tree, by default the one this script is in)

Prints one "file:line: message" for each violation and exits with status 1 if there are any.
"""

import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCE_SUFFIXES = {".h", ".hpp", ".inc", ".c", ".cc", ".cpp"}

# Folders beside src/ that use it; the product must not depend on them.
USERS_OF_SRC = ("sim", "tests", "bench", "fuzz")


def read_layers(root):
    text = (root / "cmake" / "layers.txt").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip()]


def violation(folder, delimiter, included, layers, src):
    """Says why src/<folder> may not have this #include, or None if it may."""
    path = pathlib.PurePosixPath(included)
    if ".." in path.parts:
        return f'"{included}" is relative; write the path from src/'
    if len(path.parts) < 2:
        if delimiter == '"':
            return f'"{included}" has no folder; write the path from src/'
        return None
    target = path.parts[0]
    if target in USERS_OF_SRC:
        return f"src/{folder} may not include {target}/: src/ does not depend on it"
    if target in layers:
        if layers.index(target) > layers.index(folder):
            return (f"src/{folder} may not include {target}/: it is below {folder} "
                    "in cmake/layers.txt")
        return None
    if delimiter == '"' and (src / target).is_dir():
        return f"src/{target} is not listed in cmake/layers.txt"
    return None


def check_file(path, root, layers):
    src = root / "src"
    folder = path.relative_to(src).parts[0]
    name = path.relative_to(root)
    if folder not in layers:
        yield f"{name}:1: src/{folder} is not listed in cmake/layers.txt"
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        problem = violation(folder, match[1], match[2], layers, src)
        if problem is not None:
            yield f"{name}:{number}: {problem}"


def check_tree(root):
    layers = read_layers(root)
    files = sorted(path for path in (root / "src").rglob("*")
                   if path.suffix in SOURCE_SUFFIXES and path.is_file())
    if not files:
        yield f"{root / 'src'}: no source files found"
    for path in files:
        yield from check_file(path, root, layers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    problems = list(check_tree(parser.parse_args().root))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
