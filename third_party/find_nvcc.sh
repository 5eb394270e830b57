#!/usr/bin/env bash
# Prints the path of the CUDA compiler to build with; exits 1 where there is none. The one place that decides:
# install.sh and cmake/cuda_toolkit.cmake both ask it.
#
# The first that runs and is version 12.3 or newer (the first whose assembler knows .b128) of: $CUDACXX, nvcc on PATH, /usr/local/cuda, third_party/.cuda (put
# there by install.sh). SATSCOPE_CUDA=wheels looks at the last one only.
set -u
wheels=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/.cuda/bin/nvcc

candidates=("$wheels")
if [[ ${SATSCOPE_CUDA:-} != wheels ]]; then
  candidates=("${CUDACXX:-}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc "$wheels")
fi
for nvcc in "${candidates[@]}"; do
  [[ -n $nvcc && -x $nvcc ]] || continue
  [[ $("$nvcc" --version 2>/dev/null) =~ release\ ([0-9]+)\.([0-9]+) ]] || continue
  if ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 1203)); then
    echo "$nvcc"
    exit 0
  fi
done
exit 1
