#!/usr/bin/env bash
# Builds npuprof and checks all of it. Stops at the first stage that fails; the last line says how
# many tests passed and failed.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--fast] [--lint]

Sets up the machine, then runs: layer check, format check, release build and tests, address and
thread sanitizer builds and tests, fuzzers, Python tests.

  --fast    only the quick checks and the release build and tests
  --lint    clang-tidy too, which takes several minutes more
  --help    this text

Environment:
  NPUPROF_FUZZ_SECONDS    how long each fuzz target runs (default 5)
TEXT
}

fast=false
lint=false
for argument in "$@"; do
  case $argument in
    --fast) fast=true ;;
    --lint) lint=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "test.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

jobs=$(nproc)
logs=build/test-logs
# Tests of code that several threads run at once have one of these words in their name.
concurrent_tests='Thread|Parallel|Concurren|Progress'
mkdir -p "$logs"
rm -f "$logs"/*

finish() {
  local reports=() passed failed skipped
  mapfile -t reports < <(find "$logs" -name '*.xml' | sort)
  if ! read -r passed failed skipped < <(python3 scripts/count_tests.py "${reports[@]}"); then
    echo "The test results in $logs cannot be read"
    exit 1
  fi
  if ((skipped > 0)); then echo "$skipped skipped"; fi
  echo "$passed passed, $failed failed"
  exit "$1"
}

# stage NAME COMMAND...: runs the command with its output in a log; shows that only if it fails.
stage() {
  local name=$1 start=$SECONDS log
  shift
  log="$logs/${name// /-}.log"
  printf '== %-20s ' "$name"
  if "$@" >"$log" 2>&1 </dev/null; then
    echo "ok, $((SECONDS - start)) s"
    return
  fi
  echo "FAILED after $((SECONDS - start)) s"
  # Without the lines of tests that passed, which would push the others off the screen.
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .* Passed )|^\[[0-9]+/[0-9]+\] (Building|Linking) ' \
    "$log" | tail -n 200
  echo "Stage '$name' failed; its whole output is in $log"
  finish 1
}

check_format() {
  git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' '*.cpp' |
    xargs -0 clang-format-14 --dry-run -Werror
}

# build PRESET [cmake --build options]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" "$@"
}

# run_ctest PRESET [ctest options]: also writes the results as XML, to be counted in the end.
run_ctest() {
  local preset=$1
  shift
  ctest --preset "$preset" -j "$jobs" --no-tests=error \
    --output-junit "$PWD/$logs/ctest-$preset.xml" "$@"
}

run_fuzzer() {
  local target=$1 name corpus
  name=$(basename "$target")
  corpus=build/fuzzing/corpus/$name
  mkdir -p "$corpus" build/fuzzing/findings
  # Seeds in the tree are read; what the fuzzer finds goes to the first folder, under build/.
  local folders=("$corpus")
  if [[ -d fuzz/corpus/$name ]]; then folders+=("fuzz/corpus/$name"); fi
  if ! "$target" -max_total_time="${NPUPROF_FUZZ_SECONDS:-5}" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzzing/findings/$name-" "${folders[@]}" 2>&1; then
    echo "$name failed; its input is in build/fuzzing/findings"
    return 1
  fi
}
export -f run_fuzzer

# From the objects of the asan build, which has what fuzzers need.
run_fuzzers() {
  cmake --build --preset asan --target fuzzers -j "$jobs" || return 1
  find build/asan/bin -name 'fuzz_*' -type f -print0 | sort -z |
    xargs -0 -r -P "$jobs" -I {} bash -c 'run_fuzzer "$1"' _ {}
}

stage "set-up" scripts/install-deps.sh
stage "layers" python3 scripts/check_layers.py
stage "format" check_format
stage "release build" build release
stage "release tests" run_ctest release
if $lint; then
  stage "lint" scripts/lint.sh -j "$jobs"
fi
if ! $fast; then
  stage "asan build" build asan
  stage "asan tests" run_ctest asan
  stage "tsan build" build tsan --target base_test record_test report_test sim_test
  stage "tsan tests" run_ctest tsan --tests-regex "$concurrent_tests"
  if [[ -n $(find fuzz -name '*.cc' -print -quit) ]]; then
    stage "fuzz" run_fuzzers
  fi
  if [[ -d tests/python ]]; then
    # The interpreter that PyTorch was installed for; another may come first on PATH.
    stage "python tests" /usr/bin/python3 -m pytest -q --junitxml="$logs/pytest.xml" tests/python
  fi
fi
finish 0
