// SPDX-License-Identifier: GPL-3.0-or-later
// What a server of the Model Context Protocol offers: tools with the schemas of their arguments, and resources.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace cudal1::mcp {

/// Who calls a tool.
struct Caller {
    std::string client;
    std::function<void(double fraction, const std::string& text)> progress; ///< may be empty
    std::function<void(const base::Result<nlohmann::json>&)> done;          ///< exactly once, unless cancelled
};
using Cancel = std::function<void()>;

/// Lives on the thread of its sessions, which it must outlive.
class Toolbox {
public:
    virtual ~Toolbox() = default;
    virtual const nlohmann::json& list() const = 0; ///< as the answer to tools/list has them; the same always
    /// What a client tells its model about them all.
    virtual std::string instructions() const = 0;
    /// Arguments that fit the tool's schema. The outcome comes at once for what only reads, else from the event loop;
    /// the function that is returned takes the call back (empty where it is over).
    virtual Cancel call(const std::string& tool, const nlohmann::json& arguments, const Caller& caller) = 0;
    /// What the client says of itself when it begins: {"name", "version"}. Nothing by default.
    virtual void greeted(const nlohmann::json& client) { static_cast<void>(client); }
};

/// Texts that clients read by their addresses.
class Shelf {
public:
    virtual ~Shelf() = default;
    /// A page of what there is, as resources/list answers; the cursor is that of the page before, empty for the first.
    virtual base::Result<nlohmann::json> list(const std::string& cursor) const = 0;
    virtual nlohmann::json templates() const = 0; ///< as resources/templates/list answers
    using Done = std::function<void(const base::Result<nlohmann::json>&)>;
    /// As resources/read answers; NotFound for what is not there. At once, or from the event loop.
    virtual void read(const std::string& uri, Done done) = 0;
};

/// Null for an unknown tool.
const nlohmann::json* toolNamed(const nlohmann::json& tools, const std::string& name);
/// Arguments against a tool's inputSchema: types, required and unknown fields, words, bounds. InvalidArgument with the
/// field and what it has to be.
base::Status checkArguments(const nlohmann::json& tool, const nlohmann::json& arguments);

} // namespace cudal1::mcp
