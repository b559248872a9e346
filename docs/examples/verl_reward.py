# SPDX-License-Identifier: GPL-3.0-or-later
"""A reward function for verl, which calls compute_score() for each answer:

    reward.custom_reward_function.path=…/verl_reward.py reward.custom_reward_function.name=compute_score

Older versions name these settings without "reward."; 0.9 takes both.

CUDAL1_URL and CUDAL1_TOKEN say where `cudal1 serve` is. "ground_truth" of a row of the data set is the id of a task, such as 1/12;
`python verl_reward.py rows.parquet` writes such a data set (needs pandas and pyarrow). The server judges one candidate after
another on a device, and its queue takes those of many workers at a time.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))  # verl loads this file by its path
from judge_client import PROMPT, Judge  # noqa: E402

judge = Judge()


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    """The speed-up by the paper's rule; 0 for a failure, and where nothing can be said, since verl needs a number."""
    reward = judge.rewards([ground_truth], [solution_str], preset=os.environ.get("CUDAL1_PRESET", "quick"))[0]
    return 0.0 if reward is None else float(reward)


def rows(split="train"):
    """The suite as rows of verl's data sets."""
    for number, task in enumerate(judge.tasks(split)):
        yield {"data_source": "cudal1", "ability": "code", "reward_model": {"style": "rule", "ground_truth": task["task"]},
               "prompt": [{"role": "user", "content": PROMPT.format(reference=judge.reference(task["task"]))}],
               "extra_info": {"split": split, "index": number, "name": task["name"]}}


if __name__ == "__main__":
    import pandas
    pandas.DataFrame(rows()).to_parquet(sys.argv[1])
    print(f"written {sys.argv[1]}")
