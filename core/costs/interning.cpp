// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of what is known by its text.
#include "core/costs/interning.h"

namespace cudal1::costs {

int Interning::operation(const std::string& name, const nlohmann::json& arguments, const nlohmann::json& keywords,
                         std::vector<Tensor> results)
{
    std::string key = name + arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                      keywords.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    for (const Tensor& result : results)
        key += written(result);
    const auto [found, added] = m_operations.try_emplace(std::move(key), static_cast<int>(m_program.operations.size()));
    if (added)
        m_program.operations.push_back(operationOf(name, arguments, keywords, std::move(results)));
    return found->second;
}

int Interning::module(const std::string& path)
{
    const auto [found, added] = m_modules.try_emplace(path, static_cast<int>(m_program.modulePaths.size()));
    if (added)
        m_program.modulePaths.push_back(path);
    return found->second;
}

} // namespace cudal1::costs
