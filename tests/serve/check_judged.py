# SPDX-License-Identifier: GPL-3.0-or-later
# The server with the real evaluator on the CPU: what it answers is what was judged.
#
# usage: check_judged.py CUDAL1 EVALUATOR
# Exit status 77, with the reason, where the evaluator is missing.
import os
import sys

if not os.access(sys.argv[2], os.X_OK):
    print(f"skipped: {sys.argv[2]} is not built")
    sys.exit(77)

from servetest import DATA, Server, run  # noqa: E402


class Judged(Server):
    def environment(self):
        return {**os.environ, "CUDAL1_EVALUATOR": sys.argv[2]}


def test_rewards_of_real_candidates():
    with Judged("--device", "cpu", "--preset", "quick") as server:
        same, wrong = ((DATA / name).read_text() for name in ("same.py", "wrong.py"))
        broken = "class ModelNew(:\n"
        for _ in range(3):  # there is no reward while other work wants the machine
            status, _, answer = server.ask("POST", "/rewards", {"task": "1/1", "sources": [same, wrong, broken]}, timeout=240)
            if status != 200 or answer["rewards"][0] is not None:
                break
        assert status == 200 and answer["verdicts"] == ["correct", "incorrect", "does_not_build"], answer
        assert answer["rewards"][1:] == [0, 0] and answer["reasons"][2], answer
        stored = server.ask("POST", "/evaluate", {"task": "1/1", "source": same, "cached": True})[2]
        assert stored["cached"] and stored["evaluation"] == answer["evaluations"][0] and stored["reward"] == answer["rewards"][0]
        busy = any(label["code"] == "crowded" for label in stored["labels"])
        assert answer["rewards"][0] is None if busy else answer["rewards"][0] > 0.1, answer
        assert len(stored["pairs"]) > 1 and stored["device"]["name"] == "cpu", "the evidence is there"


run(globals())
