# SPDX-License-Identifier: GPL-3.0-or-later
"""What a captured process keeps of NVRTC's compilations, without a GPU. Run as: check_nvrtctexts.py. Skipped (77) without NVRTC."""
import ctypes
import glob
import os
import pathlib
import sys
import tempfile
import unittest

import torch

SOURCE = b"extern \"C\" __global__ void twice_of_mine(float* x) { x[threadIdx.x] *= 2.0f; }"


def library() -> ctypes.CDLL:
    return ctypes.CDLL(f"libnvrtc.so.{torch.version.cuda.split('.')[0]}")


def cubin(nvrtc: ctypes.CDLL, architecture: str, declared: bool) -> bytes:
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"kernel.cu", 0, None, None) == 0
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture={architecture}".encode())
    assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
    assert nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
    image = ctypes.create_string_buffer(max(1, size.value))
    if declared:  # as a caller does who passes plain integers
        nvrtc.nvrtcGetCUBIN.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        nvrtc.nvrtcGetCUBIN(program.value, ctypes.addressof(image))
    else:
        nvrtc.nvrtcGetCUBIN(program, image)
    assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) == 0
    return image.raw[: size.value]


class NvrtcTextsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        tempfile.tempdir, self.folder = folder.name, folder.name
        self.addCleanup(setattr, tempfile, "tempdir", None)

    def texts(self) -> list[str]:
        return [pathlib.Path(path).read_text() for path in glob.glob(os.path.join(self.folder, "*.ptx"))]

    def test_the_text_beside_the_machine_code(self):
        for declared in (False, True):
            self.assertEqual(cubin(library(), "sm_90", declared)[:4], b"\x7fELF")
        self.assertEqual(len(self.texts()), 2)
        for text in self.texts():
            self.assertIn(".entry twice_of_mine", text)

    def test_other_functions_are_as_they_were(self):
        nvrtc = library()
        self.assertTrue(hasattr(nvrtc, "nvrtcVersion"))
        self.assertFalse(hasattr(nvrtc, "nvrtcNoSuchThing"))
        self.assertFalse(hasattr(nvrtc, "__no_such_thing__"))
        self.assertEqual(self.texts(), [])


if __name__ == "__main__":
    try:
        library()
    except OSError as error:
        print("skipped:", error)
        sys.exit(77)
    exec(compile(pathlib.Path(__file__).parents[2].joinpath("core/judge/capture/nvrtctexts.py").read_text(), "nvrtctexts.py", "exec"))
    unittest.main(verbosity=2)
