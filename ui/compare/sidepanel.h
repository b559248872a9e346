// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside the code: evidence with the pairs, analysis with the techniques, origin with lineage and prompt.
#pragma once

#include "core/base/result.h"
#include "ui/compare/varianthtml.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace cudal1::ui {

class InfoView;
class PageTabs;
class PairsChart;

class SidePanel : public QWidget {
    Q_OBJECT
public:
    enum Tab { Evidence, Analysis, Origin };

    explicit SidePanel(QWidget* parent = nullptr);

    /// One text in every tab, and no pairs.
    void showNote(const QString& html);
    /// `lead` stands above the evidence. Places are kept when the variant is the one shown before.
    void showVariant(const QString& name, const QString& lead, const store::VariantRecord& variant,
                     const std::optional<protocol::Evaluation>& evaluation, const QString& design,
                     const QString& origin);

    Tab tab() const;
    void setTab(Tab tab);
    InfoView* view(Tab tab) const { return m_views[tab]; }
    PairsChart* pairs() const { return m_pairs; }

signals:
    void linesRequested(const std::vector<cudal1::policy::SourceLines>& lines);
    void variantRequested(cudal1::base::VariantId variant);
    void errorRaised(const cudal1::base::Error& error);

private:
    QWidget* makePairs();

    PageTabs* m_tabs;
    QStackedWidget* m_stack;
    InfoView* m_views[3];
    PairsChart* m_pairs;
    QWidget* m_pairsBox = nullptr;
    QLabel* m_pairsTitle;
    QToolButton* m_clock;
    base::VariantId m_shown;
};

} // namespace cudal1::ui
