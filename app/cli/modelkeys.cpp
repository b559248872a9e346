// SPDX-License-Identifier: GPL-3.0-or-later
// The keyring, waited for.
#include "app/cli/modelkeys.h"

#include "app/cli/context.h"
#include "core/models/keys.h"

#include <QEventLoop>

#include <termios.h>
#include <unistd.h>

#include <functional>
#include <iostream>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using models::Secret;

/// What is typed is not shown while this lives.
class HiddenInput {
public:
    HiddenInput()
    {
        m_is = ::tcgetattr(STDIN_FILENO, &m_before) == 0;
        termios hidden = m_before;
        hidden.c_lflag &= ~tcflag_t(ECHO);
        if (m_is)
            ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    ~HiddenInput()
    {
        if (m_is)
            ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &m_before);
    }
    bool isTerminal() const { return m_is; }

private:
    termios m_before{};
    bool m_is = false;
};

/// Starts something that answers from the event loop, or at once, and waits for the answer.
template<class T> T waited(const std::function<void(QObject* context, std::function<void(T)> then)>& start)
{
    QEventLoop loop;
    std::optional<T> out;
    start(&loop, [&](T answer) {
        out.emplace(std::move(answer));
        loop.quit();
    });
    if (!out)
        loop.exec();
    return std::move(*out);
}

} // namespace

KeyState keyState(const models::EndpointSettings& model)
{
    if (model.keyVariable.empty() && !model.keyInKeyring)
        return {"none", {}};
    const auto key = waited<base::Result<Secret>>(
        [&](QObject* context, std::function<void(base::Result<Secret>)> then) {
            models::readKey(model, context, std::move(then));
        });
    const std::string place = model.keyInKeyring ? "the keyring" : model.keyVariable;
    if (key)
        return {"in " + place, true};
    if (key.error().code == ErrorCode::NotFound)
        return {model.keyInKeyring ? "not in the keyring" : place + " is not set", false};
    if (key.error().code == ErrorCode::InvalidArgument)
        return {place + " holds no key", false};
    return {"in a keyring that cannot be used", {}};
}

nlohmann::json jsonOf(const models::EndpointSettings& model)
{
    const KeyState key = keyState(model);
    nlohmann::json out = models::toJson(model);
    out["key_state"] = key.text;
    out["key_there"] = key.there ? nlohmann::json(*key.there) : nlohmann::json(nullptr);
    out["kind"] = "endpoint";
    return out;
}

base::Status askAndKeepKey(Context& context, const std::string& model)
{
    if (!models::hasKeyring())
        return dropKeyNow(model).error(); // says what is missing
    std::string line;
    {
        const HiddenInput hidden;
        if (hidden.isTerminal())
            context.terminal().complain("Key of " + model + " (it is not shown), then Enter:");
        std::getline(std::cin, line);
    }
    Secret key(std::move(line));
    if (key.empty())
        return Error{ErrorCode::InvalidArgument, "No key was given", {}, "Type it, or give it on the standard input"};
    return waited<base::Status>([&](QObject* loop, std::function<void(base::Status)> then) {
        models::keepKey(model, std::move(key), loop, std::move(then));
    });
}

base::Status dropKeyNow(const std::string& model)
{
    return waited<base::Status>(
        [&](QObject* loop, std::function<void(base::Status)> then) { models::dropKey(model, loop, std::move(then)); });
}

} // namespace cudal1::cli
