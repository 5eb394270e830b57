#!/usr/bin/env bash
# No command but the one for OpenCV's own window loads a GUI toolkit. Usage: light_start_test.sh SATSCOPE
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

# loads WORD...: the files that the dynamic linker initialises for `satscope WORD...`
loads() { LD_DEBUG=files "$program" "$@" 2>&1 >/dev/null | sed -n 's/.*calling init: //p'; }
program=$1
image=assets/astronaut.png
toolkit='/lib(gtk-|gdk-|Qt[0-9]|opencv_highgui)'
for words in --help "list algorithms" "list effects" "info" "sat $image -o $scratch/a.npy" \
             "apply $image --effect box_blur -o $scratch/a.png"; do
  files=$(loads $words)
  check "satscope $words: the linker says what it loads" contains "$files" libopencv_core
  check "satscope $words: no GUI toolkit" [ -z "$(grep -E "$toolkit" <<<"$files")" ]
done

# What it is spared. Without a display; the library is looked for before one is needed.
unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM
export XDG_CONFIG_HOME=$scratch
files=$(loads --viewer highgui "$image")
check "--viewer highgui: OpenCV's window is loaded" contains "$files" libopencv_highgui
mkdir "$scratch/bin"
cp "$program" "$scratch/bin/"
output=$("$scratch/bin/satscope" --viewer highgui "$image" 2>&1)
check "--viewer highgui without its library: an error" [ $? -ne 0 ]
check "--viewer highgui without its library: one line" [ "$(wc -l <<<"$output")" -eq 1 ]
check "--viewer highgui without its library: the cause and what to do" \
  contains "$output" "no highgui viewer: libsatscope_highgui.so is not in $scratch/bin or"
finish
