// SPDX-License-Identifier: GPL-3.0-or-later
// Finds chains of scales and shifts behind linear layers and convolutions, and writes their folded weights.
#include "core/policy/affine.h"

#include <algorithm>
#include <map>

namespace cudal1::policy {

namespace {

using nlohmann::json;

struct Form {
    double scale = 1, shift = 0;
    std::string scaleFactors, shiftTerms;
};

class Search {
public:
    Search(const Graph& graph, const GraphNode& root) : m_graph(graph), m_root(root)
    {
        m_chain.root = &root;
        m_chain.nodes = {root.id};
        m_chain.result = root.outputs[0];
        m_chain.channelRank = graph.shape(*Graph::tensor(root.args[1])).size();
        m_forms[m_chain.result] = {};
    }

    AffineChain run()
    {
        std::set<int> folded{m_root.id};
        std::vector<std::string> operators;
        for (const GraphNode& node : m_graph.nodes()) {
            const auto form = folded.contains(node.id) ? std::nullopt : apply(node);
            if (!form)
                continue;
            m_forms[node.outputs[0]] = *form;
            folded.insert(node.id);
            operators.push_back(shortName(node.op));
            if (closed(folded, node.outputs[0])) {
                m_chain.nodes = folded;
                m_chain.operators = operators;
                m_chain.result = node.outputs[0];
                m_chain.scale = form->scale;
                m_chain.scaleFactors = form->scaleFactors;
                m_chain.shift = form->shift;
                m_chain.shiftTerms = form->shiftTerms;
            }
        }
        return m_chain;
    }

private:
    const Form* formOf(const json& argument) const
    {
        const auto id = Graph::tensor(argument);
        const auto it = id ? m_forms.find(*id) : m_forms.end();
        return it == m_forms.end() ? nullptr : &it->second;
    }

    // Name of a parameter that has one element for each channel, or one in all, flattened to a vector. `vector`: the
    // parameter is a list of channels, as norms take it, and not broadcast from the right.
    std::optional<std::string> channelParameter(const json& argument, bool vector = false)
    {
        const auto id = Graph::tensor(argument);
        if (!id || !m_graph.ofModule(*id) || m_graph.value(*id).dtype != "float32")
            return {};
        const Shape& shape = m_graph.shape(*id);
        const Shape& out = m_graph.shape(m_root.outputs[0]);
        const std::size_t channel = m_root.op == "cudal1.linear" ? out.size() - 1 : 1;
        if (vector ? shape != Shape{out[channel]} : shape.size() > out.size())
            return {};
        for (std::size_t i = 0; i < shape.size() && !vector; ++i) {
            const std::size_t axis = i + out.size() - shape.size();
            if (shape[i] != 1 && (axis != channel || shape[i] != out[channel]))
                return {};
        }
        auto& list = m_chain.parameters;
        auto it = std::find(list.begin(), list.end(), *id);
        if (it == list.end())
            it = list.insert(list.end(), *id);
        return "p" + std::to_string(it - list.begin());
    }

    std::optional<Form> apply(const GraphNode& node)
    {
        if (node.outputs.empty() || node.outputs[0] < 0 || node.args.empty() ||
            m_graph.shape(node.outputs[0]) != m_graph.shape(m_root.outputs[0]))
            return {};
        const std::string name = shortName(node.op);
        if (name == "native_batch_norm" || name == "_native_batch_norm_legit_no_training" || name == "cudnn_batch_norm")
            return batchNorm(node, name);
        const Form* x = formOf(node.args[0]);
        if (name == "neg" && x)
            return scaled(*x, -1);
        if (node.args.size() < 2)
            return {};
        const Form* y = formOf(node.args[1]);
        const auto a = Graph::number(node.args[0]), b = Graph::number(node.args[1]);
        const auto alpha = node.args.size() > 2 || node.kwargs.contains("alpha")
                             ? Graph::number(Graph::argument(node, 2, "alpha"))
                             : 1;
        if (!alpha || (node.kwargs.size() == 1) != node.kwargs.contains("alpha"))
            return {};
        if (name == "mul" && x && b)
            return scaled(*x, *b);
        if (name == "div" && x && b && node.kwargs.empty())
            return scaled(*x, 1 / *b);
        if (name == "add" && x && y)
            return sum(*x, scaled(*y, *alpha));
        if (name == "sub" && x && y)
            return sum(*x, scaled(*y, -*alpha));
        if ((name == "add" || name == "sub") && x && b)
            return shifted(*x, name == "add" ? *b * *alpha : -*b * *alpha);
        if (name == "rsub" && x && b && *alpha == 1)
            return shifted(scaled(*x, -1), *b);
        if (y && !a && (name == "add" || name == "mul"))
            return withParameter(*y, node.args[0], name, 1);
        if (x && (name == "add" || name == "sub" || name == "mul" || name == "div"))
            return withParameter(*x, node.args[1], name, *alpha);
        return {};
    }

    static Form scaled(const Form& f, double by)
    {
        Form out = f;
        out.scale *= by;
        out.shift *= by;
        if (!f.shiftTerms.empty())
            out.shiftTerms = " + " + pythonNumber(by) + " * (0.0" + f.shiftTerms + ")";
        return out;
    }

    static Form shifted(const Form& f, double by)
    {
        Form out = f;
        out.shift += by;
        return out;
    }

    static std::optional<Form> sum(const Form& a, const Form& b)
    {
        if (a.scaleFactors != b.scaleFactors)
            return {};
        return Form{a.scale + b.scale, a.shift + b.shift, a.scaleFactors, a.shiftTerms + b.shiftTerms};
    }

    std::optional<Form> withParameter(const Form& f, const json& argument, const std::string& name, double alpha)
    {
        const auto p = channelParameter(argument);
        if (!p)
            return {};
        Form out = f;
        if (name == "add" || name == "sub") {
            out.shiftTerms += " + " + pythonNumber(name == "add" ? alpha : -alpha) + " * " + *p;
            return out;
        }
        const std::string factor = name == "mul" ? " * " + *p : " / " + *p;
        return multiplied(f, factor);
    }

    static Form multiplied(const Form& f, const std::string& factor)
    {
        Form out = f;
        out.scaleFactors += factor;
        out.shiftTerms = " + (" + pythonNumber(f.shift) + f.shiftTerms + ")" + factor;
        out.shift = 0;
        return out;
    }

    // Only with stored statistics: in training mode the statistics are those of the batch, and no constant.
    std::optional<Form> batchNorm(const GraphNode& node, const std::string& name)
    {
        const Form* x = formOf(node.args[0]);
        const bool noTraining = name == "_native_batch_norm_legit_no_training";
        if (!x || node.args.size() < (noTraining ? 7U : 8U) || (!noTraining && node.args[5] != false))
            return {};
        const auto gamma = node.args[1].is_null() ? std::optional<std::string>("1.0")
                                                  : channelParameter(node.args[1], true);
        const auto beta = node.args[2].is_null() ? std::optional<std::string>("0.0")
                                                 : channelParameter(node.args[2], true);
        const auto mean = channelParameter(node.args[3], true), variance = channelParameter(node.args[4], true);
        const auto eps = Graph::number(node.args[noTraining ? 6 : 7]);
        if (!gamma || !beta || !mean || !variance || !eps)
            return {};
        const std::string factor = " * (" + *gamma + " * torch.rsqrt(" + *variance + " + " + pythonNumber(*eps) + "))";
        Form centred = *x;
        centred.shiftTerms += " - " + *mean;
        Form out = multiplied(centred, factor);
        out.shiftTerms += " + " + *beta;
        return out;
    }

    // Everything folded so far serves only `result`.
    bool closed(const std::set<int>& folded, int result) const
    {
        for (const GraphNode& node : m_graph.nodes()) {
            if (!folded.contains(node.id) || node.outputs[0] == result)
                continue;
            for (const int output : node.outputs) {
                if (output < 0)
                    continue;
                if (m_graph.isOutput(output))
                    return false;
                for (const GraphNode* reader : m_graph.consumers(output)) {
                    if (!folded.contains(reader->id))
                        return false;
                }
            }
        }
        return true;
    }

    const Graph& m_graph;
    const GraphNode& m_root;
    AffineChain m_chain;
    std::map<int, Form> m_forms;
};

} // namespace

std::string AffineChain::weightExpression() const
{
    std::string out = "weight";
    if (scale != 1)
        out += " * " + pythonNumber(scale);
    if (!scaleFactors.empty()) {
        std::string ones;
        for (std::size_t i = 1; i < channelRank; ++i)
            ones += ", 1";
        out = "(" + out + ") * (1.0" + scaleFactors + ").reshape(-1" + ones + ")";
    }
    return out;
}

std::string AffineChain::biasExpression(const std::string& without) const
{
    const bool bare = scale == 1 && shift == 0 && scaleFactors.empty() && shiftTerms.empty();
    if (bare)
        return hasBias() ? "bias" : without;
    std::string out = hasBias() ? "bias * " + pythonNumber(scale) + scaleFactors : without;
    if (shift != 0)
        out += " + " + pythonNumber(shift);
    return out + shiftTerms;
}

std::string AffineChain::addMethod(Source& source, const std::string& stem, const std::string& body) const
{
    std::string head = "(self, weight" + std::string(hasBias() ? ", bias" : "");
    std::string flatten;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string p = "p" + std::to_string(i);
        head += ", " + p;
        flatten += p + " = " + p + ".reshape(-1)\n";
    }
    return policy::addMethod(source, stem + "_" + std::to_string(root->outputs[0]), head + ")", flatten + body);
}

GraphNode AffineChain::prepare(const Graph& graph, const std::string& method, const std::vector<int>& outputs) const
{
    std::vector<int> values{*Graph::tensor(root->args[1])};
    if (hasBias())
        values.push_back(*Graph::tensor(root->args[2]));
    values.insert(values.end(), parameters.begin(), parameters.end());
    GraphNode node = preparedNode(graph, method, values, outputs);
    node.kwargs["stem"] = "folded_";
    return node;
}

std::vector<AffineChain> affineChains(const Graph& graph)
{
    std::vector<AffineChain> out;
    for (const GraphNode& node : graph.nodes()) {
        if (node.op != "cudal1.linear" && node.op != "aten.convolution.default")
            continue;
        const auto weight = Graph::tensor(node.args[1]);
        // A transposed convolution keeps its output channels on the second axis of the weight.
        const bool transposed = node.op == "aten.convolution.default" && node.args.size() > 6 && node.args[6] == true;
        const bool biased = !node.args[2].is_null();
        if (!weight || !graph.ofModule(*weight) || graph.value(*weight).dtype != "float32" || transposed ||
            (biased && !graph.ofModule(*Graph::tensor(node.args[2]))))
            continue;
        out.push_back(Search(graph, node).run());
    }
    return out;
}

} // namespace cudal1::policy
