#!/usr/bin/env bash
# Which tests app/test asks ctest for, with stand-ins for installation, build, display and ctest; what app/run builds.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

tree=$scratch/tree
mkdir -p "$tree/app" "$tree/third_party" "$tree/build/release/app"
cp app/test app/run "$tree/app/"
fake install.sh ':'
fake build.sh "echo \"\$*\" >$scratch/built"
fake satscope ':'
mv "$scratch/bin"/{install,build}.sh "$tree/third_party/"
mv "$scratch/bin/satscope" "$tree/build/release/app/"
fake xvfb-run 'while [[ $1 == -* ]]; do shift; done; exec "$@"'
fake ctest "printf '%s\n' \"\$@\" >$scratch/ctest; echo call >>$scratch/calls"
fake nproc 'echo 7'
export PATH="$scratch/bin:$PATH"

# asks ARGUMENT...: ctest's arguments for app/test ARGUMENT..., one per line
asks() { rm -f "$scratch"/{ctest,calls,built}; "$tree/app/test" "$@" >"$scratch/output" 2>&1 && cat "$scratch/ctest"; }
# leaves_out LABEL "arguments": whether the regular expression after -LE matches
leaves_out() { grep -qE "$(grep -xA1 -e -LE <<<"$2" | tail -1)" <<<"$1"; }
keeps() { ! leaves_out "$@"; }

plain=$(asks)
check "plain: exit 0" [ $? -eq 0 ]
check "plain: everything is built" [ "$(cat "$scratch/built")" = release ]
check "plain: one call of ctest" [ "$(wc -l <"$scratch/calls")" -eq 1 ]
check "plain: on all cores" contains "$plain" $'--parallel\n7'
check "plain: what failed is shown" contains "$plain" --output-on-failure
for label in host gl gpu simulated; do check "plain: $label" keeps "$label" "$plain"; done
for label in sanitize fuzz observed random long planted planted-quarter; do
  check "plain: not $label" leaves_out "$label" "$plain"
done

full=$(asks --full)
for label in host simulated sanitize fuzz observed random long planted-quarter; do
  check "--full: $label" keeps "$label" "$full"
done
check "--full: not every planted fault" leaves_out planted "$full"

planted=$(asks --planted)
check "--planted: nothing else" contains "$planted" $'-L\n^planted'
for label in planted planted-quarter; do check "--planted: $label" keeps "$label" "$planted"; done

check "-R x goes to ctest" [ "$(asks -R x)" = "$plain"$'\n-R\nx' ]
check "--full -L x: both" [ "$(asks --full -L x)" = "$full"$'\n-L\nx' ]
check "an argument with a space stays one" [ "$(asks -R 'a b')" = "$plain"$'\n-R\na b' ]
also=$(asks -LE gl)
check "-LE gl is left out" leaves_out gl "$also"
check "-LE gl: so is all else that was" leaves_out sanitize "$also"
check "-LE gl: only that" keeps host "$also"

output=$(asks --help; cat "$scratch/output")
check "--help: the usage" contains "$output" "usage: app/test"
check "--help: nothing is built or run" [ ! -e "$scratch/built" -a ! -e "$scratch/ctest" ]
asks -LE >/dev/null
check "-LE without a label: an error" [ $? -ne 0 ]
fake ctest 'exit 8'
"$tree/app/test" >/dev/null 2>&1
check "ctest's exit code comes back" [ $? -eq 8 ]

# builds WORD...: what app/run WORD... has built
builds() { rm -f "$scratch/built"; "$tree/app/run" "$@" && cat "$scratch/built"; }
# builds_later WORD...: the same, with what is built while the program runs, which the program's stand-in waits for
builds_later() {
  fake satscope 'for i in {1..100}; do grep -q later '$scratch'/built && exit; sleep 0.05; done'
  mv "$scratch/bin/satscope" "$tree/build/release/app/"
  fake build.sh "echo \"\$*\" >>$scratch/built; [[ \$2 == satscope ]] || echo later >>$scratch/built"
  mv "$scratch/bin/build.sh" "$tree/third_party/"
  builds "$@"
}
for words in --version --help "list algorithms"; do
  check "app/run $words: the program alone" [ "$(builds $words)" = "release satscope" ]
done
for command in sat apply info; do
  check "app/run $command: the simulated GPU, too" [ "$(builds $command x)" = "release satscope satscope_simulated" ]
done
for words in "" clip.mp4 "--device simulated"; do
  check "app/run $words: the program, then the simulated GPU" \
    [ "$(builds_later $words)" = $'release satscope\nrelease satscope_simulated\nlater' ]
done
mkdir -p "$tree/build/release/gpu/simulated"
touch "$tree/build/release/gpu/simulated/libsatscope_simulated.so"
fake satscope ':'
mv "$scratch/bin/satscope" "$tree/build/release/app/"
check "app/run: the simulated GPU is built once" [ "$(builds)" = "release satscope" ]
check "app/run simulate: the observed GPU, too" [ "$(builds simulate 1r1w)" = "release satscope satscope_observed" ]
finish
