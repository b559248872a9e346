#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A task made of a module is judged against the module itself: check_newtask.sh CUDAL1 EVALUATOR
set -eu
cudal1=$1
export CUDAL1_EVALUATOR="$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_DATA_HOME="$folder/share"

cat > net.py <<'EOF'
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, width, bias=True):
        super().__init__()
        self.linear = nn.Linear(width, 10, bias)

    def forward(self, x, scale):
        return self.linear(x) * scale
EOF
# ModelNew is the very class, so the verdict has to be correct.
{ cat net.py; printf '\n\nclass ModelNew(Net):\n    pass\n'; } > same.py

"$cudal1" tasks new net.py --input "randn(16, 32)" --input 0.5 --init "32, False" > made.txt
cat made.txt
grep -q 'inputs   float32\[16, 32\]' made.txt
grep -q 'outputs  float32\[16, 10\]' made.txt
"$cudal1" evaluate Net_task.py same.py --device cpu --preset quick

# A module that does not take these inputs: the framework's own words, and no file.
if "$cudal1" tasks new net.py --input "randn(16, 33)" --input 0.5 --init 32 -o bad.py 2> bad.txt; then
    echo "a module that cannot run was accepted" >&2
    exit 1
fi
cat bad.txt
grep -q 'shapes cannot be multiplied (16x33 and 32x10) (net.py:10)' bad.txt
test ! -e bad.py

# Data decide the shape: the CPU says what shapes alone cannot.
cat > some.py <<'EOF'
import torch


class Positive(torch.nn.Module):
    def forward(self, x):
        return x[x > 0].sum() if (x > 0).any() else x.sum()
EOF
"$cudal1" tasks new some.py --input "ones(4)" > some.txt
cat some.txt
grep -q 'one run on the CPU' some.txt
