# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of `cudal1 train --example`: check_example_tasks.py EVALUATOR FOLDER. Each runs, is not degenerate, and has an answer
that gives the same results; the judge finds two of the answers correct."""
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "judge"))
from evaluatorclient import EvaluatorClient  # noqa: E402

FAMILIES, EACH = ["diagonal", "repeated", "rows", "scanned", "summed"], 4
MOST_LINES = 30


def load(path):
    module = types.ModuleType(path.stem)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def main():
    try:
        import torch
    except ImportError:
        print("the interpreter has no torch")
        return 77
    folder = pathlib.Path(sys.argv[2])
    tasks = sorted(folder.glob("*.py"))
    assert [task.stem for task in tasks] == [f"{family}_{i}" for family in FAMILIES for i in range(1, EACH + 1)]
    for task in tasks:
        assert len(task.read_text().splitlines()) <= MOST_LINES, task
        reference, answer = load(task), load(folder / "answers" / task.name)
        inputs = reference.get_inputs()
        with torch.no_grad():
            expected, actual = reference.Model()(*inputs), answer.ModelNew()(*inputs)
        assert expected.shape == actual.shape and torch.allclose(expected, actual, rtol=1e-3, atol=1e-3), task

    client = EvaluatorClient(sys.argv[1])
    screening = client.ask("screen", tasks=[{"name": task.stem, "source": task.read_text()} for task in tasks], trials=3, seed=1)
    for item in screening["items"]:
        assert not item.get("message") and item["trials"] > 0 and not item["nulls"] and item["finite"], item
    for name in ["diagonal_4.py", "rows_4.py"]:
        evaluation = client.evaluate((folder / name).read_text(), (folder / "answers" / name).read_text())
        assert evaluation["verdict"] == "correct", (name, evaluation["verdict"], evaluation["reasons"])
    assert client.close() == 0
    print("example tasks: good")
    return 0


sys.exit(main())
