# SPDX-License-Identifier: GPL-3.0-or-later
"""TRL's GRPOTrainer with rewards from `cudal1 serve`.

    export CUDAL1_URL=… CUDAL1_TOKEN=…       # what the server printed
    python trl_grpo.py --model Qwen/Qwen2.5-Coder-0.5B-Instruct --tasks 1/12 1/19 --steps 100

Without --model a tiny random one is made, which needs no download and shows that everything is connected, on a CPU too. Such a
model writes no Python, so --prefill begins each answer with a correct module, behind which what the model writes is a comment.
"""
import argparse

import torch
from datasets import Dataset
from judge_client import PROMPT, Judge
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer


def tiny_model():
    """A model and a tokenizer of single bytes, made on the spot."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = ["<pad>", "<eos>", *alphabet]
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")
    config = LlamaConfig(vocab_size=len(names), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                         num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=0, bos_token_id=1, eos_token_id=1)
    return LlamaForCausalLM(config), fast


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="of the Hugging Face Hub, or a folder")
    parser.add_argument("--tasks", nargs="+", help="LEVEL/ID (default: all of the training split)")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--group", type=int, default=4, help="answers to one prompt")
    parser.add_argument("--tokens", type=int, default=1024, help="of an answer, at most")
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--prefill", help="file with a module that every answer begins with")
    parser.add_argument("--output", default="grpo-output")
    given = parser.parse_args()

    judge = Judge()
    ids = given.tasks or [one["task"] for one in judge.tasks("train")]
    prefill = open(given.prefill).read() if given.prefill else None
    rows = [{"prompt": PROMPT.format(reference=judge.reference(one)), "task": one} for one in ids]

    def judged_speedup(completions, task, **_):
        """TRL hands over the columns of the data set, one entry for each completion."""
        if prefill is not None:
            completions = ["```python\n" + prefill + "\n# " + text.replace("\r", " ").replace("\n", "\n# ") + "\n```" for text in completions]
        return judge.rewards(task, completions, preset=given.preset)

    if given.model:
        model, tokenizer = AutoModelForCausalLM.from_pretrained(given.model), AutoTokenizer.from_pretrained(given.model)
    else:
        model, tokenizer = tiny_model()
    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer, reward_funcs=judged_speedup, train_dataset=Dataset.from_list(rows),
        args=GRPOConfig(output_dir=given.output, max_steps=given.steps, num_generations=given.group,
                        per_device_train_batch_size=given.group, max_completion_length=given.tokens, logging_steps=1, report_to="none",
                        save_strategy="no", use_cpu=not torch.cuda.is_available(), bf16=torch.cuda.is_available()))
    trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            print(f"step {entry['step']}: reward {entry['reward']:.3f}, spread {entry['reward_std']:.3f}", flush=True)


if __name__ == "__main__":
    main()
