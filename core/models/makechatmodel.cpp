// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of language models; a new one is one line in the table.
#include "core/models/makechatmodel.h"

#include "core/models/endpoint.h"
#include "core/models/localmodel.h"
#include "core/models/recordedsamples.h"
#include "core/models/replaymodel.h"

#include <array>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using Made = base::Result<std::unique_ptr<policy::ChatModel>>;

Made makeEndpoint(const std::string& name, const ModelSources& sources)
{
    auto settings = sources.registry.model(name);
    if (!settings)
        return settings.error();
    if (!sources.run)
        return Made(std::make_unique<Endpoint>(std::move(*settings)));
    auto own = sources.run->of("endpoint:" + name, settings->limits);
    return Made(
        std::make_unique<Endpoint>(std::move(*settings), sources.run->all(), RetryClock::real(), std::move(own)));
}

Made makeLocal(const std::string& name, const ModelSources& sources)
{
    auto settings = sources.registry.local(name);
    if (!settings)
        return settings.error();
    if (!sources.run)
        return Made(std::make_unique<LocalModel>(std::move(*settings)));
    auto own = sources.run->of("local:" + name, settings->limits);
    return Made(std::make_unique<LocalModel>(std::move(*settings), sources.run->all(), LocalModel::standardLauncher(),
                                             std::move(own)));
}

Made makeReplay(const std::string& text, const ModelSources&)
{
    const std::size_t mark = text.find('#');
    const std::string file = text.substr(0, mark);
    auto read = isProject(file) ? replayOf(file, mark == text.npos ? std::string() : text.substr(mark + 1))
                                : ReplayModel::read(text);
    if (!read)
        return read.error();
    return Made(std::move(*read));
}

struct ModelKind {
    std::string_view word; ///< before the colon
    Made (*make)(const std::string& name, const ModelSources& sources);
};

constexpr std::array kinds{ModelKind{"endpoint", &makeEndpoint}, ModelKind{"local", &makeLocal},
                           ModelKind{"replay", &makeReplay}};

} // namespace

Made makeChatModel(const std::string& text, const ModelSources& sources)
{
    const std::size_t colon = text.find(':');
    std::string words;
    for (const ModelKind& kind : kinds) {
        if (colon != text.npos && colon + 1 < text.size() && text.substr(0, colon) == kind.word)
            return kind.make(text.substr(colon + 1), sources);
        words += (words.empty() ? "" : ", ") + std::string(kind.word) + ":…";
    }
    return Error{ErrorCode::InvalidArgument, "There is no model \"" + text + "\"", {}, "Models are " + words};
}

} // namespace cudal1::models
