#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tests/decoder/data/sentencepiece.gguf, a tiny random Llama with a SentencePiece tokenizer, and sentencepiece.json beside it: texts
with the tokens that the library sentencepiece gives for them, and the pieces.

make_sentencepiece.py                     needs sentencepiece, gguf and numpy; trains the tokenizer on this file's own text
make_sentencepiece.py --compare FILE…     needs llama-cpp-python and gguf: compares core/decoder/tokenizer.py with llama.cpp's tokens
                                          for 2,500 texts and GGUF files with the tokenizer 'llama' (vocabularies alone will do)
"""
import argparse
import ctypes
import importlib.util
import io
import json
import pathlib
import random
import sys

DATA = pathlib.Path(__file__).parent / "data"
ROOT = pathlib.Path(__file__).resolve().parents[2]
VOCABULARY, HIDDEN = 480, 32
TEXTS = ["a", " ", "  ", "   import", "for name in names: ", "\n", "\t\n  x", "Hello, world!", "Makes a tiny random model  of two layers.",
         "日本語のテスト", "grüße 🙂 é", "\u00a0x\u200b", "number 0123 45", "<0x41> \u2581 \u2581\u2581x", "sentencepiecesentencepiece", "trainertrain",
         "aaaaaaaaab", "tokens\n    return tokens\n"]


def trained():
    import sentencepiece
    out = io.BytesIO()
    lines = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, vocab_size=VOCABULARY, model_type="bpe", byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=True, split_digits=True,
        control_symbols=["<|start|>"], character_coverage=1.0, hard_vocab_limit=False, minloglevel=2)
    return sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())


def kind(model, number):
    return 2 if model.is_unknown(number) else 3 if model.is_control(number) else 6 if model.is_byte(number) else 5 if model.is_unused(number) else 1


def write(model):
    import gguf
    import numpy as np
    writer = gguf.GGUFWriter(DATA / "sentencepiece.gguf", "llama")
    writer.add_block_count(1)
    writer.add_context_length(128)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    count = model.get_piece_size()
    writer.add_tokenizer_model("llama")
    writer.add_token_list([model.id_to_piece(i) for i in range(count)])
    writer.add_token_scores([model.get_score(i) for i in range(count)])
    writer.add_token_types([kind(model, i) for i in range(count)])
    writer.add_bos_token_id(model.bos_id())
    writer.add_eos_token_id(model.eos_id())
    writer.add_unk_token_id(model.unk_id())
    writer.add_add_bos_token(True)
    draw = np.random.default_rng(27)
    shapes = {"token_embd": (count, HIDDEN), "blk.0.attn_q": (HIDDEN, HIDDEN), "blk.0.attn_k": (HIDDEN // 2, HIDDEN),
              "blk.0.attn_v": (HIDDEN // 2, HIDDEN), "blk.0.attn_output": (HIDDEN, HIDDEN), "blk.0.ffn_gate": (HIDDEN, HIDDEN),
              "blk.0.ffn_up": (HIDDEN, HIDDEN), "blk.0.ffn_down": (HIDDEN, HIDDEN), "blk.0.attn_norm": (HIDDEN,), "blk.0.ffn_norm": (HIDDEN,),
              "output_norm": (HIDDEN,)}
    for name, shape in shapes.items():
        kind_of = np.float32 if len(shape) == 1 else np.float16
        writer.add_tensor(name + ".weight", (draw.standard_normal(shape) * 0.3).astype(kind_of))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    rows = [{"text": text, "tokens": [model.bos_id(), *model.encode(text)]} for text in TEXTS]
    # Behind a control token a text begins anew.
    behind = [model.bos_id(), *model.encode("Hi"), model.eos_id(), *model.encode(" names"), model.piece_to_id("<|start|>"), *model.encode("x")]
    rows.append({"text": "<s>Hi</s> names<|start|>x", "tokens": behind})
    facts = {"pieces": ["" if model.is_control(i) or model.is_unknown(i) else model.id_to_piece(i) for i in range(count)], "texts": rows}
    (DATA / "sentencepiece.json").write_text(json.dumps(facts, ensure_ascii=True, separators=(",", ":")) + "\n")
    print(f"{count} tokens, {len(rows)} texts, {(DATA / 'sentencepiece.gguf').stat().st_size} bytes")


def facts_of(path):
    """What core/decoder/tokenizer.cpp reads of a file."""
    import gguf
    fields = gguf.GGUFReader(path).fields

    def field(name, otherwise=None):
        found = fields.get("tokenizer.ggml." + name)
        return otherwise if found is None else found.contents()
    names = {"bos": "bos_token_id", "eos": "eos_token_id", "unk": "unknown_token_id", "pad": "padding_token_id"}
    return {"model": field("model"), "pre": field("pre", "default"), "tokens": field("tokens"), "types": field("token_type", []), "template": "",
            "merges": field("merges", []), "scores": field("scores", []), "add_bos": field("add_bos_token"),
            "add_space_prefix": field("add_space_prefix"),
            "special": {key: field(name) for key, name in names.items() if field(name) is not None}}


def many_texts():
    draw, out = random.Random(1), list(TEXTS)
    for path in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("core/decoder/*.cpp"), *ROOT.glob("kernelbench/level1/*.py")]):
        text = path.read_text(encoding="utf-8")
        for _ in range(8):
            begin = draw.randrange(len(text))
            out.append(text[begin:begin + draw.randrange(1, 400)])
    ranges = [(32, 127), (32, 127), (32, 33), (10, 11), (0xa0, 0x800), (0x3040, 0x9fff), (0x1f300, 0x1f700)]
    out += ["".join(chr(draw.randrange(*draw.choice(ranges))) for _ in range(draw.randrange(1, 60))) for _ in range(1500)]
    return out


def compare(paths):
    import llama_cpp
    quiet = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
    found = importlib.util.spec_from_file_location("tokenizer", ROOT / "core/decoder/tokenizer.py")
    ours = importlib.util.module_from_spec(found)
    found.loader.exec_module(ours)
    texts, worst = many_texts(), 0
    for path in paths:
        ours.load(json.dumps(facts_of(path)))
        model = llama_cpp.Llama(path, vocab_only=True, verbose=False)
        wrong = [text for text in texts
                 if model.tokenize(text.encode(), add_bos=True, special=True) != json.loads(ours.encode(json.dumps({"text": text})))]
        worst = max(worst, len(wrong))
        print(f"{path}: {len(wrong)} of {len(texts)} texts differ", *map(repr, wrong[:3]))
    return 1 if worst else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", nargs="+", metavar="FILE")
    given = parser.parse_args()
    if given.compare:
        return compare(given.compare)
    write(trained())
    return 0


if __name__ == "__main__":
    sys.exit(main())
