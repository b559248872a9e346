// SPDX-License-Identifier: GPL-3.0-or-later
// Titles, folding texts, and the view of differences.
#include "ui/samples/sampledetail.h"

#include "ui/compare/diffview.h"
#include "ui/kit/elidedcombobox.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/theme.h"
#include "ui/samples/foldsection.h"
#include "ui/samples/samplesmodel.h"
#include "ui/samples/verdictlabel.h"
#include "ui/variants/texts.h"

#include <nlohmann/json.hpp>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

QString pretty(const std::string& json)
{
    const nlohmann::json read = nlohmann::json::parse(json, nullptr, false);
    return QString::fromStdString(
        read.is_discarded() ? json : read.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

QString tokensNote(const std::optional<std::int64_t>& tokens)
{
    return tokens && *tokens > 0 ? SampleDetail::tr("%1 tokens").arg(tokensText(*tokens)) : QString();
}

} // namespace

SampleDetail::SampleDetail(QWidget* parent)
    : QWidget(parent), m_title(new ElidedLabel), m_verdict(new VerdictLabel),
      m_compare(new QPushButton(tr("Compare with the Reference"))), m_tabs(new PageTabs), m_stack(new QStackedWidget),
      m_settings(new FoldSection(QStringLiteral("sampleSettings"), tr("Asked with"), false)),
      m_prompt(new FoldSection(QStringLiteral("samplePrompt"), tr("Prompt"), false)),
      m_reply(new FoldSection(QStringLiteral("sampleReply"), tr("Reply"), true)), m_other(new ElidedComboBox),
      m_note(new QLabel), m_diff(new DiffView)
{
    const Theme& theme = Theme::instance();
    setAttribute(Qt::WA_StyledBackground);
    setProperty("class", QStringLiteral("pane"));
    m_title->setFont(theme.titleFont(2));
    m_title->setObjectName(QStringLiteral("sampleTitle"));
    m_verdict->setObjectName(QStringLiteral("sampleVerdict"));
    m_compare->setProperty("class", QStringLiteral("quiet"));
    m_compare->setObjectName(QStringLiteral("sampleCompare"));
    m_compare->setToolTip(tr("Open the variant that this reply led to on the page Compare"));
    connect(m_compare, &QPushButton::clicked, this, [this] {
        if (m_facts && m_facts->sample.variant)
            emit compareRequested(m_facts->sample.task, m_facts->sample.variant);
    });
    m_tabs->setObjectName(QStringLiteral("sampleTabs"));
    m_tabs->setAccessibleName(tr("Parts of the reply"));
    m_tabs->addTab(tr("Text"));
    m_tabs->addTab(tr("Difference"));
    m_tabs->setMarked(true);
    m_stack->addWidget(makeTexts());
    m_stack->addWidget(makeDifference());
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_stack->setCurrentIndex(tab);
        showDifference();
    });

    auto* head = new QHBoxLayout;
    head->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(3), 0);
    head->setSpacing(theme.unit(3));
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(m_title);
    words->addWidget(m_verdict);
    head->addLayout(words, 1);
    head->addWidget(m_compare, 0, Qt::AlignTop); // they stay where they are when the verdict has more lines
    head->addWidget(m_tabs, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(1));
    layout->addLayout(head);
    layout->addWidget(m_stack, 1);
    showTitle();
}

QWidget* SampleDetail::makeTexts()
{
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_settings);
    layout->addWidget(m_prompt, 1);
    layout->addWidget(m_reply, 1);
    layout->addStretch(0);
    return box;
}

QWidget* SampleDetail::makeDifference()
{
    const Theme& theme = Theme::instance();
    m_other->setObjectName(QStringLiteral("sampleOther"));
    m_other->setAccessibleName(tr("Compared with"));
    m_other->setToolTip(tr("What the program of the reply is compared with"));
    m_other->setMinimumWidth(theme.unit(60));
    m_note->setProperty("class", QStringLiteral("muted"));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(3), 0, theme.unit(3), 0);
    line->setSpacing(theme.unit(3));
    line->addWidget(new QLabel(tr("Compared with")));
    line->addWidget(m_other);
    line->addWidget(m_note, 1);
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(1));
    layout->addLayout(line);
    layout->addWidget(m_diff, 1);
    connect(m_other, &QComboBox::activated, this, &SampleDetail::showDifference);
    connect(m_diff, &DiffView::shown, this, [this] {
        const base::SideBySide& diff = m_diff->diff();
        m_note->setText(
            m_diff->differenceCount() == 0
                ? tr("no difference")
                : tr("%1 lines added, %2 removed, %3 changed").arg(diff.added).arg(diff.removed).arg(diff.changed));
    });
    return box;
}

void SampleDetail::show(const QString& projectFile, const std::optional<optimize::SampleFacts>& facts)
{
    const bool other = !facts || !m_facts || facts->sample.id != m_facts->sample.id;
    m_facts = facts;
    showTitle();
    if (!facts) {
        m_asker.forget();
        m_texts.reset();
        m_settings->setText({}, {});
        m_prompt->setText({}, {});
        m_reply->setText({}, {});
        return;
    }
    if (!other)
        return; // texts of a sample never change
    m_asker.ask([projectFile, id = facts->sample.id] { return loadTexts(projectFile, id); },
                [this](const base::Result<std::shared_ptr<const SampleTexts>>& texts) {
                    if (texts)
                        display(*texts);
                    else
                        emit errorRaised(texts.error());
                });
}

void SampleDetail::showTitle()
{
    m_compare->setVisible(m_facts && m_facts->sample.variant);
    m_tabs->setVisible(m_facts.has_value());
    m_stack->setVisible(m_facts.has_value());
    if (!m_facts) {
        m_title->setText(tr("No reply is chosen"));
        m_verdict->setText(tr("Choose one above to read what was asked and answered."));
        return;
    }
    const store::SampleRecord& one = m_facts->sample;
    QStringList title{tr("Reply %1").arg(one.id.value), QString::fromStdString(one.policy)};
    if (!one.method.empty())
        title << QString::fromStdString(one.method);
    if (one.repair)
        title << tr("repair of reply %1").arg(one.parent.value);
    else if (one.turn > 0)
        title << tr("turn %1, after reply %2").arg(one.turn + 1).arg(one.parent.value);
    m_title->setText(title.join(QStringLiteral(" · ")));
    QString verdict = tr("Not judged yet.");
    if (!m_facts->usable())
        verdict = tr("No program could be taken from it: %1").arg(QString::fromStdString(one.unusable));
    else if (m_facts->evaluation && m_facts->evaluation->verdict == protocol::Verdict::Correct)
        verdict = tr("Correct, %1").arg(speedupSentence(m_facts->evaluation->wall, m_facts->evaluation->marks));
    else if (m_facts->evaluation)
        verdict = QStringLiteral("%1. %2").arg(verdictStyle(m_facts->evaluation->verdict).word,
                                               QString::fromStdString(m_facts->evaluation->firstReason));
    if (one.variant)
        verdict += tr("  ·  variant %1").arg(variantName(one.variant));
    if (one.cost)
        verdict += QStringLiteral("  ·  ") + costsText({{one.costUnit, *one.cost}});
    m_verdict->setText(verdict);
}

void SampleDetail::display(const std::shared_ptr<const SampleTexts>& texts)
{
    m_texts = texts;
    const store::Sample& sample = texts->sample;
    m_settings->setText(pretty(sample.settings), QString::fromStdString(sample.policyVersion));
    m_settings->setVisible(!sample.settings.empty());
    m_prompt->setText(QString::fromStdString(sample.prompt), tokensNote(sample.promptTokens));
    m_reply->setText(QString::fromStdString(texts->reply), tokensNote(sample.replyTokens));
    markTexts();
    m_other->clear();
    for (const SampleTexts::Other& other : texts->others)
        m_other->addItem(other.name);
    showDifference();
}

void SampleDetail::markTexts()
{
    const bool inReply = m_reply->mark(m_words);
    if (m_prompt->mark(m_words) && !inReply)
        m_prompt->setOpen(true);
}

void SampleDetail::setMarked(const QString& words)
{
    m_words = words;
    if (m_texts)
        markTexts();
}

void SampleDetail::setTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

/// Only while it is seen: large programs take a moment.
void SampleDetail::showDifference()
{
    if (!m_texts || m_tabs->currentIndex() != Difference)
        return;
    const int at = m_other->currentIndex();
    const bool can = at >= 0 && !m_texts->source.empty();
    const std::string left = at >= 0 ? m_texts->others[std::size_t(at)].source : std::string();
    m_diff->setTitles(at >= 0 ? m_texts->others[std::size_t(at)].name : QString(),
                      tr("Reply %1").arg(m_texts->sample.id.value));
    if (can) {
        m_diff->setFolded(true);
        m_diff->setPrograms(left, m_texts->source);
    } else {
        m_diff->setUnrelated(left, "# The reply has no program.\n");
        m_note->setText(tr("the reply has no program"));
    }
}

} // namespace cudal1::ui
