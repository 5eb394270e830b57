# Sourced by the script tests: a temporary folder, and checks that print what was expected.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# check "what is expected" command...
check() {
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failures=$((failures + 1)); fi
}
contains() { [[ $1 == *"$2"* ]]; }
# fake NAME 'script': a command found first on the PATH "$scratch/bin:$PATH"
fake() {
  mkdir -p "$scratch/bin"
  printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod -R a+rX "$scratch"; chmod 755 "$scratch/bin/$1"
}
finish() { ((failures == 0)) || exit 1; }
