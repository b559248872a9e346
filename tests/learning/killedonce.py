# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the examples share: the command is killed in its midst, and the same command goes on."""
import subprocess
import sys
import time


def need(*packages):
    """Ends the process as a skip where the interpreter lacks one of them."""
    for name in packages:
        try:
            __import__(name)
        except ImportError:
            print(f"the interpreter has no {name}")
            sys.exit(77)


def killed_once(command, is_midway, deadline, first_output=subprocess.DEVNULL):
    """Kills the command as soon as it is midway, and runs it once more. Gives what that wrote; each has `deadline` seconds."""
    process = subprocess.Popen(command, stdout=first_output)
    end = time.monotonic() + deadline
    while not is_midway() and process.poll() is None:
        assert time.monotonic() < end, "it has not come so far"
        time.sleep(0.2)
    assert process.poll() is None, process.returncode
    process.kill()
    process.wait()
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=deadline, check=False)
    assert ran.returncode == 0, ran.returncode
    return ran.stdout
