# SPDX-License-Identifier: GPL-3.0-or-later
"""The real trainer, with a model too small to read prompts or to write programs: tiny_trainer.py CUDAL1-TRAINER TEXTS.json serve.

A conversation becomes three tokens that follow from its text, and a reply's text one of TEXTS, by the first token that was drawn. What
is drawn and learnt from are the model's own tokens and log-probabilities.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import threading

TEXTS = json.loads(pathlib.Path(sys.argv[2]).read_text())


def without_messages(prompt):
    if messages := prompt.pop("messages", None):
        digest = hashlib.sha256(json.dumps(messages).encode()).digest()
        prompt["prompt_tokens"] = [20 + byte % 100 for byte in digest[:3]]
    return prompt


def forward(trainer):
    for line in sys.stdin:
        request = without_messages(json.loads(line))
        for group in request.get("groups", []):
            without_messages(group)
        trainer.stdin.write(json.dumps(request) + "\n")
        trainer.stdin.flush()
    trainer.kill()  # as if it had been killed with its client
    trainer.wait()
    pathlib.Path(sys.argv[2]).with_name(f"ended-{os.getpid()}").touch()


def main():
    trainer = subprocess.Popen([sys.argv[1], *sys.argv[3:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    threading.Thread(target=forward, args=(trainer,)).start()
    for line in trainer.stdout:
        answer = json.loads(line)
        if answer["type"] == "reply":
            answer["text"] = TEXTS[answer["tokens"][0] % len(TEXTS)]
        print(json.dumps(answer), flush=True)


main()
