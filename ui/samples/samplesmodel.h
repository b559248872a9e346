// SPDX-License-Identifier: GPL-3.0-or-later
// Samples as a tree: questions, and below each the replies to it; a question with one reply is a row with it. Its own
// order is of time; sorting is for a proxy.
#pragma once

#include "ui/samples/samplesloader.h"

#include <QAbstractItemModel>

#include <memory>

namespace cudal1::ui {

class SamplesModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Task, Policy, Method, Turn, Verdict, Reward, Asked, Answered, Cost, Variant, Age, ColumnCount };
    enum { SortRole = Qt::UserRole + 1, IdRole, VariantRole, TaskRole };

    explicit SamplesModel(QObject* parent = nullptr);

    /// Questions and replies that stay keep their places; a null view has none.
    void setView(std::shared_ptr<const SamplesView> view);
    const std::shared_ptr<const SamplesView>& view() const { return m_view; }
    /// The sample of a row; null for a question with several.
    const optimize::SampleFacts* sample(const QModelIndex& index) const;
    QModelIndex indexOf(base::SampleId id) const; ///< invalid where it is not here
    void refreshAges();

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const SampleGroup* group(const QModelIndex& index) const; ///< null for a reply below its question
    QVariant groupCell(const SampleGroup& group, int column, int role) const;
    QVariant replyCell(const optimize::SampleFacts& facts, const SampleGroup& group, int column, int role) const;
    QVariant groupKey(const SampleGroup& group, int column) const;
    static bool begins(const SamplesView& older, const SamplesView& newer);

    std::shared_ptr<const SamplesView> m_view;
};

/// "12", "1.5 USD", "0.3 USD + 4.00 GPU s"; empty for none.
QString costsText(const std::map<std::string, double>& costs);
/// "12,345"; empty for 0, which is what is not known.
QString tokensText(std::int64_t tokens);
/// "2.11"
QString rewardText(const std::optional<double>& reward);

} // namespace cudal1::ui
