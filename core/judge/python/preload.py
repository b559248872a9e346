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


def preload(name):
    real, cache, chosen = torch.cuda.is_available, os.environ.get("TRITON_CACHE_DIR"), tempfile.tempdir
    torch.cuda.is_available = lambda: True
    try:
        importlib.import_module(name)
        if name == "triton":
            prepare_triton()
    except Exception:
        pass  # a candidate that imports it is told why it does not work
    finally:
        torch.cuda.is_available = real
        tempfile.tempdir = chosen  # each fork has a folder of its own
        os.environ.pop("TRITON_CACHE_DIR", None)
        if cache is not None:
            os.environ["TRITON_CACHE_DIR"] = cache
