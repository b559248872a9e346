// SPDX-License-Identifier: GPL-3.0-or-later
// Options of `cudal1 train`, read.
#include "app/cli/trainoptions.h"

#include "app/cli/context.h"
#include "app/cli/modelpath.h"
#include "app/cli/numberoptions.h"
#include "core/learning/stagesettings.h"

#include <filesystem>
#include <type_traits>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using learning::Stage;

namespace {

namespace fs = std::filesystem;

QString text(const std::string& words)
{
    return QString::fromStdString(words);
}

/// "contrastive: Of the correction: none, truncated, masked (default truncated)."
template<class Value> QCommandLineOption optionOf(const learning::StageSetting& setting, const Value& value)
{
    std::string what = setting.stages == learning::StageSetting::Third  ? "contrastive: "
                     : setting.stages == learning::StageSetting::Judged ? "self, contrastive: "
                                                                        : "";
    what += setting.what;
    std::string words = setting.words, usual;
    QString unit = QString::fromLatin1(setting.unit);
    if constexpr (std::is_enum_v<Value>) {
        unit = text(learning::wordsOf(value)).replace(QStringLiteral(", "), QStringLiteral("|"));
        usual = toString(value);
    } else if constexpr (std::is_same_v<Value, std::string>) {
        usual = value;
    } else {
        usual = QString::number(value).toStdString();
    }
    if (!words.empty())
        what += ": " + words;
    if constexpr (std::is_same_v<Value, bool>)
        return {QString::fromLatin1(setting.name), text(what) + QLatin1Char('.')};
    if (!usual.empty())
        what += " (default " + usual + ")";
    return {QString::fromLatin1(setting.name), text(what) + QLatin1Char('.'), unit};
}

/// What is given of the settings; the first that cannot be read is told.
base::Status readStageSettings(const QCommandLineParser& parser, learning::StageOptions& out)
{
    NumberOptions numbers(parser);
    base::Status status;
    learning::eachSetting(out, [&]<class Value>(const learning::StageSetting& setting, Value& value) {
        const std::string given = parser.value(setting.name).toStdString();
        if (!parser.isSet(setting.name))
            return;
        if constexpr (std::is_same_v<Value, bool>)
            value = true;
        else if constexpr (std::is_same_v<Value, std::string>)
            value = given;
        else if constexpr (std::is_integral_v<Value>)
            numbers.readWhole(setting.name, value);
        else if constexpr (!std::is_enum_v<Value>)
            numbers.read(setting.name, value);
        else if (status && !fromString(given, value))
            status = Error{ErrorCode::InvalidArgument,
                           "--" + std::string(setting.name) + " does not know \"" + given + "\"",
                           {},
                           "It knows " + learning::wordsOf(value)};
    });
    numbers.readWhole("from", out.from);
    return numbers.wrong() ? base::Status(*numbers.wrong()) : status;
}

} // namespace

QList<QCommandLineOption> trainOptions()
{
    QList<QCommandLineOption> out{
        {"example", "All three stages with a tiny model on small tasks of its own; needs no model."},
        {"model", "Hugging Face folder, GGUF file, or the name of a model of this machine.", "PATH"},
        {"out", "Folder for checkpoints; a training that is there goes on.", "DIR"},
        {"data", "sft: the file that `cudal1 collect` wrote.", "FILE"},
        {"tasks", "self, contrastive: LEVEL/ID, files or folders, with commas between (default: the training split).",
         "TASKS"},
        {"level", "Of these, only tasks of level N.", "N"},
        {"from", "Go back to the checkpoint of this step; later ones are kept in DIR/undone.", "STEP"},
    };
    const learning::StageOptions usual;
    learning::eachSetting(
        usual, [&](const learning::StageSetting& setting, const auto& value) { out.append(optionOf(setting, value)); });
    return out;
}

base::Result<learning::StageOptions> readStage(const Context& context, const QCommandLineParser& parser, Stage stage)
{
    learning::StageOptions out;
    out.stage = stage;
    auto model = modelPath(parser.value("model").toStdString());
    if (!model)
        return model.error();
    out.model = *model;
    std::error_code ignored;
    if (parser.isSet("out"))
        out.out = fs::absolute(parser.value("out").toStdString(), ignored).lexically_normal().string();
    if (const auto status = readStageSettings(parser, out); !status)
        return status.error();
    if (parser.isSet("reference") && out.reference != "start") {
        auto reference = modelPath(out.reference);
        if (!reference)
            return reference.error();
        out.reference = *reference;
    }
    out.seed = context.settings().seed ? context.settings().seed : out.seed;
    out.precision = context.settings().precision;
    out.preset = parser.isSet("preset") ? context.settings().preset : protocol::Preset::Quick;
    if (out.preset == protocol::Preset::Paper)
        return Error{ErrorCode::InvalidArgument,
                     "The preset paper takes 20 minutes a program, which is too slow to learn from",
                     {},
                     "Give --preset quick or standard"};
    if (const auto status = learning::check(out); !status)
        return status.error();
    return out;
}

} // namespace cudal1::cli
