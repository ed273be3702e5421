#!/usr/bin/env python3
"""Says how many source files are compiled again when a header changes.

Usage: rebuilt_files.py HEADER...    for example src/trace/device/fusion_parts.h

Follows includes; the `debug` preset compiles each of these files by itself, the others in batches.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["src", "sim", "python", "tests", "bench", "fuzz"]
# Where an include is looked for, after the folder of the file that has it.
INCLUDE_DIRECTORIES = ["src", "tests", "sim", "include", "."]


def resolve(name: str, file: Path) -> Path | None:
    for directory in [file.parent, *(ROOT / folder for folder in INCLUDE_DIRECTORIES)]:
        path = directory / name
        if path.is_file():
            return path.resolve()
    return None


def includes_of(file: Path) -> set[Path]:
    names = re.findall(r'^#include "([^"]+)"', file.read_text(errors="replace"), re.MULTILINE)
    return {path for name in names if (path := resolve(name, file))}


def main() -> int:
    headers = sys.argv[1:]
    if not headers or headers[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if headers else 2
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=ROOT, text=True, check=True,
                            stdout=subprocess.PIPE).stdout.split()
    files = [ROOT / name for name in listed if name.endswith((".h", ".cc"))]
    includes = {file: includes_of(file) for file in files if file.is_file()}

    for header in headers:
        changed = Path(header).resolve()
        if changed not in includes:
            print(f"rebuilt_files.py: there is no header '{header}' in the tree", file=sys.stderr)
            return 2
        users = {changed}
        while True:
            found = {file for file, used in includes.items() if used & users} - users
            if not found:
                break
            users |= found
        compiled = [file.relative_to(ROOT) for file in users if file.suffix == ".cc"]
        product = [file for file in compiled if file.parts[0] in ("src", "sim", "python")]
        print(f"{header}: {len(product)} files of the product, {len(compiled)} with tests and benchmarks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
