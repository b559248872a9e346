# SPDX-License-Identifier: GPL-3.0-or-later
# For scripts that test a real keyring: `source` this, then `with_private_keyring SECONDS "$@"` first of all. It starts the script again
# in a home, a session bus and a GNOME keyring of its own, as `SCRIPT --inside PROGRAM`, and returns there alone, with the program in
# $program and the home in $HOME. Ends with 77 where a tool is missing.
with_private_keyring() {
    local seconds=$1 home
    shift
    if [[ ${1:-} == --inside ]]; then
        program=$2
        printf 'password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || { echo "skipped: the keyring does not start"; exit 77; }
        return
    fi
    for tool in dbus-run-session gnome-keyring-daemon; do
        command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (packages dbus and gnome-keyring)"; exit 77; }
    done
    home=$(mktemp -d)
    trap "rm -rf '$home'" EXIT
    mkdir -m 700 "$home/run"
    env -u DISPLAY -u WAYLAND_DISPLAY HOME="$home" XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/share" XDG_CACHE_HOME="$home/cache" \
        XDG_RUNTIME_DIR="$home/run" QT_QPA_PLATFORM=offscreen timeout "$seconds" dbus-run-session -- "$0" --inside "$(realpath "$1")"
    exit
}
