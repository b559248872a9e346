// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a Program together: each distinct operator and module path once.
#pragma once

#include "core/costs/program.h"

#include <unordered_map>

namespace cudal1::costs {

class Interning {
public:
    explicit Interning(Program& program) : m_program(program) {}

    /// Index of the operator in Program::operations.
    int operation(const std::string& name, const nlohmann::json& arguments, const nlohmann::json& keywords,
                  std::vector<Tensor> results);
    /// Index of the path in Program::modulePaths.
    int module(const std::string& path);

private:
    Program& m_program;
    std::unordered_map<std::string, int> m_operations, m_modules{{"", 0}};
};

} // namespace cudal1::costs
