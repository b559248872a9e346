# SPDX-License-Identifier: GPL-3.0-or-later
"""What a candidate has no business with, planted where it is found on people's machines, and a program that looks for it."""
import glob
import os
import secrets
import shutil
import socket
import tempfile

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Prints the names of what it could read or connect to. It gets the paths, which a candidate would have to guess. The secret
# variable's text comes in two halves, so that the program does not find its own source.
LOOKING = """
import ctypes, os, socket

def attempt(name, action):
    try:
        if action():
            print('READ', name, flush=True)
    except (OSError, ValueError):
        pass

def contents(path):
    if os.path.isdir(path):
        return len(os.listdir(path)) > 0
    with open(path, 'rb') as file:
        return len(file.read(1)) > 0

def connected(kind, path):
    with socket.socket(socket.AF_UNIX, kind) as s:
        s.connect(path)
        return True

def sent(path):
    # Of a pair one has a socket even where new ones are refused, and a raw one is a datagram's by another name.
    for make in (lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), lambda: socket.socket(socket.AF_UNIX, socket.SOCK_RAW),
                 lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]):
        try:
            with make() as s:
                s.sendto(b'x', path)
                return True
        except OSError:
            pass
    return False

def own_memory():
    with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
        for line in maps:
            words = line.split()
            if not words[1].startswith('rw') or len(words) > 5 and words[5].startswith('/'):
                continue
            start, end = (int(x, 16) for x in words[0].split('-'))
            position, left = start, b''
            while position < end:
                memory.seek(position)
                try:
                    piece = memory.read(min(1 << 24, end - position))
                except OSError:
                    break  # what is mapped and has nothing behind it
                found = (left + piece).find({halves}[0])
                while found >= 0:
                    if (left + piece)[found + len({halves}[0]):].startswith({halves}[1]):
                        return True
                    found = (left + piece).find({halves}[0], found + 1)
                left = piece[-64:]
                position += len(piece)
    return False

for name, path in {paths}:
    attempt(name, lambda: contents(path))
attempt('a connection to a socket of another program', lambda: connected(socket.SOCK_STREAM, {stream}))
attempt('a connection to a socket without a file', lambda: connected(socket.SOCK_STREAM, {abstract}))
attempt('a message to a socket of another program', lambda: sent({datagram}))
attempt('a secret variable', lambda: 'API_TOKEN' in os.environ or 'CUDA_API_KEY' in os.environ)
attempt('a secret variable, in C', lambda: bool(ctypes.CDLL(None).getenv(b'API_TOKEN')))
attempt('a secret variable, in its own memory', own_memory)
raise ValueError('done')
"""


class Planted:
    """Files and sockets below the user's home. `paths` are pairs of what something is and where."""

    def __init__(self):
        self.token = secrets.token_hex(16)
        self.variables = {"API_TOKEN": self.token, "CUDA_API_KEY": self.token}
        home = os.path.expanduser("~")
        self.folder = tempfile.mkdtemp(prefix="cudal1-planted-", dir=home)
        self.paths = [("a folder of the user's", self.folder), ("tasks of the repository", os.path.join(REPOSITORY, "kernelbench")),
                      ("/etc/shadow", "/etc/shadow"),
                      ("the environment of process 1", "/proc/1/environ")]
        for name, file in (("a file of the user's", "notes.txt"), ("a key", ".ssh/id_ed25519"), ("the store", "project.cudal1"),
                           ("another task", "tasks/1_Other.py")):
            path = os.path.join(self.folder, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as out:
                out.write("planted")
            self.paths.append((name, path))
        self.stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.stream.bind(os.path.join(self.folder, "stream"))
        self.stream.listen()
        self.abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.abstract.bind("\0" + self.folder)
        self.abstract.listen()
        self.datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagram.bind(os.path.join(self.folder, "datagram"))

    def program(self, evaluator: int, temporary: str) -> str:
        """What looks for all of it, and for what this evaluator has in its temporary folder."""
        paths = self.paths + [("the evaluator's environment", f"/proc/{evaluator}/environ"), ("the evaluator's memory", f"/proc/{evaluator}/maps")]
        paths += [("the reference's folder", path) for path in glob.glob(os.path.join(temporary, "*", "reference-*"))]
        paths += [("the reference's source", path) for path in glob.glob(os.path.join(temporary, "*", "reference-*", "task.py"))]
        half = len(self.token) // 2
        return LOOKING.format(paths=paths, stream=repr(self.stream.getsockname()), datagram=repr(self.datagram.getsockname()),
                              abstract=repr(self.abstract.getsockname()),
                              halves=(self.token[:half].encode(), self.token[half:].encode()))

    def close(self) -> None:
        for each in (self.stream, self.datagram, self.abstract):
            each.close()
        shutil.rmtree(self.folder)


# What programs that are no attack do, in a process that was forked before most of it was read. Each line is tried on its own.
NEEDED = """
import importlib, locale, os, subprocess, sys, tempfile, time
def works(name, action):
    try:
        action()
    except Exception as error:
        print('FAILED', name, repr(error)[:1000], flush=True)

def run(*command):
    subprocess.run(command, check=True, capture_output=True)

def write(path, text='text'):
    with open(path, 'w') as file:
        file.write(text)

for module in ('torch.distributions', 'torch.fft', 'torch.sparse', 'torch.nn.utils.parametrizations', 'torch.onnx', 'torch.utils.benchmark',
               'torch.fx.experimental', 'numpy.random', 'sympy', 'sqlite3', 'ssl', 'decimal', 'multiprocessing.pool', 'ctypes.util', 'email', 'xml.dom'):
    works('import ' + module, lambda: importlib.import_module(module))
if importlib.util.find_spec('triton'):
    works('import triton', lambda: importlib.import_module('triton.language'))
for path in ('/proc/cpuinfo', '/proc/meminfo', '/proc/self/status', '/sys/devices/system/cpu/online', '/etc/passwd'):
    works('reading ' + path, lambda: open(path).read(1))
works('a temporary file', lambda: tempfile.NamedTemporaryFile().close())
works('its home', lambda: write(os.path.expanduser('~/file')))
works('its own folder', lambda: write('file'))
works('the locale', lambda: locale.setlocale(locale.LC_ALL, ''))
works('the time zone', lambda: (time.tzset(), time.localtime()))
works('the user', lambda: __import__('pwd').getpwuid(os.getuid()))
works('its own listing', lambda: os.listdir(os.path.dirname(importlib.import_module('torch').__file__)))
works('a shell', lambda: run('sh', '-c', 'ls /usr/bin > listing'))
works('another interpreter', lambda: run(sys.executable, '-c', 'import torch, numpy'))
write('a.c', 'int main(void) { return 0; }')
works('a compiler', lambda: (run('cc', 'a.c', '-o', 'a', '-lm', '-lpthread'), run('./a')))
works('a child of its own', lambda: importlib.import_module('multiprocessing').get_context('fork').Process(target=len, args=('a',)).start())
"""

# An extension with the headers that it needs: those of all of torch take a compiler four times as long, and
# test_builds_ahead_what_a_constructor_compiles of judge_accepted.py includes them.
COMPILED = """
from torch.utils.cpp_extension import load_inline
extension = load_inline('twice', '#include <ATen/core/Tensor.h>\\n#include <torch/csrc/Exceptions.h>\\n#include <torch/csrc/utils/pybind.h>\\n'
                        'at::Tensor twice(at::Tensor x) { return x.mul(2); }', functions=['twice'], no_implicit_headers=True)
"""
