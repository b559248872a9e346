// SPDX-License-Identifier: GPL-3.0-or-later
// Groups folded calls by the path of their module.
#include "ui/tasks/operatortree.h"

#include <algorithm>

namespace cudal1::ui {

namespace {

using costs::Fold;

class Builder {
public:
    explicit Builder(const costs::Program& program) : m_program(program), m_folds(costs::folded(program)) {}

    OperatorTree build()
    {
        m_tree.timed = m_program.timed;
        m_tree.top = group(0, m_folds.size(), 0, -1);
        return std::move(m_tree);
    }

private:
    const std::string& pathOf(std::size_t fold) const
    {
        return m_program.modulePaths[static_cast<std::size_t>(m_program.calls[m_folds[fold].first].module)];
    }

    /// The path as far as its `depth`-th dot; empty when it has fewer parts.
    static std::string prefix(const std::string& path, std::size_t depth)
    {
        std::size_t end = 0;
        for (std::size_t part = 0; part <= depth; ++part) {
            if (end >= path.size())
                return {};
            end = std::min(path.find('.', end + (part > 0)), path.size());
        }
        return path.substr(0, end);
    }

    std::string described(const std::string& path) const
    {
        for (const auto& [name, text] : m_program.modules)
            if (name == path)
                return text;
        return {};
    }

    int append(OperatorNode node)
    {
        m_tree.nodes.push_back(std::move(node));
        return static_cast<int>(m_tree.nodes.size()) - 1;
    }

    OperatorNode& node(int id) { return m_tree.nodes[static_cast<std::size_t>(id)]; }

    std::vector<int> group(std::size_t begin, std::size_t end, std::size_t depth, int parent)
    {
        std::vector<int> rows;
        for (std::size_t at = begin; at < end;) {
            const std::string module = prefix(pathOf(at), depth);
            std::size_t last = at + 1;
            while (!module.empty() && last < end && prefix(pathOf(last), depth) == module)
                ++last;
            int id = -1;
            if (last - at == 1) {
                id = fold(m_folds[at], parent);
            } else {
                id = append(
                    {OperatorNode::Kind::Module, module, described(module), {}, {}, 1, 0, 0, 0, 0, parent, 0, {}});
                std::vector<int> children = group(at, last, depth + 1, id);
                addUp(id, std::move(children), 1);
            }
            node(id).row = static_cast<int>(rows.size());
            rows.push_back(id);
            at = last;
        }
        return rows;
    }

    void addUp(int id, std::vector<int> children, int times)
    {
        node(id).calls = 0;
        for (const int child : children) {
            node(id).calls += times * node(child).calls;
            node(id).flops += times * node(child).flops;
            node(id).bytes += times * node(child).bytes;
            node(id).time_ns += node(child).time_ns;
        }
        node(id).children = std::move(children);
    }

    int call(const Fold& of, std::size_t place, int parent)
    {
        const costs::Call& first = m_program.calls[of.first + place];
        const costs::Operation& operation = m_program.operations[static_cast<std::size_t>(first.operation)];
        OperatorNode out;
        out.name = operation.name;
        out.module = m_program.modulePaths[static_cast<std::size_t>(first.module)];
        out.shapes = costs::writtenList(operation.tensors) + " → " + costs::writtenList(operation.results);
        constexpr std::size_t longest = 400;
        out.arguments = operation.arguments.dump().substr(0, longest);
        out.flops = operation.flops.total();
        out.bytes = operation.bytes;
        for (std::size_t pass = 0; pass < of.repeat; ++pass) // times differ from pass to pass
            out.time_ns += m_program.calls[of.first + place + pass * of.length].time_ns;
        out.parent = parent;
        return append(std::move(out));
    }

    int fold(const Fold& of, int parent)
    {
        if (of.repeat == 1)
            return call(of, 0, parent);
        OperatorNode repeat;
        repeat.kind = OperatorNode::Kind::Repeat;
        repeat.module = m_program.modulePaths[static_cast<std::size_t>(m_program.calls[of.first].module)];
        repeat.repeat = static_cast<int>(of.repeat);
        repeat.parent = parent;
        const int id = append(std::move(repeat));
        std::vector<int> children;
        for (std::size_t place = 0; place < of.length; ++place) {
            children.push_back(call(of, place, id));
            node(children.back()).row = static_cast<int>(place);
        }
        addUp(id, children, static_cast<int>(of.repeat));
        for (const int child : children)
            node(child).time_ns /= static_cast<double>(of.repeat);
        return id;
    }

    const costs::Program& m_program;
    std::vector<Fold> m_folds;
    OperatorTree m_tree;
};

} // namespace

OperatorTree operatorTree(const costs::Program& program)
{
    return Builder(program).build();
}

} // namespace cudal1::ui
