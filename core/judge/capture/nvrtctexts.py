# SPDX-License-Identifier: GPL-3.0-or-later
"""For a process whose kernels are captured: leaves the PTX of what is compiled to machine code by NVRTC through ctypes.

The driver is given a cubin then, so nothing else in the process sees the text. Such a process is never timed.
"""
import ctypes
import tempfile

find = ctypes.CDLL.__getattr__


def keep_text(library, program):
    size, size_of, text_of = ctypes.c_size_t(), library["nvrtcGetPTXSize"], library["nvrtcGetPTX"]
    size_of.argtypes = text_of.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    if size_of(program, ctypes.addressof(size)) != 0 or size.value < 2:
        return
    text = ctypes.create_string_buffer(size.value)
    if text_of(program, ctypes.addressof(text)) == 0:
        with tempfile.NamedTemporaryFile("wb", prefix="nvrtc-", suffix=".ptx", delete=False) as file:
            file.write(text.value)


class WatchedFunction:
    """A function of a library with all that a caller sets or reads on it."""

    def __init__(self, library, function):
        vars(self).update(library=library, function=function)

    def __getattr__(self, name):
        return getattr(self.function, name)

    def __setattr__(self, name, value):
        setattr(self.function, name, value)

    def __call__(self, program, *rest):
        try:
            keep_text(self.library, program)
        except Exception:
            pass  # a text less; the call itself is the candidate's
        return self.function(program, *rest)


def find_and_watch(library, name):
    function = find(library, name)
    if name != "nvrtcGetCUBIN":
        return function
    watched = WatchedFunction(library, function)
    setattr(library, name, watched)
    return watched


ctypes.CDLL.__getattr__ = find_and_watch
