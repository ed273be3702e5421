#!/usr/bin/env bash
# Builds npuprof and shows what it can do on a machine without an NPU. Results go to out/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
# A program that is there is brought up to date; otherwise the one that is built soonest will do.
build=build/release
build_options=(--with-pytorch)
if [[ ! -x $build/bin/npuprof ]]; then
  build=build/quick
  build_options+=(--quick)
fi
bin=$build/bin

heading() {
  printf '\n== %s\n' "$1"
}

# show_table FILE [LINES]: the first lines of a CSV file, in columns if that program is there.
show_table() {
  head -n "${2:-100}" "$1" | if command -v column >/dev/null; then column -s, -t; else cat; fi
}

heading "Set up and build"
scripts/build.sh "${build_options[@]}"

heading "Profile a PyTorch training loop on a simulated NPU (examples/profile_steps.py)"
rm -rf "$out"
PYTHONPATH=$build/python /usr/bin/python3 examples/profile_steps.py "$out/pytorch"
profile=$(find "$out/pytorch" -maxdepth 1 -name '*_ascend_pt' | sort | head -n 1)

heading "Where the time of each of its steps went (microseconds)"
show_table "$profile/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"

heading "Its kernels by the time they took"
show_table "$profile/ASCEND_PROFILER_OUTPUT/op_statistic.csv" 6

# Other frameworks are large: they are shown where tests have made environments with them.
environments=${NPUPROF_TEST_ENVIRONMENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/npuprof/environments}
mindspore=$environments/mindspore-2.10.0
if [[ -e $mindspore/complete ]]; then
  heading "Profile a MindSpore training, with the NPU simulated beside it (examples/mindspore_steps.py)"
  PYTHONPATH=$build/python "$mindspore/bin/python" examples/mindspore_steps.py "$out/mindspore"
  result=$(find "$out/mindspore" -maxdepth 1 -name '*_ascend_ms' | sort | head -n 1)
  heading "Where the time of each of its steps went (microseconds)"
  show_table "$result/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"
fi

heading "Simulate a job of two ranks that train a transformer"
"$bin/npusim" transformer --ranks 2 --dp 2 --layers 2 --hidden 2048 --heads 16 --sequence 1024 \
  --steps 3 --mstx --out "$out/job"

heading "Parse what the profilers of both ranks left behind"
"$bin/npuprof" parse "$out/job" --export text,db

heading "Where the time of each step went, rank 0 (microseconds)"
rank0=$(find "$out/job" -maxdepth 1 -name '*_ascend_pt' | sort | head -n 1)
show_table "$rank0/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"

heading "The operators that took most time, rank 0"
show_table "$rank0/ASCEND_PROFILER_OUTPUT/op_statistic.csv" 6

tensorflow=$environments/tensorflow-cpu-2.21.0
if [[ -e $tensorflow/complete ]]; then
  heading "Profile a session of TensorFlow on a simulated NPU (examples/tensorflow_session.py)"
  PYTHONPATH=$build/python TF_CPP_MIN_LOG_LEVEL=3 "$tensorflow/bin/python" examples/tensorflow_session.py "$out/tensorflow"
  "$bin/npuprof" parse "$out/tensorflow"

  heading "Its iterations (microseconds)"
  show_table "$(find "$out/tensorflow" -name 'step_trace_*.csv' | head -n 1)"
fi

scripts/draw_timeline.py "$rank0/ASCEND_PROFILER_OUTPUT/trace_view.json" --length-ms 25 >"$out/timeline.svg"
printf '\nResults: %s\n         %s\nA picture of the first step: %s\n' "$profile/ASCEND_PROFILER_OUTPUT" \
  "$rank0/ASCEND_PROFILER_OUTPUT" "$out/timeline.svg"
printf 'To look at it in the browser: %s view %s\n' "$bin/npuprof" "$out/job"
