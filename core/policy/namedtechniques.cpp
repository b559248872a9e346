// SPDX-License-Identifier: GPL-3.0-or-later
// Toggles from the tokens of a source; uses from names that only one technique needs.
#include "core/policy/namedtechniques.h"

#include "core/policy/pythonscanner.h"
#include "core/policy/technique.h"
#include "core/policy/toggles.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace cudal1::policy {

namespace {

/// What a technique cannot do without, in Python or in the C++ of its strings. Ids are the library's where it has the
/// technique.
struct Signs {
    const char* id;
    const char* title;
    std::vector<const char*> texts;
};

const std::vector<Signs>& knownSigns()
{
    static const std::vector<Signs> signs{
        {"cuda_graph", "CUDA graph", {"CUDAGraph", "cuda.graph(", "make_graphed_callables"}},
        {"compiled_graph",
         "Compiled graph",
         {"torch.compile(", "torch.compile,", "torch.compile)", "@torch.compile\n"}},
        {"torchscript", "TorchScript", {"jit.script", "jit.trace", "jit.freeze"}},
        {"tf32", "TF32", {"allow_tf32", "set_float32_matmul_precision"}},
        {"mixed_precision", "Mixed precision", {"autocast", ".half()", "torch.float16", "torch.bfloat16"}},
        {"channels_last", "Channels last", {"channels_last"}},
        {"cudnn_benchmark", "cuDNN search", {"cudnn.benchmark"}},
        {"streams", "Streams", {"cuda.Stream(", "cuda.stream("}},
        {"cuda_kernel", "CUDA kernel", {"__global__", "load_inline(", "RawKernel("}},
        {"triton_kernel", "Triton kernel", {"triton.jit"}},
        {"shared_memory", "Shared memory", {"__shared__"}},
        {"vector_loads", "Vector loads", {"float4*", "float4 *", "float2*", "float2 *", "half2*", "half2 *"}},
        {"warp_shuffles", "Warp shuffles", {"__shfl_"}},
        {"loop_unrolling", "Unrolled loops", {"#pragma unroll"}},
        {"read_only_cache", "Read-only cache", {"__ldg("}},
        {"weight_cache", "Prepared weights", {"register_buffer("}},
    };
    return signs;
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return text;
}

std::string titleOf(const std::string& id)
{
    static const std::map<std::string, std::string> titles = [] {
        std::map<std::string, std::string> all;
        for (const Signs& sign : knownSigns())
            all[sign.id] = sign.title;
        for (const auto& technique : allTechniques())
            all[technique->id()] = technique->title();
        return all;
    }();
    if (const auto found = titles.find(id); found != titles.end())
        return found->second;
    std::string words = id;
    std::replace(words.begin(), words.end(), '_', ' ');
    if (!words.empty())
        words[0] = char(std::toupper(static_cast<unsigned char>(words[0])));
    return words;
}

class LineNumbers {
public:
    explicit LineNumbers(std::string_view text)
    {
        for (std::size_t at = 0; at < text.size(); ++at)
            if (text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')))
                m_starts.push_back(at + 1);
    }
    int of(std::size_t byte) const
    {
        return int(std::upper_bound(m_starts.begin(), m_starts.end(), byte) - m_starts.begin());
    }

private:
    std::vector<std::size_t> m_starts{0};
};

void add(std::vector<SourceLines>& lines, SourceLines range)
{
    if (!lines.empty() && range.first <= lines.back().last + 1)
        lines.back().last = std::max(lines.back().last, range.last);
    else
        lines.push_back(range);
}

std::string_view textOf(const PythonModule& module, const PythonToken& token)
{
    return std::string_view(module.text).substr(token.begin, token.end - token.begin);
}

std::vector<SourceLines> linesOf(const PythonModule& module, const LineNumbers& numbers, std::string_view toggle)
{
    std::vector<SourceLines> found;
    const auto ends = [&](const PythonLine& line) { return numbers.of(line.tokens.back().end - 1); };
    for (std::size_t at = 0; at < module.lines.size(); ++at) {
        const PythonLine& line = module.lines[at];
        const bool mentions = std::any_of(line.tokens.begin(), line.tokens.end(), [&](const PythonToken& token) {
            return token.kind == PythonToken::Kind::Name && textOf(module, token) == toggle;
        });
        if (!mentions)
            continue;
        SourceLines range{numbers.of(line.tokens.front().begin), ends(line)};
        const std::string_view first = textOf(module, line.tokens.front());
        if (first == "if" || first == "elif" || first == "while")
            for (std::size_t next = at + 1; next < module.lines.size() && module.lines[next].indent > line.indent;
                 ++next)
                range.last = ends(module.lines[next]);
        add(found, range);
    }
    return found;
}

/// Without the comments: what a comment names is not used.
std::string withoutComments(const std::string& source)
{
    std::string out = source;
    for (std::size_t at = 0; at < out.size();) {
        const char c = out[at];
        if (c == '#') {
            while (at < out.size() && out[at] != '\n')
                out[at++] = ' ';
        } else if (c == '"' || c == '\'') {
            const bool triple = out.compare(at, 3, std::string(3, c)) == 0;
            at += triple ? 3 : 1;
            while (at < out.size() &&
                   (triple ? out.compare(at, 3, std::string(3, c)) != 0 : out[at] != c && out[at] != '\n'))
                at += out[at] == '\\' ? 2 : 1;
            at = std::min(at + (triple ? 3 : 1), out.size());
        } else {
            ++at;
        }
    }
    return out;
}

/// Whether what follows a sign says that the thing is not wanted: "allow_tf32 = False",
/// "set_float32_matmul_precision('highest')".
bool isTurnedOff(const std::string& code, std::size_t end)
{
    std::string next;
    for (; end < code.size() && code[end] != '\n' && next.size() < 9; ++end)
        if (code[end] != ' ')
            next += code[end];
    return next.starts_with("=False") || next.starts_with("(\"highest") || next.starts_with("('highest");
}

std::vector<SourceLines> usesOf(const std::string& code, const LineNumbers& numbers, const Signs& signs)
{
    std::vector<int> at;
    for (const char* text : signs.texts)
        for (std::size_t found = code.find(text); found != std::string::npos; found = code.find(text, found + 1))
            if (!isTurnedOff(code, found + std::string_view(text).size()))
                at.push_back(numbers.of(found));
    std::sort(at.begin(), at.end());
    std::vector<SourceLines> lines;
    for (const int line : at)
        add(lines, {line, line});
    return lines;
}

} // namespace

std::vector<NamedTechnique> namedTechniques(const std::string& source, const std::vector<std::string>& ids)
{
    std::vector<NamedTechnique> all;
    const LineNumbers numbers(source);
    if (const auto module = scanPython(source)) {
        const auto toggles = findToggles(source);
        for (const Toggle& toggle : toggles ? *toggles : std::vector<Toggle>())
            all.push_back({techniqueOf(toggle.name), titleOf(techniqueOf(toggle.name)), toggle.name, toggle.on,
                           linesOf(*module, numbers, toggle.name)});
    }
    const auto has = [&](const std::string& id) {
        return std::any_of(all.begin(), all.end(),
                           [&](const NamedTechnique& one) { return upper(one.id) == upper(id); });
    };
    const std::string code = withoutComments(source);
    const auto signsOf = [&](const std::string& id) -> const Signs* {
        const auto found = std::find_if(knownSigns().begin(), knownSigns().end(),
                                        [&](const Signs& signs) { return signs.id == id; });
        return found == knownSigns().end() ? nullptr : &*found;
    };
    for (const std::string& id : ids) {
        const Signs* signs = signsOf(id);
        if (!has(id))
            all.push_back(
                {id, titleOf(id), {}, true, signs ? usesOf(code, numbers, *signs) : std::vector<SourceLines>()});
    }
    // A graph is captured on a stream of its own: that alone is no work on several streams.
    const std::size_t stream = code.find("cuda.Stream(");
    const bool captureOnly = code.find("cuda.graph(") != std::string::npos &&
                             (stream == std::string::npos ||
                              code.find("cuda.Stream(", stream + 1) == std::string::npos);
    for (const Signs& signs : knownSigns()) {
        if (has(signs.id) || (captureOnly && signs.id == std::string_view("streams")))
            continue;
        if (std::vector<SourceLines> lines = usesOf(code, numbers, signs); !lines.empty())
            all.push_back({signs.id, titleOf(signs.id), {}, true, std::move(lines)});
    }
    return all;
}

std::vector<std::string> techniquesIn(const std::string& source)
{
    std::vector<std::string> out;
    for (const NamedTechnique& one : namedTechniques(source))
        if (one.on)
            out.push_back(one.id);
    return out;
}

} // namespace cudal1::policy
