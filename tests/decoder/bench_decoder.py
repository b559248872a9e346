#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens a second of cudal1-model, transformers' generate and llama.cpp for one GGUF file, in one run.

bench_decoder.py CUDAL1-MODEL MODEL.gguf [--batch 1,16,64] [--tokens 64] [--threads N] [--also float32]

Every program goes on with the same prompts, of 32 tokens each and all different, by the likeliest token at each step. What is counted
is the new tokens, and the time from the first prompt to the last token; each program is warmed up first. transformers and
llama-cpp-python are left out where they are not installed. transformers runs in float32 and in bfloat16, each with its own cache; the
faster of both is what its row says. llama.cpp works on the file's own quantised weights, through its batch interface. Use a machine
that does nothing else.
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

    def run(self, texts, new):
        begun = time.perf_counter()
        for text in texts:
            self.number += 1
            self.send(type="generate", id=self.number, prompt=text, partials=False, settings={"temperature": 0, "max_tokens": new})
        count = sum(self.read()["reply_tokens"] for _ in texts)
        return count / (time.perf_counter() - begun)

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def transformers_rows(path, batches, new, threads):
    try:
        import torch
        import transformers
    except ImportError as error:
        return {}, f"transformers is left out: {error}"
    torch.set_num_threads(threads)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    folder, file = os.path.split(os.path.abspath(path))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=file)
    tokens, out = tokenizer(TEXT).input_ids, {}
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32).eval()
    for kind in (torch.float32, torch.bfloat16):
        model = model.to(kind)
        with torch.inference_mode():
            for batch in batches:
                given = torch.tensor(prompts(tokens, batch))
                settings = dict(do_sample=False, attention_mask=torch.ones_like(given), pad_token_id=0)
                model.generate(given, max_new_tokens=4, **settings)
                begun = time.perf_counter()
                model.generate(given, min_new_tokens=new, max_new_tokens=new, **settings)
                out[str(kind).removeprefix("torch."), batch] = batch * new / (time.perf_counter() - begun)
    return out, f"transformers {transformers.__version__}, torch {torch.__version__}"


def llama_rows(path, batches, new, threads):
    try:
        import llama_cpp
    except ImportError as error:
        return {}, f"llama-cpp-python is left out: {error}"
    import ctypes
    llama_cpp.llama_log_set(ctypes.cast(None, llama_cpp.llama_log_callback), ctypes.c_void_p(0))
    tokens = llama_cpp.Llama(path, vocab_only=True, verbose=False).tokenize(TEXT.encode(), add_bos=False)
    model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
    out = {}
    for batch in batches:
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = batch * 256
        settings.n_batch = settings.n_ubatch = max(512, batch)
        settings.n_seq_max = batch
        settings.n_threads = settings.n_threads_batch = threads
        context = llama_cpp.llama_init_from_model(model, settings)
        greedy = llama_cpp.llama_sampler_init_greedy()
        room = llama_cpp.llama_batch_init(512, 0, 1)

        def decode(rows, room=room, context=context):
            room.n_tokens = len(rows)
            for i, (token, position, sequence, wanted) in enumerate(rows):
                room.token[i], room.pos[i], room.n_seq_id[i], room.logits[i] = token, position, 1, wanted
                room.seq_id[i][0] = sequence
            if llama_cpp.llama_decode(context, room) != 0:
                raise SystemExit("llama.cpp could not decode")

        def run(count, context=context, greedy=greedy, batch=batch, decode=decode):
            llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
            begun, last = time.perf_counter(), [0] * batch
            given = prompts(tokens, batch)
            for first in range(0, batch, 512 // PROMPT):
                group = range(first, min(batch, first + 512 // PROMPT))
                decode([(token, at, i, at == PROMPT - 1) for i in group for at, token in enumerate(given[i])])
                for place, i in enumerate(group):
                    last[i] = llama_cpp.llama_sampler_sample(greedy, context, place * PROMPT + PROMPT - 1)
            for step in range(1, count):
                decode([(last[i], PROMPT + step - 1, i, True) for i in range(batch)])
                last = [llama_cpp.llama_sampler_sample(greedy, context, i) for i in range(batch)]
            return batch * count / (time.perf_counter() - begun)

        run(4)
        out[batch] = run(new)
        llama_cpp.llama_batch_free(room)
        llama_cpp.llama_free(context)
    return out, f"llama-cpp-python {llama_cpp.__version__}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--batch", default="1,16,64")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--also", action="append", default=[], help="another kind of numbers for cudal1-model")
    parser.add_argument("--only", action="store_true", help="cudal1-model alone")
    given = parser.parse_args()
    batches, rows, notes = [int(word) for word in given.batch.split(",")], [], []
    words = TEXT.split(" ")
    texts = [" ".join(words[4 * i:4 * i + 27]) for i in range(max(batches))]
    for numbers in [None, *given.also]:
        ours = Ours(given.program, given.model, given.threads, numbers)
        ours.run(texts[:1], 4)
        rows.append((ours.name, [ours.run(texts[:batch], given.tokens) for batch in batches]))
        notes.append(f"{ours.name}: {ours.resident():.0f} MiB resident after batch {batches[-1]}, weights {ours.memory / 2**20:.0f} MiB")
        ours.end()
    if not given.only:
        speeds, note = transformers_rows(given.model, batches, given.tokens, given.threads)
        notes.append(note)
        if speeds:
            best = [max((speeds[kind, batch], kind) for kind in ("float32", "bfloat16")) for batch in batches]
            rows.append((f"transformers ({', '.join(kind for _, kind in best)})", [speed for speed, _ in best]))
        speeds, note = llama_rows(given.model, batches, given.tokens, given.threads)
        notes.append(note)
        if speeds:
            rows.append(("llama.cpp (the file's own)", [speeds[batch] for batch in batches]))
    width = max(len(name) for name, _ in rows)
    print(f"\n{os.path.basename(given.model)}, {given.threads} threads, prompts of {PROMPT} tokens, {given.tokens} new ones each; tokens a second")
    print(f"{'':{width}}" + "".join(f"{f'batch {batch}':>12}" for batch in batches))
    for name, speeds in rows:
        print(f"{name:{width}}" + "".join(f"{speed:12.0f}" for speed in speeds))
    print("\n".join(notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
