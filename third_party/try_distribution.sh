#!/usr/bin/env bash
# Tries satscope in another release of Debian or Ubuntu as a new user there would: in a folder of its own, a clone of this
# checkout's last commit, app/run without a display, and app/test.
# Usage: third_party/try_distribution.sh [--cuda FOLDER] SUITE [FOLDER]
#
# SUITE is trixie, bookworm, noble ... and FOLDER /var/tmp/satscope-SUITE unless given. What is there is used again, the build
# included; to begin anew, remove it. --cuda: a toolkit of this machine, /usr/local/cuda for instance, is seen there as
# /usr/local/cuda; otherwise it builds without CUDA. Needs root (to change the root folder and to mount) and debootstrap.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
say() { echo "satscope: $*"; }
fail() { echo "satscope: $*" >&2; exit 1; }

# In namespaces of its own, so that its mounts and processes end with it, however it ends: TREE USER CUDA COMMAND...
if [[ ${1:-} == --inside ]]; then
  tree=$2 user=$3 cuda=$4
  shift 4
  mount -t proc proc "$tree/proc"
  # Of /dev only what every system has: no device of this machine, no GPU.
  mount -t tmpfs -o mode=755 tmpfs "$tree/dev"
  for node in null zero full random urandom tty; do
    : >"$tree/dev/$node"
    mount --bind "/dev/$node" "$tree/dev/$node"
  done
  mkdir "$tree"/dev/{shm,pts}
  mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$tree/dev/pts"
  ln -s pts/ptmx "$tree/dev/ptmx"
  ln -s /proc/self/fd "$tree/dev/fd"
  for i in 0 1 2; do ln -s "/proc/self/fd/$i" "$tree/dev/$(cut -d' ' -f$((i + 1)) <<<'stdin stdout stderr')"; done
  if [[ $cuda ]]; then
    mkdir -p "$tree/usr/local/cuda"
    mount --bind -o ro "$cuda" "$tree/usr/local/cuda"
  fi
  # A login's environment: nothing of this machine's.
  exec chroot "$tree" /usr/bin/env -i TERM="${TERM:-dumb}" LANG=C.UTF-8 /bin/su - "$user" -c "$*"
fi

arguments=$*
cuda=
if [[ ${1:-} == --cuda && $# -ge 2 ]]; then
  cuda=$(readlink -e "$2") || fail "there is no $2"
  shift 2
fi
if [[ $# -lt 1 || $# -gt 2 || $1 == -* ]]; then
  echo "usage: third_party/try_distribution.sh [--cuda FOLDER] SUITE [FOLDER]" >&2
  exit 2
fi
suite=$1
tree=$(readlink -m "${2:-/var/tmp/satscope-$suite}")
((EUID == 0)) || fail "this needs root: sudo third_party/try_distribution.sh $arguments"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

# inside USER COMMAND. unshare ignores all signals but KILL, which ends what it has started, too.
running=
trap '[[ ! $running ]] || kill -KILL "$running"' EXIT
trap 'exit 130' INT TERM HUP
inside() {
  local status=0
  unshare --mount --pid --fork --kill-child -- "${BASH_SOURCE[0]}" --inside "$tree" "$1" "$cuda" "$2" </dev/null &
  running=$!
  wait "$running" || status=$?
  running=
  return "$status"
}

log=$tree.log
# quietly COMMAND...: its output only if it fails
quietly() { "$@" >"$log" 2>&1 || { tail -n 15 "$log" >&2; fail "that failed; its output is above, and in $log"; }; }

if [[ ! -e $tree/usr ]]; then
  say "making $tree with debootstrap"
  rm -rf "$tree.part"
  quietly debootstrap --variant=minbase "$suite" "$tree.part"
  mkdir -p "$tree"
  mv "$tree.part"/* "$tree"
  rmdir "$tree.part"
fi

# The network is this machine's.
cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
apt-config dump | grep -iE '^Acquire::(https?::Proxy|Check-)' >"$tree/etc/apt/apt.conf.d/99network" || true
newcomer=newcomer
if [[ ! -e $tree/etc/sudoers.d/$newcomer ]]; then
  say "adding a user with sudo, and git"
  quietly inside root "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    sudo git ca-certificates && useradd -m -s /bin/bash $newcomer"
  echo "$newcomer ALL=(ALL) NOPASSWD: ALL" >"$tree/etc/sudoers.d/$newcomer"
fi

home=$tree/home/$newcomer clone=$tree/home/$newcomer/satscope
say "cloning $(git -C "$root" log -1 --format='%h "%s"')"
if [[ ! -e $clone ]]; then
  quietly git clone --no-local "$root" "$clone"
else
  quietly git -c safe.directory="$clone" -C "$clone" fetch "$root" HEAD
  quietly git -c safe.directory="$clone" -C "$clone" checkout --detach FETCH_HEAD
fi
chown -R --reference="$home" "$clone"

# step WHAT COMMAND...: in the clone
step() {
  say "$1"
  local before=$SECONDS
  inside $newcomer "cd satscope && $2" || fail "it failed after $((SECONDS - before)) s: $2"
  say "that took $((SECONDS - before)) s"
}
rm -rf "$clone/satscope-out"
step "app/run, until its first results" "app/run"
[[ -s $clone/satscope-out/screenshot.png ]] || fail "app/run has left no picture in $clone/satscope-out"
step "app/test" "app/test"
say "satscope works on $(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' "$tree/etc/os-release"); $tree stays for the next time"
