// SPDX-License-Identifier: GPL-3.0-or-later
// The combinations of an ablation as rows: a tick or cross for each toggle, both clocks, verdict, bottleneck.
#pragma once

#include "ui/ablation/ablationloader.h"
#include "ui/kit/tablemodel.h"
#include "ui/variants/speedupbar.h"

namespace cudal1::ui {

class CombinationsModel : public TableModel {
    Q_OBJECT
public:
    /// Behind the toggles, which come first.
    enum Fixed { Wall, Event, Verdict, Bottleneck, Call, Variant, FixedCount };
    enum { VariantRole = OwnRole };

    explicit CombinationsModel(QObject* parent = nullptr);

    /// Null for none. Rows are kept where only what was found has changed.
    void setView(std::shared_ptr<const AblationView> view);
    int toggles() const { return m_view ? int(m_view->plan.toggles.size()) : 0; }
    int column(Fixed fixed) const { return toggles() + fixed; }
    base::Interval speedup(int row) const; ///< by wall; invalid where there is none
    std::string marks(int row) const;      ///< of that
    bool areAllCorrect() const;            ///< every combination is judged, and correct
    const SpeedupAxis& axis() const { return m_axis; }
    /// How much of a bottleneck a cell says; the tool tip has the sentence. "GPU-bound", "GPU, busy 98 %", "GPU-bound,
    /// busy 98 %"
    enum class Bottlenecks { Word, ShortShare, Share };
    void setBottlenecks(Bottlenecks shown);
    QString bottleneckWithShare(int row, Bottlenecks how) const; ///< empty where there is no share

private:
    int rows() const override;
    QVariant cell(int row, int column, int role) const override;
    static std::vector<Column> columnsFor(const AblationView& view);
    QVariant toggleCell(const ablation::CombinationRow& row, int toggle, int role) const;
    QString text(const ablation::CombinationRow& row, int fixed) const;
    QString shownBottleneck(int row) const;
    QVariant sortKey(const ablation::CombinationRow& row, int fixed) const;
    QString toolTip(const ablation::CombinationRow& row, int fixed) const;

    std::shared_ptr<const AblationView> m_view;
    SpeedupAxis m_axis;
    Bottlenecks m_bottlenecks = Bottlenecks::Share;
};

} // namespace cudal1::ui
