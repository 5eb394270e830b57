#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json; prints little, and nothing if nothing changed.
# Usage: third_party/build.sh PRESET [TARGET...]
# SATSCOPE_CUDA=on, off or auto: as the CMake option; if it is not set, as the build folder was made.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=$1
shift
build="$root/build/$preset"
say() { echo "satscope: $*"; }

# One build at a time: a second start waits for the first one's result.
if ! mkdir -p "$build" 2>/dev/null || [[ ! -w $build ]]; then
  say "cannot write to $build: start as its owner, or change its owner (chown -R)" >&2
  exit 1
fi
exec 9>"$build/.lock"
flock -n 9 || { say "another build is running; waiting for it"; flock 9; }

cuda=${SATSCOPE_CUDA:-}
[[ $cuda != wheels ]] || cuda=on
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

configure() {
  say "configuring ($preset)"
  if ! cmake --preset "$preset" -S "$root" ${cuda:+"-DSATSCOPE_CUDA=$cuda"} >"$build/configure.log" 2>&1 9>&- </dev/null; then
    cat "$build/configure.log" >&2
    say "could not configure; CMake's output is above" >&2
    exit 1
  fi
  [[ $(cached satscope_cuda_language) != "" ]] ||
    case $(cached SATSCOPE_CUDA) in
      auto) say "no NVIDIA GPU and no CUDA Toolkit here: the algorithms of GPUs run on the simulated GPU, and" \
        "app/run builds them for a GPU once there is one" ;;
      off) say "building without CUDA, as SATSCOPE_CUDA=off says; app/run with SATSCOPE_CUDA=auto builds for a GPU" ;;
    esac
}

# Ninja's output, shortened: one line updated in place on a terminal, otherwise one line every 20 seconds; warnings and
# errors are kept.
show_progress() {
  local line shown=-20 terminal=
  [[ -t 1 ]] && terminal=1
  while IFS= read -r line; do
    case $line in
      "ninja: "*"no work to do."* | "ninja: Entering"* | *"Re-checking globbed directories"* | "-- "*) ;;
      "["*"/"*"] "*)
        if [[ $terminal ]]; then
          printf '\r\033[Ksatscope: building %s' "${line:0:90}"
        elif ((SECONDS - shown >= 20)); then
          say "building ${line%%]*}]"
          shown=$SECONDS
        fi ;;
      *) [[ $terminal ]] && printf '\r\033[K'; printf '%s\n' "$line" ;;
    esac
  done
  [[ $terminal ]] && printf '\r\033[K'
  return 0
}

# A moved tree, or a removed toolkit, leaves a cache that CMake refuses.
if [[ -f $build/CMakeCache.txt ]]; then
  cached=$(grep -E '^(CMAKE_HOME_DIRECTORY|CMAKE_CUDA_COMPILER):' "$build/CMakeCache.txt" | cut -d= -f2)
  while IFS= read -r path; do
    if [[ $path == "$root" || -x $path && ! -d $path ]]; then continue; fi
    say "this build folder was made for $path: configuring again"
    rm -rf "$build"/CMakeCache.txt "$build"/CMakeFiles "$build"/build.ninja
  done <<<"$cached"
fi
if [[ ! -f $build/build.ninja ]]; then
  configure
elif [[ $cuda && $cuda != "$(cached SATSCOPE_CUDA)" ]]; then
  configure
elif [[ $(cached SATSCOPE_CUDA) == auto && -z $(cached satscope_cuda_language) ]] &&
  "$root/third_party/find_nvcc.sh" >/dev/null; then
  say "there is a CUDA Toolkit now: building with CUDA"
  configure
fi
[[ -f $build/.built ]] || say "building ($preset); the first build takes minutes"
# Processes that outlive this script must not inherit the lock.
if ! ninja -C "$build" "$@" 9>&- 2>&1 </dev/null | show_progress 9>&-; then
  say "the build failed; the compiler's output is above" >&2
  exit 1
fi
touch "$build/.built"
