// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of replies beside the replies of one, and the chosen reply with its texts and differences below.
#pragma once

#include "ui/training/trainingsloader.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QTableView;

namespace cudal1::ui {

class GroupsModel;
class RepliesModel;
class SampleDetail;
class ViewTools;

class GroupsView : public QWidget {
    Q_OBJECT
public:
    explicit GroupsView(QWidget* parent = nullptr);

    void setView(std::shared_ptr<const TrainingsView> view);
    ViewTools* tools() const { return m_tools; }
    SampleDetail* detail() const { return m_detail; }
    /// Replies with this verdict, and groups that have one; all for an empty one.
    void setVerdict(const QString& verdict);

signals:
    void errorRaised(const cudal1::base::Error& error);
    void compareRequested(const cudal1::base::TaskId& task, cudal1::base::VariantId variant);

private:
    QWidget* makeTables();
    void offerVerdicts();
    void filterGroups();
    void groupChosen();
    void replyChosen();
    const TrainingGroup* current() const;
    std::string verdict() const;

    std::shared_ptr<const TrainingsView> m_view;
    std::shared_ptr<const TrainingsView> m_filtered; ///< with the groups that the verdict leaves
    GroupsModel* m_groups;
    RepliesModel* m_replies;
    QTableView *m_groupTable = nullptr, *m_replyTable = nullptr;
    QComboBox* m_verdict;
    QLabel* m_note;
    SampleDetail* m_detail;
    ViewTools* m_tools = nullptr;
};

} // namespace cudal1::ui
