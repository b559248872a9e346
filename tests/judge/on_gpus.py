# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the judge's checks that need a GPU, on all GPUs of a machine, until a time limit; a later sitting goes on.

on_gpus.py EVALUATOR FOLDER [--seconds 540] [--devices cuda:0,cuda:1] [--jobs exploits,lookalikes,quick,standard,soak,throughput]

Each GPU takes the next job that nobody has begun. Results and logs are in FOLDER. Programs of the corpus that it already
has a row of are not judged again; sessions of accuracy.py are added to those of earlier sittings. Prints the end of each
job's log. Status 0 when every job that came to its end says so, 1 otherwise.
"""
import argparse
import pathlib
import queue
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent


def class_groups(count=6):
    """The classes of exploits in groups; each group has an evaluator of its own, which takes seconds to start."""
    names = sorted(path.name for path in (HERE / "exploits").iterdir() if path.is_dir())
    return [names[start::count] for start in range(count)]


def free_name(folder, stem):
    return next(path for path in (folder / f"{stem}-{number}.json" for number in range(1000)) if not path.exists())


def jobs_of(name, folder, left):
    """Names and arguments, in which {device} stands for a GPU."""
    rows = str(folder / "corpus.jsonl")
    if name == "exploits":
        return [(f"exploits-{number}", ["check_exploits.py", "{device}", "--only", ",".join(f"{c}/*" for c in group), "--resume", rows, "--verbose"])
                for number, group in enumerate(class_groups())]
    if name == "lookalikes":
        return [(name, ["check_exploits.py", "{device}", "--only", "lookalikes/*", "--resume", rows, "--verbose"])]
    if name in ("quick", "standard"):
        earlier = [str(path) for path in folder.glob(f"{name}-*.json")]
        return [(name, ["accuracy.py", "{device}", "--preset", name, "--slow", "0", "--restart", "4", "--seconds", str(left),
                        "--json", str(free_name(folder, name)), *(["--add", *earlier] if earlier else [])])]
    if name == "soak":
        return [(name, ["soak.py", "{device}", "--candidates", "1000"])]
    if name == "throughput":
        return [(name, ["throughput.py", "{device}", "--queue", "160", "--fresh", "12"])]
    raise SystemExit(f"on_gpus.py: there is no job '{name}'")


class Sitting:
    def __init__(self, evaluator, folder, deadline):
        self.evaluator, self.folder, self.deadline = evaluator, folder, deadline
        self.waiting = queue.SimpleQueue()
        self.ended = {}

    def work(self, device):
        while not self.waiting.empty() and time.monotonic() < self.deadline:
            name, (script, *arguments) = self.waiting.get()
            command = [sys.executable, "-B", str(HERE / script), self.evaluator, *(a.replace("{device}", device) for a in arguments)]
            with open(self.folder / f"{name}.log", "w") as log:
                process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
                try:
                    self.ended[name] = process.wait(max(1.0, self.deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    process.terminate()
                    process.wait()
                    self.ended[name] = None
            print(f"{name} on {device}: {'cut off' if self.ended[name] is None else f'status {self.ended[name]}'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluator")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--devices", help="as cuda:0,cuda:1; all unless given")
    parser.add_argument("--jobs", default="lookalikes,exploits,quick,standard,throughput,soak")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.devices:
        devices = options.devices.split(",")
    else:
        import torch
        devices = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    sitting = Sitting(options.evaluator, options.folder, time.monotonic() + options.seconds)
    for name in options.jobs.split(","):
        for job in jobs_of(name, options.folder, options.seconds):
            sitting.waiting.put(job)
    threads = [threading.Thread(target=sitting.work, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in sitting.ended:
        lines = (options.folder / f"{name}.log").read_text(errors="replace").splitlines()
        print(f"\n{name}\n" + "\n".join("    " + line[:160] for line in lines[-8:]))
    return int(any(status not in (None, 0) for status in sitting.ended.values()))


if __name__ == "__main__":
    sys.exit(main())
