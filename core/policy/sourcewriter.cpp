// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a generated module.
#include "core/policy/sourcewriter.h"

#include "core/policy/emitter.h"

#include <algorithm>
#include <sstream>

namespace cudal1::policy {

namespace {

std::string join(const std::vector<std::string>& parts, const std::string& separator)
{
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : separator) + part;
    return out;
}

std::string indent(const std::string& text, const std::string& by)
{
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end > at)
            out += by + text.substr(at, end - at);
        out += '\n';
        at = end + 1;
    }
    return out;
}

// A replayed graph reads and writes where the captured call did. So it is replayed for inputs that lie there, while
// nobody holds its last results; a weight that moved makes new graphs.
const std::string graphRunner = R"py(class CapturedCall:
    """One call as a CUDA graph, with its inputs where they lie now."""

    def __init__(self, model, function, inputs):
        # Warming up runs the module for real, so it gets copies, and what it counts in its buffers is put back.
        buffers = [(b, b.clone()) for b in model.buffers()]
        reserved = torch.cuda.memory_reserved()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                function(*(v.clone() if isinstance(v, torch.Tensor) else v for v in inputs))
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function(*inputs)
        for buffer, value in buffers:
            buffer.copy_(value)
        self.bytes = torch.cuda.memory_reserved() - reserved
        # The method that the graph's own one calls.
        self.replay = getattr(super(torch.cuda.CUDAGraph, self.graph), "replay", self.graph.replay)
        self.single = isinstance(self.result, torch.Tensor)
        self.storages = [part.untyped_storage()._cdata for part in ([self.result] if self.single else self.result)]
        self.unheld = [torch._C._storage_Use_Count(storage) for storage in self.storages]

    def handed(self, hand):
        return hand(self.result) if self.single else type(self.result)(map(hand, self.result))


class GraphRunner:
    """Replays calls as CUDA graphs: one graph for each address of the inputs, and two where results are kept. At most
    eight are made so, of 1 GiB in all; inputs at further addresses are copied to those of one graph for their shapes,
    or the call is made without a graph where that would take as much again."""

    def __init__(self):
        self.calls = {}

    def watch(self, model):
        """Weights that calls read beside their inputs. Who puts another parameter in the place of one, rather than
        other numbers into it, needs another runner."""
        self.weights = list(model.parameters())
        self.prepared = [weight for kept in model.__dict__.get("_prepared", {}).values() for weight in kept[2]]
        self.weights = list({id(weight): weight for weight in self.weights + self.prepared}.values())
        self.versions = [weight._version for weight in self.prepared]
        self.places = [weight.data_ptr() for weight in self.weights]

    def call(self, model, function, *inputs):
        """Little is done before a replay: in a short call each step of the interpreter shows."""
        if not self.calls or [weight.data_ptr() for weight in self.weights] != self.places:
            self.calls, self.copying, self.room = {}, {}, 1 << 30
            self.watch(model)
        elif [weight._version for weight in self.prepared] != self.versions:
            refresh(model)
            self.versions = [weight._version for weight in self.prepared]
        key = tuple([(v.data_ptr(), v.shape, v.stride(), v.dtype) if isinstance(v, torch.Tensor) else v for v in inputs])
        calls = self.calls.get(key, ())
        for call in calls:
            if [torch._C._storage_Use_Count(storage) for storage in call.storages] == call.unheld:
                call.replay()
                return call.result.detach() if call.single else call.handed(torch.Tensor.detach)
        if len(calls) == 2 or self.room <= 0:
            large = any(call.bytes >= 1 << 30 for made in self.calls.values() for call in made)
            return function(*inputs) if large else self.copied(model, function, inputs)
        call = CapturedCall(model, function, inputs)
        self.calls[key] = (*calls, call)
        self.room -= max(call.bytes, 1 << 27)
        self.watch(model)
        call.replay()
        return call.handed(torch.Tensor.detach)

    def copied(self, model, function, inputs):
        key = tuple((v.shape, v.stride(), v.dtype) if isinstance(v, torch.Tensor) else v for v in inputs)
        if key not in self.copying:
            kept = [v.clone() if isinstance(v, torch.Tensor) else v for v in inputs]
            self.copying[key] = kept, CapturedCall(model, function, kept)
            self.watch(model)
        kept, call = self.copying[key]
        for old, new in zip(kept, inputs):
            if isinstance(new, torch.Tensor):
                old.copy_(new)
        call.replay()
        return call.handed(torch.Tensor.clone)
)py";

const std::string prepared = R"py(def prepared(model, make, *weights):
    """model.make(*weights), kept until a weight changes; then computed again into the same memory."""
    if torch.compiler.is_compiling():
        return getattr(model, make)(*weights)
    kept = model.__dict__.setdefault("_prepared", {})
    state = [(w.data_ptr(), w._version) for w in weights]
    entry = kept.get(make)
    if entry is not None and entry[0] == state:
        return entry[1]
    with torch.no_grad():
        values = getattr(model, make)(*weights)
        if entry is not None and all(a.shape == b.shape and a.device == b.device for a, b in zip(entry[1], values)):
            for old, new in zip(entry[1], values):
                old.copy_(new)
            values = entry[1]
    kept[make] = (state, values, weights)
    return values


def refresh(model):
    """Brings everything that was prepared from weights up to date."""
    for make, (state, _, weights) in model.__dict__.get("_prepared", {}).items():
        if [(w.data_ptr(), w._version) for w in weights] != state:
            prepared(model, make, *weights)
)py";

class Writer {
public:
    Writer(const TechniqueContext& context, const Used& used) : m_context(context), m_used(used) {}

    std::string run()
    {
        const PythonModule& module = m_context.module;
        const PythonClass& model = *module.find("Model");
        const std::string compute = computeMethod();
        for (const auto& [technique, match] : m_used)
            technique->wrap(m_source, m_context);
        std::string out = copied(0, module.importsEnd);
        out += toggles();
        out += copied(module.importsEnd, model.begin);
        for (const std::string& helper : m_source.helpers)
            out += helper + "\n\n";
        for (const std::string& kernel : m_source.kernels)
            out += kernelFunction(kernel) + "\n\n";
        if (m_source.graphRunner)
            out += runner() + "\n\n";
        out += modelClass(model, compute);
        out += copied(model.end, module.text.size());
        while (out.ends_with("\n\n"))
            out.pop_back();
        return out;
    }

private:
    /// torch.compile cannot trace a launch; where nothing is compiled, its switch would take time in each call.
    std::string kernelFunction(std::string kernel) const
    {
        if (!m_source.compileArguments.empty())
            kernel.insert(kernel.find("\ndef ") + 1, "@torch.compiler.disable\n");
        return kernel;
    }

    /// Without what is prepared from weights there is nothing to refresh.
    std::string runner() const
    {
        if (std::find(m_source.helpers.begin(), m_source.helpers.end(), preparedHelper()) != m_source.helpers.end())
            return graphRunner;
        std::string out;
        std::istringstream lines(graphRunner);
        for (std::string line; std::getline(lines, line);)
            if (line.find("prepared") == std::string::npos && line.find("refresh") == std::string::npos)
                out += line + "\n";
        return out;
    }

    // Text between, with Model renamed and without the two functions that make inputs, which only the judge needs.
    std::string copied(std::size_t begin, std::size_t end) const
    {
        std::string out;
        std::size_t at = begin;
        for (const PythonFunction& function : m_context.module.functions) {
            if ((function.name != "get_inputs" && function.name != "get_init_inputs") || function.begin < at ||
                function.end > end)
                continue;
            out += m_context.module.renamed(at, function.begin, "Model", "ModelNew");
            at = function.end;
        }
        return out + m_context.module.renamed(at, end, "Model", "ModelNew");
    }

    std::string toggles() const
    {
        std::string out = "\n# Each switch turns one optimisation on or off; with all of them off this is the original "
                          "computation.\n";
        for (const auto& [technique, match] : m_used)
            out += technique->toggle() + " = True  # " + technique->commentWith(match) + "\n";
        for (const std::string& setting : m_source.settings)
            out += setting + "\n";
        return out;
    }

    // The rewritten forward: one version for each setting of the rewriting toggles, joined.
    std::string computeMethod()
    {
        Used rewriting;
        std::copy_if(m_used.begin(), m_used.end(), std::back_inserter(rewriting),
                     [](const auto& one) { return one.first->rewrites(); });
        if (rewriting.empty())
            return {};
        const std::vector<std::string> names = rewritingToggles();
        std::vector<Version> versions;
        for (unsigned setting = 0; setting < 1U << rewriting.size(); ++setting) {
            Version version;
            Graph graph = m_context.graph;
            std::set<const Technique*> on;
            for (std::size_t i = 0; i < rewriting.size(); ++i) {
                version.on.push_back(setting >> (rewriting.size() - 1 - i) & 1U);
                const auto& [technique, match] = rewriting[i];
                if (!version.on.back() || (match.opener && !on.contains(match.opener)))
                    continue;
                technique->rewrite(graph, m_source, m_context);
                on.insert(technique);
            }
            graph.removeDead();
            version.statements = emitStatements(graph);
            versions.push_back(std::move(version));
        }
        // With all of them off `original` runs, so the first version is never reached and need not differ from the
        // next.
        versions[0].statements = versions[1].statements;
        const auto statements = mergeVersions(names, versions);
        std::string out = "def compute(self" + parameters() + "):\n";
        out += "    if not (" + join(names, " or ") + ")" + otherShapes() + ":\n        return self.original(" +
               names_() + ")\n";
        return out + indent(join(statements, "\n"), "    ");
    }

    std::vector<std::string> rewritingToggles() const
    {
        std::vector<std::string> out;
        for (const auto& [technique, match] : m_used)
            if (technique->rewrites())
                out.push_back(technique->toggle());
        return out;
    }

    /// When the launches of a call are captured. Where only the forward that is written anew can be, not with the
    /// other.
    std::string captures() const
    {
        for (const auto& [technique, match] : m_used)
            if (technique->id() == "cuda_graph" && match.opener)
                return "USE_CUDA_GRAPH and " + onGpu() + " and not (not (" + join(rewritingToggles(), " or ") + ")" +
                       otherShapes() + ")";
        return "USE_CUDA_GRAPH and " + onGpu();
    }

    bool launchesKernels() const
    {
        return m_context.cuda() && !m_source.kernels.empty() && !m_context.graph.data().inputs.empty();
    }

    std::string onGpu() const
    {
        const std::vector<int>& inputs = m_context.graph.data().inputs;
        return (inputs.empty() ? forward().parameters.front() : m_context.graph.value(inputs.front()).name) +
               ".is_cuda";
    }

    // What was traced holds for the traced shapes only.
    std::string otherShapes() const
    {
        std::string out;
        for (const int id : m_context.graph.data().inputs) {
            std::string shape = shapeText(m_context.graph.shape(id));
            shape.front() = '(';
            shape.back() = ')';
            if (m_context.graph.shape(id).size() == 1)
                shape.insert(shape.size() - 1, ",");
            out += " or " + m_context.graph.value(id).name + ".shape != " + shape;
        }
        return out;
    }

    const PythonFunction& forward() const { return *m_context.module.find("Model")->method("forward"); }

    std::string parameters() const
    {
        const std::string names = names_();
        return names.empty() ? "" : ", " + names;
    }

    std::string names_() const { return join(forward().parameters, ", "); }

    std::string forwardMethod(bool rewritten) const
    {
        const std::string body = rewritten ? "self.compute" : "self.original";
        std::string parameterText = forward().parameterText;
        std::string out = "def forward(" + parameterText + "):\n";
        std::string inner;
        for (const std::string& line : m_source.convert)
            inner += "    " + line + "\n";
        if (!m_source.compileArguments.empty()) {
            inner += "    if USE_COMPILED_GRAPH:\n"
                     "        if self._compiled is None:\n"
                     "            self._compiled = torch.compile(" +
                     body + ", " + m_source.compileArguments +
                     ")\n"
                     "        return self._compiled(" +
                     names_() + ")\n";
        }
        inner += "    return " + body + "(" + names_() + ")\n";
        if (!m_source.graphRunner)
            return out + inner + (launchesKernels() ? callMethod(onGpu(), "self.forward(") : "");
        const std::string replay = "self._graphs.call(self, self.run, ";
        out += "    if " + captures() + ":\n        return " + replay + names_() + ")\n    return self.run(" +
               names_() + ")\n";
        return out + callMethod(captures(), replay) + "\ndef run(self" + parameters() + "):\n" + inner;
    }

    /// What the framework does around each call of a module takes as long as the launch of a kernel.
    std::string callMethod(const std::string& when, const std::string& call) const
    {
        return "\ndef __call__(" + forward().parameterText + "):\n    if " + when +
               " and not (self._forward_hooks or self._forward_pre_hooks):\n        return " + call + names_() +
               ")\n    return super().__call__(" + names_() + ")\n";
    }

    /// The text from `from` to the end of __init__, with what the techniques add there.
    std::string constructor(const PythonFunction& init, std::size_t from) const
    {
        const auto renamed = [&](std::size_t begin, std::size_t end) {
            return m_context.module.renamed(begin, end, "Model", "ModelNew");
        };
        if (m_source.initialise.empty())
            return renamed(from, init.end);
        std::string out;
        if (init.inlineBody > 0) {
            out = renamed(from, init.inlineBody);
            out.erase(out.find_last_not_of(' ') + 1);
            out += "\n" + init.bodyIndentation;
            from = init.inlineBody;
        }
        out += renamed(from, init.end);
        for (const std::string& line : m_source.initialise)
            out += init.bodyIndentation + line + "\n";
        return out;
    }

    std::string modelClass(const PythonClass& model, const std::string& compute)
    {
        const PythonModule& module = m_context.module;
        const PythonFunction& original = forward();
        const std::string& by = original.indentation;
        std::string out;
        std::size_t at = model.begin;
        if (m_source.graphRunner)
            m_source.initialise.push_back("self._graphs = GraphRunner()");
        if (!m_source.compileArguments.empty())
            m_source.initialise.push_back("self._compiled = None");
        const PythonFunction* init = model.method("__init__");
        if (init) {
            out += constructor(*init, at);
            at = init->end;
        }
        if (at > original.begin) { // forward stands before __init__: rename it where it is
            out = module.renamed(model.begin, original.nameBegin, "Model", "ModelNew") + "original" +
                  constructor(*init, original.nameBegin + 7) +
                  module.renamed(init->end, model.end, "Model", "ModelNew");
        } else {
            out += module.renamed(at, original.nameBegin, "Model", "ModelNew") + "original" +
                   module.renamed(original.nameBegin + 7, model.end, "Model", "ModelNew");
        }
        if (!init && !m_source.initialise.empty()) {
            m_source.methods.push_back(
                "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n    " +
                join(m_source.initialise, "\n    ") + "\n");
        }
        while (out.ends_with("\n\n"))
            out.pop_back();
        for (const std::string& method : m_source.methods)
            out += "\n" + indent(method, by);
        if (!compute.empty())
            out += "\n" + indent(compute, by);
        out += "\n" + indent(forwardMethod(!compute.empty()), by);
        return out;
    }

    const TechniqueContext& m_context;
    const Used& m_used;
    Source m_source;
};

} // namespace

const std::string& preparedHelper()
{
    return prepared;
}

std::string writeSource(const TechniqueContext& context, const Used& used)
{
    return Writer(context, used).run();
}

} // namespace cudal1::policy
