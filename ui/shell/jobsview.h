// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs as a list of small cards: what, how far, how good so far, how long still, and a way to stop each.
#pragma once

#include "core/base/ids.h"

#include <QListView>

namespace cudal1::ui {

class JobsModel;

class JobsView : public QListView {
    Q_OBJECT
public:
    explicit JobsView(JobsModel& jobs, QWidget* parent = nullptr);

signals:
    void stopRequested(quint64 job);
    void repeatRequested(quint64 job);
    void resultRequested(quint64 job);                    ///< the page on which its result stands
    void taskRequested(const cudal1::base::TaskId& task); ///< never of a job of many tasks

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QAction* addAction(const QString& icon, const QString& text, const QString& tip,
                       void (JobsView::*request)(quint64));
    void copyCommand(quint64 job);
    void showMenu(const QPoint& at);

    JobsModel& m_jobs;
    QAction* m_stop;
    QAction* m_again;
    QAction* m_result;
    QAction* m_copy;
};

} // namespace cudal1::ui
