// SPDX-License-Identifier: GPL-3.0-or-later
// A traced operator graph as a Program.
#include "core/costs/interning.h"
#include "core/costs/liveness.h"

#include <unordered_map>

namespace cudal1::costs {

namespace {

using nlohmann::json;
using protocol::GraphValue;

class GraphReader {
public:
    explicit GraphReader(const protocol::OperatorGraph& graph) : m_graph(graph), m_names(m_program)
    {
        for (const GraphValue& value : graph.values)
            m_values.emplace(value.id, &value);
    }

    Program read()
    {
        for (const int id : m_graph.inputs)
            if (const GraphValue* value = find(id))
                m_program.inputs.push_back({value->name, tensorOf(*value)});
        for (const GraphValue& value : m_graph.values)
            if (value.kind == GraphValue::Kind::Parameter || value.kind == GraphValue::Kind::Buffer)
                (value.kind == GraphValue::Kind::Parameter ? m_program.parameters : m_program.buffers)
                    .push_back({value.name, tensorOf(value)});
        for (const std::string& text : m_graph.modules) {
            const std::size_t colon = text.find(": ");
            m_program.modules.emplace_back(text.substr(0, colon),
                                           colon == std::string::npos ? "" : text.substr(colon + 2));
        }
        for (const protocol::GraphNode& node : m_graph.nodes)
            run(node);
        for (const int id : m_graph.outputs)
            if (const GraphValue* value = find(id)) {
                m_program.outputs.push_back(tensorOf(*value));
                if (const auto held = m_storages.find(id); held != m_storages.end())
                    m_liveness.keep(held->second);
            }
        m_program.intermediates_bytes = m_liveness.peak_bytes();
        m_program.forward_ns = m_graph.total_ns;
        m_program.truncated = m_graph.truncated;
        m_program.randomised = m_graph.randomised;
        return std::move(m_program);
    }

private:
    const GraphValue* find(int id) const
    {
        const auto found = m_values.find(id);
        return found == m_values.end() ? nullptr : found->second;
    }

    static Tensor tensorOf(const GraphValue& value) { return {value.shape, value.dtype}; }

    /// The argument as facts write it; `used` takes the ids of its tensors.
    json plain(const json& argument, std::vector<int>& used) const
    {
        if (argument.is_array()) {
            json out = json::array();
            for (const json& item : argument)
                out.push_back(plain(item, used));
            return out;
        }
        if (!argument.is_object())
            return argument;
        if (argument.contains("literal"))
            return argument["literal"];
        const int id = argument.value("value", -1);
        const GraphValue* value = find(id);
        if (!value)
            return nullptr;
        used.push_back(id);
        return written(tensorOf(*value));
    }

    void run(const protocol::GraphNode& node)
    {
        std::string name = node.op;
        if (const std::size_t dot = name.find('.'); dot != std::string::npos)
            name.erase(0, dot + 1);
        if (name.ends_with(".default"))
            name.resize(name.size() - 8);
        std::vector<int> used;
        const json arguments = plain(node.args, used);
        json keywords = json::object();
        for (const auto& [key, value] : node.kwargs.items())
            keywords[key] = plain(value, used);
        for (const int id : used)
            if (const auto held = m_storages.find(id); held != m_storages.end())
                m_liveness.use(held->second);
        std::vector<Tensor> results;
        const Memory memory = memoryOf(name);
        for (const int id : node.outputs) {
            const GraphValue* value = find(id);
            if (!value)
                continue;
            results.push_back(tensorOf(*value));
            if (memory == Memory::New && value->kind == GraphValue::Kind::Intermediate && !m_storages.contains(id)) {
                m_storages.emplace(id, m_liveness.allocate(results.back().bytes()));
            } else if (memory != Memory::New && !used.empty()) {
                if (const auto held = m_storages.find(used.front()); held != m_storages.end())
                    m_storages.emplace(id, held->second);
            }
        }
        m_liveness.nextStep();
        m_program.timed = m_program.timed || node.time_ns > 0;
        m_program.calls.push_back({m_names.operation(name, arguments, keywords, std::move(results)),
                                   m_names.module(node.module), node.time_ns});
    }

    const protocol::OperatorGraph& m_graph;
    Program m_program;
    Interning m_names;
    Liveness m_liveness;
    std::unordered_map<int, const GraphValue*> m_values;
    std::unordered_map<int, int> m_storages; ///< value -> storage; none for what the module has from the start
};

} // namespace

Program programOf(const protocol::OperatorGraph& graph)
{
    return GraphReader(graph).read();
}

} // namespace cudal1::costs
