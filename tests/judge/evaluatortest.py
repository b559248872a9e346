# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of an evaluator share, which run as SCRIPT EVALUATOR [DEVICE]: the evaluator, and the skip (status 77) where the
device is missing."""
import os
import sys
import unittest

from evaluatorclient import EvaluatorClient

EVALUATOR = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"


class EvaluatorTest(unittest.TestCase):
    """Each class has an evaluator of its own, which all of its candidates leave working."""

    @classmethod
    def setUpClass(cls):
        cls.client = EvaluatorClient(EVALUATOR)

    @classmethod
    def tearDownClass(cls):
        assert cls.client.close() == 0


def main() -> None:
    if DEVICE != "cpu":
        probe = EvaluatorClient(EVALUATOR)
        names = [device["name"] for device in probe.ask("describe")["devices"]]
        probe.close()
        if DEVICE not in names:
            print(f"skipped: this machine has no {DEVICE}, only {', '.join(names)}")
            sys.exit(77)
    arguments = sys.argv[3:]
    if arguments[:1] == ["--without"]:  # classes, with commas between, that another run has
        for name in arguments[1].split(","):
            delattr(sys.modules["__main__"], name)
        arguments = arguments[2:]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
