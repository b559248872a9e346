#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""cudal1-trainer against TRL: tokens a second of supervised training, seconds of a whole GRPO step, and peak memory, in one run.

compare_trl.py CUDAL1-TRAINER [--device cpu|cuda] [--numbers float32,bfloat16] [--only sft|grpo] [--model FOLDER] [--json FILE] [sizes]

Both programs are processes of their own that take turns, a step each, and the medians of the steps count; the first step of each is
left out. Without --model it is a model with random weights in the shape of SmolLM2-135M, whose replies always have the whole length.
Memory is the peak of a process's resident memory from its second step on (CPU), or of what torch has allocated (GPU, where all of
--cache-mib counts).

SFT: the same sequences in the same packs, loss on the replies alone, as many packs to a step. TRL packs without padding
(packing="bfd"); with --layout padded it gets batches of single sequences instead. GRPO: the same prompts, --prompts of them with --group
replies of --reply-tokens tokens each, divergence from the first weights with the same weight, one update. TRL samples by transformers'
generate, as GRPOTrainer does where no vLLM is installed. Rewards are the share of even tokens in a reply, or with --judge serve those of
the `cudal1 serve` that CUDAL1_URL and CUDAL1_TOKEN name, for both programs by docs/examples/judge_client.py.

It needs the packages torch, transformers and trl (1.16 was used). On a machine without network they come as wheels:
    pip download --no-deps --only-binary=:all: --python-version 3.12 --platform manylinux_2_28_x86_64 -d wheels \\
        trl==1.16.0 accelerate==1.15.0 datasets==5.2.0 pyarrow pandas dill multiprocess xxhash psutil python-dateutil six
    pip install --no-index --no-deps --target packages wheels/*; PYTHONPATH=packages python compare_trl.py …
where torch 2.11, transformers 5.23 and what these need are there already.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
VOCABULARY = 49152
TEXT = ("The judge measures each candidate against a reference that runs in a process of its own, and writes down how long each call "
        "took. A kernel that is launched once for every row of a matrix spends more time waiting than computing, so we look for ways to "
        "do the same work in fewer launches, with tiles that stay in the registers and loads that other threads can share. ") * 40


def rewards_of(judge, completions, completion_ids):
    """What both programs call. `judge` is empty, or has the task and a correct module for it that each reply is put behind as a comment."""
    if not judge:
        return [sum(token % 2 == 0 for token in ids) / max(len(ids), 1) for ids in completion_ids]
    sys.path.insert(0, str(HERE.parents[1] / "docs/examples"))
    from judge_client import Judge
    texts = ["```python\n" + judge["module"] + "\n# " + text.replace("\r", " ").replace("\n", "\n# ").replace("`", "'") + "\n```"
             for text in completions]
    return [reward or 0 for reward in Judge().rewards([judge["task"]] * len(texts), texts, preset=judge["preset"])]


def make_model(folder):
    """Random weights in the shape of SmolLM2-135M; a tokenizer of single bytes, filled up with pairs of bytes that no text is cut into."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = ["<pad>", "<eos>", *alphabet]
    names += [one + two for one in alphabet for two in alphabet][:VOCABULARY - len(names)]
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>").save_pretrained(folder)
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
        max_position_embeddings=8192, tie_word_embeddings=True, pad_token_id=0, bos_token_id=1, eos_token_id=1)).save_pretrained(folder)


def make_packs(given, steps):
    """Packs of sequences whose lengths differ and add up to pass_tokens; about half of each sequence is its prompt."""
    draw, out = random.Random(0), []
    for _ in range(steps * given.packs):
        count = max(given.pass_tokens // given.length, 1)
        # Of n equal shares each gives some tokens to the next one.
        edges = [i * given.pass_tokens // count for i in range(count + 1)]
        edges = [edge + (draw.randrange(-given.length // 4, given.length // 4 + 1) if 0 < i < count else 0) for i, edge in enumerate(edges)]
        if given.layout == "padded":
            edges = [i * given.length for i in range(count + 1)]
        tokens = [[draw.randrange(2, 258) for _ in range(end - begin)] for begin, end in zip(edges, edges[1:])]
        out.append({"tokens": tokens, "labels": [[-100] * (len(one) // 2) + one[len(one) // 2:] for one in tokens]})
    return out


class Memory:
    """Of a process, on a CPU: the most that was resident since reset()."""

    def __init__(self, pid):
        self.pid = pid

    def reset(self):
        with open(f"/proc/{self.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def peak(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024


class Theirs:
    name = "TRL"

    def __init__(self, settings, folder):
        path = pathlib.Path(folder) / "settings.json"
        path.write_text(json.dumps(settings))
        self.errors = open(pathlib.Path(folder) / "trl.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(HERE / "trl_side.py"), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, env={**os.environ, "OMP_NUM_THREADS": str(settings["threads"])})
        self.memory = Memory(self.process.pid)
        self.read("ready")

    def read(self, key):
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise SystemExit("TRL's side ended:\n" + self.errors.read()[-4000:])
        answer = json.loads(line)
        assert key in answer, answer
        return answer

    def step(self, _):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        answer = self.read("seconds")
        self.process.stdout.readline()  # ready again, or at the end
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    name = "cudal1-trainer"

    def __init__(self, given, settings):
        from trainerclient import Trainer
        self.settings = settings
        self.trainer = Trainer(given.program)
        self.memory = Memory(self.trainer.process.pid)
        replies = given.prompts * given.group
        length = given.prompt_tokens + given.reply_tokens
        is_sft = settings["kind"] == "sft"
        self.opened = self.trainer.answer(
            "open", model=settings["model"], device=given.device, numbers=settings["numbers"], threads=given.threads,
            recomputes=given.recomputes, pass_tokens=given.pass_tokens if is_sft else given.micro * length,
            reference="" if is_sft or given.beta == 0 else "start", sampler_replies=replies, sampler_cache_mib=given.cache_mib,
            optimizer={"learning_rate": settings["learning_rate"], "beta2": 0.95, "weight_decay": 0.1, "clip_norm": 1, "decay": "none"})

    def step(self, number):
        begun = time.perf_counter()
        if self.settings["kind"] == "sft":
            count = self.settings["packs_a_step"]
            packs = self.settings["packs"][number * count:(number + 1) * count]
            pairs = [{"prompt_tokens": tokens[:len(tokens) // 2], "tokens": tokens[len(tokens) // 2:]} for pack in packs for tokens in pack["tokens"]]
            answer = self.trainer.answer("sft", pairs=pairs)
            return {"seconds": time.perf_counter() - begun, "peak_bytes": answer["peak_device_bytes"], "judged_s": 0, "facts": answer}
        count = self.settings["prompts"]
        texts = self.settings["texts"][number * count:(number + 1) * count]
        drawn = self.trainer.generate([{"prompt": text} for text in texts], replies=self.settings["group"],
                                      settings={"temperature": 1, "top_p": 1, "top_k": self.opened["vocabulary"], "min_p": 0, "seed": number,
                                                "max_tokens": self.settings["reply_tokens"]})
        sampled = time.perf_counter()
        flat = [reply for group in drawn for reply in group]
        rewards = iter(rewards_of(self.settings["judge"], [reply["text"] for reply in flat], [reply["tokens"] for reply in flat]))
        judged = time.perf_counter()
        groups = [{"prompt": text, "replies": [{"tokens": reply["tokens"], "logprobs": reply["logprobs"], "reward": next(rewards)} for reply in group]}
                  for text, group in zip(texts, drawn)]
        answer = self.trainer.answer("grpo", groups=groups, settings={"beta": self.settings["beta"]})
        end = time.perf_counter()
        return {"seconds": end - begun, "sampled_s": sampled - begun, "judged_s": judged - sampled, "learnt_s": end - judged,
                "peak_bytes": answer["peak_device_bytes"], "reply_tokens": sum(len(reply["tokens"]) for reply in flat), "facts": answer}

    def end(self):
        self.trainer.end()


def compared(given, kind, numbers, model, folder):
    """Medians of both programs' steps, taken in turns."""
    steps = given.steps + 1
    settings = {"kind": kind, "device": given.device, "numbers": numbers, "threads": given.threads, "model": model, "folder": folder,
                "attention": given.attention, "recomputes": given.recomputes, "learning_rate": 1e-5, "layout": given.layout,
                "pass_tokens": given.pass_tokens, "packs_a_step": given.packs, "steps": steps, "prompts": given.prompts, "group": given.group,
                "micro": given.micro, "reply_tokens": given.reply_tokens, "beta": given.beta, "judge": {}}
    if kind == "sft":
        settings["packs"] = make_packs(given, steps)
    else:
        from transformers import AutoTokenizer
        tokenizer = AutoTokenizer.from_pretrained(model)
        words = tokenizer(TEXT, add_special_tokens=False).input_ids
        settings["texts"] = [tokenizer.decode(words[7 * i:7 * i + given.prompt_tokens]) for i in range(steps * given.prompts)]
        if given.judge == "serve":
            settings["judge"] = {"task": given.task, "module": pathlib.Path(given.prefill).read_text(), "preset": "quick"}
    ours = Ours(given, settings)
    theirs = Theirs(settings, folder)
    programs, taken, peaks = [ours, theirs], {ours.name: [], theirs.name: []}, {}
    for number in range(steps):
        for program in programs if number % 2 == 0 else programs[::-1]:
            taken[program.name].append(program.step(number))
            print(f"{kind}, {numbers}, step {number} of {steps - 1}: {program.name} {taken[program.name][-1]['seconds']:.2f} s", file=sys.stderr, flush=True)
            if number == 0 and given.device == "cpu":
                program.memory.reset()
    row = {"kind": kind, "numbers": numbers, "steps": given.steps}
    for program in programs:
        counted = taken[program.name][1:]
        peaks[program.name] = program.memory.peak() if given.device == "cpu" else max(step["peak_bytes"] for step in counted)
        program.end()
        seconds = statistics.median(step["seconds"] for step in counted)
        row[program.name] = {"seconds": seconds, "all_seconds": [step["seconds"] for step in counted], "peak_bytes": peaks[program.name],
                             "judged_s": statistics.median(step["judged_s"] for step in counted)}
        for field in ("sampled_s", "learnt_s", "reply_tokens"):
            if field in counted[0]:
                row[program.name][field] = statistics.median(step[field] for step in counted)
    if kind == "sft":
        for program in programs:
            row[program.name]["tokens_per_second"] = given.packs * given.pass_tokens / row[program.name]["seconds"]
    ratios = [one / two for one, two in zip(row["TRL"]["all_seconds"], row["cudal1-trainer"]["all_seconds"])]
    row["speed_ratio"] = row["TRL"]["seconds"] / row["cudal1-trainer"]["seconds"]
    row["speed_ratios"] = [min(ratios), max(ratios)]
    row["memory_ratio"] = peaks["cudal1-trainer"] / peaks["TRL"]
    return row


def shown(row):
    out = [f"{row['kind']}, {row['numbers']}, medians of {row['steps']} steps"]
    for name in ("cudal1-trainer", "TRL"):
        one = row[name]
        line = f"  {name:16} {one['seconds']:8.2f} s a step  {one['peak_bytes'] / 2**20:8.0f} MiB at the peak"
        if "tokens_per_second" in one:
            line += f"  {one['tokens_per_second']:9.0f} tokens a second"
        if row["kind"] == "grpo":
            line += f"  {one['reply_tokens']:6.0f} tokens drawn, judged in {one['judged_s']:.2f} s"
        if "sampled_s" in one:
            line += f", drawn in {one['sampled_s']:.2f} s, learnt in {one['learnt_s']:.2f} s"
        out.append(line)
    out.append(f"  faster by {row['speed_ratio']:.2f} ({row['speed_ratios'][0]:.2f} to {row['speed_ratios'][1]:.2f} by step), "
               f"with {row['memory_ratio']:.2f} of the memory")
    return "\n".join(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="cudal1-trainer")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--model", help="a Hugging Face folder (default: random weights in the shape of SmolLM2-135M)")
    parser.add_argument("--numbers", default="float32", help="float32, bfloat16, or both with a comma (default: %(default)s)")
    parser.add_argument("--only", choices=["sft", "grpo"])
    parser.add_argument("--steps", type=int, default=4, help="that count (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--attention", default="", help="attn_implementation of transformers (default: its own choice)")
    parser.add_argument("--recomputes", action="store_true", help="gradient checkpointing in both")
    parser.add_argument("--pass-tokens", type=int, default=512, help="of a pack (default: %(default)s)")
    parser.add_argument("--packs", type=int, default=2, help="of a step (default: %(default)s)")
    parser.add_argument("--length", type=int, default=128, help="of a sequence, mean (default: %(default)s)")
    parser.add_argument("--layout", default="packed", choices=["packed", "padded"], help="of TRL's batches")
    parser.add_argument("--prompts", type=int, default=1, help="of a GRPO step (default: %(default)s)")
    parser.add_argument("--group", type=int, default=8, help="replies to a prompt (default: %(default)s)")
    parser.add_argument("--micro", type=int, default=8, help="replies in one forward and backward pass (default: %(default)s)")
    parser.add_argument("--prompt-tokens", type=int, default=128)
    parser.add_argument("--reply-tokens", type=int, default=64)
    parser.add_argument("--beta", type=float, default=0.04, help="weight of the divergence; 0: no reference (default: %(default)s)")
    parser.add_argument("--cache-mib", type=int, default=256, help="of our sampler's keys and values (default: %(default)s)")
    parser.add_argument("--judge", default="none", choices=["none", "serve"])
    parser.add_argument("--task", default="1/19", help="that is judged (default: %(default)s)")
    parser.add_argument("--prefill", help="file with a correct ModelNew for the task")
    parser.add_argument("--json", help="file for all numbers")
    given = parser.parse_args()
    if given.judge == "serve" and not given.prefill:
        parser.error("--judge serve needs --prefill, since a model with random weights writes no Python")
    if given.prompts * given.group % given.micro:
        parser.error("--micro must divide the number of replies of a step")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model = given.model
        if model is None:
            model = folder + "/model"
            make_model(model)
        for numbers in given.numbers.split(","):
            for kind in ("sft", "grpo"):
                if given.only in (None, kind):
                    rows.append(compared(given, kind, numbers, model, folder))
                    print(shown(rows[-1]), flush=True)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps({"arguments": vars(given), "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
