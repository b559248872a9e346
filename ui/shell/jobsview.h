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
    void taskRequested(const cudal1::base::TaskId& task); ///< never of a job of many tasks

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    JobsModel& m_jobs;
};

} // namespace cudal1::ui
