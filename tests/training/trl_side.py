# SPDX-License-Identifier: GPL-3.0-or-later
"""TRL's side of compare_trl.py: one trainer in a process of its own, which takes a step each time it is told to.

trl_side.py SETTINGS.json. It writes one JSON line when a step can begin and one when a step has ended, and begins the step when it
reads a line. Whatever libraries print goes to standard error.
"""
import json
import os
import sys
import time

OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import torch  # noqa: E402
import transformers  # noqa: E402
from datasets import Dataset  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback  # noqa: E402


def tell(**message):
    OUT.write(json.dumps(message) + "\n")
    OUT.flush()


class Steps(TrainerCallback):
    """Between on_step_begin and on_step_end lies a whole step: sampling and judging too, where there are any, and the optimizer's."""

    def __init__(self, on_cuda):
        self.on_cuda, self.begun, self.judged_s, self.reply_tokens = on_cuda, 0, 0, 0

    def now(self):
        if self.on_cuda:
            torch.cuda.synchronize()
        return time.perf_counter()

    def on_step_begin(self, args, state, control, **_):
        tell(ready=True)
        if not sys.stdin.readline():
            raise SystemExit(0)
        if state.global_step == 1 and self.on_cuda:  # the first step is not counted
            torch.cuda.reset_peak_memory_stats()
        self.judged_s = self.reply_tokens = 0
        self.begun = self.now()

    def on_step_end(self, args, state, control, **_):
        tell(seconds=self.now() - self.begun, judged_s=self.judged_s, reply_tokens=self.reply_tokens,
             peak_bytes=torch.cuda.max_memory_allocated() if self.on_cuda else 0)


def common(given, kind, **settings):
    on_cuda = given["device"] == "cuda"
    return kind(output_dir=given["folder"] + "/trl", max_steps=given["steps"], logging_steps=1000000, report_to="none", save_strategy="no",
                disable_tqdm=True, use_cpu=not on_cuda, bf16=given["numbers"] == "bfloat16", learning_rate=given["learning_rate"],
                adam_beta2=0.95, weight_decay=0.1, max_grad_norm=1, warmup_steps=0, lr_scheduler_type="constant",
                gradient_checkpointing=given["recomputes"], dataloader_pin_memory=on_cuda, seed=0, **settings)


def sft(given, model, tokenizer, steps):
    from trl import SFTConfig, SFTTrainer
    if given["layout"] == "packed":
        rows = [{"input_ids": sum(pack["tokens"], []), "labels": sum(pack["labels"], []), "seq_lengths": [len(one) for one in pack["tokens"]]}
                for pack in given["packs"]]
        batch, gathered = 1, given["packs_a_step"]
    else:
        rows = [{"input_ids": tokens, "labels": labels} for pack in given["packs"] for tokens, labels in zip(pack["tokens"], pack["labels"])]
        batch = len(given["packs"][0]["tokens"])
        gathered = given["packs_a_step"]
    args = common(given, SFTConfig, per_device_train_batch_size=batch, gradient_accumulation_steps=gathered, max_length=given["pass_tokens"],
                  packing=given["layout"] == "packed", dataset_kwargs={"skip_prepare_dataset": True}, shuffle_dataset=False,
                  train_sampling_strategy="sequential")
    return SFTTrainer(model=model, processing_class=tokenizer, args=args, train_dataset=Dataset.from_list(rows), callbacks=[steps])


def grpo(given, model, tokenizer, steps):
    from compare_trl import rewards_of
    from trl import GRPOConfig, GRPOTrainer

    def judged(completions, completion_ids, **_):
        begun = time.perf_counter()
        out = rewards_of(given["judge"], completions, completion_ids)
        steps.judged_s += time.perf_counter() - begun
        steps.reply_tokens += sum(map(len, completion_ids))
        return out

    group = given["group"]
    args = common(given, GRPOConfig, per_device_train_batch_size=given["micro"], steps_per_generation=given["prompts"] * group // given["micro"],
                  gradient_accumulation_steps=given["prompts"] * group // given["micro"], num_generations=group, beta=given["beta"],
                  max_completion_length=given["reply_tokens"], temperature=1, top_p=1, top_k=0, loss_type="grpo", shuffle_dataset=False)
    rows = Dataset.from_list([{"prompt": text} for text in given["texts"]])
    return GRPOTrainer(model=model, processing_class=tokenizer, reward_funcs=judged, args=args, train_dataset=rows, callbacks=[steps])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    on_cuda = given["device"] == "cuda"
    torch.set_num_threads(given["threads"])
    transformers.utils.logging.disable_progress_bar()
    extra = {"attn_implementation": given["attention"]} if given["attention"] else {}
    model = AutoModelForCausalLM.from_pretrained(given["model"], dtype=torch.float32, **extra)
    tokenizer = AutoTokenizer.from_pretrained(given["model"])
    steps = Steps(on_cuda)
    trainer = {"sft": sft, "grpo": grpo}[given["kind"]](given, model, tokenizer, steps)
    trainer.train()
    tell(ended=True)
    sys.stdin.read()  # until its memory has been read


if __name__ == "__main__":
    main()
