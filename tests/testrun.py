# SPDX-License-Identifier: GPL-3.0-or-later
"""How tests in Python that start programs are run, and how they wait. Made of the standard library alone.

A test is a function whose name begins with "test_"; run(globals()) runs them all.
"""
import os
import sys
import time
import traceback

# The thread sanitizer slows programs down, and hands a signal to one when that next does something: one that waits is not told.
HOLDS_SIGNALS = "TSAN_OPTIONS" in os.environ
DEADLINE = 240 if HOLDS_SIGNALS else 60


def until(condition, what):
    """Polls what only another process can change; gives what the condition gave."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("not within the deadline: " + what)


def run(names):
    """Runs all tests, or those that are named behind the two programs of the command line. Ends the process: 1 when one has failed."""
    failed = []
    chosen = sys.argv[3:]
    for name, test in list(names.items()):
        if not name.startswith("test_") or (chosen and name not in chosen):
            continue
        began = time.monotonic()
        try:
            test()
            print(f"passed {name} in {time.monotonic() - began:.1f} s", flush=True)
        except Exception:
            failed.append(name)
            traceback.print_exc()
            print(f"FAILED {name}", flush=True)
    print("failed: " + ", ".join(failed) if failed else "all passed")
    sys.exit(1 if failed else 0)
