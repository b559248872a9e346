# SPDX-License-Identifier: GPL-3.0-or-later
"""A local model without a model: what it answers follows from a part of its path. scripted_model.py SCRIPT.json serve PATH [OPTIONS].

SCRIPT: {"answers": {"step-": [TEXT, ...], "": [TEXT, ...]}, "model_log": FILE}; the first part that the path has counts.
"""
import json
import pathlib
import sys

SCRIPT = json.loads(pathlib.Path(sys.argv[1]).read_text())
PATH = sys.argv[3]
ANSWERS = next(answers for part, answers in SCRIPT["answers"].items() if part in PATH)


def say(kind, number, **fields):
    print(json.dumps({"type": kind, "id": number, **fields}), flush=True)


def main():
    say("hello", 0, protocol=1, program="scripted")
    for line in sys.stdin:
        request = json.loads(line)
        kind, number = request["type"], request.get("id", 0)
        if kind == "info":
            say("facts", number, model=PATH, family="llama", device="cpu", numbers="float32", parameters=7, context=4096)
        elif kind == "generate":
            if SCRIPT.get("model_log"):
                with open(SCRIPT["model_log"], "a") as log:
                    log.write(json.dumps({"path": PATH, **request}) + "\n")
            for i in range(request.get("replies", 1)):
                say("reply", number, reply=i, text=ANSWERS[i % len(ANSWERS)], end="stop", prompt_tokens=3, reply_tokens=2, seconds=0.01)
        elif kind == "quit":
            return


main()
