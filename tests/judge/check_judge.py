# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge on real torch: every verdict, from programs that earn it. Run as: check_judge.py EVALUATOR [DEVICE].

On a device that is not there the whole run is a skip (status 77). The tests are in the files that are imported here, each of
one subject. What follows DEVICE goes to unittest: `-k segfault`, `-k judge_paper`, `RequestTest.test_graph`; before it,
`--without CLASS,CLASS` leaves classes out.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from evaluatortest import main
from judge_accepted import AcceptedTest, SpeedTest
from judge_failures import FailureTest, MemoryTest, WholeMemoryTest
from judge_kept import KeptTest, LongCallsTest
from judge_life import LifeTest
from judge_paper import PaperTest
from judge_requests import CancelTest, RequestTest
from judge_values import ValuesTest

if __name__ == "__main__":
    main()
