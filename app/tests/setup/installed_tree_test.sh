#!/usr/bin/env bash
# cmake --install into a staging folder: every file is where a distribution expects it, and the program finds its assets
# there and not in the source tree. Usage: installed_tree_test.sh BUILD_FOLDER ASSET_PROBE
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
unset SATSCOPE_ASSETS SATSCOPE_SIMULATED
scratch=$(readlink -f "$scratch")  # as the program names it

check "cmake --install" env DESTDIR="$scratch" cmake --install "$1" --prefix /usr >"$scratch/log" 2>&1
for file in bin/satscope share/satscope/clip.mp4 share/satscope/haarcascade_frontalface_alt2.xml \
            share/applications/satscope.desktop \
            share/icons/hicolor/scalable/apps/satscope.svg share/doc/satscope/LICENSE share/doc/satscope/assets.md \
            share/man/man1/satscope.1 share/metainfo/io.github.satscope.metainfo.xml; do
  check "usr/$file is there" [ -s "$scratch/usr/$file" ]
done
# Each lesson of the presentation that plays a file plays one that is installed.
for file in $(sed -n 's/.*"source": "\([^":]*\)".*/\1/p' app/control/cards.json | sort -u); do
  check "usr/share/satscope/$file, of a lesson, is there" [ -s "$scratch/usr/share/satscope/$file" ]
done
for side in 16 22 24 32 48 64 128 256 512; do
  icon=$scratch/usr/share/icons/hicolor/${side}x$side/apps/satscope.png
  read -r width height < <(od -An -tu4 --endian=big -j16 -N8 "$icon")  # of a PNG file
  check "the icon of $side pixels is there, and has that size" [ "$width $height" = "$side $side" ]
done
# Tools that are not installed are named at the end.
missing=()
if command -v desktop-file-validate >/dev/null; then
  check "the desktop entry is valid" desktop-file-validate "$scratch/usr/share/applications/satscope.desktop"
else
  missing+=(desktop-file-validate)
fi
if command -v appstreamcli >/dev/null; then
  check "the AppStream metadata is valid" appstreamcli validate-tree --no-net "$scratch/usr"
else
  missing+=(appstreamcli)
fi
if [[ -e assets/latencies-h200.json ]]; then
  check "the measured latencies are there" [ -s "$scratch/usr/share/satscope/latencies-h200.json" ]
fi
library=$(cd "$scratch/usr" && find . -path '*/satscope/libsatscope_highgui.so')
check "OpenCV's window is there, in a library of its own: $library" [ -n "$library" ]
check "the installed program runs" "$scratch/usr/bin/satscope" --version
cp "$2" "$scratch/usr/bin/asset_probe"
check "an installed program finds the installed clip" \
  [ "$("$scratch/usr/bin/asset_probe")" = "$scratch/usr/share/satscope/clip.mp4" ]
output=$(unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM; XDG_CONFIG_HOME=$scratch \
  LD_DEBUG=files "$scratch/usr/bin/satscope" --viewer highgui assets/astronaut.png 2>&1)
check "an installed program finds the installed window" contains "$output" "$scratch/usr/${library#./}"
# Kernels for the GPU of this machine have their source lines, for profilers.
command -v nvidia-smi >/dev/null && find "$scratch/usr" -path '*/bin/*' -exec objcopy --remove-section .nv_fatbin {} \;
check "no installed file names the source tree" [ -z "$(cd "$scratch" && grep -rlF -e "$OLDPWD/" -e "$1" usr | tee /dev/stderr)" ]
# Only a program in a build tree looks for NPP in third_party/, to which a link beside it leads.
asked() { LD_DEBUG=files "$1" --help 2>&1 >/dev/null | grep -F "$2"; }
if [[ -x $1/gpu/satscope-bench ]]; then
  check "a program in its build tree looks for NPP there" [ -n "$(asked "$1/gpu/satscope-bench" "$PWD/third_party/.cuda/")" ]
  check "an installed program looks for NPP" [ -n "$(asked "$scratch/usr/bin/satscope-bench" libnpp)" ]
  check "an installed program does so elsewhere" [ -z "$(asked "$scratch/usr/bin/satscope-bench" "$PWD/third_party/")" ]
fi

# app/run builds only the program: what is installed then is everything but the benchmarks.
mkdir -p "$scratch/only/app" "$scratch/only/manual"
(cd "$1" && find . -name cmake_install.cmake -exec cp --parents {} "$scratch/only" \;)
find "$scratch/only" -name cmake_install.cmake -exec sed -i "s|$1|$scratch/only|g" {} +
cp "$1"/app/satscope "$1"/app/libsatscope_highgui.so "$scratch/only/app/"
cp "$1"/manual/satscope.1 "$scratch/only/manual/"
check "a tree that has only the program is installed" \
  env DESTDIR="$scratch/staged" cmake -DCMAKE_INSTALL_PREFIX=/usr -P "$scratch/only/cmake_install.cmake" >"$scratch/log" 2>&1
for file in bin/satscope share/satscope/clip.mp4 share/satscope/haarcascade_frontalface_alt2.xml \
            share/doc/satscope/LICENSE share/man/man1/satscope.1; do
  check "of only the program: usr/$file is there" [ -s "$scratch/staged/usr/$file" ]
done
check "the desktop entry starts an installed program" \
  grep -qx 'Exec=satscope %u' "$scratch/usr/share/applications/satscope.desktop"

# If the simulated GPU is built, the installed program finds the installed one; otherwise it reports that there is none.
info=$("$scratch/usr/bin/satscope" info --json)
check "satscope info: exit 0" [ $? -eq 0 ]
found=$(/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["simulated"].get("path"))' <<<"$info")
library=$(cd "$scratch/usr" && find . -name libsatscope_simulated.so)
if [[ -s $1/gpu/simulated/libsatscope_simulated.so ]]; then
  check "the simulated GPU is installed" [ -n "$library" ]
  check "so are the headers for users' kernels" [ -s "$scratch/usr/${library%/*}/user_kernels/satscope_kernel.cuh" ]
  check "the installed program finds the installed simulated GPU: $found" [ "$found" = "$scratch/usr/${library#./}" ]
  check "satscope new --from copies an installed algorithm" "$scratch/usr/bin/satscope" new "$scratch/mine.cu" --from 2r1w
  check "the copy is that of the source tree" cmp "$scratch/mine.cu" gpu/sat/sat_2r1w.cu
  check "there is one for each algorithm that can be copied" \
    [ "$(cd "$scratch/usr/${library%/*}/user_kernels/gpu/sat" && echo *.cu)" = \
      "$(cd gpu/sat && ls -1 *.cu | grep -v '^sat_cub' | paste -sd ' ')" ]
else
  check "no simulated GPU is built, and none is found: $found" [ "$found" = None ]
fi
((${#missing[@]})) && echo "not tested, because these programs are not installed: ${missing[*]}"
finish
