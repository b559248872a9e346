# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports in the zygote what candidates import, so that its forks have it at once.

CUDA must not start here: no fork could use it. So what asks for a GPU on the way is told that there is one.
"""
import contextlib
import ctypes
import glob
import hashlib
import importlib
import os
import re
import subprocess
import tempfile
import types

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
    # What the first graph of each process would wait for: a hash of the framework, patterns, more imports.
    codecache.torch_key()
    for passes in ("pre_grad", "post_grad"):
        importlib.import_module("torch._inductor.fx_passes." + passes).lazy_init()
    for name in ("torch.utils.cpp_extension", "torch._inductor.fx_passes.fuse_attention",
                 "torch._inductor.fx_passes.pad_mm", "torch._inductor.fx_passes.misc_patterns"):
        importlib.import_module(name)
    compile_side_by_side()


def load_in_fork(command, **_):
    """Stands for `python -c "import torch; load command[-1]"`: torch is here already, and its import takes seconds."""
    pid = os.fork()
    if pid == 0:
        try:
            ctypes.CDLL(command[-1])
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1] != 0:
        raise OSError(command[-1] + " cannot be loaded")


def prepare_instructions():
    # Which vector instructions this machine and its compiler have, for which each process would run the compiler and
    # Python ten times with its first graph.
    instructions = importlib.import_module("torch._inductor.cpu_vec_isa")
    load = instructions.VecISA._avx_py_load
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        instructions.VecISA._avx_py_load = "__lib_path__"
        instructions.subprocess = types.SimpleNamespace(check_call=load_in_fork, DEVNULL=subprocess.DEVNULL)
        try:
            instructions.valid_vec_isa_list()
        finally:
            instructions.VecISA._avx_py_load = load
            instructions.subprocess = subprocess


# What a compiler says of a line of the source, and not of a machine that is short of something.
REFUSED = re.compile(r":\d+:\d+: (?:fatal )?error: |\(\d+\): (?:catastrophic )?error")


def refuse_at_once():
    """What compilers refused once, in this folder of extensions, is refused at once the next time, with the same words.

    Many candidates catch that and do without their kernels; they would wait for the compilers again in each process.
    """
    extensions = importlib.import_module("torch.utils.cpp_extension")
    build = extensions._run_ninja_build

    def record_of(directory):
        inputs = hashlib.sha256(os.environ.get("PATH", "").encode())
        with open(os.path.join(directory, "build.ninja"), "rb") as file:
            plan = file.read()
        inputs.update(plan)
        for source in re.findall(rb"^build \S+: \w*compile (.+)$", plan, re.MULTILINE):
            path = os.path.join(directory.encode(), source)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    inputs.update(file.read())
        return os.path.join(directory, "refused-" + inputs.hexdigest())

    def build_once(build_directory, verbose, error_prefix):
        words, record = "", None
        with contextlib.suppress(OSError):  # then compilers are asked again
            record = record_of(build_directory)
            with open(record, encoding="utf-8") as file:
                words = file.read()
        if words:
            raise RuntimeError(error_prefix + words)
        try:
            build(build_directory, verbose, error_prefix)
        except RuntimeError as error:
            if record and REFUSED.search(str(error)):
                with contextlib.suppress(OSError), open(record, "w", encoding="utf-8") as file:
                    file.write(str(error).removeprefix(error_prefix))
            raise

    extensions._run_ninja_build = build_once


def compile_side_by_side():
    """For GPUs, kernels of a graph are compiled by processes that a candidate forks with its first graph."""
    gpus = len(glob.glob("/dev/nvidia[0-9]*"))
    config = importlib.import_module("torch._inductor.config")
    compiler = importlib.import_module("torch._inductor.async_compile").AsyncCompile
    use = compiler.use_process_pool.__func__

    def use_where_possible(cls):
        try:
            return use(cls)
        except OSError:  # no semaphores where /dev/shm cannot be written
            config.compile_threads = 1
            return False

    compiler.use_process_pool = classmethod(use_where_possible)
    # The cores of this GPU, but for the one that is timed and one for the judge.
    config.compile_threads = max(1, min(32, os.cpu_count() // gpus - 2)) if gpus else 1
    config.worker_start_method = "fork"


def preload(name):
    real, environment, chosen = torch.cuda.is_available, dict(os.environ), tempfile.tempdir
    torch.cuda.is_available = lambda: True
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # read once, at the import: no pool of workers
    try:
        # There already: the import would make one and leave it.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.gettempdir()
        importlib.import_module(name)
        if name == "triton":
            prepare_triton()
        elif name == "torch._inductor.cpu_vec_isa":
            prepare_instructions()
        elif name.startswith("torch._inductor"):
            prepare_inductor()
        elif name == "torch.utils.cpp_extension":
            refuse_at_once()
    except Exception:
        pass  # a candidate that imports it is told why it does not work
    finally:
        torch.cuda.is_available = real
        tempfile.tempdir = chosen  # each fork has a folder of its own
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)
