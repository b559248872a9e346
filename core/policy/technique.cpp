// SPDX-License-Identifier: GPL-3.0-or-later
// What techniques share: facts of a context, the list of all of them.
#include "core/policy/technique.h"

#include "core/base/timetext.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cudal1::policy {

namespace {

constexpr std::string_view preparedCall = "prepared(self, '";

} // namespace

bool TechniqueContext::plainParameters() const
{
    const PythonClass* model = module.find("Model");
    const PythonFunction* forward = model ? model->method("forward") : nullptr;
    return forward && forward->parameterText.find("*,") == std::string::npos &&
           std::none_of(forward->parameters.begin(), forward->parameters.end(),
                        [](const std::string& p) { return p.starts_with("*"); });
}

bool TechniqueContext::rewritable(std::string& why) const
{
    why = plainParameters() ? graph.whyNotRewritable() : "forward takes arguments by name alone, or any number of them";
    if (!why.empty())
        why = "The operators cannot be rewritten: " + why + ".";
    return why.empty();
}

bool TechniqueContext::takesKernels(std::string& why) const
{
    if (cuda())
        return rewritable(why);
    why = "The kernel is for GPUs; the device is a CPU.";
    return false;
}

double TechniqueContext::operators_ns() const
{
    double sum = 0;
    for (const GraphNode& node : prompt.graph.nodes)
        sum += isView(node.op) ? 0 : node.time_ns;
    return sum;
}

double TechniqueContext::share(double time_ns) const
{
    const double all = operators_ns();
    return all > 0 ? time_ns / all : 0;
}

double TechniqueContext::rateOfMemory() const
{
    constexpr double ofAnH200 = 4.8e12, reached = 0.83; // bytes a second, and the share of them that kernels move
    const double known = prompt.least ? prompt.least->bytesPerSecond : 0;
    return reached * (known > 0 ? known : ofAnH200) * 1e-9;
}

int TechniqueContext::launches() const
{
    return static_cast<int>(std::count_if(prompt.graph.nodes.begin(), prompt.graph.nodes.end(),
                                          [](const GraphNode& node) { return !isView(node.op); }));
}

std::string TechniqueContext::operatorsText() const
{
    const int count = launches();
    return (count == 1 ? "1 operator takes " : std::to_string(count) + " operators take ") +
           base::timeText(operators_ns()) + (count == 1 ? " when it is" : " when each is") + " measured alone";
}

double TechniqueContext::time_ns(std::string_view wanted) const
{
    double sum = 0;
    for (const GraphNode& node : prompt.graph.nodes)
        if (const auto name = shortName(node.op);
            name == wanted || name == std::string(wanted) + "_") // in place or not
            sum += node.time_ns;
    return sum;
}

void MatchedSites::add(double replaced, double expected, const std::string& text)
{
    replaced_ns += replaced;
    expected_ns += expected;
    if (++count <= 4)
        m_texts += (m_texts.empty() ? "" : "; ") + text;
}

std::string MatchedSites::list() const
{
    return m_texts + (count > 4 ? "; and so on" : "");
}

double MatchedSites::gain(const TechniqueContext& context) const
{
    return std::max(1.01, 1 / std::max(0.05, 1 - context.share(std::max(0.0, replaced_ns - expected_ns))));
}

std::string MatchedSites::shareText(const TechniqueContext& context) const
{
    return numberText(100 * context.share(replaced_ns)) + " % of the operators' time";
}

void Source::once(std::vector<std::string>& list, std::string text)
{
    if (std::find(list.begin(), list.end(), text) == list.end())
        list.push_back(std::move(text));
}

std::string addMethod(Source& source, const std::string& name, const std::string& parameters,
                      const std::string& statements)
{
    std::string text = parameters + ":\n";
    std::size_t at = 0;
    while (at < statements.size()) {
        const std::size_t end = std::min(statements.find('\n', at), statements.size());
        text += "    " + statements.substr(at, end - at) + "\n";
        at = end + 1;
    }
    for (int number = 0;; ++number) {
        const std::string free = name + (number ? "_" + std::to_string(number) : "");
        const std::string full = "def " + free + text;
        const auto taken = std::find_if(source.methods.begin(), source.methods.end(),
                                        [&](const std::string& m) { return m.starts_with("def " + free + "("); });
        if (taken == source.methods.end())
            source.methods.push_back(full);
        else if (*taken != full)
            continue;
        return free;
    }
}

GraphNode callNode(const Graph& graph, const std::string& function, const std::vector<int>& values,
                   const std::vector<int>& outputs, const std::string& stem)
{
    std::string code = function + "(";
    for (std::size_t i = 0; i < values.size(); ++i)
        code += (i ? ", {" : "{") + std::to_string(i) + "}";
    GraphNode node = graph.pythonNode(code + ")", values, outputs.front());
    node.outputs = outputs;
    node.kwargs["stem"] = stem;
    return node;
}

GraphNode preparedNode(const Graph& graph, const std::string& method, const std::vector<int>& parameters,
                       const std::vector<int>& outputs)
{
    std::string code = std::string(preparedCall) + method + "'";
    for (std::size_t i = 0; i < parameters.size(); ++i)
        code += ", {" + std::to_string(i) + "}";
    GraphNode node = graph.pythonNode(code + ")" + (outputs.size() == 1 ? "[0]" : ""), parameters, outputs.front());
    node.outputs = outputs;
    return node;
}

bool isPrepared(const Graph& graph, int value)
{
    const GraphNode* node = graph.producer(value);
    return node && node->op == "cudal1.python" && node->kwargs.value("code", std::string()).starts_with(preparedCall);
}

std::optional<ProductOperands> operandsOfProduct(const GraphNode& node)
{
    const bool linear = node.op == "cudal1.linear", addmm = node.op == "aten.addmm.default";
    if (!linear && !addmm && node.op != "aten.mm.default" && node.op != "aten.bmm.default")
        return {};
    if (node.args.size() != (linear || addmm ? 3U : 2U) || !node.kwargs.empty())
        return {};
    const auto left = Graph::tensor(node.args[addmm ? 1 : 0]), right = Graph::tensor(node.args[addmm ? 2 : 1]);
    if (!left || !right)
        return {};
    return ProductOperands{*left, *right,
                           linear || addmm ? Graph::tensor(node.args[addmm ? 0 : 2]) : std::optional<int>()};
}

bool lastsFromCallToCall(const Graph& graph, int value)
{
    return isPrepared(graph, value) ||
           (graph.ofModule(value) && graph.value(value).kind != protocol::GraphValue::Kind::Buffer);
}

bool isInOrder(const Graph& graph, int value)
{
    const GraphValue& one = graph.value(value);
    std::int64_t step = 1;
    for (std::size_t i = one.shape.size(); i-- > 0; step *= one.shape[i]) {
        if (i >= one.stride.size() || (one.shape[i] != 1 && one.stride[i] != step))
            return false;
    }
    return true;
}

std::string Technique::toggle() const
{
    std::string out = "USE_" + id();
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return out;
}

std::string Technique::commentWith(const Match& match) const
{
    return comment() + (match.opener ? ", only while " + match.opener->toggle() + " is on" : "");
}

std::vector<std::unique_ptr<Technique>> allTechniques()
{
    std::vector<std::unique_ptr<Technique>> all;
    for (auto make : {makeConstantResult,
                      makeDiagonalProduct,
                      makeTriangularProduct,
                      makeConvolveTwice,
                      makeMeanBeforeConvolution,
                      makePoolIntoConvolution,
                      makePoolFirst,
                      makeDirectConvolution,
                      makeTransposedByPhase,
                      makeReassociateReduction,
                      makeFoldScale,
                      makeFusedAttention,
                      makeScaledHalves,
                      makeAlignedProducts,
                      makeGemmEpilogue,
                      makeCpuProducts,
                      makeSplitReduction,
                      makePersistentRecurrence,
                      makeWindowKernels,
                      makeScanKernels,
                      makeArgReduction,
                      makeFuseElementwise,
                      makeHeapReuse,
                      makeDeviceConstants,
                      makeChannelsLast,
                      makeTf32,
                      makeBf16Products,
                      makeIeeeRecurrence,
                      makeCudnnBenchmark,
                      makeCompiledGraph,
                      makeCudaGraph})
        all.push_back(make());
    return all;
}

} // namespace cudal1::policy
