#!/usr/bin/env bash
# Installs the Debian packages that npuprof needs. Does nothing, and says nothing, if they are all there.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/install-deps.sh [GROUP]

  build      the program and libnpuprof: all that parsing and viewing need
  pytorch    build, and what collecting from PyTorch needs: PyTorch itself, Python's headers
  test       pytorch, and what scripts/test.sh runs: sanitizers, GoogleTest, a browser to open timelines in
  develop    test, and clang-tidy, LTTng to compare the recorder with (the default)

  --missing GROUP    only names the packages that are missing
TEXT
}

build=(
  g++ cmake ninja-build
  libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libsimdjson-dev libcpp-httplib-dev
  libsqlite3-dev zlib1g-dev libxlsxwriter-dev
)
# The page is built with Node.js, which many have from elsewhere.
if ! command -v npm >/dev/null; then build+=(nodejs npm); fi
# The reference BLAS, which PyTorch would take otherwise, is 20 times slower.
pytorch=("${build[@]}" python3 python3-dev pybind11-dev python3-torch libtorch-dev libopenblas0)
test=(
  "${pytorch[@]}"
  git ccache sqlite3 python3-pytest python3-pytest-xdist python3-venv
  clang-14 clang-format-14 libclang-rt-14-dev lld-14
  libgtest-dev libgmock-dev libbenchmark-dev
  chromium
)
develop=("${test[@]}" clang-tidy-14 pkg-config liblttng-ust-dev lttng-tools)

only_name=false
if [[ ${1:-} == --missing ]]; then
  only_name=true
  shift
fi
case ${1:-develop} in
  build) packages=("${build[@]}") ;;
  pytorch) packages=("${pytorch[@]}") ;;
  test) packages=("${test[@]}") ;;
  develop) packages=("${develop[@]}") ;;
  --help | -h) usage; exit 0 ;;
  *) echo "install-deps.sh: there is no group '$1'" >&2; usage >&2; exit 2 ;;
esac
if ! command -v dpkg-query >/dev/null; then
  echo "install-deps.sh: this is not a Debian system; install the equivalents of:" >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 1
fi

declare -A status
while read -r package state; do
  status[$package]=$state
done < <(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null)

missing=()
for package in "${packages[@]}"; do
  [[ ${status[$package]:-} == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0
if $only_name; then
  printf '%s\n' "${missing[@]}"
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install-deps.sh: packages are missing, and installing needs root or sudo. As root, run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}"
