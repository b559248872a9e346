# SPDX-License-Identifier: GPL-3.0-or-later
"""Device code of candidates' own kernels. Run as: check_kernels.py EVALUATOR [DEVICE].

On a device that is not there the whole run is a skip (status 77). On the CPU only the refusal is tested.
"""
import base64
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from evaluatortest import DEVICE, EvaluatorTest, main
from lineartask import HONEST, TASK, candidate

# torch.cuda._compile_kernel hands PTX of NVRTC to the driver.
NVRTC = candidate(
    "y = torch.relu(self.linear(x)).contiguous()\nout = torch.empty_like(y)\n"
    "self.twice(((y.numel() + 255) // 256, 1, 1), (256, 1, 1), (y, out, y.numel()))\nreturn out",
    "self.twice = torch.cuda._compile_kernel('''extern \"C\" __global__ void twice_of_mine(const float* x, float* y, int n)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 2.0f; }''', 'twice_of_mine')")

# Our own generated variants have NVRTC make machine code, so that the driver sees no PTX.
MACHINE_CODE = candidate(
    "y = torch.relu(self.linear(x)).contiguous()\nself.kernel.launch(y)\nreturn y", "self.kernel = Kernel()", module="""
import ctypes
class Kernel:
    def __init__(self):
        nvrtc, self.driver = ctypes.CDLL("libnvrtc.so." + torch.version.cuda.split(".")[0]), ctypes.CDLL("libcuda.so.1")
        program, size, self.module, self.function = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_void_p()
        text = b'extern "C" __global__ void doubled_here(float* x) { x[blockIdx.x * 256 + threadIdx.x] *= 2.0f; }'
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"k.cu", 0, None, None)
        options = (ctypes.c_char_p * 1)(("--gpu-architecture=sm_%d%d" % torch.cuda.get_device_capability()).encode())
        assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetCUBIN(program, image)
        torch.cuda.current_stream()
        assert self.driver.cuModuleLoadData(ctypes.byref(self.module), image) == 0
        assert self.driver.cuModuleGetFunction(ctypes.byref(self.function), self.module, b"doubled_here") == 0
    def launch(self, y):
        slot = ctypes.c_void_p(y.data_ptr())
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(slot))
        stream = ctypes.c_void_p(torch._C._cuda_getCurrentRawStream(y.get_device()))
        assert self.driver.cuLaunchKernel(self.function, y.numel() // 256, 1, 1, 256, 1, 1, 0, stream, arguments, None) == 0
""")


class KernelsTest(EvaluatorTest):
    def ask(self, source: str, device: str = DEVICE) -> dict:
        return self.client.ask("kernels", task={"name": "test", "source": TASK}, candidate=source, candidate_name="candidate.py", device=device)

    def test_the_cpu_is_refused(self):
        answer = self.ask(HONEST, "cpu")
        self.assertEqual(answer["type"], "error", answer)
        self.assertIn("GPU", answer["message"])


class GpuTest(KernelsTest):
    def test_a_kernel_of_nvrtc_with_its_code(self):
        answer = self.ask(NVRTC)
        self.assertEqual(answer["type"], "kernels", answer)
        modules = [module for module in answer["modules"] if "twice_of_mine" in module["kernels"]]
        self.assertEqual(len(modules), 1, answer["notes"])
        image = base64.b64decode(modules[0]["image"])
        self.assertEqual(image[:4], b"\x7fELF")
        self.assertEqual(len(image), modules[0]["image_bytes"])
        self.assertTrue(".entry twice_of_mine" in modules[0]["ptx"] or any("PTX" in note for note in answer["notes"]), answer["notes"])
        self.assertTrue("EXIT" in modules[0]["sass"] or any("nvdisasm" in note for note in answer["notes"]), answer["notes"])
        # The framework's own are not among them.
        self.assertFalse([name for module in answer["modules"] for name in module["kernels"] if "at6native" in name])

    def test_ptx_of_what_was_compiled_to_machine_code(self):
        answer = self.ask(MACHINE_CODE)
        self.assertEqual(answer["type"], "kernels", answer)
        module, = [module for module in answer["modules"] if "doubled_here" in module["kernels"]]
        self.assertIn(".entry doubled_here", module["ptx"], answer["notes"])

    def test_without_own_kernels_it_is_said(self):
        answer = self.ask(HONEST)
        self.assertEqual(answer["type"], "kernels", answer)
        self.assertEqual(answer["modules"], [])
        self.assertTrue(any("no kernel of its own" in note for note in answer["notes"]), answer["notes"])

    def test_a_process_that_was_watched_is_never_timed(self):
        self.ask(NVRTC)
        judged = self.client.evaluate(TASK, HONEST, DEVICE)
        self.assertEqual(judged["verdict"], "correct", judged["reasons"])


if __name__ == "__main__":
    if DEVICE == "cpu":
        del GpuTest
    else:
        del KernelsTest
    main()
