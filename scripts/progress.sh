# To be sourced. Shows that long work goes on, without its output.

# A build says how far it is by lines like "[12/40] Building ...", a package manager by the names of
# packages it unpacks.
progress_of() {
  local counted
  counted=$(tail -c 4000 "$1" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1 | tr -d '[]')
  if [[ -n $counted ]]; then
    printf '%s' "${counted/\// of }"
    return
  fi
  counted=$(grep -cE '^Setting up ' "$1" 2>/dev/null || true)
  if ((counted > 0)); then printf '%s packages set up' "$counted"; fi
}

# with_progress WHAT LOG COMMAND...: runs the command with its output in LOG. On a terminal one line
# counts the seconds; elsewhere a line comes every half minute. Shows the end of LOG if it fails.
with_progress() {
  local what=$1 log=$2 begin=$SECONDS worker detail status=0 said=0
  shift 2
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null &
  worker=$!
  while kill -0 "$worker" 2>/dev/null; do
    detail=$(progress_of "$log")
    if [[ -t 1 ]]; then
      printf '\r\033[K%s: %d s%s' "$what" $((SECONDS - begin)) "${detail:+, $detail}"
    elif ((SECONDS - begin >= said + 30)); then
      said=$((SECONDS - begin))
      printf '%s: %d s%s\n' "$what" "$said" "${detail:+, $detail}"
    fi
    sleep 0.3
  done
  wait "$worker" || status=$?
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
  if ((status == 0)); then
    printf '%s: done in %d s\n' "$what" $((SECONDS - begin))
    return 0
  fi
  printf '%s: failed after %d s. The end of %s:\n' "$what" $((SECONDS - begin)) "$log" >&2
  tail -n 30 "$log" >&2
  return "$status"
}
