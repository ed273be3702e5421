#!/usr/bin/env bash
# Installs what the build needs and builds the program, its libraries and its Python package: no tests,
# no benchmarks. Programs are in build/release/bin then, or in build/quick/bin.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/progress.sh

usage() {
  cat <<'TEXT'
Usage: scripts/build.sh [--quick] [--with-pytorch]

  --quick           hardly optimized, into build/quick: takes about half the time, and the program is slower
  --with-pytorch    install PyTorch and its headers too, and build what collects from it. Without, that
                    is built only if they are there already.
TEXT
}

with_pytorch=false
preset=program
for argument in "$@"; do
  case $argument in
    --quick) preset=quick ;;
    --with-pytorch) with_pytorch=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "build.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

logs=build/logs
with_progress "Packages to build with" "$logs/packages.log" scripts/install-deps.sh build

compile() {
  cmake --preset "$preset" >"$logs/configure.log" 2>&1 || { cat "$logs/configure.log"; return 1; }
  # No more than there are cores: each compiler takes up to 1.5 GB.
  cmake --build --preset "$preset" -j "$(nproc)" --target "$@"
}

# PyTorch takes a minute to come, and the program does not need it.
if $with_pytorch && [[ $(scripts/install-deps.sh --missing pytorch) ]]; then
  scripts/install-deps.sh pytorch >"$logs/pytorch.log" 2>&1 </dev/null &
  pytorch=$!
  status=0
  with_progress "Building the program (PyTorch is being installed meanwhile)" "$logs/build.log" \
    compile npuprof npusim npuprof_shared npusim_cann || status=$?
  wait_for_pytorch() { tail --pid="$pytorch" -f /dev/null; }
  with_progress "Waiting for PyTorch" "$logs/wait.log" wait_for_pytorch
  if ! wait "$pytorch"; then
    echo "PyTorch cannot be installed. The end of $logs/pytorch.log:" >&2
    tail -n 20 "$logs/pytorch.log" >&2
    exit 1
  fi
  ((status == 0)) || exit "$status"
fi
with_progress "Building" "$logs/build.log" compile program
