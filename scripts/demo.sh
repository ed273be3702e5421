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

heading "Train a small transformer on two simulated NPUs"
rm -rf "$out"
"$bin/npusim" transformer --ranks 2 --dp 2 --layers 2 --hidden 2048 --heads 16 --sequence 1024 \
  --steps 3 --mstx --out "$out"

heading "Parse what the profiler left behind"
"$bin/npuprof" parse "$out" --export text,db

heading "Where the time of each step went, rank 0 (microseconds)"
rank0=$(find "$out" -maxdepth 1 -name '*_ascend_pt' | sort | head -n 1)
column -s, -t "$rank0/ASCEND_PROFILER_OUTPUT/step_trace_time.csv" 2>/dev/null ||
  cat "$rank0/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"

heading "The operators that took most time, rank 0"
head -n 6 "$rank0/ASCEND_PROFILER_OUTPUT/op_statistic.csv"

scripts/draw_timeline.py "$rank0/ASCEND_PROFILER_OUTPUT/trace_view.json" --length-ms 25 >"$out/timeline.svg"
printf '\nResults: %s\nA picture of the first step: %s\n' "$rank0/ASCEND_PROFILER_OUTPUT" "$out/timeline.svg"
