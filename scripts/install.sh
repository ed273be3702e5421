#!/usr/bin/env bash
# Builds npuprof and puts it where programs are looked for.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/progress.sh

usage() {
  cat <<'TEXT'
Usage: scripts/install.sh [--prefix DIR] [--with-pytorch]

Puts into DIR (default: /usr/local for root, ~/.local for others):

  bin/      npuprof, npusim
  lib/      libnpuprof.so; npusim/, the simulated libraries of CANN; python3.*/, the Python package
  include/  npuprof/, for programs that record ranges of their own

  --with-pytorch    install PyTorch too, and the part of the package that collects from it
TEXT
}

if ((EUID == 0)); then prefix=/usr/local; else prefix=$HOME/.local; fi
build_options=()
while (($#)); do
  case $1 in
    --prefix) prefix=${2:?"install.sh: --prefix needs a directory"}; shift ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --with-pytorch) build_options+=("$1") ;;
    --help | -h) usage; exit 0 ;;
    *) echo "install.sh: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)

scripts/build.sh "${build_options[@]}"

# Debian's interpreter looks into dist-packages below /usr and /usr/local, into site-packages elsewhere.
version=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null || true)
case $prefix in
  /usr | /usr/local) packages=lib/$version/dist-packages ;;
  *) packages=lib/$version/site-packages ;;
esac
install_files() {
  cmake --preset program -DNPUPROF_PYTHON_INSTALL_DIR="$packages" && cmake --install build/release --prefix "$prefix" --strip
}
with_progress "Installing into $prefix" build/logs/install.log install_files

echo
if [[ $(command -v npuprof) == "$prefix/bin/npuprof" ]]; then
  echo "Try: npuprof --help"
else
  echo "Try: $prefix/bin/npuprof --help   (to write npuprof alone, add $prefix/bin to PATH)"
fi
if [[ -d $prefix/$packages/npuprof ]] &&
  ! (cd / && /usr/bin/python3 -c 'import npuprof' 2>/dev/null); then
  echo "For Python programs: export PYTHONPATH=$prefix/$packages"
fi
