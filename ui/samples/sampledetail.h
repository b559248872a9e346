// SPDX-License-Identifier: GPL-3.0-or-later
// One reply: prompt, text, and the differences of its program to what it came from.
#pragma once

#include "ui/kit/background.h"
#include "ui/samples/samplesloader.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace cudal1::ui {

class DiffView;
class ElidedComboBox;
class ElidedLabel;
class FoldSection;
class PageTabs;
class VerdictLabel;

/// Reads its texts on a worker. What was shown before stays until its successor is there.
class SampleDetail : public QWidget {
    Q_OBJECT
public:
    enum Tab { Text, Difference };

    explicit SampleDetail(QWidget* parent = nullptr);

    /// Of the project; none for none.
    void show(const QString& projectFile, const std::optional<optimize::SampleFacts>& facts);
    /// Marked in the texts, of this reply and of those that follow.
    void setMarked(const QString& words);
    void setTab(Tab tab);
    DiffView* diff() const { return m_diff; }
    FoldSection* reply() const { return m_reply; }
    FoldSection* prompt() const { return m_prompt; }

signals:
    void compareRequested(const cudal1::base::TaskId& task, cudal1::base::VariantId variant);
    void errorRaised(const cudal1::base::Error& error);

private:
    QWidget* makeTexts();
    QWidget* makeDifference();
    void display(const std::shared_ptr<const SampleTexts>& texts);
    void showTitle();
    void showDifference();
    void markTexts();

    std::optional<optimize::SampleFacts> m_facts;
    std::shared_ptr<const SampleTexts> m_texts;
    QString m_words;
    ElidedLabel* m_title;
    VerdictLabel* m_verdict;
    QPushButton* m_compare;
    PageTabs* m_tabs;
    QStackedWidget* m_stack;
    FoldSection *m_settings, *m_prompt, *m_reply;
    ElidedComboBox* m_other;
    QLabel* m_note;
    DiffView* m_diff;
    Asker m_asker{this};
};

} // namespace cudal1::ui
