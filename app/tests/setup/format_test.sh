#!/usr/bin/env bash
# Whether C++ and CUDA files are as .clang-format says. Usage: app/tests/setup/format_test.sh [--fix]; --fix formats them.
# With clang-format 14 alone, since other versions differ in details; without it, skipped (77).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
program=
for candidate in clang-format-14 clang-format; do
  if [[ $("$candidate" --version 2>/dev/null) == *"version 14."* ]]; then program=$candidate; break; fi
done
if [[ -z $program ]]; then
  echo "skipped: there is no clang-format 14; third_party/install.sh --tests installs it where the distribution has it"
  exit 77
fi
mapfile -t files < <(find app gpu -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' | sort)
((${#files[@]})) || { echo "there are no files to look at"; exit 1; }
if [[ ${1:-} == --fix ]]; then exec "$program" -i "${files[@]}"; fi
"$program" --dry-run -Werror "${files[@]}" || { echo "app/tests/setup/format_test.sh --fix formats these files"; exit 1; }
