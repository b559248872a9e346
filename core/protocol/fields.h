// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of each message, listed once: a Writer and a Reader go through the same list. For this folder's .cpp
// files.
//
//     void fields(auto& io, Is<Reason> auto& v)
//     {
//         io("code", v.code);
//         io("text", v.text);
//     }
//     CUDAL1_JSON(Reason)
//
// A part that has no JSON of its own, because it is only ever found in its message, has a list and no CUDAL1_JSON. `v`
// is const while it is written. Objects keep their fields in the alphabet's order; the order of a list is that of
// reading.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cudal1::protocol {

using nlohmann::json;

template<class E, std::size_t N> using Words = std::array<std::pair<E, std::string_view>, N>;

template<class E, std::size_t N> std::string_view wordOf(const Words<E, N>& words, E value)
{
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const auto& entry) { return entry.first == value; });
    return found == words.end() ? std::string_view() : found->second;
}

/// False, and `out` untouched, for an unknown word.
template<class E, std::size_t N> bool valueOf(const Words<E, N>& words, std::string_view word, E& out)
{
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const auto& entry) { return entry.second == word; });
    if (found == words.end())
        return false;
    out = found->first;
    return true;
}

template<class T, class Message>
concept Is = std::same_as<std::remove_const_t<T>, Message>;

/// Makes an object of what a list names. `isTold`: whether a field is worth its room; one that is not is left out. In
/// what its functions differ otherwise, the Reader says.
class Writer {
public:
    explicit Writer(json& out) : m_out(out) { m_out = json::object(); }

    void operator()(const char* key, const auto& value, bool isTold = true)
    {
        if (isTold)
            put(m_out[key], value);
    }
    void strict(const char* key, const auto& value, bool isTold = true) { (*this)(key, value, isTold); }
    void required(const char* key, const auto& value) { (*this)(key, value); }
    void renamed(const char* key, const char* /*before*/, const auto& value) { (*this)(key, value); }
    void list(const char* key, const auto& items, const auto&... context)
    {
        json& out = m_out[key] = json::array();
        for (const auto& item : items)
            put(out.emplace_back(), item, context...);
    }
    void listOfKnown(const char* key, const auto& items) { list(key, items); }
    void column(const char* key, const auto& rows, auto member)
    {
        json& out = m_out[key] = json::array();
        for (const auto& row : rows)
            out.push_back(row.*member);
    }
    bool there(bool is)
    {
        if (!is)
            m_out = nullptr;
        return is;
    }
    void assume(const auto&, const auto&) {}

private:
    template<class T> static void put(json& j, const T& value, const auto&... context)
    {
        if constexpr (std::is_enum_v<T>) {
            j = toString(value);
        } else if constexpr (std::is_constructible_v<json, const T&>) {
            j = value;
        } else {
            Writer io(j);
            fields(io, value, context...);
        }
    }
    template<class T> static void put(json& j, const std::optional<T>& value)
    {
        if (value)
            put(j, *value);
    }
    template<class E> static void put(json& j, const std::set<E>& words)
    {
        j = json::array();
        for (const E word : words)
            j.push_back(toString(word));
    }

    json& m_out;
};

/// Takes what a list names from an object. Throws json::exception for values of a wrong type. Of what is no object
/// every field is missing.
class Reader {
public:
    explicit Reader(const json& in) : m_in(in) {}

    /// What is missing, null or an unknown word stays as it is.
    template<class T> void operator()(const char* key, T&& out, bool /*isTold*/ = true)
    {
        const auto it = m_in.find(key);
        const bool isGiven = it != m_in.end() && !it->is_null();
        if constexpr (std::is_enum_v<std::remove_reference_t<T>>)
            m_knowsAll &= isGiven && fromString(it->template get<std::string>(), out);
        else if (isGiven)
            take(*it, out);
    }
    /// What is missing stays as it is; null and an unknown word are errors.
    void strict(const char* key, auto&& out, bool /*isTold*/ = true)
    {
        if (m_in.contains(key))
            required(key, out);
    }
    /// What is missing is an error as well.
    template<class T> void required(const char* key, T& out)
    {
        const json& value = m_in.at(key);
        if constexpr (!std::is_enum_v<T>)
            take(value, out);
        else if (const auto& word = value.get_ref<const std::string&>(); !fromString(word, out))
            throw json::other_error::create(501, "unknown " + std::string(key) + " " + word, &m_in);
    }
    /// As (), with the name that the field had once.
    void renamed(const char* key, const char* before, auto& out) { (*this)(m_in.contains(key) ? key : before, out); }
    /// A list of parts; one that is missing is an error. Their fields() get `context` as well.
    template<class T> void list(const char* key, std::vector<T>& out, const auto&... context)
    {
        for (const json& item : m_in.at(key))
            take(item, out.emplace_back(), context...);
    }
    /// A list of parts, without those that have a word of a later version, or lack one. It may be missing.
    template<class T> void listOfKnown(const char* key, std::vector<T>& out)
    {
        if (!m_in.contains(key))
            return;
        for (const json& item : m_in.at(key)) {
            Reader io(item);
            T part;
            fields(io, part);
            if (io.m_knowsAll)
                out.push_back(std::move(part));
        }
    }
    /// A member of each row. There are as many rows as the shortest column has.
    template<class Row, class T> void column(const char* key, std::vector<Row>& rows, T Row::*member)
    {
        std::vector<T> values;
        (*this)(key, values);
        m_rows = std::min(m_rows, values.size());
        rows.resize(m_rows);
        for (std::size_t i = 0; i < m_rows; ++i)
            rows[i].*member = values[i];
    }
    /// False where there is no object. It is written as null where `is` is not true.
    bool there(bool /*is*/) const { return m_in.is_object(); }
    /// Sets what is not written: a value that follows from what is, or one to start from.
    void assume(auto& out, const auto& value) { out = value; }

private:
    template<class T> static void take(const json& j, T& out, const auto&... context)
    {
        if constexpr (requires { j.get_to(out); }) {
            j.get_to(out);
        } else {
            Reader io(j);
            fields(io, out, context...);
        }
    }
    /// What is no object is none, once it is clear that it could be one. A number is one.
    template<class T> static void take(const json& j, std::optional<T>& out)
    {
        T value;
        take(j, value);
        if (std::is_arithmetic_v<T> || j.is_object())
            out = std::move(value);
    }
    template<class E> static void take(const json& j, std::set<E>& out)
    {
        for (const auto& word : j.get<std::vector<std::string>>())
            if (E value{}; fromString(word, value))
                out.insert(value);
    }

    const json& m_in;
    bool m_knowsAll = true; ///< each word that was asked for was there and known
    std::size_t m_rows = static_cast<std::size_t>(-1);
};

} // namespace cudal1::protocol

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses here.
/// to_json() and from_json() of a message, after its list.
#define CUDAL1_JSON(Message)                                                                                           \
    void to_json(nlohmann::json& j, const Message& v)                                                                  \
    {                                                                                                                  \
        Writer io(j);                                                                                                  \
        fields(io, v);                                                                                                 \
    }                                                                                                                  \
    void from_json(const nlohmann::json& j, Message& v)                                                                \
    {                                                                                                                  \
        Reader io(j);                                                                                                  \
        fields(io, v);                                                                                                 \
    }
// NOLINTEND(bugprone-macro-parentheses)
