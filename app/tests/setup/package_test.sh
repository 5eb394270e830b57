#!/usr/bin/env bash
# cpack: the .deb has what the program needs at run time and depends on its libraries; the archive runs where it is unpacked.
# Usage: package_test.sh BUILD_FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
unset SATSCOPE_ASSETS SATSCOPE_SIMULATED
scratch=$(readlink -f "$scratch")  # as the program names it
for program in dpkg-deb dpkg-shlibdeps file; do
  command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
export XDG_CONFIG_HOME=$scratch

# Which packages cpack makes with the programs of the folders in PATH.
generators() {
  printf 'include("%s")\nmessage("${CPACK_GENERATOR}")\n' "$1/CPackConfig.cmake" >"$scratch/generators.cmake"
  "$cmake" -P "$scratch/generators.cmake" 2>&1
}
cmake=$(command -v cmake)
check ".debs and an archive where their programs are installed" [ "$(generators "$1")" = "DEB;TGZ" ]
check "only an archive where they are not" [ "$(PATH=$scratch generators "$1")" = TGZ ]

check "cpack" cpack --config "$1/CPackConfig.cmake" -B "$scratch" -D CPACK_DEBIAN_COMPRESSION_TYPE=none
version=$("$1/app/satscope" --version)
version=${version#satscope }
deb=$scratch/satscope_${version}_$(dpkg --print-architecture).deb
check "the package is named after the version $version" [ -s "$deb" ]
check "it is of that version" [ "$(dpkg-deb -f "$deb" Version)" = "$version" ]
depends=$(dpkg-deb -f "$deb" Depends)
for library in libopencv-videoio libavformat libglfw3 libxcb1 libegl1 libgl1; do
  check "it depends on $library" contains ", $depends" ", $library"
done
check "it recommends the desktop's dialog for files" contains ", $(dpkg-deb -f "$deb" Recommends)" ", libportal1"
contents=$(dpkg-deb -c "$deb")
bench=$(find "$1/gpu" -maxdepth 1 -name satscope-bench)  # not in a build without CUDA
for file in bin/satscope ${bench:+bin/satscope-bench bin/satscope-bench-report} bin/satscope-bench-host \
            share/satscope/clip.mp4 share/satscope/astronaut.png share/man/man1/satscope.1 \
            share/applications/satscope.desktop share/metainfo/io.github.satscope.metainfo.xml \
            share/icons/hicolor/scalable/apps/satscope.svg share/icons/hicolor/512x512/apps/satscope.png; do
  check "it has /usr/$file" grep -q " \./usr/$file$" <<<"$contents"
done
for file in include/satscope.h libsatscope.a libsatscope.so; do
  check "the program alone has no $file" [ -z "$(grep "$file" <<<"$contents")" ]
done
library=$(dpkg-deb -c "$scratch/libsatscope-dev_${version}_$(dpkg --print-architecture).deb")
for file in include/satscope.h lib/libsatscope.a lib/libsatscope.so lib/cmake/satscope/satscope-config.cmake \
            lib/pkgconfig/satscope.pc share/doc/libsatscope-dev/LICENSE; do
  check "the library's package has /usr/$file" grep -q " \./usr/$file\( -> .*\)\?$" <<<"$library"
done
shlibs=$(dpkg-deb -I "$scratch"/libsatscope-dev_*.deb shlibs)
check "dpkg-shlibdeps finds what its users depend on: $shlibs" contains "$shlibs" "libsatscope ${version%.*} libsatscope-dev"
contents+=$'\n'$library
if command -v g++ >/dev/null && command -v pkg-config >/dev/null; then
  dpkg-deb -x "$scratch"/libsatscope-dev_*.deb "$scratch/dev"
  flags=$(PKG_CONFIG_PATH=$scratch/dev/usr/lib/pkgconfig pkg-config --cflags --libs satscope)
  check "a program is built with it" g++ gpu/examples/table_of_file.cpp -o "$scratch/table_of_file" $flags
  printf 'P5\n2 1\n255\nab' >"$scratch/picture.pgm"
  output=$(LD_LIBRARY_PATH=$scratch/dev/usr/lib "$scratch/table_of_file" "$scratch/picture.pgm" "$scratch/table.npy" 2>&1)
  check "and runs: $output" contains "$output" "the sum of all pixels is 195"
fi
check "everything belongs to root" [ -z "$(grep -v ' root/root ' <<<"$contents")" ]
check "nobody else can write to it" [ -z "$(grep -E '^[^l].{4}w|^[^l].{7}w' <<<"$contents")" ]

archive=$(echo "$scratch"/satscope-"$version"-*.tar.gz)
check "the archive can be unpacked anywhere" tar -xzf "$archive" -C "$scratch"
unpacked=${archive%.tar.gz}
cd "$scratch" || exit 1
info=$("$unpacked/bin/satscope" info --json)
if grep -q libsatscope_simulated.so <<<"$contents"; then
  for file in satscope_kernel.cuh build_identity.h gpu/sat.h gpu/sat/sat_2r1w.cu gpu/simulated/cuda/cuda_runtime.h \
              plain.options observed.options; do
    check "it has $file for users' kernels" grep -q "/satscope/user_kernels/$file$" <<<"$contents"
  done
  check "there its program finds its simulated GPU" contains "$info" "$unpacked/lib"
fi
check "and its clip" "$unpacked/bin/satscope" --offscreen --frames 2 --device host --no-config --export "$scratch/clip.json"
check "which it names" contains "$(cat "$scratch/clip.json")" "clip.mp4"
finish
