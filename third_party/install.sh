#!/usr/bin/env bash
# Installs the missing dependencies for building and running satscope; if none is missing it is fast and needs no network.
# Usage: third_party/install.sh [--tests | --npp]
# --tests: also the dependencies of the tests. --npp: only NVIDIA's NPP, which satscope compares itself with if present.
#
# For Debian 12 and 13 and Ubuntu 24.04, whose packages have the same names but for the clang ones, which are chosen by what apt's
# lists have. Developed on Debian 12; tried on 13, without a GPU.
#
# Debian packages through apt-get: as root, otherwise with sudo; with neither it prints the command for an administrator
# and exits 1. The CUDA Toolkit is the one found by find_nvcc.sh; if there is none, and an NVIDIA GPU or SATSCOPE_CUDA=on,
# NVIDIA's wheels are unpacked into third_party/.cuda. Without a GPU satscope needs no toolkit.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "satscope: $*"; }
fail() { echo "satscope: $*" >&2; exit 1; }

# The version pins of cuda-toolkit give a consistent set of wheels. nvcc: the compiler, its front ends and the runtime.
cuda_toolkit='cuda-toolkit[nvcc,cccl]==13.0.3'
npp='nvidia-npp==13.0.3.3'

packages=(
  g++ cmake ninja-build
  libopencv-dev opencv-data libglfw3-dev libimgui-dev libstb-dev libfreetype-dev libgl-dev libopengl-dev libegl-dev
  libavformat-dev libavcodec-dev libswscale-dev libavutil-dev  # videos and recordings
  libxcb1-dev                      # the clipboard
  libcli11-dev nlohmann-json3-dev libgtest-dev
  python3-glad                     # generates the OpenGL loader at build time
  libgl1 libegl1 libgl1-mesa-dri   # software OpenGL, in a window and without one
)
tests=
if [[ ${1:-} == --tests ]]; then
  tests=1
  packages+=(
    ccache                         # several builds, of which much is the same
    xvfb xauth xdotool openbox     # a display, keys, a mouse and a window manager for the window tests
    ffmpeg python3-minimal         # serves a camera over HTTP
    python3-numpy python3-opencv   # read the files that the program wrote
    python3-dev python3-venv       # the Python module
    dpkg-dev file desktop-file-utils  # make and check packages (appstream, which checks more, is not needed)
  )
elif [[ ${1:-} == --npp ]]; then
  packages=(python3-pip ca-certificates)
elif [[ $# -gt 0 ]]; then
  echo "usage: third_party/install.sh [--tests | --npp]" >&2
  exit 2
fi

# SATSCOPE_DEVICES: for tests, the folder of the devices.
needs_wheels() {
  local devices=${SATSCOPE_DEVICES:-/dev}
  case ${SATSCOPE_CUDA:-auto} in
    auto) compgen -G "$devices/nvidia[0-9]*" >/dev/null || [[ -e $devices/dxg ]] || return 1 ;;
    on | wheels) ;;
    off) return 1 ;;
    *) fail "SATSCOPE_CUDA is on, off, auto or wheels, not '$SATSCOPE_CUDA'" ;;
  esac
  ! "$here/find_nvcc.sh" >/dev/null
}
wheels=
if [[ ${1:-} != --npp ]] && needs_wheels; then
  wheels=needed
  packages+=(python3-pip ca-certificates)
fi

as_root=()
find_root() {
  if ((EUID == 0)); then return 0; fi
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then as_root=(sudo -n); return 0; fi
  # If sudo needs a password, it must be able to ask for it.
  if [[ -t 0 && -t 2 ]] && { say "installing packages needs your password" >&2; sudo -v; }; then
    as_root=(sudo); return 0
  fi
  return 1
}

# not_installed PACKAGE...
not_installed() {
  local installed package
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p') || true
  for package; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# What only some releases have, and only single tests need, which are skipped without it: clang-format 14 (other versions
# differ in details), and libFuzzer with its clang.
missing_optional_packages() {
  local format clang= names version
  format=$(not_installed clang-format-14)
  "$here/find_clang.sh" >/dev/null || clang=missing
  [[ $format || $clang ]] || return 0
  names=$(apt-cache pkgnames 2>/dev/null | grep clang) || return 0
  in_lists() { grep -qxF -- "$1" <<<"$names"; }
  if [[ $format ]] && in_lists "$format"; then echo "$format"; fi
  [[ $clang ]] || return 0
  for version in {16..40}; do
    if in_lists "clang-$version" && in_lists "libclang-rt-$version-dev"; then
      not_installed "clang-$version" "libclang-rt-$version-dev"
      return
    fi
  done
}

missing_packages() {
  not_installed "${packages[@]}"
  if [[ $tests ]]; then missing_optional_packages; fi
}

# Names are those of Debian 12 and 13 and Ubuntu 24.04.
explain_names() {
  local name
  name=$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' "${SATSCOPE_OS_RELEASE:-/etc/os-release}" 2>/dev/null)
  [[ $name == "Debian GNU/Linux 1"[23]* || $name == "Ubuntu 24.04"* ]] ||
    say "these are Debian's names of packages, and this is ${name:-another system}: there a package may have another" >&2
}

install_packages() {
  if ! command -v dpkg-query apt-get >/dev/null; then
    say "this system has no apt: install the equivalents of: ${packages[*]}"  # CMake reports what it does not find
    return
  fi
  local missing log
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  if ! find_root; then
    say "these packages are missing, and only an administrator can install them, with:" >&2
    echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  say "installing ${#missing[@]} package(s) with apt-get: ${missing[*]}"
  log=$(mktemp)
  # An update may fail for an unrelated source; the installation then shows what is missing.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update </dev/null >"$log" 2>&1 || true
  mapfile -t missing < <(missing_packages)  # a container's lists were empty
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
      -o DPkg::Lock::Timeout=300 "${missing[@]}" </dev/null >>"$log" 2>&1 ||
    { tail -n 15 "$log" >&2; explain_names; fail "apt-get could not install them; its output is above, and in $log"; }
  rm -f "$log"
}

install_cuda() {
  [[ $wheels ]] || return 0
  say "no CUDA Toolkit 12.3 or newer found: fetching NVIDIA's wheels ($cuda_toolkit) into third_party/.cuda"
  local part="$here/.cuda.part" python=/usr/bin/python3  # Debian's own, which python3-pip belongs to
  [[ -x $python ]] || python=python3
  rm -rf "$part"
  "$python" -m pip --disable-pip-version-check install --quiet --no-input --no-cache-dir \
    --root-user-action=ignore --only-binary :all: --target "$part" "$cuda_toolkit" </dev/null ||
    { rm -rf "$part"; fail "the wheels could not be fetched; to use another toolkit: CUDACXX=/path/to/nvcc app/run"; }
  # The wheels share one tree. It lacks only the names that a linker needs: lib64, and libraries without a version.
  local tree="$part/nvidia/cu13" library
  ln -s lib "$tree/lib64"
  for library in "$tree"/lib/lib*.so.*; do
    ln -sf "$(basename "$library")" "${library%%.so.*}.so"
  done
  mkdir -p "$tree/licences"
  cp -r "$part"/*.dist-info "$tree/licences/"
  rm -rf "$here/.cuda"
  mv "$tree" "$here/.cuda"
  rm -rf "$part"
  "$here/find_nvcc.sh" >/dev/null ||
    fail "third_party/.cuda/bin/nvcc does not run here; to use another toolkit: CUDACXX=/path/to/nvcc app/run"
}

# Two libraries of the wheel, copied to those of the toolkit wheels; found there at run time.
install_npp() {
  local folder="$here/.cuda/lib" part="$here/.npp.part" python=/usr/bin/python3
  [[ -e $folder/libnppist.so.13 ]] && { say "NPP is in $folder already"; return; }
  [[ -x $python ]] || python=python3
  rm -rf "$part"
  "$python" -m pip --disable-pip-version-check install --quiet --no-input --no-cache-dir --no-deps \
    --root-user-action=ignore --only-binary :all: --target "$part" "$npp" </dev/null ||
    { rm -rf "$part"; fail "NPP could not be fetched; everything else works without it"; }
  mkdir -p "$folder" "$here/.cuda/licences"
  cp "$part"/nvidia/cu13/lib/libnppc.so.13 "$part"/nvidia/cu13/lib/libnppist.so.13 "$folder/"
  cp -r "$part"/*.dist-info "$here/.cuda/licences/"
  rm -rf "$part"
  say "NPP is in $folder"
}

# What the Python module is built and tested with, in an environment of its own.
install_python() {
  local folder="$here/.python" python=/usr/bin/python3
  [[ $tests && ! -e $folder/.complete ]] || return 0
  say "fetching what tests of the Python module need from PyPI into third_party/.python"
  rm -rf "$folder"
  if "$python" -m venv "$folder" >/dev/null 2>&1 && "$folder/bin/python3" -m pip --disable-pip-version-check install --quiet --no-input \
      --retries 1 --timeout 20 --only-binary :all: --no-compile \
      nanobind pytest numpy opencv-python-headless scikit-image numba </dev/null >/dev/null 2>&1; then
    touch "$folder/.complete"
    return 0
  fi
  rm -rf "$folder"
  say "PyPI could not be reached: the tests of the Python module are skipped"
}

install_packages
install_python
if [[ ${1:-} == --npp ]]; then install_npp; else install_cuda; fi
