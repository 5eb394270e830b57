#!/usr/bin/env bash
# app/run on a built tree: from any folder, through a link, with all arguments, and without building again.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
root=$PWD
program=$root/build/release/app/satscope
if [[ ! -x $program ]]; then
  echo "skipped: this build is not the one that app/run starts (build/release)"
  exit 77
fi

output=$("$root/app/run" --version 2>&1 </dev/null)
check "app/run starts the program: $output" contains "$output" "satscope "
built=$(stat -c %Y "$program")
cd /
output=$("$root/app/run" --version 2>&1 </dev/null)
check "from another folder, again: only the program's output" [ "$output" = "$("$program" --version)" ]
check "from another folder, again: nothing is built" [ "$(stat -c %Y "$program")" = "$built" ]
ln -s "$root/app/run" "$scratch/satscope"
check "through a link" [ "$("$scratch/satscope" --version)" = "$output" ]
"$root/app/run" list nonsense >/dev/null 2>&1 </dev/null
check "arguments are passed on, and the exit code is returned (2: usage)" [ $? -eq 2 ]

library=$root/build/release/gpu/simulated/libsatscope_simulated.so
if [[ -e $library ]]; then
  touch -d 2001-01-01 "$library"  # older than its source
  "$root/app/run" --offscreen --no-config --frames 1 matrix:2x2 >/dev/null 2>&1 </dev/null
  check "a simulated GPU of an older source is built again before the program starts" \
    [ "$(stat -c %Y "$library")" -gt "$(date -d 2002-01-01 +%s)" ]
fi
finish
