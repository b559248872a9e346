// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of settings in JSON that a person may have written.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::models {

/// Reads the fields of one object; the first that is wrong stays. Values are never quoted: somebody may have written a
/// key into the file.
class FieldReader {
public:
    FieldReader(const nlohmann::json& object, std::string where) : m_object(object), m_where(std::move(where))
    {
        if (!m_object.is_object())
            complain({}, "is an object");
    }

    void text(const char* name, std::string& out)
    {
        if (const nlohmann::json* value = found(name)) {
            if (value->is_string())
                out = value->get<std::string>();
            else
                complain(name, "is a text");
        }
    }
    void number(const char* name, double& out)
    {
        if (const nlohmann::json* value = found(name)) {
            if (value->is_number())
                out = value->get<double>();
            else
                complain(name, "is a number");
        }
    }
    void number(const char* name, std::optional<double>& out)
    {
        if (m_object.contains(name))
            number(name, out.emplace());
    }
    template<class T> void whole(const char* name, T& out)
    {
        if (const nlohmann::json* value = found(name)) {
            if (value->is_number_integer() && *value >= 0 && *value <= std::numeric_limits<T>::max())
                out = value->get<T>();
            else
                complain(name, "is a whole number from 0");
        }
    }
    void whole(const char* name, std::optional<std::int64_t>& out)
    {
        if (m_object.contains(name))
            whole(name, out.emplace());
    }
    void flag(const char* name, bool& out)
    {
        if (const nlohmann::json* value = found(name)) {
            if (value->is_boolean())
                out = value->get<bool>();
            else
                complain(name, "is true or false");
        }
    }
    /// Null where there is no such field.
    const nlohmann::json* found(const char* name)
    {
        m_known.push_back(name);
        return m_object.is_object() && m_object.contains(name) ? &m_object[name] : nullptr;
    }
    void complain(const std::string& name, const std::string& what)
    {
        const std::string where = m_where + (m_where.empty() || name.empty() ? "" : ".") + name;
        if (m_wrong.empty())
            m_wrong = (where.empty() ? "A model" : "\"" + where + "\" of a model") + " " + what;
    }
    /// The first field of the object that was not asked for; empty where there is none.
    std::string unknown() const
    {
        if (m_object.is_object())
            for (const auto& [name, value] : m_object.items())
                if (std::find(m_known.begin(), m_known.end(), name) == m_known.end())
                    return name;
        return {};
    }
    /// Why the object is not good; empty when it is. To be asked when all fields have been read.
    std::string wrong()
    {
        if (!unknown().empty())
            complain({}, "has a field that is not known; the known ones are " + knownNames());
        return m_wrong;
    }
    std::string knownNames() const
    {
        std::string out;
        for (const std::string& name : m_known)
            out += (out.empty() ? "" : ", ") + name;
        return out;
    }

private:
    const nlohmann::json& m_object;
    std::string m_where, m_wrong;
    std::vector<std::string> m_known;
};

} // namespace cudal1::models
