// SPDX-License-Identifier: GPL-3.0-or-later
// What both kernel writers share, and the Python around a kernel.
#include "core/policy/kernelwriter.h"

#include "core/policy/kernelpieces.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

using Kind = KernelExpr::Kind;

const std::string compileHelper = R"py(@functools.cache
def c_compiler():
    return next((c for c in (COMPILER, shutil.which("g++"), shutil.which("c++")) if c and os.path.exists(c)), None)


def compile_c(name, text, pointers, scalars):
    """Compiles one C function for this processor and loads it."""
    head = (
        "#include <math.h>\n"
        "#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)\n"
        + "".join(f"extern float {f}(float) __attribute__((const, simd(\"notinbranch\")));\n"
                  for f in ("expf", "logf", "tanhf", "erff", "log1pf", "expm1f", "sinf", "cosf"))
        + "#endif\n"
    )
    folder = tempfile.mkdtemp(prefix="kernel_")
    source, library = os.path.join(folder, name + ".c"), os.path.join(folder, name + ".so")
    with open(source, "w") as file:
        file.write(head + text)
    vector = ["-lmvec"] if platform.machine() == "x86_64" else []
    # Sums may be reordered for vector registers; infinities and NaN keep their meaning.
    subprocess.run([c_compiler(), "-x", "c", "-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math",
                    "-fno-signed-zeros", "-fassociative-math", "-shared", "-fPIC", source, "-o", library, *vector, "-lm"],
                   check=True, capture_output=True, text=True)
    function = getattr(ctypes.CDLL(library), name)
    shutil.rmtree(folder)
    function.argtypes = [ctypes.c_void_p] * pointers + [ctypes.c_double] * scalars + [ctypes.c_int]
    function.restype = None
    return function
)py";

const std::string laidOutText = R"py(def laid_out(x, stride):
    """x, or a copy of it, with these strides and from an address on that kernels can read vectors from."""
    if x.data_ptr() % 16 == 0 and all(have == want for have, want, size in zip(x.stride(), stride, x.shape) if size > 1):
        return x
    return torch.empty_strided(x.shape, stride, dtype=x.dtype, device=x.device).copy_(x)
)py";

const std::string cudaHelper = R"py(class CudaKernel:
    """One CUDA kernel, compiled by NVRTC for the device of its first call."""

    def __init__(self, name, text, grid, threads, pointers, scalars, shared=0):
        self.name, self.text, self.grid, self.threads, self.shared = name, text, grid, threads, shared
        self.types = "K" * pointers + "d" * scalars
        self.functions = {}
        # torch's launcher of compiled kernels is a function in C: from Python a launch takes a third of the time.
        launcher = getattr(torch._C, "_StaticCudaLauncher", None)
        self.launch = launcher._launch_kernel if launcher else self.launch_by_driver

    def compile(self, device):
        def check(code, what):
            if code != 0:
                raise RuntimeError(f"{what} of {self.name} failed with code {code}")

        nvrtc = ctypes.CDLL("libnvrtc.so." + torch.version.cuda.split(".")[0])
        major, minor = torch.cuda.get_device_capability(device)
        options = [f"--gpu-architecture=sm_{major}{minor}".encode(), b"--extra-device-vectorization"]
        program = ctypes.c_void_p()
        check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), self.text.encode(), b"kernel.cu", 0, None, None), "creation")
        if nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) != 0:
            size = ctypes.c_size_t()
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(log.value.decode())
        size = ctypes.c_size_t()
        check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "compilation")
        image = ctypes.create_string_buffer(size.value)
        check(nvrtc.nvrtcGetCUBIN(program, image), "compilation")
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        driver = ctypes.CDLL("libcuda.so.1")
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        torch.cuda.current_stream(device)
        check(driver.cuModuleLoadData(ctypes.byref(module), image), "loading")
        check(driver.cuModuleGetFunction(ctypes.byref(function), module, self.name.encode()), "loading")
        if self.shared:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(driver.cuFuncSetAttribute(function, 8, self.shared), "shared memory")
        self.functions[device] = function.value
        return function.value

    def __call__(self, device, *values):
        self.launch(self.functions.get(device) or self.compile(device), self.grid, 1, 1, self.threads // 32, self.shared,
                    self.types, values, torch._C._cuda_getCurrentRawStream(device))

    def launch_by_driver(self, function, x, y, z, warps, shared, types, values, stream):
        slots = [(ctypes.c_uint64 if kind == "K" else ctypes.c_double)(value) for kind, value in zip(types, values)]
        arguments = (ctypes.c_void_p * len(slots))(*map(ctypes.addressof, slots))
        code = ctypes.CDLL("libcuda.so.1").cuLaunchKernel(ctypes.c_void_p(function), x, y, z, warps * 32, 1, 1, shared,
                                                          ctypes.c_void_p(stream), arguments, None)
        if code != 0:
            raise RuntimeError(f"the launch of {self.name} failed with code {code}")
)py";

void below(const KernelProgram& program, int root, const std::map<int, std::string>& names, std::vector<int>& out)
{
    if (names.contains(root) || std::find(out.begin(), out.end(), root) != out.end())
        return;
    const KernelExpr& expr = program.exprs[static_cast<std::size_t>(root)];
    if (expr.kind != Kind::Reduction) {
        for (const int arg : expr.args)
            below(program, arg, names, out);
    }
    out.push_back(root);
}

std::string numberedNames(const std::string& prefix, std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += (i ? ", " : "") + prefix + std::to_string(i);
    return out;
}

} // namespace

std::string tupleText(const Shape& shape)
{
    std::string out = "(";
    for (const std::int64_t extent : shape)
        out += std::to_string(extent) + ", ";
    if (out.size() > 3 && shape.size() > 1)
        out.resize(out.size() - 2);
    return out + ")";
}

namespace {

/// "torch.channels_last", where the module may be run with its images in that format and the program has axes for it.
std::string otherFormat(const KernelProgram& program, const TechniqueContext& context)
{
    if (!context.cuda() || program.channelsInnermost.empty() || !mayKeepChannelsLast(context))
        return "";
    return program.domain.size() == 5 ? "torch.channels_last_3d" : "torch.channels_last";
}

std::string kernelText(const KernelProgram& program, const std::string& name, const TechniqueContext& context,
                       const std::string& format)
{
    const std::string pointers = std::to_string(program.inputs.size() + program.outputs.size()),
                      scalars = std::to_string(program.scalars.size());
    if (!context.cuda())
        return "if USE_FUSE_ELEMENTWISE:\n    " + name + "_kernel = compile_c(\"" + name + "_kernel\", r\"\"\"\n" +
               cText(program, name + "_kernel") + "\"\"\", " + pointers + ", " + scalars + ")\n\n\n";
    std::string out;
    for (const bool innermost : {false, true}) {
        if (innermost && format.empty())
            continue;
        const std::string full = name + (innermost ? "_innermost" : "_kernel");
        const CudaText kernel = cudaText(program, full, context.launch, innermost);
        out += full + " = CudaKernel(\"" + full + "\", r\"\"\"\n" + kernel.text + "\"\"\", " +
               std::to_string(kernel.grid) + ", " + std::to_string(kernel.threads()) + ", " + pointers + ", " +
               scalars + ")\n\n\n";
    }
    return out;
}

/// Statements that bring the inputs to the order of memory which the kernel reads.
std::string inputsText(const KernelProgram& program, const Graph& graph, bool cuda, const std::string& format)
{
    const auto whole = [&](std::size_t input) { return graph.shape(program.inputs[input]) == program.domain; };
    std::string out;
    for (std::size_t i = 0; i < program.inputs.size() && !format.empty() && out.empty(); ++i) {
        const std::string a = "a" + std::to_string(i);
        if (whole(i))
            out = "    innermost = " + a + ".is_contiguous(memory_format=" + format + ") and not " + a +
                  ".is_contiguous()\n    order = " + format + " if innermost else torch.contiguous_format\n";
    }
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        const std::string a = "a" + std::to_string(i);
        const bool ordered = !format.empty() && whole(i);
        out += "    if not " + a + ".is_contiguous(" + (ordered ? "memory_format=order" : "") + ")" +
               (cuda ? " or " + a + ".data_ptr() % 16" : "") + ":\n        " + a + " = " +
               (cuda ? a + ".clone(memory_format=" + (ordered ? "order" : "torch.contiguous_format") + ")"
                     : a + ".contiguous()") +
               "\n";
    }
    return out;
}

std::string pythonText(const KernelProgram& program, const std::string& name, const Graph& graph,
                       const TechniqueContext& context)
{
    const std::size_t inputs = program.inputs.size(), outputs = program.outputs.size(),
                      scalars = program.scalars.size();
    const bool cuda = context.cuda();
    const std::string format = otherFormat(program, context);
    std::string parameters = numberedNames("a", inputs) + (scalars ? ", " + numberedNames("s", scalars) : "");
    std::string operators;
    for (const std::string& op : program.operators)
        operators += (operators.empty() ? "" : ", ") + op;
    std::string out = kernelText(program, name, context, format) + "def " + name + "(" + parameters +
                      (cuda ? "" : ", new=torch.empty") + "):\n    \"\"\"" + operators + " over " +
                      shapeText(program.domain) + " in one kernel" +
                      (program.inPlace >= 0 ? "; its result takes the memory of a" + std::to_string(program.inPlace) +
                                                  ", which nothing else reads"
                                            : "") +
                      ".\"\"\"\n" + inputsText(program, graph, cuda, format);
    std::string results;
    for (std::size_t i = 0; i < outputs; ++i) {
        const std::string name_ = "out" + std::to_string(i);
        if (program.inPlace >= 0)
            out += "    " + name_ + " = a" + std::to_string(program.inPlace) + "\n";
        else
            out += "    " + name_ + (cuda ? " = torch.empty(" : " = new(") +
                   tupleText(graph.shape(program.outputs[i].value)) + ", device=a0.device" +
                   (format.empty() ? "" : ", memory_format=order") + ")\n";
        results += (i ? ", " : "") + name_;
    }
    out += "    " +
           (format.empty() ? name + "_kernel" : "(" + name + "_innermost if innermost else " + name + "_kernel)") +
           "(" + (cuda ? "a0.get_device(), " : "");
    for (std::size_t i = 0; i < inputs; ++i)
        out += (i ? ", a" : "a") + std::to_string(i) + ".data_ptr()";
    for (std::size_t i = 0; i < outputs; ++i)
        out += ", out" + std::to_string(i) + ".data_ptr()";
    for (std::size_t i = 0; i < scalars; ++i)
        out += ", s" + std::to_string(i);
    return out + (cuda ? ")\n" : ", torch.get_num_threads())\n") + "    return " + results + "\n";
}

} // namespace

std::string declare(const KernelProgram& program, const std::vector<int>& roots, std::map<int, std::string>& names,
                    const std::function<std::string(int)>& load, const std::string& indent)
{
    std::vector<int> order;
    for (const int root : roots)
        below(program, root, names, order);
    std::string out;
    for (const int id : order) {
        const KernelExpr& expr = program.exprs[static_cast<std::size_t>(id)];
        if (expr.kind == Kind::Constant) {
            names[id] = floatText(expr.value);
            continue;
        }
        std::string text;
        if (expr.kind == Kind::Input) {
            text = load(expr.index);
        } else if (expr.kind == Kind::Scalar) {
            names[id] = "(float)s" + std::to_string(expr.index);
            continue;
        } else {
            std::vector<std::string> args;
            for (const int arg : expr.args)
                args.push_back(names.at(arg));
            text = operationText(expr.op, args);
        }
        names[id] = "e" + std::to_string(id);
        out += indent + "const float " + names[id] + " = " + text + ";\n";
    }
    return out;
}

std::string passesText(const KernelProgram& program, const std::string& loop,
                       const std::function<std::string(const std::string&, const std::string&)>& over,
                       const std::function<std::string(int)>& load, std::map<int, std::string>& names)
{
    std::string out;
    const auto reduction = [&](int id) { return program.exprs[static_cast<std::size_t>(id)].op; };
    for (int stage = 0; stage < program.stages; ++stage) {
        const auto reductions = reductionsOf(program, stage);
        std::vector<int> args;
        for (const int id : reductions) {
            args.push_back(program.exprs[static_cast<std::size_t>(id)].args[0]);
            out += "    float t" + number(id) + " = " + neutral(reduction(id)) + ";\n";
        }
        out += "    " + loop + "\n";
        std::map<int, std::string> inside = names;
        out += declare(program, args, inside, load, std::string(8, ' '));
        for (std::size_t n = 0; n < reductions.size(); ++n) {
            const std::string total = "t" + number(reductions[n]);
            out += "        " + total + " = " + combinerOf(reduction(reductions[n])) + "::of(" + total + ", " +
                   inside.at(args[n]) + ");\n";
        }
        out += "    }\n";
        for (const int id : reductions) {
            out += "    const float e" + number(id) + " = " + over(combinerOf(reduction(id)), "t" + number(id)) + ";\n";
            names[id] = "e" + number(id);
        }
        out += declare(program, rowResults(program, stage), names, load, "    ");
    }
    return out;
}

std::vector<int> reductionsOf(const KernelProgram& program, int stage)
{
    std::vector<int> out;
    for (std::size_t i = 0; i < program.exprs.size(); ++i) {
        if (program.exprs[i].kind == Kind::Reduction && program.exprs[i].stage == stage)
            out.push_back(static_cast<int>(i));
    }
    return out;
}

std::vector<int> rowResults(const KernelProgram& program, int stage)
{
    std::vector<int> out;
    for (std::size_t i = 0; i < program.exprs.size(); ++i) {
        const KernelExpr& expr = program.exprs[i];
        if (expr.kind != Kind::Operation || expr.full || expr.stage != stage + 1)
            continue;
        const bool stored = std::any_of(program.outputs.begin(), program.outputs.end(),
                                        [&](const KernelOutput& o) { return o.expr == static_cast<int>(i); });
        const bool read = std::any_of(program.exprs.begin(), program.exprs.end(), [&](const KernelExpr& user) {
            return user.full && std::find(user.args.begin(), user.args.end(), static_cast<int>(i)) != user.args.end();
        });
        if (stored || read)
            out.push_back(static_cast<int>(i));
    }
    return out;
}

std::string neutral(const std::string& reduction)
{
    return reduction == "sum" ? "0.0f" : reduction == "prod" ? "1.0f" : reduction == "max" ? "(-INFINITY)" : "INFINITY";
}

std::string signature(const KernelProgram& program, bool restricted)
{
    std::string out;
    const std::string qualifier = restricted && program.inPlace < 0 ? "__restrict__ " : "";
    for (std::size_t i = 0; i < program.inputs.size(); ++i)
        out += "const float* " + qualifier + "a" + std::to_string(i) + ", ";
    for (std::size_t i = 0; i < program.outputs.size(); ++i)
        out += "float* " + qualifier + "out" + std::to_string(i) + ", ";
    for (std::size_t i = 0; i < program.scalars.size(); ++i)
        out += "double s" + std::to_string(i) + ", ";
    out.resize(out.size() - 2);
    return out;
}

const std::string& laidOutHelper()
{
    return laidOutText;
}

void addCudaHelper(Source& source)
{
    Source::once(source.helpers, "import ctypes\n");
    Source::once(source.helpers, cudaHelper);
}

std::string addFunction(Source& source, const std::string& stem,
                        const std::function<std::string(const std::string&)>& text)
{
    std::map<std::string, std::string>& alike = source.functions[stem];
    const auto [known, isNew] = alike.try_emplace(text({}));
    if (isNew) {
        known->second = stem + (alike.size() > 1 ? "_" + std::to_string(alike.size() - 1) : "");
        source.kernels.push_back(text(known->second));
    }
    return known->second;
}

std::string addKernel(Source& source, const Graph& graph, const KernelProgram& program, const TechniqueContext& context)
{
    if (context.cuda()) {
        addCudaHelper(source);
    } else {
        Source::once(source.helpers, "import ctypes\nimport functools\nimport os\nimport platform\nimport "
                                     "shutil\nimport subprocess\nimport tempfile\n\nCOMPILER = \"" +
                                         context.prompt.compiler + "\"\n");
        Source::once(source.helpers, compileHelper);
    }
    return addFunction(source, "fused", // layers that are alike share one
                       [&](const std::string& name) { return pythonText(program, name, graph, context); });
}

} // namespace cudal1::policy
