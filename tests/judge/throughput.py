# SPDX-License-Identifier: GPL-3.0-or-later
"""How many candidates an hour: a queue for the judge, and a fresh process for each candidate, both in one run.

throughput.py EVALUATOR DEVICE [--queue 200] [--fresh 20] [--preset quick] [--json FILE]

The queue mixes candidates that use the framework alone (60 %), compile with NVRTC (15 %), with Triton (15 %) and with
load_inline (10 %), each with a source of its own. The fresh process loads the framework, builds reference and candidate,
does as many trials and times as many rounds of the same length as the judge did at the median, with caches flushed, and
ends; it checks nothing else. Prints a table; nothing here passes or fails.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from evaluatorclient import EvaluatorClient
from lineartask import candidate, task

TASK = task(1024, 1024)
KINDS = {
    "framework": (60, candidate("return torch.relu_(self.linear(x)).mul_(2)", module="# number {number}")),
    "nvrtc": (15, candidate("""y = self.linear(x)
kernel(((y.numel() + 255) // 256, 1, 1), (256, 1, 1), (y, y.numel()))
return y""", module="""
KERNEL = r'''
extern "C" __global__ void scaled_relu_{number}(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] > 0.0f ? 2.0f * x[i] : 0.0f * x[i];
}
'''
kernel = torch.cuda._compile_kernel(KERNEL, "scaled_relu_{number}")
""")),
    "triton": (15, candidate("""y = self.linear(x)
scaled_relu_{number}[((y.numel() + 1023) // 1024,)](y, y.numel(), BLOCK=1024)
return y""", module="""
import triton
import triton.language as tl

@triton.jit
def scaled_relu_{number}(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(x + i, tl.where(v > 0, 2 * v, 0 * v), mask=i < n)
""")),
    "load_inline": (10, candidate("""y = self.linear(x)
extension.scaled_relu(y)
return y""", module="""
from torch.utils.cpp_extension import load_inline
extension = load_inline(name="scaled_relu_{number}", cpp_sources="void scaled_relu(torch::Tensor x);", functions=["scaled_relu"], cuda_sources=r'''
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void kernel_{number}(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] > 0.0f ? 2.0f * x[i] : 0.0f * x[i];
}
void scaled_relu(torch::Tensor x)
{
    kernel_{number}<<<(x.numel() + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
}
''')
""")),
}


def quantile(ordered: list[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def candidates(count: int, seed: int) -> list[tuple[str, str]]:
    kinds = [kind for kind, (share, _) in KINDS.items() for _ in range(round(count * share / 100))]
    random.Random(seed).shuffle(kinds)
    return [(kind, KINDS[kind][1].replace("{number}", str(seed * 100000 + i))) for i, kind in enumerate(kinds)]


def judge(evaluator: str, device: str, queue: list[tuple[str, str]], preset: str) -> tuple[float, list[dict]]:
    client = EvaluatorClient(evaluator)
    client.evaluate(TASK, KINDS["framework"][1].replace("{number}", "0"), device=device, preset=preset)  # what starts once
    begun = time.monotonic()
    asked = {client.start_evaluation(TASK, source, device, preset): kind for kind, source in queue}
    answers = []
    while len(answers) < len(queue):
        message = client.receive()
        if message["type"] == "progress":
            continue
        answers.append({"kind": asked[message["id"]], "at": time.monotonic() - begun, **message})
        if len(answers) % 20 == 0:
            print(f"{len(answers)} of {len(queue)} after {time.monotonic() - begun:.0f} s", flush=True)
    seconds = time.monotonic() - begun
    client.close()
    return seconds, answers


def fresh_process(task: str, candidate: str, device: str, trials: int, pairs: int) -> None:
    """What the child does: everything of one candidate, in one process."""
    import torch

    reference, own = {}, {}
    exec(compile(open(task, encoding="utf-8").read(), task, "exec"), reference)
    import importlib.util
    spec = importlib.util.spec_from_file_location("candidate", candidate)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = vars(module)
    models = []
    for space, name in ((reference, "Model"), (own, "ModelNew")):
        torch.manual_seed(1)
        models.append(space[name](*reference["get_init_inputs"]()).to(device))
    flush = torch.empty(2 * 50 << 20, dtype=torch.uint8, device=device)
    ratios = []
    with torch.no_grad():
        for _ in range(trials):
            inputs = [x.to(device) for x in reference["get_inputs"]()]
            expected, actual = (model(*inputs) for model in models)
            assert torch.allclose(expected, actual, atol=1e-2, rtol=1e-2)
        for _ in range(pairs):
            times = []
            for model in models:
                end = time.monotonic() + 0.001
                while time.monotonic() < end:
                    model(*inputs)
                    torch.cuda.synchronize()
                samples, end = [], time.monotonic() + 0.003
                while time.monotonic() < end:
                    flush.zero_()
                    torch.cuda.synchronize()
                    start = time.monotonic()
                    model(*inputs)
                    torch.cuda.synchronize()
                    samples.append(time.monotonic() - start)
                times.append(statistics.median(samples))
            ratios.append(times[0] / times[1])
    print(statistics.median(ratios))


def fresh(device: str, queue: list[tuple[str, str]], trials: int, pairs: int) -> list[dict]:
    results = []
    for kind, source in queue:
        with tempfile.TemporaryDirectory() as folder:
            task, candidate = os.path.join(folder, "task.py"), os.path.join(folder, "candidate.py")
            for path, text in ((task, TASK), (candidate, source)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            environment = {**os.environ, "TORCH_EXTENSIONS_DIR": folder + "/extensions", "TRITON_CACHE_DIR": folder + "/triton"}
            begun = time.monotonic()
            run = subprocess.run([sys.executable, __file__, "--one", task, candidate, device, str(trials), str(pairs)], env=environment,
                                 capture_output=True, text=True)
            results.append({"kind": kind, "seconds": time.monotonic() - begun, "ok": run.returncode == 0, "error": run.stderr[-500:]})
    return results


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        fresh_process(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evaluator")
    parser.add_argument("device")
    parser.add_argument("--queue", type=int, default=200)
    parser.add_argument("--fresh", type=int, default=20)
    parser.add_argument("--standard", type=int, default=0, help="also so many candidates with preset standard")
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--kinds", default=",".join(KINDS), help="of candidates, each with its share of the queue")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    for kind in set(KINDS) - set(arguments.kinds.split(",")):
        del KINDS[kind]
    seconds, answers = judge(arguments.evaluator, arguments.device, candidates(arguments.queue, 1), arguments.preset)
    rows = [(arguments.preset, answers)]
    if arguments.standard:
        rows.append(("standard", judge(arguments.evaluator, arguments.device, candidates(arguments.standard, 3), "standard")[1]))
    print(f"{'preset':10}{'kind':14}{'judged':>8}{'correct':>9}{'median s':>10}{'95 % s':>9}{'build':>8}{'check':>8}{'time':>8}   seconds with the GPU, of one candidate")
    for preset, found in rows:
        for kind in list(KINDS) + ["all"]:
            own = [a for a in found if kind in ("all", a["kind"])]
            times = sorted(a["seconds"]["total"] for a in own if a["type"] == "evaluation")
            correct = sum(a.get("verdict") == "correct" for a in own)
            if times:
                phases = [statistics.median(a["seconds"][phase] for a in own if a["type"] == "evaluation") for phase in ("build", "check", "time")]
                print(f"{preset:10}{kind:14}{len(own):8}{correct:9}{statistics.median(times):10.2f}{quantile(times, 0.95):9.2f}"
                      + "".join(f"{seconds:8.2f}" for seconds in phases), flush=True)
    rate = len(answers) / seconds * 3600
    print(f"queue of {len(answers)}: {seconds:.0f} s, {rate:.0f} an hour", flush=True)
    evaluations = [a for a in answers if a["type"] == "evaluation"]
    trials = round(statistics.median(a["trials"]["run"] for a in evaluations))
    pairs = round(statistics.median(len(a["pairs"]) for a in evaluations))
    alone = fresh(arguments.device, candidates(arguments.fresh, 2), trials, pairs)
    plain = len(alone) / sum(r["seconds"] for r in alone) * 3600
    print(f"a fresh process each ({len(alone)}, {sum(r['ok'] for r in alone)} without error, {trials} trials, {pairs} pairs): {plain:.0f} an hour")
    for kind in KINDS:
        own = [r["seconds"] for r in alone if r["kind"] == kind]
        if own:
            print(f"    {kind:14}{statistics.median(own):8.1f} s")
    print(f"ratio {rate / plain:.1f}")
    for answer in evaluations:
        if answer["verdict"] != "correct":
            print("not correct:", answer["kind"], answer["verdict"], answer["reasons"][0]["text"], answer["reasons"][0]["evidence"][-300:])
            break
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"seconds": seconds, "answers": [{k: a.get(k) for k in ("kind", "at", "verdict", "seconds", "trials")} for a in answers], "fresh": alone}, file)


if __name__ == "__main__":
    main()
