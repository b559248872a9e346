// SPDX-License-Identifier: GPL-3.0-or-later
// Which tensor an argument is, where only its shape and type are known.
#pragma once

#include "core/costs/liveness.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace cudal1::costs {

/// Values by their text ("int64[2,3]"). An argument is taken for the newest result that nothing read yet; else for the
/// next parameter, buffer or input that nothing read yet; else for the newest value that the call does not read
/// already.
class Dataflow {
public:
    /// What exists before the first call and is not counted, in the order in which it is likely to be read.
    /// Returns its id, which argument() gives where it finds it.
    int add(const std::string& text);

    /// A call: its arguments, then its results, then end(). Returns the id of add() that the argument is or is a view
    /// of; -1 for anything else.
    int argument(const std::string& text);
    /// The same where it is known: an earlier answer of argument(), not negative.
    void argument(int given);
    void result(const std::string& text, double bytes);
    /// A result that lies in the first argument's memory.
    void alias(const std::string& text);
    void end();
    /// A result of the whole, which lasts to the end: the newest of its kind that nothing read.
    void keep(const std::string& text);

    /// Values of add() with this text that nothing read yet.
    int unread(const std::string& text) const;
    const std::string& text(int id) const { return m_values[static_cast<std::size_t>(id)].text; }
    double peak_bytes() const { return m_liveness.peak_bytes(); }

private:
    struct Value {
        std::string text;
        int storage = -1; ///< -1: not counted
        int given = -1;   ///< what of add() it is, or is a view of
        bool read = false;
        bool original = false; ///< of add() itself
    };
    int choose(const std::string& text);
    bool taken(int id) const;
    int append(Value value);
    void take(int id);

    std::vector<Value> m_values;
    struct Kind {
        std::vector<int> given;  ///< of add(), in order
        std::vector<int> made;   ///< oldest first
        std::vector<int> unread; ///< of those made; what was read since is taken off when it comes to the end
    };
    std::unordered_map<std::string, Kind> m_kinds;
    std::vector<int> m_taken; ///< arguments of the call in work
    Liveness m_liveness;
};

} // namespace cudal1::costs
