# SPDX-License-Identifier: GPL-3.0-or-later
"""What verl's own reward worker makes of replies: with its settings, data set and reward manager, as its trainer does it.

verl_scores.py ROWS.parquet REPLIES.json OVERRIDE…      # prints {"rows", "scores", "placed"}

The overrides are those that a user gives to verl's trainer.
"""
import asyncio
import json
import pathlib
import sys
import tempfile

import numpy
import torch
from hydra import compose, initialize_config_module
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch.utils.data import DataLoader
from transformers import PreTrainedTokenizerFast
from verl import DataProto
from verl.experimental.reward_loop.reward_loop import RewardLoopWorker, migrate_legacy_reward_impl
from verl.utils import hf_tokenizer
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn


def tokenizer_folder(folder):
    """A tokenizer of single bytes, as verl loads it."""
    names = ["<pad>", "<eos>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")
    fast.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    fast.save_pretrained(folder)
    return folder


def answered(rows, replies, tokenizer):
    """The batch that verl has when the model has written: rows with their prompts and replies, padded on either side."""
    prompts = [tokenizer.apply_chat_template(list(chat), tokenize=True, return_dict=False) for chat in rows.non_tensor_batch["raw_prompt"]]
    written = [tokenizer.encode(reply) for reply in replies]
    left, right = max(map(len, prompts)), max(map(len, written))
    mask = [[0] * (left - len(one)) + [1] * len(one) + [1] * len(two) + [0] * (right - len(two)) for one, two in zip(prompts, written, strict=True)]
    tensors = {"prompts": torch.tensor([[0] * (left - len(one)) + one for one in prompts]),
               "responses": torch.tensor([two + [0] * (right - len(two)) for two in written]), "attention_mask": torch.tensor(mask)}
    kept = {name: values for name, values in rows.non_tensor_batch.items() if name in ("data_source", "reward_model", "extra_info")}
    return DataProto.from_dict(tensors=tensors, non_tensors=kept)


async def main(parquet, replies, overrides):
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer", [f"data.train_files={parquet}", *overrides])
    with tempfile.TemporaryDirectory() as folder:
        config.actor_rollout_ref.model.path = str(tokenizer_folder(folder))
        config.data.max_prompt_length = 1 << 20
        worker = RewardLoopWorker(migrate_legacy_reward_impl(config))
        tokenizer = hf_tokenizer(folder)
    rows = RLHFDataset(parquet, tokenizer, config.data)
    first = DataProto.from_single_dict(next(iter(DataLoader(rows, batch_size=1, collate_fn=collate_fn))))
    batch = answered(first.repeat(len(replies)), replies, tokenizer)
    scores = [one["reward_score"] for one in await worker.compute_score_batch(batch)]
    placed = type(worker.reward_manager).assemble_rm_scores(batch, scores)
    lengths = batch.batch["attention_mask"][:, batch.batch["prompts"].shape[1]:].sum(1).numpy()
    at_the_end = placed.numpy()[numpy.arange(len(replies)), lengths - 1]
    print(json.dumps({"rows": len(rows), "scores": scores, "placed": [round(float(one), 4) for one in at_the_end]}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text()), sys.argv[3:]))
