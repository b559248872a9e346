#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check_selftest.sh CUDAL1 EVALUATOR ARGUMENT…: `cudal1 judge selftest` with the real judge; 77 where the device is missing
# or the machine was busy or unsteady all the time.
program=$1
CUDAL1_EVALUATOR="\"$2\""
export CUDAL1_EVALUATOR
shift 2
errors=$(mktemp) printed=$(mktemp)
trap 'rm -f "$errors" "$printed"' EXIT
"$program" judge selftest "$@" >"$printed" 2>"$errors"
status=$?
cat "$printed"
cat "$errors" >&2
# Only this: an evaluator that does not start is a failure, though it ends with the same status.
if [ $status = 3 ] && grep -q "This machine has no device" "$errors"; then
    exit 77
fi
# Nothing follows where times varied so much each time that a canary was judged; the line above says so.
# A failure of any other section stays one: two lines end with "failed" then, that of the canaries and the last.
if [ $status = 1 ] && grep -q "^canaries: Other work wanted the machine, or its clock moved, each time" "$printed" &&
    [ "$(grep -c ' failed$' "$printed")" = 2 ]; then
    exit 77
fi
exit $status
