// SPDX-License-Identifier: GPL-3.0-or-later
// Python statements of an operator graph.
#include "core/policy/emitter.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

namespace cudal1::policy {

using nlohmann::json;

namespace {

bool isNumber(const std::string& part)
{
    return !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); });
}

class Emitter {
public:
    explicit Emitter(const Graph& graph) : m_graph(graph) {}

    std::vector<std::string> run()
    {
        for (const GraphNode& node : m_graph.nodes())
            m_lines.push_back(statement(node));
        std::string results;
        for (const int id : m_graph.data().outputs)
            results += (results.empty() ? "" : ", ") + name(id);
        const std::string& kind = m_graph.data().outputKind;
        if (kind == "tuple")
            results = "(" + results + (m_graph.data().outputs.size() == 1 ? ",)" : ")");
        else if (kind == "list")
            results = "[" + results + "]";
        m_lines.push_back("return " + results);
        return std::move(m_lines);
    }

private:
    std::string name(int id)
    {
        const GraphValue& value = m_graph.value(id);
        switch (value.kind) {
        case GraphValue::Kind::Input: return value.name;
        case GraphValue::Kind::Parameter:
        case GraphValue::Kind::Buffer:
        case GraphValue::Kind::Constant: return attributePath(value.name);
        case GraphValue::Kind::Intermediate: break;
        }
        const auto it = m_names.find(id);
        return it == m_names.end() ? "t" + std::to_string(id) : it->second;
    }

    std::string literal(const json& argument)
    {
        if (argument.is_null())
            return "None";
        if (argument.is_boolean())
            return argument.get<bool>() ? "True" : "False";
        if (argument.is_number_integer())
            return std::to_string(argument.get<std::int64_t>());
        if (argument.is_number())
            return pythonNumber(argument.get<double>());
        if (argument.is_array()) {
            std::string out;
            for (const json& item : argument)
                out += (out.empty() ? "" : ", ") + literal(item);
            return "[" + out + "]";
        }
        if (argument.is_object() && argument.contains("value"))
            return name(argument["value"].get<int>());
        if (argument.is_object() && argument.contains("literal"))
            return onAnyGpu(argument["literal"].get<std::string>());
        return argument.dump();
    }

    /// The GPU on which the graph was traced is a number of one machine: what is made there is made where the input is.
    std::string onAnyGpu(std::string text)
    {
        const std::vector<int>& inputs = m_graph.data().inputs;
        for (const auto& [head, tail, more] :
             {std::tuple{"torch.device('cuda", "')", ""}, {"device='cuda", "'", "device="}}) {
            const std::size_t at = text.find(head);
            if (at == std::string::npos || inputs.empty())
                continue;
            const std::size_t end = text.find(tail, at + std::string_view(head).size());
            if (end != std::string::npos)
                text.replace(at, end + std::string_view(tail).size() - at, more + name(inputs.front()) + ".device");
        }
        return text;
    }

    std::string arguments(const GraphNode& node)
    {
        std::string out;
        for (const json& argument : node.args)
            out += (out.empty() ? "" : ", ") + literal(argument);
        for (const auto& [key, argument] : node.kwargs.items())
            out += (out.empty() ? "" : ", ") + key + "=" + literal(argument);
        return out;
    }

    std::string expression(const GraphNode& node)
    {
        if (node.op == "cudal1.python") {
            std::string code = node.kwargs["code"].get<std::string>();
            for (std::size_t i = 0; i < node.args.size(); ++i) {
                const std::string mark = "{" + std::to_string(i) + "}";
                for (std::size_t at = code.find(mark); at != std::string::npos; at = code.find(mark, at)) {
                    const std::string text = literal(node.args[i]);
                    code.replace(at, mark.size(), text);
                    at += text.size();
                }
            }
            return code;
        }
        if (node.op == "cudal1.linear") {
            std::string out = "torch.nn.functional.linear(" + literal(node.args[0]) + ", " + literal(node.args[1]);
            return out + (node.args[2].is_null() ? ")" : ", " + literal(node.args[2]) + ")");
        }
        if (node.op == "cudal1.lstm" || node.op == "cudal1.gru")
            return "torch." + shortName(node.op) + "(" + arguments(node) + ")";
        static const std::map<std::string, std::string> infix{{"aten.add.Tensor", " + "}, {"aten.sub.Tensor", " - "},
                                                              {"aten.mul.Tensor", " * "}, {"aten.div.Tensor", " / "},
                                                              {"aten.mm.default", " @ "}, {"aten.bmm.default", " @ "}};
        if (const auto it = infix.find(node.op); it != infix.end() && node.args.size() == 2 && node.kwargs.empty())
            return literal(node.args[0]) + it->second + literal(node.args[1]);
        // A technique may have changed the layout in memory, in which a view of the traced one need not exist.
        if ((shortName(node.op) == "view" || shortName(node.op) == "_unsafe_view") && node.args.size() == 2 &&
            node.args[1].is_array())
            return literal(node.args[0]) + ".reshape(" + literal(node.args[1]) + ")";
        if (node.op == "aten.unsqueeze.default" && node.args.size() == 2)
            return literal(node.args[0]) + ".unsqueeze(" + literal(node.args[1]) + ")";
        // torch.NAME takes these as ATen does.
        static const std::set<std::string> plain{"relu",       "sigmoid", "tanh", "exp",         "sqrt", "rsqrt",
                                                 "abs",        "softmax", "sum",  "mean",        "amax", "logsumexp",
                                                 "diag_embed", "triu",    "tril", "convolution", "prod", "clamp",
                                                 "clamp_min",  "addmm",   "bmm"};
        const std::string shortened = shortName(node.op);
        // `out` is an overload of its own in ATen and a keyword in Python.
        if (plain.contains(shortened) || node.kwargs.contains("out"))
            return "torch." + shortened + "(" + arguments(node) + ")";
        return "torch.ops." + node.op + "(" + arguments(node) + ")";
    }

    /// Its twin in torch takes any layout; the operator itself refuses channels innermost on a GPU.
    bool isGroupNormAlone(const GraphNode& node) const
    {
        return node.op == "aten.native_group_norm.default" && node.args.size() == 8 && node.outputs.size() == 3 &&
               std::none_of(node.outputs.begin() + 1, node.outputs.end(),
                            [&](int id) { return id >= 0 && m_graph.isRead(id); });
    }

    std::string statement(const GraphNode& node)
    {
        if (isGroupNormAlone(node)) {
            const int id = node.outputs[0];
            m_names[id] = "group_norm_" + std::to_string(id);
            return m_names[id] + " = torch.group_norm(" + literal(node.args[0]) + ", " + literal(node.args[6]) + ", " +
                   literal(node.args[1]) + ", " + literal(node.args[2]) + ", " + literal(node.args[7]) + ")";
        }
        const std::string right = expression(node);
        const bool inPlace = node.op != "cudal1.python" && !shortName(node.op).empty() &&
                             shortName(node.op).back() == '_';
        if (node.outputs.empty() || inPlace)
            return right;
        const std::string stem = stemOf(node);
        std::string left;
        for (const int id : node.outputs) {
            if (id >= 0 && m_graph.value(id).kind == GraphValue::Kind::Intermediate && !m_names.contains(id))
                m_names[id] = stem + std::to_string(id);
            left += (left.empty() ? "" : ", ") + (id >= 0 ? name(id) : "_");
        }
        return left + (returnsList(node) && node.outputs.size() == 1 ? ", = " : " = ") + right;
    }

    static bool returnsList(const GraphNode& node)
    {
        const std::string op = shortName(node.op);
        return op == "split" || op == "split_with_sizes" || op == "unbind" || op == "chunk";
    }

    static std::string stemOf(const GraphNode& node)
    {
        if (node.op == "cudal1.python")
            return node.kwargs.value("stem", "t");
        std::string stem = shortName(node.op);
        stem.erase(0, stem.find_first_not_of('_'));
        return stem + "_";
    }

    const Graph& m_graph;
    std::map<int, std::string> m_names;
    std::vector<std::string> m_lines;
};

std::vector<std::string> indentedLines(const std::vector<std::string>& lines)
{
    std::vector<std::string> out;
    out.reserve(lines.size());
    for (const std::string& line : lines)
        out.push_back("    " + line);
    return out;
}

// Nested branches must move as one piece: a block is its header with every deeper line and `else` that follows.
std::vector<std::vector<std::string>> blocks(const std::vector<std::string>& lines)
{
    std::vector<std::vector<std::string>> out;
    for (const std::string& line : lines) {
        if (!out.empty() && (line.starts_with("    ") || line == "else:"))
            out.back().push_back(line);
        else
            out.push_back({line});
    }
    return out;
}

// Statements that both sides have, by longest common subsequence; what lies between becomes the branches. Joining is
// exact however the common lines are chosen: with the toggle on, the lines that remain are the first list, in order.
std::vector<std::string> joinUnderToggle(const std::string& toggle, const std::vector<std::string>& on,
                                         const std::vector<std::string>& off)
{
    const auto a = blocks(on), b = blocks(off);
    std::vector<std::vector<int>> length(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;)
            length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
    std::vector<std::string> out, onlyOn, onlyOff;
    const auto flush = [&] {
        const auto append = [&](const std::string& head, const std::vector<std::string>& body) {
            out.push_back(head);
            for (std::string& line : indentedLines(body))
                out.push_back(std::move(line));
        };
        if (!onlyOn.empty()) {
            append("if " + toggle + ":", onlyOn);
            if (!onlyOff.empty())
                append("else:", onlyOff);
        } else if (!onlyOff.empty()) {
            append("if not " + (toggle.find(' ') == std::string::npos ? toggle : "(" + toggle + ")") + ":", onlyOff);
        }
        onlyOn.clear();
        onlyOff.clear();
    };
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            flush();
            out.insert(out.end(), a[i].begin(), a[i].end());
            ++i;
            ++j;
        } else if (j == b.size() || (i < a.size() && length[i + 1][j] >= length[i][j + 1])) {
            onlyOn.insert(onlyOn.end(), a[i].begin(), a[i].end());
            ++i;
        } else {
            onlyOff.insert(onlyOff.end(), b[j].begin(), b[j].end());
            ++j;
        }
    }
    flush();
    return out;
}

std::vector<std::string> mergeRange(const std::vector<std::string>& toggles, std::size_t depth,
                                    const std::vector<Version>& versions, std::size_t from, std::size_t to)
{
    if (depth == toggles.size())
        return versions[from].statements;
    const std::size_t middle = (from + to) / 2;
    return joinUnderToggle(toggles[depth], mergeRange(toggles, depth + 1, versions, middle, to),
                           mergeRange(toggles, depth + 1, versions, from, middle));
}

} // namespace

std::vector<std::string> emitStatements(const Graph& graph)
{
    return Emitter(graph).run();
}

std::vector<std::string> mergeVersions(const std::vector<std::string>& toggles, const std::vector<Version>& versions)
{
    return mergeRange(toggles, 0, versions, 0, versions.size());
}

std::string attributePath(const std::string& name)
{
    std::string out = "self";
    std::size_t at = 0;
    while (at <= name.size()) {
        const std::size_t dot = std::min(name.find('.', at), name.size());
        const std::string part = name.substr(at, dot - at);
        if (isNumber(part))
            out += "[" + part + "]";
        else
            out += "." + part;
        at = dot + 1;
    }
    return out;
}

} // namespace cudal1::policy
