# SPDX-License-Identifier: GPL-3.0-or-later
"""A trainer without a model, for tests of its client: it keeps count in the folder `out` as cudal1-trainer does, and draws the replies
of a script one after the other.

scripted_trainer.py SCRIPT.json serve. SCRIPT: {"replies": [...], "log": FILE, "kill_at": BATCH, "hang_at": BATCH, "refuse": true, "greet": 2,
"by_seed": true}. The log-probabilities of replies tell by the weights of which step they were drawn; with "by_seed" a reply follows from
its seed alone. What hangs ends when its input does, and the next process goes on.
"""
import json
import os
import pathlib
import signal
import sys

SCRIPT = json.loads(pathlib.Path(sys.argv[1]).read_text())


def say(kind, number, **fields):
    print(json.dumps({"type": kind, "id": number, **fields}), flush=True)


class Training:
    def __init__(self, asked):
        self.out, self.every = pathlib.Path(asked["out"]), asked.get("save_every", 0)
        self.batch = self.step = 0
        if (self.out / "count.json").exists():
            self.batch, self.step = json.loads((self.out / "count.json").read_text())

    def save(self):
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / f"step-{self.step:06}").mkdir(exist_ok=True)
        (self.out / f"step-{self.step:06}" / "trainer.json").write_text(json.dumps({"step": self.step, "batch": self.batch}))
        (self.out / "count.json").write_text(json.dumps([self.batch, self.step]))
        return str(self.out / f"step-{self.step:06}")

    def learn(self, kind, number, request):
        # A real one writes "killed" once, so that the second start goes on.
        mark = self.out / "killed"
        if SCRIPT.get("kill_at") == self.batch and not mark.exists():
            mark.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        mark = self.out / "hung"
        if SCRIPT.get("hang_at") == self.batch and not mark.exists():
            mark.write_text("")
            sys.stdin.read()
            sys.exit(1)
        amount = len(request.get("pairs", request.get("groups", [])))
        self.step += amount > 0
        skipped = "" if amount else "the batch is empty"
        batch, self.batch = self.batch, self.batch + 1
        saved = self.save() if self.every and self.batch % self.every == 0 else ""
        more = {"divergence": 0.01 * (batch + 1), "clip_share": 0.125, "zero_variance_share": 0.5, "reward": 0.5} if kind == "grpo" else {}
        say("step", number, stage=kind, step=self.step, batch=batch, is_last=True, skipped=skipped, loss=1.0 / (batch + 1), saved=saved,
            entropy=0.5, reply_length=2.0, tokens=40, sequences=4, tokens_per_second=100.0, seconds={"learn": 0.3, "optimize": 0.1}, **more)


def main():
    training, drawn = None, 0
    print("scripted trainer is ready", file=sys.stderr, flush=True)
    say("hello", 0, protocol=SCRIPT.get("greet", 1), program="scripted")
    for line in sys.stdin:
        request = json.loads(line)
        kind, number = request["type"], request.get("id", 0)
        if SCRIPT.get("log"):
            with open(SCRIPT["log"], "a") as log:
                log.write(line)
        if kind == "open":
            if SCRIPT.get("refuse"):
                say("error", number, code="invalid_argument", message="The model cannot be trained", context="scripted", hint="Take another")
                continue
            training = Training(request)
            newest = f"step-{training.step:06}" if training.batch else ""
            say("opened", number, step=training.step, batch=training.batch, checkpoint=newest, family="llama", device="cpu", numbers="float32",
                parameters=7, trained=7)
        elif kind in ("sft", "grpo"):
            training.learn(kind, number, request)
        elif kind == "generate":
            for i in range(request["replies"]):
                which = request["settings"]["seed"] + i if SCRIPT.get("by_seed") else drawn
                drawn += 1
                logprob = -0.5 - training.step / 64
                say("reply", number, reply=i, text=SCRIPT["replies"][which % len(SCRIPT["replies"])], end="stop", prompt_tokens=3,
                    reply_tokens=2, tokens=[7, 1], logprobs=[logprob, logprob])
        elif kind == "save":
            say("saved", number, path=training.save(), step=training.step)
        elif kind == "quit":
            return


main()
