#!/usr/bin/env bash
# cmake --install into a staging folder: every file where a distribution expects it, and a program that finds its
# assets there and not in the source tree. Usage: installed_tree_test.sh BUILD_FOLDER ASSET_PROBE
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
unset SATSCOPE_ASSETS

check "cmake --install" env DESTDIR="$scratch" cmake --install "$1" --prefix /usr >"$scratch/log" 2>&1
for file in bin/satscope share/satscope/clip.mp4 share/applications/satscope.desktop \
            share/icons/hicolor/scalable/apps/satscope.svg share/doc/satscope/LICENSE share/doc/satscope/assets.md; do
  check "usr/$file is there" [ -s "$scratch/usr/$file" ]
done
check "the installed program runs" "$scratch/usr/bin/satscope" --version
cp "$2" "$scratch/usr/bin/asset_probe"
check "an installed program finds the installed clip" \
  [ "$("$scratch/usr/bin/asset_probe")" = "$scratch/usr/share/satscope/clip.mp4" ]
check "the desktop entry starts a program that is there" grep -qx 'Exec=satscope %U' "$scratch/usr/share/applications/satscope.desktop"
finish
