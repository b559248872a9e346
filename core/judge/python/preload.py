# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports in the zygote what candidates import, so that its forks have it at once.

CUDA must not start here: no fork could use it. So what asks for a GPU on the way is told that there is one.
"""
import importlib
import os
import tempfile

import torch


def prepare_triton():
    # Each process would hash the whole package and run ptxas for its version; both are kept once known.
    importlib.import_module("triton.runtime.cache").triton_key()
    importlib.import_module("triton.compiler.code_generator")
    importlib.import_module("triton.backends.nvidia.compiler").get_ptxas_version(90)
    # The driver's helper is compiled by the C compiler, for each process anew.
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        importlib.import_module("triton.runtime.driver").driver.active


class InTemporaryFolder(os.PathLike):
    """A path in the temporary folder of whichever process asks."""

    def __init__(self, *parts):
        self.parts = parts

    def __fspath__(self):
        return os.path.join(tempfile.gettempdir(), *self.parts)


def prepare_inductor():
    # Both are fixed by the import, where no candidate may write.
    codecache = importlib.import_module("torch._inductor.codecache")
    codecache._HEADER_DIR = InTemporaryFolder("precompiled_headers")
    codecache._HEADER_LOCK_DIR = InTemporaryFolder("precompiled_headers", "locks")


def preload(name):
    real, environment, chosen = torch.cuda.is_available, dict(os.environ), tempfile.tempdir
    torch.cuda.is_available = lambda: True
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # read once, at the import: no pool of workers
    try:
        importlib.import_module(name)
        if name == "triton":
            prepare_triton()
        elif name.startswith("torch._inductor"):
            prepare_inductor()
    except Exception:
        pass  # a candidate that imports it is told why it does not work
    finally:
        torch.cuda.is_available = real
        tempfile.tempdir = chosen  # each fork has a folder of its own
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)
