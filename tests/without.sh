#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# without.sh PROGRAM FUNCTION…: runs the functions of a Qt test but these, which are a test of their own.
set -euo pipefail
program=$1
shift
listed=$("$program" -functions)
others=()
while IFS= read -r function; do
    [[ " $* " == *" ${function%()} "* ]] || others+=("${function%()}")
done <<<"$listed"
count=$(wc -l <<<"$listed")
((${#others[@]} == count - $#)) || { echo "Not all of '$*' are functions of $program." >&2; exit 1; }
exec "$program" "${others[@]}"
