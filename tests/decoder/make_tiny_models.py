#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the tiny random models of tests/decoder/data, with the logits that transformers computes for them.

make_tiny_models.py [--check cudal1-model] [FOLDER]

Needs transformers, tokenizers, gguf and torch. Writes one folder for each family and each scaling of the rotation: config.json and
model.safetensors. The file logits.json has tokens and logits. Two of them also become GGUF files, in the order of rows that llama.cpp's
converter makes. A shared tokenizer of 256 bytes and some merges is trained on this file's own text. With --check the program computes
the logits of every model, by each engine and kind of numbers, and each maximal difference is printed.
"""
import argparse
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import gguf
import numpy as np
import tokenizers
import torch
import transformers

BASE = dict(vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
            max_position_embeddings=128, rms_norm_eps=1e-5, initializer_range=0.3, bos_token_id=0, eos_token_id=1, pad_token_id=None)
TALKS = dict(vocab_size=272)  # room for the tokenizer's bytes
TOKENS = [0, 17, 61, 5, 55, 42, 42, 7, 60, 9, 23, 50, 63, 3, 20, 31, 8, 37, 21, 59]
EVERY = 19  # rows of logits that are kept: the first and the last
TEMPLATE = ("{%- for message in messages -%}\n{%- if message.role == 'tool' -%}{{ raise_exception('no tools here') }}{%- endif -%}\n"
            "{{ '<|start|>' + message.role + '\\n' + message.content | trim + '<|end|>' + '\\n' }}\n{%- endfor -%}\n"
            "{%- if add_generation_prompt -%}{{ '<|start|>assistant\\n' }}{%- endif -%}")


def rotary(kind, **more):
    return {"rope_type": kind, "rope_theta": 10000.0, **more}


def models():
    llama, qwen2, qwen3 = transformers.LlamaConfig, transformers.Qwen2Config, transformers.Qwen3Config
    return {
        "llama": (llama, dict(tie_word_embeddings=False, num_hidden_layers=2, **TALKS)),
        "llama_biases": (llama, dict(attention_bias=True, mlp_bias=True, tie_word_embeddings=True)),
        "llama_linear": (llama, dict(tie_word_embeddings=True, rope_parameters=rotary("linear", factor=4.0))),
        "llama_dynamic": (llama, dict(tie_word_embeddings=True, rope_parameters=rotary("dynamic", factor=2.0), max_position_embeddings=12)),
        "llama_llama3": (llama, dict(tie_word_embeddings=True, rope_parameters=rotary(
            "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16))),
        "qwen2": (qwen2, dict(tie_word_embeddings=True)),
        "qwen2_yarn": (qwen2, dict(rope_parameters=rotary("yarn", factor=4.0, original_max_position_embeddings=32),
                                   tie_word_embeddings=False)),
        "qwen3": (qwen3, dict(head_dim=16, tie_word_embeddings=True)),
    }


def tokenizer():
    out = tokenizers.Tokenizer(tokenizers.models.BPE())
    out.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Digits(individual_digits=True),
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    out.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=270, special_tokens=["<|start|>", "<|end|>"], show_progress=False,
                                             initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet())
    out.train_from_iterator([pathlib.Path(__file__).read_text(encoding="utf-8")], trainer)
    return out


def settings(folder):
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"chat_template": TEMPLATE, "bos_token": "<|start|>", "eos_token": {"content": "<|end|>"}}, indent=1) + "\n")


def make(name, kind, more):
    torch.manual_seed(27)
    config = kind(**{**BASE, **more})
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 1:  # norms are 1 and biases 0 by default, which would hide a mistake
                weight.add_(torch.randn_like(weight) * 0.3)
        logits = model(torch.tensor([TOKENS])).logits[0]
    return model, logits


def add_tokenizer(writer, config, facts):
    names = sorted(facts["vocab"], key=facts["vocab"].get)
    names += [f"[PAD{i}]" for i in range(len(names), config.vocab_size)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(names)
    writer.add_token_types([3 if name.startswith("<|") else 5 if name.startswith("[PAD") else 1 for name in names])
    writer.add_token_merges([" ".join(merge) for merge in facts["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)


def write_gguf(model, path, family, trained):
    """As llama.cpp's converter does it: names, and rows of Llama's queries and keys for rotated neighbours."""
    config, writer = model.config, gguf.GGUFWriter(path, family)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    if trained:
        add_tokenizer(writer, config, json.loads(trained.to_str())["model"])
    parts = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
             "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
             "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
    whole = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    types = iter([gguf.GGMLQuantizationType.F16, gguf.GGMLQuantizationType.BF16, gguf.GGMLQuantizationType.Q8_0,
                  gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q4_1] * 10)
    state, changed = model.state_dict(), {}
    for name, weight in state.items():
        stem, kind = name.rsplit(".", 1)
        if stem == "lm_head" and config.tie_word_embeddings:
            continue
        if stem in whole:
            own = whole[stem]
        else:
            _, _, layer, part = stem.split(".", 3)
            own = f"blk.{layer}.{parts[part]}"
        data = weight.numpy().astype(np.float32)
        heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}.get(own.rsplit(".", 1)[-1])
        turns = heads and family == "llama"
        if turns:
            data = data.reshape(heads, 2, -1, *data.shape[1:]).swapaxes(1, 2).reshape(data.shape)
        type_of = gguf.GGMLQuantizationType.F32
        if data.ndim == 2 and data.shape[-1] % 32 == 0:
            type_of = next(types)
        stored = gguf.quantize(data, type_of)
        writer.add_tensor(f"{own}.{kind}", stored, raw_dtype=type_of)
        read = gguf.dequantize(stored, type_of).astype(np.float32)
        if turns:
            read = read.reshape(heads, -1, 2, *read.shape[1:]).swapaxes(1, 2).reshape(read.shape)
        changed[name] = torch.from_numpy(read.copy()).reshape(weight.shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    if config.tie_word_embeddings:
        changed["lm_head.weight"] = changed["model.embed_tokens.weight"]
    model.load_state_dict(changed)
    with torch.no_grad():
        return model(torch.tensor([TOKENS])).logits[0]


def check(program, folder, expected):
    worst = 0.0
    for name, want in expected.items():
        for more in ([], ["--engine", "torch"], ["--numbers", "bfloat16"]):
            numbers = [] if "--numbers" in more else ["--numbers", "float32"]
            with tempfile.NamedTemporaryFile() as out:
                subprocess.run([program, "logits", str(folder / name), "--tokens", ",".join(map(str, TOKENS)), "--out", out.name, *more,
                                *numbers], check=True)
                got = np.fromfile(out.name, dtype=np.float32).reshape(want.shape)
            difference = float(np.abs(got - want).max())
            print(f"{name:16} {' '.join(more) or 'float32':20} {difference:.2e} of {np.abs(want).max():.1f}")
            if "--numbers" not in more:
                worst = max(worst, difference)
    print(f"worst in float32: {worst:.2e}")
    return 0 if worst < 1e-3 else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="PROGRAM")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    trained, expected = tokenizer(), {}
    for name, (kind, more) in models().items():
        model, logits = make(name, kind, more)
        folder = given.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        # Weights as bfloat16 take half the room; the expected logits are those of the rounded ones.
        rounded = {key: value.to(torch.bfloat16).float() for key, value in model.state_dict().items()}
        model.load_state_dict(rounded)
        with torch.no_grad():
            expected[name] = model(torch.tensor([TOKENS])).logits[0].numpy()
        shard = {"max_shard_size": "20KB"} if name == "llama" else {}
        copy.deepcopy(model).to(torch.bfloat16).save_pretrained(folder, **shard)
        (folder / "generation_config.json").unlink(missing_ok=True)
        if name == "llama":
            trained.save(str(folder / "tokenizer.json"), pretty=False)
            settings(folder)
        if name in ("llama", "qwen2"):
            file = f"{name}.gguf"
            expected[file] = write_gguf(model, given.folder / file, name, trained if name == "llama" else None).numpy()
    # Four decimals: the comparison is to 1e-3.
    rows = {name: [[round(float(value), 4) for value in row] for row in logits[::EVERY]] for name, logits in expected.items()}
    (given.folder / "logits.json").write_text(json.dumps({"tokens": TOKENS, "every": EVERY, "logits": rows}, separators=(",", ":")) + "\n")
    size = sum(path.stat().st_size for path in given.folder.rglob("*") if path.is_file())
    print(f"{len(expected)} models, {size / 1000:.0f} kB in {given.folder}")
    return check(given.check, given.folder, expected) if given.check else 0


if __name__ == "__main__":
    sys.exit(main())
