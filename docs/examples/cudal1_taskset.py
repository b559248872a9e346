# SPDX-License-Identifier: GPL-3.0-or-later
"""The suite as a taskset of `verifiers` (0.4), with rewards from `cudal1 serve`.

    export CUDAL1_URL=… CUDAL1_TOKEN=… PYTHONPATH=…/docs/examples
    vf-eval cudal1-taskset -m MODEL --client.base-url http://localhost:8000/v1 --client.api-key-var KEY --no-push \\
        --env.agent.runtime.type subprocess --env.agent.harness.id null --env.taskset.tasks 1/12

Training with prime-rl names it the same way.
"""
import asyncio
from collections.abc import Iterable

import verifiers.v1 as vf
from judge_client import PROMPT, Judge

__all__ = ["JudgedTaskset"]


class JudgedData(vf.TaskData):
    task: str
    """LEVEL/ID of the suite."""


class JudgedTaskConfig(vf.TaskConfig):
    preset: str = "quick"
    device: str | None = None


class JudgedTask(vf.Task[JudgedData, vf.State, JudgedTaskConfig]):
    @vf.reward
    async def speedup(self, trace: vf.Trace) -> float:
        """By the paper's rule; 0 for a failure, and where nothing can be said."""
        settings = {"preset": self.config.preset} | ({"device": self.config.device} if self.config.device else {})
        # The server answers when it has judged, which takes a while.
        rewards = await asyncio.to_thread(Judge().rewards, [self.data.task], [trace.last_reply], **settings)
        return 0.0 if rewards[0] is None else float(rewards[0])


class JudgedConfig(vf.TasksetConfig):
    task: JudgedTaskConfig = JudgedTaskConfig()
    split: str = "train"
    tasks: list[str] = []
    """These alone; empty: all of the split."""


class JudgedTaskset(vf.Taskset[JudgedTask, JudgedConfig]):
    def load(self) -> Iterable[JudgedTask]:
        judge = Judge()
        for one in judge.tasks(None if self.config.tasks else self.config.split):
            if self.config.tasks and one["task"] not in self.config.tasks:
                continue
            prompt = PROMPT.format(reference=judge.reference(one["task"]))
            yield JudgedTask(JudgedData(task=one["task"], name=one["name"], prompt=prompt), self.config.task)
