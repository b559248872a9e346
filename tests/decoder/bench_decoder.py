#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens a second of cudal1-model, transformers' generate and llama.cpp for one GGUF file, in one run.

bench_decoder.py CUDAL1-MODEL MODEL.gguf [--batch 1,16,64] [--tokens 64] [--threads N] [--also float32]

Every program goes on with the same kind of prompts, of about 32 tokens each and all different, by the likeliest token at each step. What
is counted is the new tokens, and the time from the first prompt to the last token. The programs take turns, round after round, and the
best of each counts: on a machine that does other things as well, one round says little. transformers and llama-cpp-python are left
out where they are not installed. transformers runs in bfloat16 and in float32, llama.cpp on the file's own quantised weights through
its batch interface.
"""
import argparse
import json
import os
import subprocess
import sys
import time

TEXT = ("The judge measures each candidate against a reference that runs in a process of its own, and writes down how long each call "
        "took. A kernel that is launched once for every row of a matrix spends more time waiting than computing, so we look for ways to "
        "do the same work in fewer launches, with tiles that stay in the registers and loads that other threads can share. ") * 12
PROMPT = 32


def prompts(tokens, batch):
    return [tokens[5 * i:5 * i + PROMPT] for i in range(batch)]


class Ours:
    def __init__(self, program, path, threads, numbers=None):
        command = [program, "serve", path, "--threads", str(threads), "--context", "1024", *(["--numbers", numbers] if numbers else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.send(type="hello", protocol=1)
        self.read()
        self.send(type="info", id=1)
        facts = self.read()
        self.name = f"cudal1-model ({facts['device'].split(',')[0].removeprefix('cpu ')})"
        self.memory = facts["weight_bytes"]
        self.number = 1

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def run(self, batch, new):
        words = TEXT.split(" ")
        begun = time.perf_counter()
        for i in range(batch):
            self.number += 1
            self.send(type="generate", id=self.number, prompt=" ".join(words[4 * i:4 * i + 27]), partials=False,
                      settings={"temperature": 0, "max_tokens": new})
        count = sum(self.read()["reply_tokens"] for _ in range(batch))
        return count / (time.perf_counter() - begun)

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Transformers:
    def __init__(self, path, threads, kind):
        import torch
        import transformers
        torch.set_num_threads(threads)
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self.torch, self.name = torch, f"transformers ({kind})"
        folder, file = os.path.split(os.path.abspath(path))
        self.tokens = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=file)(TEXT).input_ids
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32).eval()
        self.model = self.model.to(getattr(torch, kind))

    def run(self, batch, new):
        given = self.torch.tensor(prompts(self.tokens, batch))
        with self.torch.inference_mode():
            begun = time.perf_counter()
            self.model.generate(given, min_new_tokens=new, max_new_tokens=new, do_sample=False, pad_token_id=0,
                                attention_mask=self.torch.ones_like(given))
        return batch * new / (time.perf_counter() - begun)

    def end(self):
        pass


class LlamaCpp:
    name = "llama.cpp (the file's own numbers)"

    def __init__(self, path, threads, batch):
        import ctypes
        import llama_cpp
        self.lib = llama_cpp
        self.quiet = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.quiet, ctypes.c_void_p(0))
        self.tokens = llama_cpp.Llama(path, vocab_only=True, verbose=False).tokenize(TEXT.encode(), add_bos=False)
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = batch * 256
        settings.n_batch = settings.n_ubatch = max(512, batch)
        settings.n_seq_max = batch
        settings.n_threads = settings.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, settings)
        self.greedy = llama_cpp.llama_sampler_init_greedy()
        self.room = llama_cpp.llama_batch_init(512, 0, 1)

    def decode(self, rows):
        room = self.room
        room.n_tokens = len(rows)
        for i, (token, position, sequence, wanted) in enumerate(rows):
            room.token[i], room.pos[i], room.n_seq_id[i], room.logits[i] = token, position, 1, wanted
            room.seq_id[i][0] = sequence
        if self.lib.llama_decode(self.context, room) != 0:
            raise SystemExit("llama.cpp could not decode")

    def run(self, batch, new):
        self.lib.llama_memory_clear(self.lib.llama_get_memory(self.context), True)
        begun, last = time.perf_counter(), [0] * batch
        given = prompts(self.tokens, batch)
        for first in range(0, batch, 512 // PROMPT):
            group = range(first, min(batch, first + 512 // PROMPT))
            self.decode([(token, at, i, at == PROMPT - 1) for i in group for at, token in enumerate(given[i])])
            for place, i in enumerate(group):
                last[i] = self.lib.llama_sampler_sample(self.greedy, self.context, place * PROMPT + PROMPT - 1)
        for step in range(1, new):
            self.decode([(last[i], PROMPT + step - 1, i, True) for i in range(batch)])
            last = [self.lib.llama_sampler_sample(self.greedy, self.context, i) for i in range(batch)]
        return batch * new / (time.perf_counter() - begun)

    def end(self):
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--batch", default="1,16,64")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--also", action="append", default=[], help="another kind of numbers for cudal1-model")
    parser.add_argument("--without", action="append", default=[], choices=["transformers", "llama.cpp"])
    parser.add_argument("--seconds", type=float, default=180, help="no round begins after these")
    given = parser.parse_args()
    batches, notes = [int(word) for word in given.batch.split(",")], []
    makers = [lambda numbers=numbers: Ours(given.program, given.model, given.threads, numbers) for numbers in [None, *given.also]]
    if "llama.cpp" not in given.without:
        makers.append(lambda: LlamaCpp(given.model, given.threads, max(batches)))
    if "transformers" not in given.without:
        makers += [lambda kind=kind: Transformers(given.model, given.threads, kind) for kind in ("bfloat16", "float32")]
    programs = []
    for make in makers:
        try:
            programs.append(make())
            programs[-1].run(1, 4)
        except ImportError as error:
            notes.append(f"left out: {error}")
    best, rounds, begun = {}, 0, time.perf_counter()
    while rounds == 0 or time.perf_counter() - begun < given.seconds:
        for batch in batches:
            for program in programs:
                speed = program.run(batch, given.tokens)
                best[program.name, batch] = max(speed, best.get((program.name, batch), 0))
        rounds += 1
        print(f"{os.path.basename(given.model)}, {given.threads} threads, prompts of {PROMPT} tokens, {given.tokens} new ones each; "
              f"tokens a second, best of {rounds} rounds")
        print(f"{'':40}" + "".join(f"{f'batch {batch}':>12}" for batch in batches))
        for program in programs:
            print(f"{program.name:40}" + "".join(f"{best[program.name, batch]:12.0f}" for batch in batches), flush=True)
    for program in programs:
        if isinstance(program, Ours):
            notes.append(f"{program.name}: {program.resident():.0f} MiB resident, weights {program.memory / 2**20:.0f} MiB")
        program.end()
    print("\n".join(notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
