#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks what bootstrap says and leaves behind when it cannot go on; works on a copy, fetches and builds nothing.
set -uo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# A clean clone as far as bootstrap can see, and a folder of stand-ins that come first in PATH.
fresh() {
    rm -rf "$work/clone" "$work/fakes"
    mkdir -p "$work/clone" "$work/fakes"
    cp "$source_dir"/{bootstrap,CMakePresets.json,requirements.lock} "$work/clone/"
}

fake() { # NAME SCRIPT
    printf '#!/bin/bash\n%s\n' "$2" >"$work/fakes/$1"
    chmod +x "$work/fakes/$1"
}

# expect NAME STATUS TEXT -- COMMAND…: the status, the text in what is printed, and nothing built.
expect() {
    local name=$1 status=$2 text=$3 got out; shift 4
    out=$(cd "$work/clone" && env -u CUDAL1_PYTHON -u CUDAL1_JSON_INCLUDE PATH="$work/fakes:$PATH" "$@" 2>&1); got=$?
    if [[ $got != "$status" ]]; then echo "FAIL $name: status $got, expected $status"; echo "$out"; failures=$((failures + 1))
    elif [[ $out != *"$text"* ]]; then echo "FAIL $name: '$text' is not in:"; echo "$out"; failures=$((failures + 1))
    elif [[ -e $work/clone/build/venv || -e $work/clone/build/release ]]; then
        echo "FAIL $name: it left something half done"; failures=$((failures + 1))
    else echo "pass $name"; fi
}

fresh
expect "help" 0 "Usage: ./bootstrap" -- ./bootstrap --help
expect "unknown word" 2 "'install' is not known" -- ./bootstrap install
expect "two actions" 2 "Only one of run and test" -- ./bootstrap run test
expect "jobs without a number" 2 "--jobs needs a number" -- ./bootstrap --jobs
expect "headless run" 2 "without --headless" -- ./bootstrap --headless run
expect "no interpreter there" 3 "'/nonexistent/python', which is no program" -- \
    env CUDAL1_PYTHON=/nonexistent/python ./bootstrap --no-packages

# Interpreters that answer the three questions: version of torch, header, shared library.
for name in g++ cmake ninja; do fake $name 'exit 0'; done
fake python-old    'printf "2.10.1\nTrue\nTrue\n"'
fake python-none   'printf "none: No module named torch\nTrue\nTrue\n"'
fake python-bare   'printf "2.11.0\nFalse\nTrue\n"'
fake python-static 'printf "2.11.0\nTrue\nFalse\n"'
fake python-broken 'exit 1'
expect "other torch" 3 "torch 2.10.1, and this version of the workbench is built against 2.11" -- \
    env CUDAL1_PYTHON="$work/fakes/python-old" ./bootstrap --no-packages
expect "no torch" 3 "cannot import torch" -- env CUDAL1_PYTHON="$work/fakes/python-none" ./bootstrap --no-packages
expect "no headers" 3 "has no Python.h" -- env CUDAL1_PYTHON="$work/fakes/python-bare" ./bootstrap --no-packages
expect "static Python" 3 "no shared libpython" -- env CUDAL1_PYTHON="$work/fakes/python-static" ./bootstrap --no-packages
expect "broken Python" 3 "does not run Python code" -- env CUDAL1_PYTHON="$work/fakes/python-broken" ./bootstrap --no-packages
expect "relative interpreter" 3 "has no Python.h" -- env CUDAL1_PYTHON=../fakes/python-bare ./bootstrap --no-packages

fresh
fake uname 'if [[ $1 == -m ]]; then echo aarch64; else echo Linux; fi'
expect "other processor" 3 "This is Linux on aarch64" -- ./bootstrap

# What follows comes after the check of the distribution.
case $(. /etc/os-release; echo "$ID-${VERSION_ID:-}") in
    debian-12|ubuntu-24.04) ;;
    *) echo "skip little disk, no network: bootstrap does not know this distribution"; exit $((failures > 0)) ;;
esac
fresh
fake dpkg-query 'echo "ii "' # every package is there
fake df 'printf "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 9 9 3145728 9%% /\n"'
expect "little disk" 3 "3 GB of free disk and the steps ahead need about 8 GB" -- ./bootstrap
fake df 'printf "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 9 9 94371840 9%% /\n"'
fake timeout 'exit 1' # no host answers
expect "no network" 3 "index.example cannot be reached" -- \
    env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY -u all_proxy \
    PIP_INDEX_URL=https://user@index.example:8443/simple ./bootstrap

if ((failures)); then echo "$failures failed"; exit 1; fi
