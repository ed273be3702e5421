#!/usr/bin/env bash
# Checks the sources with clang-tidy (.clang-tidy has the list of checks). Files that were clean and
# have not changed since are skipped, so a second run takes seconds.
#
# Usage: lint.sh [-j N] [FILE...]    all sources of the product, or only the given ones
set -euo pipefail
cd "$(dirname "$0")/.."

# Compile commands of single files; nothing is built.
cmake --preset debug >/dev/null
exec python3 scripts/lint.py "$@"
