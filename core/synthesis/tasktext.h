// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a task file while it is put together: sizes, constructor, forward, inputs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::synthesis {

/// Names are made unique as they are asked for. The constructor's parameters are the sizes that its statements name, in
/// the order in which they stand there.
class TaskText {
public:
    /// A whole number that the file defines at module level; equal names with equal values are one.
    std::string size(const std::string& name, int value);
    /// The same for a fraction, written as it is.
    std::string number(const std::string& name, const std::string& value);
    /// An attribute of the module that the constructor sets: gives "self.conv2".
    std::string attribute(const std::string& name, const std::string& expression);
    /// An argument of forward that get_inputs() makes with this expression of sizes.
    std::string input(const std::string& name, const std::string& expression);
    /// A local variable of forward that no other has.
    std::string local(const std::string& name);
    void statement(const std::string& line); ///< of forward; may be indented
    void returns(const std::string& expression) { m_result = expression; }

    /// The file. `description` is one sentence for the docstring.
    std::string text(const std::string& description) const;

private:
    std::string uniqueIn(std::map<std::string, int>& used, const std::string& name);

    std::vector<std::pair<std::string, std::string>> m_sizes; ///< name and value
    std::vector<std::string> m_constructor;
    std::vector<std::pair<std::string, std::string>> m_inputs; ///< name and expression
    std::vector<std::string> m_forward;
    std::string m_result = "x";
    std::map<std::string, int> m_attributes, m_names; ///< how often each was asked for
};

} // namespace cudal1::synthesis
