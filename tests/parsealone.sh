#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# parsealone.sh COMPILER ARGUMENTS…: only parses the file that the compiler would compile. The object is an empty file.
# What is to be precompiled is, since others need it.
[[ " $* " != *" -x c++-header "* ]] || exec "$@"
"$@" -fsyntax-only || exit
while [[ $1 != -o ]]; do shift; done
: >"$2"
