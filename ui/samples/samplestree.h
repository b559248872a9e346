// SPDX-License-Identifier: GPL-3.0-or-later
// The view of questions and replies.
#pragma once

#include "core/base/ids.h"
#include "ui/samples/samplesmodel.h"

#include <QTreeView>

#include <optional>
#include <unordered_set>

namespace cudal1::ui {

class SamplesFilter;
class ViewTools;

/// What is chosen and unfolded stays when rows are added.
class SamplesTree : public QTreeView {
    Q_OBJECT
public:
    explicit SamplesTree(QWidget* parent = nullptr);

    void setView(std::shared_ptr<const SamplesView> view);
    /// Only these; all without a set. What is found is unfolded.
    void setFound(std::optional<std::unordered_set<base::SampleId>> found);
    const optimize::SampleFacts* current() const; ///< null where no reply is chosen
    void choose(base::SampleId id);
    int shownReplies() const;
    SamplesModel& samples() const { return *m_model; }
    ViewTools* tools() const { return m_tools; }

signals:
    void currentSampleChanged();
    void variantClicked(const cudal1::base::TaskId& task, cudal1::base::VariantId variant);
    void variantActivated(const cudal1::base::TaskId& task, cudal1::base::VariantId variant);

protected:
    void currentChanged(const QModelIndex& now, const QModelIndex& before) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showColumns();
    void chooseFirst();

    SamplesModel* m_model;
    SamplesFilter* m_proxy;
    ViewTools* m_tools;
    bool m_setting = false;
};

} // namespace cudal1::ui
