#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A key typed in the window, in a real keyring: a session bus and a GNOME keyring of the test's own. check_keyring_window.sh TST_MODELFLOW
set -euo pipefail
source "$(dirname "$0")/../../privatekeyring.sh"
with_private_keyring 100 "$@"

status=0
CUDAL1_KEYRING_FOLDER=$HOME "$program" aKeyIsKeptInTheKeyringAlone >"$HOME/out" 2>&1 || status=$?
cat "$HOME/out"
if grep -q '^SKIP' "$HOME/out"; then exit 77; fi
exit "$status"
