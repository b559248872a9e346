#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A key typed in the window, in a real keyring: a session bus and a GNOME keyring of the test's own. check_keyring_window.sh TST_MODELFLOW
set -euo pipefail

if [[ ${1:-} != --inside ]]; then
    for tool in dbus-run-session gnome-keyring-daemon; do
        command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (packages dbus and gnome-keyring)"; exit 77; }
    done
    home=$(mktemp -d)
    trap 'rm -rf "$home"' EXIT
    mkdir -m 700 "$home/run"
    env -u DISPLAY -u WAYLAND_DISPLAY -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME HOME="$home" XDG_RUNTIME_DIR="$home/run" \
        QT_QPA_PLATFORM=offscreen timeout 100 dbus-run-session -- "$0" --inside "$(realpath "$1")"
    exit
fi

printf 'password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || { echo "skipped: the keyring does not start"; exit 77; }
status=0
CUDAL1_KEYRING_FOLDER=$HOME "$2" aKeyIsKeptInTheKeyringAlone >"$HOME/out" 2>&1 || status=$?
cat "$HOME/out"
if grep -q '^SKIP' "$HOME/out"; then exit 77; fi
exit "$status"
