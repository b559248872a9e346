# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens and conversations of a model, by the library `tokenizers` and Jinja; runs inside cudal1-model.

Every function takes and returns JSON. `load` makes the one tokenizer that the others use.
"""
import datetime
import json
import os
import re

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

# What llama.cpp calls the ways in which a text is cut before bytes are merged. Each is a fact of the models' own
# tokenizer.json.
GPT2_NAMES = {"gpt-2", "phi-2", "jina-v2-es", "jina-v2-de", "mpt", "olmo", "dbrx"}
DIGIT_NAMES = {"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"}
LLAMA3_NAMES = {"llama3", "llama-v3", "llama-bpe", "smaug-bpe", "falcon3"}
QWEN_NAMES = {"qwen2", "deepseek-r1-qwen", "megrez"}
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"  # what SentencePiece writes for a space


class Refused(Exception):
    """A model whose tokens cannot be handled, with a sentence for a person."""


class State:
    tokenizer = None
    template = None
    names = {}  # "bos_token" and its like, for templates
    unused = set()  # rows of the model without a token, which have a name in GGUF files all the same
    begin = None  # a token to put before a prompt that is no conversation; what tokenizer.json does by itself is not this


# ---- tokenizers ---------------------------------------------------------------------------------------------------------


def split(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def pre_tokenizer(name):
    if name in GPT2_NAMES:
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    if name in DIGIT_NAMES:
        return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    letters = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+"
    if name in LLAMA3_NAMES:
        return split(letters + r"|\p{N}{1,3}" + REST)
    if name in QWEN_NAMES:
        return split(letters + r"|\p{N}" + REST)
    known = ", ".join(sorted(GPT2_NAMES | DIGIT_NAMES | LLAMA3_NAMES | QWEN_NAMES))
    raise Refused(f"its text is cut in the way '{name}', and these are known: {known}")


def byte_level_bpe(facts):
    tokens = facts["tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in facts["merges"]]
    if any(len(merge) != 2 for merge in merges):
        raise Refused("one of its merges is no pair")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    # Merges of tokens that a shortened vocabulary lacks would be an error of the library.
    merges = [(a, b) for a, b in merges if a in vocabulary and b in vocabulary and a + b in vocabulary]
    name = facts["pre"]
    tokenizer = tokenizers.Tokenizer(models.BPE(vocabulary, merges, ignore_merges=name in LLAMA3_NAMES))
    tokenizer.pre_tokenizer = pre_tokenizer(name)
    if name in QWEN_NAMES:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def sentence_piece_bpe(facts):
    """SentencePiece joins the two neighbours whose piece has the greatest score. As a list of merges: every way to make a piece of
    two others, by the score of the piece."""
    tokens, types, scores = facts["tokens"], facts["types"], facts["scores"]
    if len(scores) != len(tokens) or len(types) != len(tokens):
        raise Refused("its tokens lack scores or kinds")
    vocabulary = {}
    for number, token in enumerate(tokens):
        vocabulary.setdefault(token, number)
    if len(vocabulary) != len(tokens):
        raise Refused("two of its tokens are equal")
    pieces = {token for token, kind in zip(tokens, types) if kind == NORMAL}
    ranked = []
    for piece in pieces:
        score = scores[vocabulary[piece]]
        for cut in range(1, len(piece)):
            if piece[:cut] in pieces and piece[cut:] in pieces:
                ranked.append((-score, vocabulary[piece], -cut, piece))
    merges = [(piece[:-cut], piece[-cut:]) for _, _, cut, piece in sorted(ranked)]
    unknown = facts["special"].get("unk")
    tokenizer = tokenizers.Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True, fuse_unk=True,
                                                unk_token=tokens[unknown] if unknown is not None and 0 <= unknown < len(tokens) else None))
    # A space before each stretch of text, also behind control tokens: so these models were trained, and so llama.cpp does it.
    prefix = [normalizers.Prepend(SPACE)] if facts["add_space_prefix"] is not False else []
    tokenizer.normalizer = normalizers.Sequence([*prefix, normalizers.Replace(" ", SPACE)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def from_gguf(facts):
    tokens, types, special = facts["tokens"], facts["types"], facts["special"]
    if facts["model"] == "llama":
        for key, number in (("bos", 1), ("eos", 2), ("unk", 0)):  # what they are in files that do not say it
            if number < len(tokens) and types[number:number + 1] in ([CONTROL], [UNKNOWN]):
                special.setdefault(key, number)
        tokenizer, adds = sentence_piece_bpe(facts), True
    elif facts["model"] == "gpt2":
        tokenizer, adds = byte_level_bpe(facts), facts["pre"] in LLAMA3_NAMES
    else:
        raise Refused(f"its tokenizer is of the kind '{facts['model']}', and GGUF files with byte-level BPE ('gpt2') and with "
                      "SentencePiece's BPE ('llama') are read; a Hugging Face folder with tokenizer.json works with every kind")
    for number, kind in enumerate(types):
        if kind in (UNKNOWN, CONTROL, USER):
            added = tokenizers.AddedToken(tokens[number], special=kind != USER, normalized=False)
            (tokenizer.add_special_tokens if kind != USER else tokenizer.add_tokens)([added])
    State.unused = {number for number, kind in enumerate(types) if kind == UNUSED}
    State.template = facts["template"] or None
    State.names = {key + "_token": tokens[number] for key, number in special.items() if 0 <= number < len(tokens)}
    State.begin = special.get("bos") if (facts["add_bos"] if facts["add_bos"] is not None else adds) else None
    return tokenizer


def read_json(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        out = json.load(file)
    return out if isinstance(out, dict) else {}


def from_folder(folder):
    path = os.path.join(folder, "tokenizer.json")
    if not os.path.exists(path):
        raise Refused("its folder has no tokenizer.json; fetch it, or convert the older files with the library transformers")
    tokenizer = tokenizers.Tokenizer.from_file(path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    settings = read_json(os.path.join(folder, "tokenizer_config.json"))
    template = settings.get("chat_template")
    if isinstance(template, list):  # several by name
        named = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, dict)}
        template = named.get("default")
    own = os.path.join(folder, "chat_template.jinja")
    if os.path.exists(own):
        with open(own, encoding="utf-8") as file:
            template = file.read()
    State.template = template or None
    State.names = {}
    for source in (read_json(os.path.join(folder, "special_tokens_map.json")), settings):
        for key, value in source.items():
            if key.endswith("_token"):
                text = value.get("content") if isinstance(value, dict) else value
                if isinstance(text, str):
                    State.names[key] = text
    State.begin = None
    return tokenizer


def byte_of_character():
    """Byte-level BPE writes each byte as a character that can be seen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    out = {chr(byte): byte for byte in seen}
    hidden = [byte for byte in range(256) if byte not in set(seen)]
    out.update({chr(256 + i): byte for i, byte in enumerate(hidden)})
    return out


def kinds(decoder):
    if not decoder:
        return set()
    out = {decoder["type"]}
    for part in decoder.get("decoders", []):
        out |= kinds(part)
    return out


def bytes_of_tokens(tokenizer):
    """For each token the bytes that it adds to a text, as a string of characters below 256; control tokens add none."""
    found = kinds(json.loads(tokenizer.to_str())["decoder"])
    added = tokenizer.get_added_tokens_decoder()
    table = byte_of_character()

    def byte_level(token):
        return bytes(table[c] for c in token) if all(c in table for c in token) else token.encode()

    def sentence_piece(token):
        if re.fullmatch("<0x[0-9A-Fa-f]{2}>", token):
            return bytes([int(token[3:5], 16)])
        return token.replace(SPACE, " ").encode()

    if "ByteLevel" in found:
        read = byte_level
    elif found & {"ByteFallback", "Metaspace", "Replace"}:
        read = sentence_piece
    else:
        raise Refused(f"its tokens are put together by {sorted(found) or 'nothing'}, and ByteLevel, ByteFallback and Metaspace "
                      "are known")
    out = []
    for number in range(tokenizer.get_vocab_size(with_added_tokens=True)):
        token = tokenizer.id_to_token(number)
        if token is None or number in State.unused:
            out.append(b"")
        elif number in added:
            out.append(b"" if added[number].special else added[number].content.encode())
        else:
            out.append(read(token))
    return [entry.decode("latin-1") for entry in out]


def load(request):
    facts = json.loads(request)
    State.tokenizer = from_folder(facts["folder"]) if "folder" in facts else from_gguf(facts)
    return json.dumps({"bytes": bytes_of_tokens(State.tokenizer), "chats": State.template is not None})


def files(_request):
    """The tokenizer as a folder has it: the text of each file, by name."""
    tokenizer = tokenizers.Tokenizer.from_str(State.tokenizer.to_str())
    if State.begin is not None:
        name = tokenizer.id_to_token(State.begin)
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{name} $A", pair=f"{name} $A {name} $B", special_tokens=[(name, State.begin)])
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **State.names}
    if State.template is not None:
        settings["chat_template"] = State.template
    return json.dumps({"tokenizer.json": tokenizer.to_str(pretty=True), "tokenizer_config.json": json.dumps(settings, indent=2)})


def encode(request):
    """{"text"}: a text to go on with. A conversation's text has its special tokens already: {"text", "plain": true}."""
    facts = json.loads(request)
    tokens = State.tokenizer.encode(facts["text"], add_special_tokens=not facts.get("plain", False)).ids
    if State.begin is not None and not facts.get("plain", False) and tokens[:1] != [State.begin]:
        tokens = [State.begin, *tokens]
    return json.dumps(tokens)


# ---- conversations ------------------------------------------------------------------------------------------------------


class Generation(jinja2.ext.Extension):
    """{% generation %} marks what the model wrote, for training; here it marks nothing."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.Scope(body).set_lineno(line)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def strftime_now(form):
    return datetime.datetime.now().strftime(form)


def chat(request):
    """{"messages"}: the conversation as a text, up to where the model's next message begins."""
    if State.template is None:
        raise Refused("it has no template for conversations; give a prompt instead of messages")
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = strftime_now
    try:
        text = environment.from_string(State.template).render(
            messages=json.loads(request)["messages"], tools=None, documents=None, add_generation_prompt=True, **State.names)
    except jinja2.exceptions.TemplateError as error:
        raise Refused(f"its template refuses this conversation: {error}") from error
    return json.dumps(text)
