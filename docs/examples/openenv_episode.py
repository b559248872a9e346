# SPDX-License-Identifier: GPL-3.0-or-later
"""One episode with OpenEnv's own client against `cudal1 serve`.

    CUDAL1_URL=… CUDAL1_TOKEN=… python openenv_episode.py 1/12 first.py second.py

Each file is a step. OpenEnv's client sends the password of its URL as a token; no other setting is needed.
"""
import json
import os
import sys
from urllib.parse import urlsplit

from openenv.core import GenericEnvClient


def main():
    task, *files = sys.argv[1:]
    place = urlsplit(os.environ.get("CUDAL1_URL", "http://127.0.0.1:8000"))
    token = os.environ.get("CUDAL1_TOKEN")
    url = f"{place.scheme}://token:{token}@{place.netloc}" if token else place.geturl()
    # Judging takes longer than the minute that the client waits for by itself.
    with GenericEnvClient(base_url=url, message_timeout_s=3600).sync() as env:
        begun = env.reset(task=task, max_steps=max(1, len(files)), preset="quick")
        print(f"{begun.observation['task']} {begun.observation['task_name']} on {begun.observation['device']}")
        for name in files:
            with open(name) as file:
                seen = env.step({"source": file.read()})
            print(json.dumps({"file": name, "verdict": seen.observation["verdict"], "reward": seen.reward, "done": seen.done,
                              "reasons": [one["text"] for one in seen.observation["reasons"]]}), flush=True)
        print(json.dumps(env.state()))


if __name__ == "__main__":
    main()
