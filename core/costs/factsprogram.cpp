// SPDX-License-Identifier: GPL-3.0-or-later
// A row of the suite's facts as a Program.
#include "core/costs/dataflow.h"
#include "core/costs/interning.h"
#include "core/tasks/factsfile.h"

#include <array>
#include <map>

namespace cudal1::costs {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

bool isFold(const json& entry)
{
    return entry.is_object() && entry.contains("repeat") && entry.contains("block");
}

Tensor describedTensor(const json& value)
{
    return {value.at("shape").get<std::vector<std::int64_t>>(), value.at("dtype").get<std::string>()};
}

void collectDescribed(const json& value, std::vector<Tensor>& out)
{
    if (value.is_array())
        for (const json& item : value)
            collectDescribed(item, out);
    else if (value.is_object())
        out.push_back(describedTensor(value));
}

void collectResults(const json& value, std::vector<Tensor>& out)
{
    if (value.is_array())
        for (const json& item : value)
            collectResults(item, out);
    else if (value.is_string())
        if (auto tensor = parseTensor(value.get_ref<const std::string&>()))
            out.push_back(std::move(*tensor));
}

std::string parentOf(const std::string& path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

/// The innermost module that holds both.
std::string commonModule(const std::string& a, const std::string& b)
{
    std::string common = a;
    while (!common.empty() && b != common && !b.starts_with(common + "."))
        common = parentOf(common);
    return common;
}

class FactsReader {
public:
    FactsReader() : m_names(m_program) {}

    Program read(const json& row)
    {
        readTensors(row);
        m_known.reserve(1024);
        run(row.at("operators"));
        for (auto tensor = m_program.outputs.rbegin(); tensor != m_program.outputs.rend(); ++tensor)
            m_flow.keep(written(*tensor));
        m_program.intermediates_bytes = m_flow.peak_bytes();
        placeInModules();
        return std::move(m_program);
    }

private:
    /// An operator as it stands in the row, worked out once.
    struct Known {
        int operation = -1;
        std::vector<std::string> arguments; ///< texts of its tensors
        std::vector<std::string> results;
    };

    void readTensors(const json& row)
    {
        const json& names = row.at("forward_parameters");
        std::vector<std::string> given;
        std::size_t number = 0;
        for (const json& input : row.at("inputs")) {
            std::vector<Tensor> tensors;
            collectDescribed(input, tensors);
            const std::string name = number < names.size() ? names[number].get<std::string>()
                                                           : "input " + std::to_string(number);
            for (std::size_t i = 0; i < tensors.size(); ++i)
                m_program.inputs.push_back(
                    {tensors.size() == 1 ? name : name + "[" + std::to_string(i) + "]", tensors[i]});
            ++number;
        }
        const auto named = [](const json& list, std::vector<NamedTensor>& out, const char* dtype) {
            for (const json& one : list)
                out.push_back({one.at(0).get<std::string>(), {one.at(1).get<std::vector<std::int64_t>>(), dtype}});
        };
        named(row.at("parameters"), m_program.parameters, "float32");
        named(row.at("buffers"), m_program.buffers, "float32");
        for (NamedTensor& buffer : m_program.buffers) // the facts leave out types; this one is torch's own
            if (buffer.name.ends_with("num_batches_tracked"))
                buffer.tensor.dtype = "int64";
        collectDescribed(row.at("outputs"), m_program.outputs);
        for (const json& module : row.at("modules"))
            m_program.modules.emplace_back(module.at(0).get<std::string>(), module.at(1).get<std::string>());
        for (const auto* list : {&m_program.inputs, &m_program.parameters, &m_program.buffers})
            for (const NamedTensor& one : *list) {
                const int id = m_flow.add(written(one.tensor));
                m_owners.resize(static_cast<std::size_t>(id) + 1);
                if (list != &m_program.inputs)
                    m_owners.back() = parentOf(one.name);
            }
    }

    const Known& known(const json& entry)
    {
        const auto [found, added] = m_known.try_emplace(&entry);
        Known& out = found->second;
        if (!added)
            return out;
        const json arguments = tasks::unfolded(entry.at(1));
        json keywords = entry.at(2);
        std::vector<Tensor> results;
        collectResults(tasks::unfolded(keywords.at("out")), results);
        keywords.erase("out");
        for (const Tensor& result : results)
            out.results.push_back(written(result));
        out.operation = m_names.operation(entry.at(0), arguments, keywords, std::move(results));
        for (const Tensor& tensor : m_program.operations[static_cast<std::size_t>(out.operation)].tensors)
            out.arguments.push_back(written(tensor));
        return out;
    }

    void run(const json& entries)
    {
        for (const json& entry : entries) {
            if (!isFold(entry)) {
                call(known(entry));
                continue;
            }
            const json& block = entry.at("block");
            const int repeat = entry.at("repeat");
            const std::size_t begin = m_log.size();
            if (repeat > 0)
                run(block);
            // A layer that is repeated has parameters of its own each time; a step of a recurrence has not.
            const bool replay = m_replay == m_log.max_size() && readsAgain(begin, repeat - 1);
            for (int i = 1; i < repeat; ++i) {
                if (replay)
                    m_replay = begin;
                run(block);
                if (replay)
                    m_replay = m_log.max_size();
            }
        }
    }

    /// Whether there are too few parameters for as many more passes as the one that is logged from `begin` on.
    bool readsAgain(std::size_t begin, int more) const
    {
        for (std::size_t i = begin; i < m_log.size(); ++i)
            if (m_log[i] >= 0 && m_flow.unread(m_flow.text(m_log[i])) < more)
                return true;
        return false;
    }

    void call(const Known& known)
    {
        std::string module;
        for (const std::string& text : known.arguments) {
            int given = -1;
            if (m_replay != m_log.max_size() && m_log[m_replay] >= 0 && m_flow.text(m_log[m_replay]) == text)
                m_flow.argument(given = m_log[m_replay]);
            else
                given = m_flow.argument(text);
            // While replaying, the log grows as well: an outer pass may be replayed from it.
            m_log.push_back(given >= static_cast<int>(m_program.inputs.size()) && m_flow.text(given) == text ? given
                                                                                                             : -1);
            if (m_replay != m_log.max_size())
                ++m_replay;
            if (given >= 0 && module.empty())
                module = m_owners[static_cast<std::size_t>(given)];
        }
        const Memory memory = m_program.operations[static_cast<std::size_t>(known.operation)].memory;
        for (std::size_t i = 0; i < known.results.size(); ++i) {
            if (memory == Memory::New)
                m_flow.result(known.results[i],
                              m_program.operations[static_cast<std::size_t>(known.operation)].results[i].bytes());
            else
                m_flow.alias(known.results[i]);
        }
        m_flow.end();
        m_program.calls.push_back({known.operation, m_names.module(module), 0});
    }

    /// A call that reads no parameter runs in a module that is open both before and after it.
    void placeInModules()
    {
        std::vector<Call>& calls = m_program.calls;
        std::vector<int> next(calls.size(), 0);
        for (std::size_t i = calls.size(), seen = 0; i-- > 0;) {
            next[i] = static_cast<int>(seen);
            if (calls[i].module != 0)
                seen = static_cast<std::size_t>(calls[i].module);
        }
        int before = 0;
        // After the last parameter nothing says what is open; then it is as it was after the same two operators before.
        std::map<std::array<int, 3>, int> known;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const std::array<int, 3> place{i > 0 ? calls[i - 1].operation : -1, i > 0 ? calls[i - 1].module : 0,
                                           calls[i].operation};
            if (calls[i].module != 0)
                before = calls[i].module;
            else if (const auto found = known.find(place); next[i] == 0 && found != known.end())
                calls[i].module = found->second;
            else
                calls[i].module = m_names.module(
                    commonModule(m_program.modulePaths[static_cast<std::size_t>(before)],
                                 m_program.modulePaths[static_cast<std::size_t>(next[i])]));
            known[place] = calls[i].module;
        }
    }

    Program m_program;
    Interning m_names;
    Dataflow m_flow;
    std::vector<std::string> m_owners; ///< by id of Dataflow::add: the module that has the parameter
    std::unordered_map<const json*, Known> m_known;
    std::vector<int>
        m_log; ///< the parameter or buffer that each argument turned out to be, by its id of Dataflow::add; or -1
    std::size_t m_replay = m_log.max_size(); ///< place in the log that is read again; max_size: none
};

} // namespace

base::Result<Program> programOf(const json& row)
{
    try {
        return FactsReader().read(row);
    } catch (const json::exception& exception) {
        return Error{ErrorCode::Unreadable, "This is no row of a suite's facts", exception.what(),
                     "Take facts.jsonl from the suite's folder anew"};
    }
}

} // namespace cudal1::costs
