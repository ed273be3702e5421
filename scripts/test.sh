#!/usr/bin/env bash
# Builds npuprof and checks all of it. Stops at the first stage that fails; the last line says how
# many tests passed and failed.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--fast] [--long] [--lint]

Sets up the machine, then runs: layer, name and format checks; the release build, tests of its programs
and of the Python package and of the page; all tests again with the address sanitizer, those of threads with the thread
sanitizer; fuzzers. Says how long each stage took, and which tests took longest.

  --fast    only the quick checks and the release build with its tests
  --long    for half an hour more: tests that end early by themselves run for a minute, fuzzers too,
            and every source file is compiled by itself
  --lint    clang-tidy too, which takes half an hour when nothing of it was done before
  --help    this text

Environment:
  NPUPROF_FUZZ_SECONDS    how long each fuzz target runs (default 5, with --long 60)
TEXT
}

fast=false
long=false
lint=false
for argument in "$@"; do
  case $argument in
    --fast) fast=true ;;
    --long) long=true ;;
    --lint) lint=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "test.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done
if $long; then
  export NPUPROF_LONG_TESTS=${NPUPROF_LONG_TESTS:-60}
  export NPUPROF_FUZZ_SECONDS=${NPUPROF_FUZZ_SECONDS:-60}
fi

jobs=$(nproc)
logs=build/test-logs
# What a run with no caches may take on two cores that do nothing else. Grows with every test that is
# added: a warning is the time to look at the list of stages.
cold_limit_s=1800
build_s=0
# As in cmake/NpuprofLibrary.cmake.
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
  tell_time "$1"
  if ((skipped > 0)); then echo "$skipped skipped"; fi
  echo "$passed passed, $failed failed"
  exit "$1"
}

# tell_time STATUS: the whole time and, of a whole run, a warning if one with nothing built before would take
# too long on two cores.
tell_time() {
  local cold
  echo
  python3 scripts/slow_tests.py "$logs"/*.xml
  echo
  echo "All stages: $((SECONDS / 60)) min $((SECONDS % 60)) s"
  if (($1 != 0)) || $fast || $long || $lint; then return; fi
  cold=$((SECONDS - build_s + $(python3 scripts/cold_time.py build/{release,asan,tsan}/.ninja_log)))
  if ((cold > cold_limit_s)); then
    echo "WARNING: with nothing built before, on two cores, this would take about $((cold / 60)) minutes, more than"
    echo "the $((cold_limit_s / 60)) that CONTRIBUTING.md promises. The slowest stages and tests are named above."
  fi
}

# stage NAME COMMAND...: runs the command with its output in a log; shows that only if it fails.
stage() {
  local name=$1 start=$SECONDS log
  shift
  log="$logs/${name// /-}.log"
  printf '== %-20s ' "$name"
  if "$@" >"$log" 2>&1 </dev/null; then
    echo "ok, $((SECONDS - start)) s"
    if [[ $name == *build ]]; then build_s=$((build_s + SECONDS - start)); fi
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

# run_tests PRESET [run_tests.py options]: also writes the results as XML, to be counted in the end. Tests
# of the recorder have a process each: what they record belongs to a process.
run_tests() {
  local preset=$1
  shift
  python3 scripts/run_tests.py build/"$preset"/bin/*_test --alone record_test --jobs "$jobs" \
    --output "$logs/$preset.xml" "$@"
}

# Golden cases and tests of scripts.
run_other_tests() {
  ctest --preset "$1" -j "$jobs" --no-tests=error --label-exclude GoogleTest \
    --output-junit "$PWD/$logs/others-$1.xml"
}

# Without --long the same inputs each time, so that a failure comes from a change and can be repeated.
run_fuzzer() {
  local target=$1 name corpus log
  name=$(basename "$target")
  corpus=build/fuzzing/corpus/$name
  log=build/test-logs/$name.txt
  local options=(-max_total_time="${NPUPROF_FUZZ_SECONDS:-5}")
  if [[ -z ${NPUPROF_FUZZ_SECONDS:-} ]]; then
    options+=(-seed=1)
    rm -rf "$corpus"
  fi
  mkdir -p "$corpus" build/fuzzing/findings
  # Seeds in the tree are read; what the fuzzer finds goes to the first folder, under build/.
  local folders=("$corpus")
  if [[ -d fuzz/corpus/$name ]]; then folders+=("fuzz/corpus/$name"); fi
  if "$target" "${options[@]}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzzing/findings/$name-" "${folders[@]}" >"$log" 2>&1; then
    return
  fi
  echo "$name failed; its input is in build/fuzzing/findings, all that it printed in $log:"
  grep -vE '^#[0-9]+|^stat::|^###|^"' "$log" | head -n 60
  return 1
}
export -f run_fuzzer

# From the objects of the asan build, which has what fuzzers need.
run_fuzzers() {
  cmake --build --preset asan --target fuzzers -j "$jobs" || return 1
  find build/asan/bin -name 'fuzz_*' -type f -print0 | sort -z |
    xargs -0 -r -P "$jobs" -I {} bash -c 'run_fuzzer "$1"' _ {}
}

# In a browser, against the release build.
run_page_tests() (
  export PLAYWRIGHT_JUNIT_OUTPUT_NAME=$PWD/$logs/page.xml
  cd tests/web && npm ci --no-audit --no-fund --loglevel=error && npx playwright test --reporter=list,junit
)

compile_single_files() {
  cmake --preset debug && cmake --build --preset debug -j "$jobs"
}

stage "set-up" scripts/install-deps.sh "$($lint && echo develop || echo test)"
stage "layers" python3 scripts/check_layers.py
stage "names" python3 scripts/check_names.py
stage "format" check_format
stage "release build" build release
stage "release tests" run_tests release
stage "golden cases" run_other_tests release
if $lint; then
  stage "lint" scripts/lint.sh -j "$jobs"
fi
if ! $fast; then
  # The interpreter that PyTorch was installed for; another may come first on PATH.
  stage "python tests" /usr/bin/python3 -m pytest -q --numprocesses "$jobs" --dist loadfile \
    --junitxml="$logs/python.xml" tests/python
  stage "page tests" run_page_tests
  stage "asan build" build asan
  stage "asan tests" run_tests asan
  stage "fuzz" run_fuzzers
  stage "tsan build" build tsan --target base_test record_test report_test sim_test
  stage "tsan tests" run_tests tsan --filter "$concurrent_tests"
fi
if $long; then
  stage "single files" compile_single_files
fi
finish 0
