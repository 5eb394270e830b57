#!/usr/bin/env bash
# third_party/install.sh, find_nvcc.sh and find_clang.sh, with fakes of dpkg-query, apt-get, apt-cache, sudo and compilers:
# nothing is installed. And what try_distribution.sh needs.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

# A copy that any user can read, without a toolkit of its own.
mkdir "$scratch/third_party"
cp third_party/*.sh "$scratch/third_party/"
mkdir "$scratch/third_party/.python"
touch "$scratch/third_party/.python/.complete"  # nothing is fetched from PyPI
chmod -R a+rX "$scratch"
install="$scratch/third_party/install.sh"
find_nvcc="$scratch/third_party/find_nvcc.sh"
find_clang="$scratch/third_party/find_clang.sh"
fake apt-get "echo \"\$*\" >>$scratch/apt.log"
fake apt-cache 'printf "%s\n" $LISTS'
fake sudo 'exit 1'
export LISTS="clang-format-14 clang-16 libclang-rt-16-dev"
fake dpkg-query 'shift 3; for package; do echo "$package installed"; done'
fake nvcc 'echo "Cuda compilation tools, release 12.4, V12.4.99"'
mkdir "$scratch/devices"
export PATH="$scratch/bin:$PATH" SATSCOPE_DEVICES=$scratch/devices
unset CUDACXX SATSCOPE_CUDA

# As a user who is not root, even if the tests run as root.
as_user=()
((EUID == 0)) && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)

output=$("$install" --tests 2>&1)
check "nothing missing: exit 0" [ $? -eq 0 ]
check "nothing missing: no output" [ -z "$output" ]
check "nothing missing: apt-get is not called" [ ! -e "$scratch/apt.log" ]

fake dpkg-query 'shift 3; for package; do [[ $package == cmake ]] || echo "$package installed"; done
echo "cmake not-installed"; exit 1'
output=$("${as_user[@]}" "$install" 2>&1 </dev/null)
check "no root, no sudo: exit 1" [ $? -eq 1 ]
check "no root, no sudo: the one command" \
  contains "$output" "apt-get update && apt-get install -y --no-install-recommends cmake"
check "no root, no sudo: two lines" [ "$(wc -l <<<"$output")" -eq 2 ]
check "no root, no sudo: apt-get is not called" [ ! -e "$scratch/apt.log" ]

fake sudo '[[ $1 == -n ]] && shift; exec "$@"'
touch "$scratch/apt.log"; chmod 666 "$scratch/apt.log"
output=$("${as_user[@]}" "$install" 2>&1 </dev/null)
check "sudo: exit 0" [ $? -eq 0 ]
check "sudo: apt-get installs what is missing, and only that" \
  grep -qE '^-q install -y --no-install-recommends .* cmake$' "$scratch/apt.log"
check "sudo: one line reports it" [ "$output" = "satscope: installing 1 package(s) with apt-get: cmake" ]

fake apt-get '[[ $2 == update ]] || { echo "E: Unable to locate package cmake"; exit 100; }'
output=$("${as_user[@]}" "$install" 2>&1 </dev/null)
check "apt-get fails: exit 1" [ $? -eq 1 ]
check "apt-get fails: its output is shown" contains "$output" "Unable to locate package cmake"

for name in "Debian GNU/Linux 12 (bookworm)" "Ubuntu 22.04.5 LTS"; do
  echo "PRETTY_NAME=\"$name\"" >"$scratch/${name%% *}"
done
chmod a+r "$scratch"/{Debian,Ubuntu}
output=$(SATSCOPE_OS_RELEASE=$scratch/Debian "${as_user[@]}" "$install" 2>&1 </dev/null)
check "apt-get fails on Debian: not a word about names" [ "$(grep -c names <<<"$output")" -eq 0 ]
output=$(SATSCOPE_OS_RELEASE=$scratch/Ubuntu "${as_user[@]}" "$install" 2>&1 </dev/null)
check "apt-get fails elsewhere: the names are Debian's" \
  contains "$output" "Debian's names of packages, and this is Ubuntu 22.04.5 LTS"
output=$("$install" --bogus 2>&1)
check "an unknown option: exit 2" [ $? -eq 2 ]

# A folder as PATH, in which a clang of each version given is, with libFuzzer.
clangs() {
  local version
  rm -rf "$scratch"/clangs
  mkdir "$scratch/clangs"
  for version; do
    fake "clang++-$version" "[[ \$1 == -dumpversion ]] && echo $version.0.6 || echo $scratch/clangs/lib$version"
    mv "$scratch/bin/clang++-$version" "$scratch/clangs/"
    mkdir "$scratch/clangs/lib$version"
    touch "$scratch/clangs/lib$version/libclang_rt.fuzzer-x86_64.a"
  done
}
found_clang() { PATH=$scratch/clangs "$BASH" "$find_clang"; }
clangs 14 17 19
check "the oldest clang from 16 on is found" [ "$(found_clang)" = "$scratch/clangs/clang++-17" ]
mkdir "$scratch/clangs/linux"
mv "$scratch"/clangs/lib17/* "$scratch/clangs/linux/"
check "libFuzzer beside the folder that clang names" [ "$(found_clang)" = "$scratch/clangs/clang++-17" ]
rm "$scratch"/clangs/linux/*
check "a clang without libFuzzer is skipped" [ "$(found_clang)" = "$scratch/clangs/clang++-19" ]
clangs 14
found_clang
check "only an old clang: none is found" [ $? -eq 1 ]

# Packages that only some releases have. Nothing optional is installed, no clang is found; sudo installs, and notes it.
printf '#!/bin/bash\nexit 1\n' >"$find_clang"
fake dpkg-query 'shift 3; for package; do [[ $package == *clang* ]] || echo "$package installed"; done'
fake apt-get "echo \"\$*\" >>$scratch/apt.log; [[ \$2 != update ]] || touch $scratch/updated"
# installs PACKAGE...: the packages that install.sh --tests installs where the lists have these
installs() {
  : >"$scratch/apt.log"
  LISTS="$*" "${as_user[@]}" "$install" --tests >/dev/null 2>&1 </dev/null && sed -n 's/.*Timeout=300 //p' "$scratch/apt.log"
}
chmod 777 "$scratch"
check "Debian 12: clang 16 and clang-format 14" \
  [ "$(installs clang-format-14 clang-16 clang-19 libclang-rt-{16,19}-dev)" = "clang-format-14 clang-16 libclang-rt-16-dev" ]
check "a later release: the oldest clang that has libFuzzer" \
  [ "$(installs clang-17 clang-19 libclang-rt-19-dev)" = "clang-19 libclang-rt-19-dev" ]
check "none of them in the lists: exit 0, nothing is installed" [ "$(installs clang-15; echo $?)" = 0 ]
check "tests alone need them" [ -z "$(LISTS=clang-format-14 "${as_user[@]}" "$install" 2>&1)" ]
# Lists are empty in a container before the first update.
rm -f "$scratch/updated"
fake dpkg-query 'shift 3; for package; do [[ $package == *clang* || $package == cmake ]] || echo "$package installed"; done'
fake apt-cache "[[ ! -e $scratch/updated ]] || printf '%s\n' \$LISTS"
check "empty lists: chosen after the update" [ "$(installs clang-format-14)" = "cmake clang-format-14" ]

try=$scratch/third_party/try_distribution.sh
check "trying a distribution: without root, one line" \
  [ "$("${as_user[@]}" "$try" trixie "$scratch/tree" 2>&1)" = \
    "satscope: this needs root: sudo third_party/try_distribution.sh trixie $scratch/tree" ]
"$try" >/dev/null 2>&1
check "trying a distribution: which one must be said (2)" [ $? -eq 2 ]
if ((EUID == 0)); then
  fake debootstrap 'echo "E: no such suite"; exit 1'
  output=$("$try" nonsense "$scratch/tree" 2>&1)
  check "trying a distribution: debootstrap's message is shown" contains "$output" "E: no such suite"
  check "trying a distribution: no folder that is half made" [ ! -e "$scratch/tree" ]
  mkdir "$scratch/few"
  ln -s "$(command -v readlink)" "$(command -v dirname)" "$scratch/few/"
  check "trying a distribution: without debootstrap, one line" \
    [ "$(PATH=$scratch/few "$BASH" "$try" trixie 2>&1)" = "satscope: debootstrap is missing: apt-get install debootstrap" ]
fi

check "nvcc on PATH is used" [ "$("$find_nvcc")" = "$scratch/bin/nvcc" ]
check "SATSCOPE_CUDA=wheels looks elsewhere" [ -z "$(SATSCOPE_CUDA=wheels "$find_nvcc")" ]
mkdir "$scratch/own"
cp "$scratch/bin/nvcc" "$scratch/own/nvcc"
check "CUDACXX comes first" [ "$(CUDACXX=$scratch/own/nvcc "$find_nvcc")" = "$scratch/own/nvcc" ]
fake nvcc 'echo "Cuda compilation tools, release 11.8, V11.8.89"'
check "an nvcc that is too old is skipped" [ "$("$find_nvcc")" != "$scratch/bin/nvcc" ]
fake nvcc 'echo "Cuda compilation tools, release 12.2, V12.2.140"'
check "an nvcc whose assembler lacks .b128 is skipped" [ "$("$find_nvcc")" != "$scratch/bin/nvcc" ]

mkdir -p "$scratch/third_party/.cuda/bin"
cp "$scratch/own/nvcc" "$scratch/third_party/.cuda/bin/nvcc"
check "the wheels are used if there is nothing else" \
  [ "$(SATSCOPE_CUDA=wheels "$find_nvcc")" = "$scratch/third_party/.cuda/bin/nvcc" ]
# Where no CUDA compiler is found, packages and wheels for one are needed with a GPU or by request only.
printf '#!/bin/bash\nexit 1\n' >"$find_nvcc"
fake dpkg-query 'shift 3; for package; do [[ $package == python3-pip ]] || echo "$package installed"; done; exit 1'
fake apt-get 'exit 1'
install_for() {
  local tried
  tried=$(env "$@" "${as_user[@]}" "$BASH" "$install" 2>&1 </dev/null)
  [[ $tried == *"installing 1 package(s) with apt-get: python3-pip"* ]] && echo wheels
}
check "no nvcc, no GPU: no toolkit" [ -z "$(install_for)" ]
check "no nvcc, SATSCOPE_CUDA=on: the wheels" [ "$(install_for SATSCOPE_CUDA=on)" = wheels ]
touch "$scratch/devices/nvidiactl"
check "a driver without a GPU: no toolkit" [ -z "$(install_for)" ]
touch "$scratch/devices/nvidia0"
check "no nvcc, an NVIDIA GPU: the wheels" [ "$(install_for)" = wheels ]
check "a GPU, SATSCOPE_CUDA=off: no toolkit" [ -z "$(install_for SATSCOPE_CUDA=off)" ]
rm "$scratch"/devices/*
touch "$scratch/devices/dxg"
check "no nvcc, a GPU of WSL: the wheels" [ "$(install_for)" = wheels ]
output=$(SATSCOPE_CUDA=maybe "$install" 2>&1)
check "another value of SATSCOPE_CUDA is refused: 1" [ $? -eq 1 ]
check "it says which there are: $output" contains "$output" "is on, off, auto or wheels, not 'maybe'"
finish
