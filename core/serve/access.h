// SPDX-License-Identifier: GPL-3.0-or-later
// Who may use a server: tokens, and what a browser could be made to send.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::serve {

/// What of a request decides.
struct Credentials {
    std::string path;
    std::string authorization, host, origin; ///< headers; empty where missing
    std::string address;                     ///< of the peer, without its port
};

/// A value that never changes; may be asked from any thread.
class Access {
public:
    struct Token {
        std::string name;   ///< of the client; empty: the client is its address
        std::string digest; ///< SHA-256 of the token
    };

    /// Everybody is let in whose request names this machine itself: a page of another site that is open in a browser
    /// here does not.
    static Access open();
    static Access withTokens(std::vector<Token> tokens);

    bool needsToken() const { return !m_tokens.empty(); }
    /// The name of the client, or why it is refused: `status` is 401 or 403 then. `/health` needs no token.
    base::Result<std::string> check(const Credentials& credentials, int& status) const;

private:
    std::vector<Token> m_tokens;
};

/// A token that nobody guesses: 32 random bytes as hexadecimal digits.
std::string freshToken();
Access::Token tokenOf(const std::string& name, const std::string& token);
/// A file with one token a line, each with the name of its client before it where there are several clients; "#" starts
/// a comment. A file that is not there is made, with one fresh token, readable by its owner alone. Gives the first
/// token in `first`.
base::Result<std::vector<Access::Token>> readTokens(const std::filesystem::path& file, std::string& first);

/// Whether a name is that of this machine itself: "localhost", "127.0.0.1:80", "[::1]".
bool isLoopbackName(const std::string& host);

} // namespace cudal1::serve
