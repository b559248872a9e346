// SPDX-License-Identifier: GPL-3.0-or-later
// The trial of core/models in words.
#include "ui/work/modeltest.h"

#include "core/base/timetext.h"
#include "core/models/endpoint.h"
#include "core/models/localmodel.h"
#include "core/models/modeltrial.h"

#include <QLocale>

namespace cudal1::ui {

namespace {

constexpr double limit_s = 120;

QString textOf(const models::TrialResult& result)
{
    const auto seconds = [](double s) { return QString::fromStdString(base::durationText(s)); };
    QString out = ModelTest::tr("Answers after %1").arg(seconds(result.seconds));
    if (result.streams())
        out += ModelTest::tr(", first words after %1").arg(seconds(result.first_s));
    if (result.tokensPerSecond)
        out += (result.guessed ? ModelTest::tr(", about %1 tokens a second") : ModelTest::tr(", %1 tokens a second"))
                   .arg(QLocale::c().toString(*result.tokensPerSecond, 'g', 3));
    out += result.streams() ? ModelTest::tr(". It streams.") : ModelTest::tr(". It does not stream.");
    if (!result.reply.model.empty())
        out += QLatin1Char(' ') +
               ModelTest::tr("It calls itself %1.").arg(QString::fromStdString(result.reply.model).left(80));
    return out;
}

} // namespace

ModelTest::ModelTest(QObject* parent) : QObject(parent) {}

ModelTest::~ModelTest() = default;

void ModelTest::start(const models::NamedModel& settings)
{
    stop();
    if (const auto* agent = std::get_if<models::AgentSettings>(&settings))
        return tryAgent(*agent);
    if (const auto* local = std::get_if<models::LocalSettings>(&settings))
        m_model = std::make_unique<models::LocalModel>(models::forTrial(*local));
    else
        m_model = std::make_unique<models::Endpoint>(
            models::forTrial(std::get<models::EndpointSettings>(settings), limit_s));
    m_question = models::tryModel(*m_model, [this, number = m_number](const base::Result<models::TrialResult>& result) {
        const bool good = result.ok();
        const QString text = good ? textOf(*result) : QString::fromStdString(result.error().text());
        // Not from within what is being told: it may be destroyed by whoever hears of it.
        QMetaObject::invokeMethod(
            this,
            [this, good, text, number] {
                if (number != m_number)
                    return; // another one was started since
                stop();
                emit ended(good, text);
            },
            Qt::QueuedConnection);
    });
}

void ModelTest::tryAgent(const models::AgentSettings& settings)
{
    m_agent = std::make_unique<agents::AgentTrial>();
    connect(m_agent.get(), &agents::AgentTrial::ended, this,
            [this, shell = settings.shell](const base::Result<agents::AgentAnswer>& answer) {
                const QString version = answer ? QString::fromStdString(answer->words) : QString();
                const bool good = answer && answer->status == 0;
                const QString text = !answer ? QString::fromStdString(answer.error().text())
                                   : shell   ? tr("%1 is there. The line itself was not run.").arg(answer->program)
                                   : good    ? tr("%1 starts. It calls itself %2.").arg(answer->program, version)
                                          : tr("%1 starts, and ends with status %2 when it is asked for its version.")
                                                .arg(answer->program)
                                                .arg(answer->status);
                m_agent.release()->deleteLater(); // it is telling this
                stop();
                emit ended(good, text);
            });
    m_agent->start(settings, limit_s);
}

void ModelTest::stop()
{
    ++m_number;
    m_agent.reset();
    m_question.reset();
    m_model.reset();
}

} // namespace cudal1::ui
