# SPDX-License-Identifier: GPL-3.0-or-later
"""Log-probabilities, entropies, loss and gradients of tiny models in float64 against the framework's own autograd.

check_gradients.py DUMP_GRADIENTS DATA [--transformers]

The forward pass is written down here once more, in plain torch and one sequence at a time; with --transformers it is the library's.
Packing, checkpoints, chunks of logits and a temperature must change nothing beyond rounding.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
BOUND = 1e-10
FAMILIES = ("llama", "llama_biases", "llama_llama3", "llama_dynamic", "qwen2", "qwen2_yarn", "qwen3")
TYPES = {"BF16": torch.bfloat16, "F32": torch.float32}


def weights_of(folder):
    out = {}
    for path in sorted(folder.glob("*.safetensors")):
        data = path.read_bytes()
        size = int.from_bytes(data[:8], "little")
        for name, entry in json.loads(data[8:8 + size]).items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                raw = torch.frombuffer(bytearray(data[8 + size + begin:8 + size + end]), dtype=TYPES[entry["dtype"]])
                out[name] = raw.reshape(entry["shape"]).double().requires_grad_()
    return out


def frequencies(config, length):
    rope, size = config["rope_parameters"], config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    base, kind = rope["rope_theta"], rope["rope_type"]
    if kind == "dynamic" and length > config["max_position_embeddings"]:
        factor, top = rope["factor"], config["max_position_embeddings"]
        base *= (factor * length / top - (factor - 1)) ** (size / (size - 2))
    out = base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    if kind == "llama3":
        old, low, high = rope["original_max_position_embeddings"], rope["low_freq_factor"], rope["high_freq_factor"]
        waves, share = 2 * math.pi / out, (old / (2 * math.pi / out) - low) / (high - low)
        between = (1 - share) * out / rope["factor"] + share * out
        out = torch.where(waves > old / low, out / rope["factor"], torch.where(waves < old / high, out, between))
    if kind == "yarn":
        old = rope["original_max_position_embeddings"]
        low, high = (size * math.log(old / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (32, 1))
        low, high = max(math.floor(low), 0), min(math.ceil(high), size - 1)
        ramp = ((torch.arange(size // 2, dtype=torch.float64) - low) / (high - low)).clamp(0, 1)
        out = out / rope["factor"] * ramp + out * (1 - ramp)
    # A float, as transformers has it.
    return out, torch.tensor(0.1 * math.log(rope["factor"]) + 1 if kind == "yarn" else 1.0, dtype=torch.float32).double()


def logits_of(config, weights, tokens, adapters):
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    size = config.get("head_dim") or config["hidden_size"] // heads
    turns, scale = frequencies(config, len(tokens))
    angles = torch.arange(len(tokens), dtype=torch.float64)[:, None] * torch.cat([turns, turns])
    cosine, sine = angles.cos() * scale, angles.sin() * scale
    mask = torch.full((len(tokens), len(tokens)), -math.inf, dtype=torch.float64).triu(1)

    def norm(x, name):
        return x * (x.square().mean(-1, keepdim=True) + config["rms_norm_eps"]).rsqrt() * weights[name + ".weight"]

    def linear(x, name):
        out = F.linear(x, weights[name + ".weight"], weights.get(name + ".bias"))
        if name + ".lora_A.weight" in adapters:
            rank = adapters[name + ".lora_A.weight"].shape[0]
            out = out + x @ adapters[name + ".lora_A.weight"].T @ adapters[name + ".lora_B.weight"].T * (32 / rank)
        return out

    def rotate(x):
        a, b = x.chunk(2, -1)
        return x * cosine[:, None] + torch.cat([-b, a], -1) * sine[:, None]

    x = weights["model.embed_tokens.weight"][torch.tensor(tokens)]
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}."
        h = norm(x, layer + "input_layernorm")
        q = linear(h, layer + "self_attn.q_proj").view(len(tokens), heads, size)
        k = linear(h, layer + "self_attn.k_proj").view(len(tokens), shared, size)
        v = linear(h, layer + "self_attn.v_proj").view(len(tokens), shared, size)
        if layer + "self_attn.q_norm.weight" in weights:
            q, k = norm(q, layer + "self_attn.q_norm"), norm(k, layer + "self_attn.k_norm")
        q, k, v = rotate(q), rotate(k).repeat_interleave(heads // shared, 1), v.repeat_interleave(heads // shared, 1)
        shares = (torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(size) + mask).softmax(-1)
        x = x + linear(torch.einsum("hqk,khd->qhd", shares, v).reshape(len(tokens), -1), layer + "self_attn.o_proj")
        h = norm(x, layer + "post_attention_layernorm")
        x = x + linear(F.silu(linear(h, layer + "mlp.gate_proj")) * linear(h, layer + "mlp.up_proj"), layer + "mlp.down_proj")
    head = "model.embed_tokens" if config["tie_word_embeddings"] else "lm_head"
    return F.linear(norm(x, "model.norm"), weights[head + ".weight"])


def expected(folder, request, adapters):
    config, weights = json.loads((folder / "config.json").read_text()), weights_of(folder)
    told, total, count = {}, 0, 0
    for number, sequence in enumerate(request["sequences"]):
        tokens, prompt = sequence["tokens"], sequence["prompt_tokens"]
        rows = (logits_of(config, weights, tokens, adapters) / request.get("temperature", 1))[prompt - 1:-1].log_softmax(-1)
        entropy = -(rows.exp() * rows).sum(-1)
        chosen = rows.gather(1, torch.tensor(tokens[prompt:])[:, None])[:, 0]
        total, count = total - chosen.sum(), count + len(chosen)
        for token in range(len(chosen)):
            told[number, token] = (chosen[token].item(), entropy[token].item())
    loss = total / count
    loss.backward()
    learnt = adapters or weights
    return loss.item(), told, {name: weight.grad for name, weight in learnt.items() if weight.grad is not None}


def transformers_gradients(folder, request):
    """The library computes rotation and norms in floats; both are put into doubles here, by the same formulas."""
    import transformers
    config = json.loads((folder / "config.json").read_text())
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()

    class Rotary(torch.nn.Module):
        def forward(self, x, position_ids, layer_type=None):
            turns, scale = frequencies(config, int(position_ids.max()) + 1)
            angles = position_ids[..., None].double() * torch.cat([turns, turns])
            return angles.cos() * scale, angles.sin() * scale

    def norm(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon))

    model.model.rotary_emb = Rotary()
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = norm.__get__(module)
    real = torch.nn.functional.softmax
    torch.nn.functional.softmax = lambda x, dim=None, dtype=None: real(x, dim=dim)
    total, count = 0, 0
    for sequence in request["sequences"]:
        tokens, prompt = sequence["tokens"], sequence["prompt_tokens"]
        rows = (model(torch.tensor([tokens])).logits[0] / request.get("temperature", 1))[prompt - 1:-1].log_softmax(-1)
        chosen = rows.gather(1, torch.tensor(tokens[prompt:])[:, None])[:, 0]
        total, count = total - chosen.sum(), count + len(chosen)
    (total / count).backward()
    torch.nn.functional.softmax = real
    return (total / count).item(), {name: weight.grad for name, weight in model.named_parameters()}


def got(name, requests):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(requests, file)
        file.flush()
        done = subprocess.run([PROGRAM, str(DATA / name), file.name], capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def adapters_of(name, rank):
    """LoRA's matrices, one behind the other in the order of their names, are 0.1 sin(1), 0.1 sin(2) and so on."""
    weights, out, filled = weights_of(DATA / name), {}, 1
    for key in sorted(part for key in weights if key.endswith("_proj.weight")
                      for part in (key.replace(".weight", ".lora_A.weight"), key.replace(".weight", ".lora_B.weight"))):
        rows, columns = weights[key.replace("lora_A.", "").replace("lora_B.", "")].shape
        shape = (rank, columns) if "lora_A" in key else (rows, rank)
        values = torch.arange(filled, filled + shape[0] * shape[1], dtype=torch.float64)
        filled += len(values)
        out[key] = (0.1 * values.sin()).view(shape).requires_grad_()
    return out


def largest(gradients, wanted):
    assert set(gradients) == set(wanted), set(gradients) ^ set(wanted)
    worst = 0.0
    for name, gradient in wanted.items():
        own = torch.tensor(gradients[name], dtype=torch.float64).reshape(gradient.shape)
        worst = max(worst, (own - gradient).abs().max().item() / max(gradient.abs().max().item(), 1e-3))
    return worst


VARIANTS = ({"limit": 1}, {"limit": 1000, "temperature": 0.7}, {"limit": 24, "checkpoints": True}, {"limit": 24, "lora": 3}, {"limit": 1000, "shares": True})
ALL_VARIANTS = ("llama_biases", "qwen3")


def main() -> int:
    torch.manual_seed(5)
    sequences = [{"tokens": torch.randint(2, 60, (length,)).tolist(), "prompt_tokens": prompt}
                 for length, prompt in ((9, 3), (13, 12), (2, 1), (19, 5), (6, 1))]
    sequences[3]["tokens"][:3] = sequences[0]["tokens"][:3]
    sequences[3]["prompt_tokens"] = 3  # two replies to one prompt, and two to another of one token
    sequences[4]["tokens"][0] = sequences[2]["tokens"][0]
    wrong = 0
    for name in FAMILIES:
        variants = VARIANTS if name in ALL_VARIANTS or "--transformers" in sys.argv else VARIANTS[-2:]
        requests = [{"sequences": sequences, **more} for more in variants]
        for request, more, answer in zip(requests, variants, got(name, requests)):
            adapters = adapters_of(name, request["lora"]) if "lora" in more else {}
            loss, told, gradients = expected(DATA / name, request, adapters)
            worst = max(abs(answer["loss"] - loss), largest(answer["gradients"], gradients))
            assert len(answer["told"]) == len(told)
            for number, token, log_probability, entropy in answer["told"]:
                worst = max(worst, abs(told[number, token][0] - log_probability), abs(told[number, token][1] - entropy))
            if "--transformers" in sys.argv and not adapters:
                loss, gradients = transformers_gradients(DATA / name, request)
                worst = max(worst, abs(answer["loss"] - loss), largest(answer["gradients"], gradients))
            print(f"{name:14} {more} largest difference {worst:.1e}")
            wrong += not worst < BOUND
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
