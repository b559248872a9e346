#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the build to a folder of its own and asks the programs there what they find. Usage: tst_install.sh CMAKE BUILD.
set -uo pipefail
cmake=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_DATA_HOME=$work/data
unset CUDAL1_EVALUATOR CUDAL1_JUDGE_CORPUS
failures=0

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# expect TEXT COMMAND...: the text in what it prints; without a command in what the one before printed.
expect() {
    local text=$1; shift
    [[ $# == 0 ]] || { asked=$*; out=$("$@" 2>&1); }
    if [[ $out == *"$text"* ]]; then echo "pass $asked: $text"; else echo "FAIL $asked: '$text' is not in:"; echo "$out"; failures=$((failures + 1)); fi
}
expect "250 in $work/prefix/share/cudal1/kernelbench" "$work/prefix/bin/cudal1" doctor
expect "✓ evaluator"
expect ".TH CUDAL1 1" cat "$work/prefix/share/man/man1/cudal1.1"
expect "complete -o filenames -F _cudal1" cat "$work/prefix/share/bash-completion/completions/cudal1"
expect "3/41" "$work/prefix/bin/cudal1" tasks --level 3
expect "$work/data" "$work/prefix/bin/cudal1" sample
sample=$out
expect "local: smollm2" "$work/prefix/bin/cudal1" --project "$sample" samples 1/19
expect "training.json" ls "$(dirname "$sample")/contrastive"
exit $((failures > 0))
