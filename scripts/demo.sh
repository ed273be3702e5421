#!/usr/bin/env bash
# Builds npuprof and shows what it can do on a machine without an NPU. Results go to out/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
bin=build/release/bin

heading() {
  printf '\n== %s\n' "$1"
}

heading "Set up and build"
scripts/install-deps.sh
cmake --preset release >/dev/null
cmake --build --preset release -- --quiet
echo "programs are in $bin"

if [[ -x $bin/npusim ]]; then
  heading "Profile a training run on the simulated NPU"
  rm -rf "$out"
  mkdir -p "$out"
  "$bin/npusim" --output "$out"
  find "$out" -type f -printf '%10s  %p\n' | sort -k2
fi
