#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# measure-gpus with programs that only print: jobs, markers, going on, failures, the end of the time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "tst_measure_gpus: $*" >&2; exit 1; }
measure() { "${PYTHON:-python3}" "$here/measure-gpus" "$work/bin" "$work/out" --gpus 0,1 --jobs baselines "$@" >"$work/printed" 2>&1; }
program() { printf '#!/bin/sh\n%s\n' "$1" >"$work/bin/cudal1"; chmod +x "$work/bin/cudal1"; }

mkdir "$work/bin"
measure && fail "runs without programs"
grep -q 'is no program' "$work/printed" || fail "does not say which program is missing"
program 'echo "GPU $CUDA_VISIBLE_DEVICES"; for task; do case $task in [123]/*) echo "task $task" ;; esac; done'
cp "$work/bin/cudal1" "$work/bin/cudal1-evaluator"

measure || fail "$(cat "$work/printed")"
[ "$(cat "$work"/out/*.log | grep '^task' | sort -u | wc -l)" = 250 ] || fail "not all tasks were measured"
[ "$(cat "$work"/out/*.log | grep -c '^task')" = 250 ] || fail "a task was measured twice"
[ "$(cat "$work"/out/*.log | grep '^GPU' | sort -u | wc -l)" = 2 ] || fail "not both GPUs took part"

program 'exit 9'
measure || fail "does again what is done"
rm "$work/out/baselines-03.done"
measure && fail "hides a failure"
grep -q 'Not done: baselines-03' "$work/printed" || fail "does not name what failed"
[ ! -e "$work/out/baselines-03.done" ] || fail "marks a failure as done"

program 'trap "echo interrupted; exit 5" INT; while :; do sleep 0.1; done'
measure --seconds 1 && fail "calls an interrupted job done"
grep -q '^interrupted' "$work/out/baselines-03.log" || fail "does not interrupt when the time is up"
measure --jobs nonsense && fail "takes a job that is none"
echo "measure-gpus: all as expected"
