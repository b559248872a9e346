# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of `cudal1 serve` in plain Python, for reward functions of any trainer.

CUDAL1_URL and CUDAL1_TOKEN say where the server is: what it printed when it was started. Run as a program, it judges a file:

    python judge_client.py 1/12 candidate.py --preset quick
"""
import argparse
import json
import os
import time
import urllib.error
import urllib.request


class Judge:
    """Waits as long as the server says where its queue is full, and for a server that is being restarted."""

    def __init__(self, url=None, token=None, patience_s=600):
        self.url = (url or os.environ.get("CUDAL1_URL", "http://127.0.0.1:8000")).rstrip("/")
        self.token = token or os.environ.get("CUDAL1_TOKEN")
        self.patience_s = patience_s

    def ask(self, method, path, body=None):
        """The answer as JSON; RuntimeError with the server's own words where it refuses."""
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        end = time.monotonic() + self.patience_s
        while True:
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as refused:
                said = refused.read().decode(errors="replace")
                wait = float(refused.headers.get("Retry-After", 5))
                if refused.code not in (429, 503) or time.monotonic() + wait > end:
                    raise RuntimeError(f"the judge answered {refused.code}: {said}") from refused
            except (urllib.error.URLError, ConnectionError) as lost:
                wait = 2
                if time.monotonic() + wait > end:
                    raise RuntimeError(f"there is no judge at {self.url}: {lost}") from lost
            time.sleep(wait)

    def tasks(self, split=None):
        """[{"task", "name", "level", "split"}]; of one split ("train" or "held_out") where it is named."""
        return [one for one in self.ask("GET", "/tasks")["tasks"] if split in (None, one["split"])]

    def reference(self, task):
        return self.ask("GET", f"/tasks/{task}")["reference"]

    def evaluate(self, source, task=None, reference=None, **settings):
        """What `cudal1 evaluate --json` prints, with "reward". Settings: device, preset, precision, seed, cached."""
        where = {"task": task} if task else {"reference": reference}
        return self.ask("POST", "/evaluate", {**where, "source": source, **settings})

    def rewards(self, tasks, completions, **settings):
        """A number for each completion: the speed-up by the paper's rule, 0 for a failure, None where nothing can be said."""
        return self.ask("POST", "/rewards", {"tasks": tasks, "completions": completions, **settings})["rewards"]


PROMPT = """Write a PyTorch module ModelNew that computes what Model below computes, with the same constructor and the same arguments of
forward, and is faster. Answer with the whole file in one block of Python.

```python
{reference}
```
"""


def main():
    parser = argparse.ArgumentParser(description="Has a candidate judged by a running `cudal1 serve`.")
    parser.add_argument("task", help="LEVEL/ID")
    parser.add_argument("file", help="Python that defines ModelNew")
    parser.add_argument("--device")
    parser.add_argument("--preset", choices=["quick", "standard", "paper"])
    given = parser.parse_args()
    with open(given.file) as file:
        source = file.read()
    settings = {name: value for name in ("device", "preset") if (value := getattr(given, name))}
    answer = Judge().evaluate(source, given.task, samples=False, **settings)
    print(json.dumps({name: answer.get(name) for name in ("verdict", "reasons", "reward", "reward_estimate", "interval", "seconds")}, indent=2))


if __name__ == "__main__":
    main()
