#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A project and its copy without samples say the same: tst_without_samples.sh CUDAL1
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/../resources/sample/sample.cudal1" "$folder/whole.cudal1"
"${PYTHON:-python3}" "$here/without-samples" "$folder/whole.cudal1" "$folder/slim.cudal1"
test "$(stat -c %s "$folder/slim.cudal1")" -lt "$(stat -c %s "$folder/whole.cudal1")"
for project in whole slim; do
    "$1" --project "$folder/$project.cudal1" --preset quick baselines --on "NVIDIA H200" --csv "$folder/$project.csv" >/dev/null
    for task in 1/12 3/41; do
        "$1" --project "$folder/$project.cudal1" variants $task
    done >"$folder/$project.txt"
done
cmp "$folder/whole.csv" "$folder/slim.csv"
cmp "$folder/whole.txt" "$folder/slim.txt"
grep -q "5.47" "$folder/slim.txt"
if "${PYTHON:-python3}" "$here/without-samples" "$folder/whole.cudal1" "$folder/slim.cudal1" 2>/dev/null; then
    echo "an existing file was written over" >&2
    exit 1
fi
if "${PYTHON:-python3}" "$here/without-samples" "$0" "$folder/other.cudal1" 2>/dev/null || test -e "$folder/other.cudal1"; then
    echo "what is no project was taken for one" >&2
    exit 1
fi
