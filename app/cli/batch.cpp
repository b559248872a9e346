// SPDX-License-Identifier: GPL-3.0-or-later
// A batch of evaluations with its live line.
#include "app/cli/batch.h"

#include "app/cli/table.h"
#include "core/optimize/text.h"

#include <QEventLoop>
#include <QSaveFile>

namespace cudal1::cli {

using base::ErrorCode;
using store::RunState;

namespace {

std::string progressLine(const batch::Progress& progress)
{
    std::string out = bar(progress.fraction, 12) + " " + std::to_string(progress.done) + " of " + std::to_string(progress.planned);
    if (progress.secondsLeft >= 0)
        out += " · " + optimize::durationText(progress.secondsLeft) + " left";
    return progress.text.empty() ? out : out + " · " + progress.text;
}

} // namespace

BatchEnd runBatch(Context& context, Interrupt& interrupt, batch::Session& session, const batch::Options& options,
                  const std::vector<base::VariantId>& variants, const std::optional<store::RunRecord>& unfinished)
{
    Terminal& terminal = context.terminal();
    BatchEnd ended;
    QEventLoop loop;
    QObject::connect(&session, &batch::Session::log, &loop, [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&session, &batch::Session::progress, &loop,
                     [&](const batch::Progress& progress) { terminal.live(progressLine(progress)); });
    QObject::connect(&session, &batch::Session::evaluationStored, &loop, [&] { ++ended.judged; });
    QObject::connect(&session, &batch::Session::finished, &loop, [&](RunState state, const QString& message) {
        ended.state = state;
        ended.message = message.toStdString();
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        session.stop();
    });
    if (unfinished)
        terminal.print("Resuming run " + std::to_string(unfinished->id.value));
    session.start(options, variants, unfinished ? unfinished->id : base::RunId());
    if (interrupt.caught())
        session.stop();
    loop.exec();
    terminal.clearLive();
    return ended;
}

base::Status writeTable(const QString& path, const std::string& csv)
{
    const QByteArray bytes = QByteArray::fromStdString(csv);
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return base::Error{ErrorCode::Unavailable, "The table could not be written: " + file.errorString().toStdString(), path.toStdString(),
                       "What was judged is stored; choose another place with --csv and run the command again"};
}

} // namespace cudal1::cli
