#!/usr/bin/env bash
# Prints the path of the CUDA compiler for the build; exits 1 if there is none. install.sh and cmake/cuda_toolkit.cmake
# both use it.
#
# It is the first of $CUDACXX, nvcc on PATH, /usr/local/cuda, and third_party/.cuda (made by install.sh) that runs and has
# version 12.3 or newer, whose assembler supports .b128. SATSCOPE_CUDA=wheels: only the last one.
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
