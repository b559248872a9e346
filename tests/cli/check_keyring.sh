#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Keys of models in a real keyring: a session bus and a GNOME keyring of the test's own. check_keyring.sh CUDAL1
set -euo pipefail

if [[ ${1:-} != --inside ]]; then
    for tool in dbus-run-session gnome-keyring-daemon; do
        command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (packages dbus and gnome-keyring)"; exit 77; }
    done
    home=$(mktemp -d)
    trap 'rm -rf "$home"' EXIT
    env -u DISPLAY -u WAYLAND_DISPLAY HOME="$home" XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/share" \
        XDG_RUNTIME_DIR="$home" XDG_CACHE_HOME="$home/cache" timeout 60 dbus-run-session -- "$0" --inside "$(realpath "$1")"
    exit
fi

cudal1=$2
key=sk-Keyring-4711-abcdefgh
fail() { echo "FAIL: $*"; exit 1; }

printf 'password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || { echo "skipped: the keyring does not start"; exit 77; }
add=("$cudal1" models add kept --url http://127.0.0.1:1/v1 --model m --key-keyring)

if "${add[@]}" </dev/null 2>"$HOME/err"; then fail "a model was added without its key"; fi
if grep -q 'built without QtKeychain' "$HOME/err"; then echo "skipped: built without QtKeychain"; exit 77; fi
grep -q 'No key was given' "$HOME/err" || fail "$(cat "$HOME/err")"
"$cudal1" models list | grep -q 'no models yet' || fail "it was kept all the same"

echo "$key" | "${add[@]}" >"$HOME/out" 2>&1 || fail "$(cat "$HOME/out")"
"$cudal1" models list >>"$HOME/out" 2>&1
grep -q 'in the keyring' "$HOME/out" || fail "the list does not say that the key is there: $(cat "$HOME/out")"
# The key is read for the question; nobody answers at that port.
status=0
"$cudal1" models test kept --limit 5 >>"$HOME/out" 2>&1 || status=$?
[[ $status == 3 ]] && grep -q 'connection was refused' "$HOME/out" || fail "test: $status $(cat "$HOME/out")"

# Neither in what was printed nor in any file, the keyring's own (which is encrypted) among them.
if grep -rqF "$key" "$HOME"; then fail "the key is in $(grep -rlF "$key" "$HOME")"; fi

"$cudal1" models remove kept >>"$HOME/out" 2>&1 || fail "$(cat "$HOME/out")"
sed "s/\"version\": 1/&/; s/\"models\": \[\]/\"models\": [{\"name\": \"kept\", \"url\": \"http:\/\/127.0.0.1:1\", \"model\": \"m\", \"key\": {\"keyring\": true}}]/" \
    -i "$XDG_CONFIG_HOME/cudal1-workbench/models.json"
"$cudal1" models list | grep -q 'not in the keyring' || fail "the key was not removed with its model"
status=0
"$cudal1" models test kept >>"$HOME/out" 2>&1 || status=$?
[[ $status == 2 ]] && grep -q 'has no key for the model kept' "$HOME/out" || fail "test without key: $status $(cat "$HOME/out")"
echo "keys come into the keyring, are found, stay there alone, and go with their model"
