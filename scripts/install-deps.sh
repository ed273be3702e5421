#!/usr/bin/env bash
# Installs the Debian packages needed to build and test npuprof. Does nothing, and says nothing, if
# they are all there.
set -euo pipefail

packages=(
  # Compilers and build tools
  g++ cmake ninja-build ccache git
  # Sanitizers with fuzzing, formatting, linting
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
  # Libraries of the product
  libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libsimdjson-dev
  libsqlite3-dev sqlite3 zlib1g-dev libzstd-dev
  # Tests and benchmarks
  libgtest-dev libgmock-dev libbenchmark-dev
  # To compare the recorder with
  pkg-config liblttng-ust-dev lttng-tools
  # Python; the reference BLAS, which PyTorch would take otherwise, is 20 times slower
  pybind11-dev python3 python3-dev python3-venv python3-pytest python3-torch libtorch-dev libopenblas0
  # To open timelines in
  chromium
)

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
