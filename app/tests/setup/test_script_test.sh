#!/usr/bin/env bash
# Which tests app/test requests from ctest, with fakes of installation, build, display and ctest; what app/run builds.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

tree=$scratch/tree
mkdir -p "$tree/app" "$tree/.ci" "$tree/third_party" "$tree/build/release/app"
cp app/test app/run "$tree/app/"
cp .ci/run "$tree/.ci/"
fake install.sh ':'
fake build.sh "echo \"\$*\" >$scratch/built"
fake satscope ':'
mv "$scratch/bin"/{install,build}.sh "$tree/third_party/"
mv "$scratch/bin/satscope" "$tree/build/release/app/"
fake xvfb-run 'while [[ $1 == -* ]]; do shift; done; exec "$@"'
fake ctest "echo \"\${CCACHE_DIR:-}\" >$scratch/cache; printf '%s\n' \"\$@\" >$scratch/ctest; echo call >>$scratch/calls"
fake nproc 'echo 7'
export PATH="$scratch/bin:$PATH"

# asks ARGUMENT...: ctest's arguments for app/test ARGUMENT..., one per line
asks() { rm -f "$scratch"/{ctest,calls,built}; "$tree/app/test" "$@" >"$scratch/output" 2>&1 && cat "$scratch/ctest"; }
# excludes LABEL "arguments": whether the regular expression after -LE matches
excludes() { grep -qE "$(grep -xA1 -e -LE <<<"$2" | tail -1)" <<<"$1"; }
keeps() { ! excludes "$@"; }

plain=$(asks)
check "plain: exit 0" [ $? -eq 0 ]
check "plain: everything is built" [ "$(cat "$scratch/built")" = release ]
check "plain: one call of ctest" [ "$(wc -l <"$scratch/calls")" -eq 1 ]
check "plain: on all cores" contains "$plain" $'--parallel\n7'
check "plain: the output of failed tests is shown" contains "$plain" --output-on-failure
for label in host gl gpu simulated; do check "plain: $label" keeps "$label" "$plain"; done
for label in sanitize fuzz observed random compile ci long planted planted-quarter; do
  check "plain: not $label" excludes "$label" "$plain"
done

full=$(asks --full)
for label in host simulated sanitize fuzz observed random compile long planted-quarter; do
  check "--full: $label" keeps "$label" "$full"
done
check "--full: not every planted fault" excludes planted "$full"
check "--full: not what is shortened for --ci" excludes ci "$full"

ci=$(asks --ci)
for label in host gl gpu simulated sanitize fuzz random compile ci; do check "--ci: $label" keeps "$label" "$ci"; done
for label in observed long planted planted-quarter; do check "--ci: not $label" excludes "$label" "$ci"; done
# ci_run UID: what .ci/run -R x does for the user of that number
ci_run() {
  rm -f "$scratch"/{ctest,steps}
  fake id "[[ \$1 != -u ]] || echo $1"
  "$tree/.ci/run" -R x >"$scratch/output" 2>&1
}
export SATSCOPE_CI=$scratch/ci
for program in useradd chown; do fake $program "echo \"$program \$*\" >>$scratch/steps"; done
fake git "shift 5; cp -r \"\$1\" \"\$2\""
fake setpriv "echo \"setpriv \$2\" >>$scratch/steps; ls -A $scratch/ci/home >$scratch/fresh; shift 5; \"\$@\"; echo \"exit \$?\" >>$scratch/steps; exit 5"
fake install.sh "echo \"install \$*\" >>$scratch/steps"
mv "$scratch/bin/install.sh" "$tree/third_party/"
ci_run 1000
check ".ci/run asks for the same" [ "$(cat "$scratch/ctest")" = "$ci"$'\n-R\nx' ]
check ".ci/run as a user needs nothing else" [ "$(cat "$scratch/steps")" = "install --tests" ]
ci_run 0
check ".ci/run as root: the user's result is its own" [ $? -eq 5 ]
check ".ci/run as root: root installs, and a user without rights tests" [ "$(sed "s#$SATSCOPE_CI#CI#" "$scratch/steps")" = "chown satscope-ci:satscope-ci CI/ccache
install --tests
chown -R satscope-ci:satscope-ci CI/home
setpriv satscope-ci
install --tests
exit 0" ]
clone=$SATSCOPE_CI/home
check ".ci/run as root: the same tests" [ "$(sed "s#$clone/satscope#$tree#" "$scratch/ctest")" = "$ci"$'\n-R\nx' ]
check ".ci/run as root: the clone is removed" [ ! -e "$clone" ]
check ".ci/run as root: the compiler's cache is one that stays" [ "$(cat "$scratch/cache")" = "$SATSCOPE_CI/ccache" ]
mkdir "$clone" && touch "$clone/old" "$SATSCOPE_CI/ccache/object"
ci_run 0
check ".ci/run again: the clone is at the same path" [ "$(sed -n 's/^chown -R .* //p' "$scratch/steps")" = "$clone" ]
check ".ci/run again: of a run that was killed nothing is left" [ "$(cat "$scratch/fresh")" = satscope ]
check ".ci/run again: the compiler's cache is that of before" [ -e "$SATSCOPE_CI/ccache/object" ]

planted=$(asks --planted)
check "--planted: nothing else" contains "$planted" $'-L\n^planted'
for label in planted planted-quarter; do check "--planted: $label" keeps "$label" "$planted"; done

check "-R x goes to ctest" [ "$(asks -R x)" = "$plain"$'\n-R\nx' ]
check "--full -L x: both" [ "$(asks --full -L x)" = "$full"$'\n-L\nx' ]
check "an argument with a space stays one argument" [ "$(asks -R 'a b')" = "$plain"$'\n-R\na b' ]
also=$(asks -LE gl)
check "-LE gl is excluded" excludes gl "$also"
check "-LE gl: the default exclusions stay" excludes sanitize "$also"
check "-LE gl: only that" keeps host "$also"
before=$(asks -LE gl --full)
check "-LE gl --full: gl is excluded" excludes gl "$before"
check "-LE gl --full: as in a full run" keeps sanitize "$before"

output=$(asks --help; cat "$scratch/output")
check "--help: the usage" contains "$output" "usage: app/test"
check "--help: nothing is built or run" [ ! -e "$scratch/built" -a ! -e "$scratch/ctest" ]
asks -LE >/dev/null
check "-LE without a label: an error" [ $? -ne 0 ]
fake ctest 'exit 8'
"$tree/app/test" >/dev/null 2>&1
check "the exit code of ctest is returned" [ $? -eq 8 ]

# builds WORD...: prints what app/run WORD... has built
builds() { rm -f "$scratch/built"; "$tree/app/run" "$@" && cat "$scratch/built"; }
# builds_later WORD...: the same, including what is built while the program runs, for which the fake program waits
builds_later() {
  fake satscope 'for i in {1..100}; do grep -q later '$scratch'/built && exit; sleep 0.05; done'
  mv "$scratch/bin/satscope" "$tree/build/release/app/"
  fake build.sh "echo \"\$*\" >>$scratch/built; [[ \$2 == satscope ]] || echo later >>$scratch/built"
  mv "$scratch/bin/build.sh" "$tree/third_party/"
  builds "$@"
}
for words in --version --help "list algorithms" "new mine.cu"; do
  check "app/run $words: only the program" [ "$(builds $words)" = "release satscope" ]
done
for command in sat apply info; do
  check "app/run $command: also the simulated GPU" [ "$(builds $command x)" = "release satscope satscope_simulated" ]
done
for words in "judge mine.cu" "judge --json mine.cu" "clip.mp4 --kernel mine.cu" "sat --kernel=mine.cu 64x64" mine.cu; do
  check "app/run $words: also both simulated GPUs" \
    [ "$(builds $words)" = "release satscope satscope_simulated satscope_observed" ]
done
for words in "" clip.mp4 "--device simulated"; do
  check "app/run $words: the program, then the simulated GPU" \
    [ "$(builds_later $words)" = $'release satscope\nrelease satscope_simulated\nlater' ]
done
mkdir -p "$tree/build/release/gpu/simulated"
touch "$tree/build/release/gpu/simulated/libsatscope_simulated.so"
fake satscope ':'
mv "$scratch/bin/satscope" "$tree/build/release/app/"
check "app/run: the simulated GPU that is there is built with the program" \
  [ "$(builds)" = "release satscope satscope_simulated" ]
check "app/run simulate: also the observed GPU" [ "$(builds simulate 1r1w)" = "release satscope satscope_observed" ]
finish
