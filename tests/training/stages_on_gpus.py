# SPDX-License-Identifier: GPL-3.0-or-later
"""The three stages with a real model on all GPUs of a machine, and a comparison on held-out tasks, until a time limit.

stages_on_gpus.py CUDAL1 MODEL FOLDER [--seconds 1650] [--data FILE] [--sft-steps 130] [--samples 8] [--max-tokens 1600]

CUDAL1 is the command of the program, MODEL a Hugging Face folder or a GGUF file. Stage 1 learns from --data (docs/examples/
collected-h100.jsonl.xz), stage 2 from its own correct programs, and stage 3 twice from the end of stage 2: with exemplars and
as plain GRPO. All train adapters. The first GPU trains and draws, and the others judge; with one GPU it does both. Then each
checkpoint and the model itself are compared on the held-out tasks. Every stage and comparison has its share of the time and
ends in order when that is over. The same command goes on where it was, also on another machine that has nothing but
FOLDER/adapters (10 MB a stage, written when a stage ends): checkpoints are made of them again. Prints a row a checkpoint.
"""
import argparse
import json
import lzma
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Until when each stage may go on, in shares of the time.
ENDS = {"sft": 0.1, "self": 0.36, "grpo": 0.6, "compare": 0.95, "table": 0.98}
RANK = 16
# Tasks of the training split whose calls take from 20 us to 1.5 ms on an H200, so that judging them is quick.
LEARNT = ("1/2 1/3 1/4 1/7 1/17 1/27 1/31 1/34 1/35 1/42 1/48 1/52 1/57 1/69 1/71 1/78 1/84 1/87 1/92 1/96 1/97 2/5 2/6 2/7 2/8 "
          "2/16 2/21 2/22 2/24 2/28 2/30 2/33 2/37 2/45 2/48 2/54 2/56 2/74 2/79 2/88 2/93 2/94 2/100 3/13").split()
CONTRASTED = ("1/34 1/48 1/71 1/92 2/6 2/7 2/8 2/16 2/30 2/33 2/37 2/56 2/79 2/88").split()


class Sitting:
    def __init__(self, options):
        import torch
        self.options, self.begun = options, time.monotonic()
        self.folder = options.folder.resolve()
        self.gpus = [f"cuda:{index}" for index in range(torch.cuda.device_count())] or ["cpu"]
        self.judges = self.gpus[1:] or self.gpus
        (self.folder / "adapters").mkdir(parents=True, exist_ok=True)
        self.synthesised = self.folder / "synthesised"
        if not self.synthesised.exists():
            self.wait([self.start("synthesise", "sft", ["tasks", "synthesise", "--count", 60, "--seed", 7, "-o", self.synthesised])], "sft")
        self.data = self.folder / "data.jsonl"
        packed = options.data.read_bytes()
        self.data.write_bytes(lzma.decompress(packed) if options.data.suffix == ".xz" else packed)

    def left(self, stage):
        return max(5.0, ENDS[stage] * self.options.seconds - (time.monotonic() - self.begun))

    def start(self, name, project, arguments):
        print(f"{time.monotonic() - self.begun:6.0f} s  {name}", flush=True)
        command = [*shlex.split(self.options.cudal1), *map(str, arguments), "--project", str(self.folder / f"{project}.cudal1"), "--json"]
        with open(self.folder / f"{name}.out", "a") as out, open(self.folder / f"{name}.log", "a") as log:
            return subprocess.Popen(command, stdout=out, stderr=log)

    def wait(self, processes, stage):
        end = time.monotonic() + self.left(stage)
        for process in processes:
            try:
                process.wait(max(1.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()

    def checkpoint(self, name):
        steps = sorted(path for path in (self.folder / name).glob("step-*") if (path / "config.json").exists())
        return steps[-1] if steps else None

    def reached(self, name):
        """The checkpoint that the next stage begins with."""
        out = self.checkpoint(name)
        if not out:
            raise SystemExit(f"stages_on_gpus.py: the stage '{name}' left no checkpoint; {self.folder / name}.log says why, or give it more --seconds")
        return out

    def keep_adapter(self, name):
        """The adapter in bfloat16, from which another sitting makes the checkpoint again."""
        import torch
        from safetensors.torch import load_file, save_file
        folder = self.checkpoint(name)
        if folder and (folder / "adapter").exists():
            adapter = load_file(folder / "adapter" / "adapter_model.safetensors")
            save_file({key: value.to(torch.bfloat16) for key, value in adapter.items()}, self.folder / "adapters" / f"{name}.safetensors")

    def made_again(self, name, base):
        """The checkpoint of an earlier sitting: the weights that the stage began with, and its adapter added to them."""
        from safetensors.torch import load_file, save_file
        kept = self.folder / "adapters" / f"{name}.safetensors"
        if self.checkpoint(name) or not kept.exists():
            return
        weights, adapter = load_file(base / "model.safetensors"), load_file(kept)
        scale = 32 / RANK  # alpha of protocol::LoraSettings
        for key, down in adapter.items():
            if key.endswith("lora_A.weight"):
                place = key.removeprefix("base_model.model.").replace(".lora_A.weight", ".weight")
                weights[place] += (adapter[key.replace("lora_A", "lora_B")].float() @ down.float() * scale).to(weights[place].dtype)
        out = self.folder / name / "step-000000"
        out.mkdir(parents=True)
        save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
        for path in base.iterdir():
            if path.suffix == ".json" and path.name != "trainer.json":
                (out / path.name).write_bytes(path.read_bytes())

    def unpacked(self):
        """MODEL as a folder: a GGUF file is unpacked when a training opens it."""
        if (self.options.model / "config.json").exists():
            return self.options.model
        out = self.folder / "unpacked"
        if not (out / "start" / "config.json").exists():
            self.wait([self.start("unpack", "sft", ["train", "sft", "--model", self.options.model, "--data", self.data, "--out", out,
                                                    "--steps", 1, "--batch", 1, "--lora", 1, "--train-device", self.gpus[0].split(":")[0]])], "sft")
        return out / "start"

    def train(self, name, stage, model, project, *arguments):
        return self.start(name, project, ["train", stage, "--model", model, "--out", self.folder / name, "--lora", RANK, "--keep", 1,
                                          "--train-device", self.gpus[0].split(":")[0], *arguments])

    def judged(self, tasks, steps, batch, group, rate):
        return ["--tasks", ",".join(tasks), "--device", ",".join(self.judges), "--steps", steps, "--batch", batch, "--group", group,
                "--epochs", 2, "--minibatches", 2, "--max-tokens", self.options.max_tokens, "--learning-rate", rate, "--decay", "none", "--save-every", 1, "--judge-timeout", 120]

    def stages(self, base):
        self.made_again("sft", base)
        if not self.checkpoint("sft"):
            self.wait([self.train("sft", "sft", base, "sft", "--data", self.data, "--steps", self.options.sft_steps, "--batch", 16,
                                  "--learning-rate", 1e-3, "--warmup", 10, "--pass-tokens", 16384, "--save-every", 40)], "sft")
            self.keep_adapter("sft")
        self.made_again("self", self.reached("sft"))
        if not self.checkpoint("self"):
            self.wait([self.train("self", "self", self.reached("sft"), "self", *self.judged([*LEARNT, str(self.synthesised)], 12, 6, 16, 5e-4))], "self")
            self.keep_adapter("self")
        after = self.reached("self")
        rest = []
        # Exemplars are what stage 2 has found and stored, and what the stage finds: its tasks are so few that they come again.
        for name, project, exemplars in (("contrastive", "self", ["--exemplars", "bucket", "--plain-share", 0.5]), ("plain", "plain", ["--exemplars", "none"])):
            self.made_again(name, after)
            if not self.checkpoint(name):
                rest.append(self.train(name, "contrastive", after, project, *self.judged(CONTRASTED, 20, 6, 8, 3e-4), *exemplars, "--beta", 0.02, "--seed", 1))
        self.wait(rest, "grpo")
        for name in ("contrastive", "plain"):
            self.keep_adapter(name)

    def compare(self, base):
        """All checkpoints on ten tasks and then on the next ten, so that they have had the same tasks when the time is over."""
        folders = [folder for folder in map(self.checkpoint, ("contrastive", "plain", "self", "sft")) if folder] + [base]
        listed = subprocess.run([*shlex.split(self.options.cudal1), "tasks", "--json"], capture_output=True, text=True, check=True)
        tasks = [task["task"] for task in json.loads(listed.stdout)["tasks"] if task["split"] == "held_out"]
        random.Random(1).shuffle(tasks)
        asked = ["train", "compare", *folders, "--samples", self.options.samples, "--device", ",".join(self.judges), "--model-device", self.gpus[0],
                 "--max-tokens", self.options.max_tokens, "--seed", 1]
        for at in range(0, len(tasks), 10):
            if self.left("compare") > 30:
                self.wait([self.start("compare-some", "compare", [*asked, "--tasks", ",".join(tasks[at:at + 10])])], "compare")
        (self.folder / "compare.out").write_text("")
        self.wait([self.start("compare", "compare", asked)], "table")

    def table(self):
        def shown(interval):
            return f"{interval['estimate']:.3f} ({interval['low']:.3f} to {interval['high']:.3f})"
        for row in json.loads((self.folder / "compare.out").read_text())["checkpoints"]:
            folder = pathlib.Path(row["checkpoint"])
            name = folder.parent.name if folder.name.startswith("step-") else "base"
            print(f"{name:12} {row['tasks']:3} tasks  success at 1 {shown(row['success_at_1'])}, at {self.options.samples} "
                  f"{shown(row['success_at_n'])}; above 1.01 at 1 {shown(row['above_1_01_at_1'])}, at {self.options.samples} {shown(row['above_1_01_at_n'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cudal1")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=1650)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "docs/examples/collected-h100.jsonl.xz")
    parser.add_argument("--sft-steps", type=int, default=130)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=1600)
    sitting = Sitting(parser.parse_args())
    base = sitting.unpacked()
    sitting.stages(base)
    sitting.compare(base)
    sitting.table()


if __name__ == "__main__":
    sys.exit(main())
