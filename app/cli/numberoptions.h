// SPDX-License-Identifier: GPL-3.0-or-later
// Options that are numbers, many at a time.
#pragma once

#include "core/base/result.h"

#include <QCommandLineParser>

#include <limits>
#include <optional>
#include <string>

namespace cudal1::cli {

/// Reads options that are numbers; the first that is none stays.
class NumberOptions {
public:
    explicit NumberOptions(const QCommandLineParser& parser) : m_parser(parser) {}

    void read(const char* name, std::optional<double>& out)
    {
        if (m_parser.isSet(name))
            read(name, out.emplace());
    }
    void read(const char* name, double& out)
    {
        if (!m_parser.isSet(name))
            return;
        bool good = false;
        out = m_parser.value(name).toDouble(&good);
        if (!good)
            complain(name, "number");
    }
    template<class T> void readWhole(const char* name, std::optional<T>& out)
    {
        if (m_parser.isSet(name))
            readWhole(name, out.emplace());
    }
    template<class T> void readWhole(const char* name, T& out)
    {
        if (!m_parser.isSet(name))
            return;
        bool good = false;
        const qlonglong value = m_parser.value(name).toLongLong(&good);
        if (!good || value < 0 || value > std::numeric_limits<T>::max())
            complain(name, "whole number from 0");
        else
            out = T(value);
    }
    const std::optional<base::Error>& wrong() const { return m_wrong; }

private:
    void complain(const std::string& name, const std::string& what)
    {
        if (!m_wrong)
            m_wrong = base::Error{base::ErrorCode::InvalidArgument,
                                  "--" + name + " is a " + what + ", not \"" +
                                      m_parser.value(QString::fromStdString(name)).toStdString() + "\"",
                                  {},
                                  {}};
    }

    const QCommandLineParser& m_parser;
    std::optional<base::Error> m_wrong;
};

} // namespace cudal1::cli
