#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Keys of models in a real keyring: a session bus and a GNOME keyring of the test's own. check_keyring.sh CUDAL1
set -euo pipefail

source "$(dirname "$0")/../privatekeyring.sh"
with_private_keyring 60 "$@"

cudal1=$program
key=sk-Keyring-4711-abcdefgh
fail() { echo "FAIL: $*"; exit 1; }

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
