// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens and origins.
#include "core/serve/access.h"

#include "core/base/base64.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::size_t leastTokenLength = 16;

/// Takes the same time wherever the two differ. Both are digests, so neither tells the length of a token.
bool equal(const std::string& a, const std::string& b)
{
    if (a.size() != b.size())
        return false;
    volatile unsigned char differs = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        differs = static_cast<unsigned char>(differs | (a[i] ^ b[i]));
    return differs == 0;
}

bool startsWithWord(const std::string& text, const char* word)
{
    const std::size_t length = std::strlen(word);
    return text.size() > length && text[length] == ' ' &&
           std::equal(word, word + length, text.begin(),
                      [](char a, char b) { return std::tolower(a) == std::tolower(static_cast<unsigned char>(b)); });
}

/// From "Bearer TOKEN", or the password of "Basic …": what clients send that know no header but a URL
/// ("http://any:TOKEN@host").
std::optional<std::string> tokenIn(const std::string& authorization)
{
    const bool bearer = startsWithWord(authorization, "bearer");
    if (!bearer && !startsWithWord(authorization, "basic"))
        return {};
    const std::string given = authorization.substr(
        std::min(authorization.find_first_not_of(' ', bearer ? 6 : 5), authorization.size()));
    if (bearer)
        return given;
    const auto pair = base::fromBase64(given);
    const std::size_t colon = pair ? pair->find(':') : std::string::npos;
    return colon == std::string::npos ? std::nullopt : std::optional(pair->substr(colon + 1));
}

/// "host:port" of an origin ("http://localhost:3000"); empty for what is none ("null").
std::string hostOf(const std::string& origin)
{
    const std::size_t slashes = origin.find("://");
    return slashes == std::string::npos ? std::string() : origin.substr(slashes + 3);
}

} // namespace

bool isLoopbackName(const std::string& text)
{
    std::string host = text;
    if (host.starts_with("[")) {
        host = host.substr(1, host.find(']') - 1);
    } else if (const std::size_t colon = host.rfind(':'); colon != std::string::npos && host.find(':') == colon) {
        host.resize(colon);
    }
    std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return host == "localhost" || host == "::1" ||
           (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

Access Access::open()
{
    return {};
}

Access Access::withTokens(std::vector<Token> tokens)
{
    Access out;
    out.m_tokens = std::move(tokens);
    return out;
}

base::Result<std::string> Access::check(const Credentials& given, int& status) const
{
    // Browsers name the page that made them ask. No page has business here but one of this machine or this server.
    if (!given.origin.empty()) {
        const std::string from = hostOf(given.origin);
        if (!isLoopbackName(from) && (from.empty() || from != given.host)) {
            status = 403;
            return Error{ErrorCode::InvalidArgument,
                         "Pages of other sites may not ask this server",
                         given.origin.substr(0, 100),
                         {}};
        }
    }
    if (given.path == "/health")
        return given.address;
    if (m_tokens.empty()) {
        // A name of another site that was made to lead here would be told by the header Host alone.
        if (given.host.empty() || isLoopbackName(given.host))
            return given.address;
        status = 403;
        return Error{ErrorCode::InvalidArgument, "This server goes by localhost, not by another name",
                     given.host.substr(0, 100), "Use the URL that `cudal1 serve` printed"};
    }
    const auto token = tokenIn(given.authorization);
    const std::string digest = base::sha256Hex(token ? *token : std::string());
    const Token* found = nullptr;
    for (const Token& one : m_tokens)
        if (equal(one.digest, digest))
            found = &one;
    if (token && found)
        return found->name.empty() ? given.address : found->name;
    status = 401;
    return Error{ErrorCode::InvalidArgument,
                 token ? "This token is not valid here" : "This server needs a token",
                 {},
                 "Send the header \"Authorization: Bearer TOKEN\" with the token that `cudal1 serve` printed"};
}

std::string freshToken()
{
    unsigned char bytes[32];
    std::size_t got = 0;
    while (got < sizeof bytes) {
        const ssize_t more = ::getrandom(bytes + got, sizeof bytes - got, 0);
        if (more > 0)
            got += std::size_t(more);
    }
    return base::sha256Hex({reinterpret_cast<const char*>(bytes), sizeof bytes}); // of 32 random bytes: as random
}

Access::Token tokenOf(const std::string& name, const std::string& token)
{
    return {name, base::sha256Hex(token)};
}

base::Result<std::vector<Access::Token>> readTokens(const std::filesystem::path& file, std::string& first)
{
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made >= 0) {
        const std::string line = freshToken() + "\n";
        const bool written = ::write(made, line.data(), line.size()) == ssize_t(line.size());
        ::close(made);
        if (!written)
            return Error{ErrorCode::Unavailable, "The file of tokens cannot be written", file.string(), {}};
    }
    std::ifstream in(file);
    if (!in)
        return Error{ErrorCode::Unreadable, "The file of tokens cannot be read", file.string(),
                     "Name a file in a folder that exists, readable by you alone"};
    struct stat facts = {};
    if (::stat(file.c_str(), &facts) == 0 && (facts.st_mode & 077) != 0)
        return Error{ErrorCode::InvalidArgument, "Others may read the file of tokens", file.string(),
                     "Make it yours alone: chmod 600 " + file.string()};
    std::vector<Access::Token> out;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string one, two, three;
        words >> one >> two >> three;
        if (one.empty())
            continue;
        const std::string& token = two.empty() ? one : two;
        if (!three.empty() || token.size() < leastTokenLength)
            return Error{ErrorCode::InvalidArgument,
                         !three.empty() ? "A line of the file of tokens is [NAME] TOKEN"
                                        : "A token has at least " + std::to_string(leastTokenLength) + " characters",
                         file.string() + ":" + std::to_string(number), "`openssl rand -hex 32` makes one"};
        if (first.empty())
            first = token;
        out.push_back(tokenOf(two.empty() ? std::string() : one, token));
    }
    if (out.empty())
        return Error{ErrorCode::InvalidArgument, "The file of tokens has none", file.string(),
                     "Remove it, and a token is made"};
    return out;
}

} // namespace cudal1::serve
