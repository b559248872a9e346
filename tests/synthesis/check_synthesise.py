# SPDX-License-Identifier: GPL-3.0-or-later
"""`cudal1 tasks synthesise` with real evaluators: check_synthesise.py PROGRAM KERNELBENCH. The same seed gives the same files, another seed
gives others, the folder opens as a suite whose tasks all run, and wrong use writes nothing."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAM, KERNELBENCH = sys.argv[1], pathlib.Path(sys.argv[2])
COUNT = 12
HELD_OUT = 20  # of level 1
DEADLINE_S = 300


def prepare(folder):
    """A suite of level 1 alone, whose held-out tasks are traced in no time."""
    suite = folder / "suite"
    shutil.copytree(KERNELBENCH / "level1", suite / "level1", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(KERNELBENCH / "VERSION", suite)
    rows = (KERNELBENCH / "facts.jsonl").read_text().splitlines()
    (suite / "facts.jsonl").write_text("".join(row + "\n" for row in rows if json.loads(row)["level"] == 1))
    os.environ.update(CUDAL1_KERNELBENCH=str(suite), XDG_DATA_HOME=str(folder / "share"))


def run(folder, *arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S)
    return done.returncode, done.stdout, done.stderr


def made(folder, name, seed):
    status, out, err = run(folder, "tasks", "synthesise", "--count", str(COUNT), "--seed", str(seed), "-o", name, "--json")
    assert status == 0, err
    return {p.name: p.read_bytes() for p in (folder / name).iterdir()}, json.loads(out)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        prepare(folder)
        first, said = made(folder, "a", 5)
        again, _ = made(folder, "b", 5)
        other, _ = made(folder, "c", 6)
        assert first == again, "equal seeds gave other files"
        files = [name for name in first if name.endswith(".py")]
        assert len(files) == COUNT and len(first) == COUNT + 1, sorted(first)
        texts = {first[name] for name in files}
        assert len(texts) == COUNT
        common = texts & set(other.values())
        assert len(common) <= 1, common

        manifest = json.loads(first["manifest.json"])
        assert manifest["seed"] == 5 and manifest["counts"]["kept"] == COUNT and len(manifest["tasks"]) == COUNT
        assert manifest["held_out"]["tasks"] == HELD_OUT, manifest["held_out"]
        left_out = sum(manifest["removed"].values())
        assert manifest["counts"]["composed"] == COUNT + left_out, manifest["counts"]
        assert "held-out" in manifest["rule"] and said["rule"] == manifest["rule"] and said["removed"] == manifest["removed"]
        assert len({task["graph"] for task in manifest["tasks"]}) == COUNT

        status, out, err = run(folder, "tasks", "--suite", "a", "--json")  # imports each of them
        assert status == 0, err
        listed = json.loads(out)
        assert listed["suite"]["kind"] == "folder" and len(listed["tasks"]) == COUNT and not listed["problems"], listed

        for arguments, says in [(["--count", "3", "--seed", "1"], "Name it with -o"),
                                (["--count", "0", "--seed", "1", "-o", "d"], "--count"),
                                (["--seed", "1", "-o", "d"], "--count"),
                                (["--count", "3", "-o", "d"], "--seed"),
                                (["--count", "3", "--seed", "1", "-o", "a"], "not empty")]:
            status, _, err = run(folder, "tasks", "synthesise", *arguments)
            assert status == 2 and says in err, (arguments, status, err)
        assert not (folder / "d").exists()

        process = subprocess.Popen([PROGRAM, "tasks", "synthesise", "--count", "100000", "--seed", "1", "-o", "e"],
                                   cwd=folder, stderr=subprocess.PIPE, text=True)
        try:
            process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 128 + signal.SIGTERM
        assert "nothing was written" in process.stderr.read()
        assert not (folder / "e").exists() and not list(folder.glob(".e*"))
    print("synthesise: good")


main()
