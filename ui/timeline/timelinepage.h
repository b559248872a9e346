// SPDX-License-Identifier: GPL-3.0-or-later
// What ran when: the reference and chosen variants above each other, with tables of what took the time.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/store/project.h"
#include "ui/kit/page.h"
#include "ui/timeline/timelineloader.h"
#include "ui/timeline/timelineview.h"

#include <QString>
#include <QStringList>

#include <map>
#include <set>
#include <vector>

namespace cudal1::ui {

class InfoView;
class ProjectModel;
class Selection;
class TimelineBar;
class TimelineTabs;

/// Shows recordings of the selected task from the project, and traces that were opened from files until they are
/// closed. A hidden page follows the selection, and reads nothing until it is shown.
class TimelinePage : public Page {
    Q_OBJECT
public:
    TimelinePage(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    void find() override;
    /// The tracks alone.
    void setRoomy(bool roomy) override;
    ViewTools* table() const override;

    TimelineView* view() const { return m_view; }
    /// The variants whose recordings are shown, or are to be recorded.
    const std::set<base::VariantId>& chosen() const { return m_chosen; }
    void choose(std::set<base::VariantId> variants);
    /// Opens a trace and shows it alone.
    void openTrace(const QString& file);
    /// Writes the recording of a variant (0: of the reference) that is shown.
    void exportTrace(base::VariantId variant, const QString& file);
    /// A regular expression, or plain text where it is none.
    void search(const QString& text);

signals:
    void recordRequested(const cudal1::base::TaskId& task, const std::vector<cudal1::base::VariantId>& variants);
    void errorRaised(const cudal1::base::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeBottom();
    void showSelection();
    void showTask();
    bool readRecords();
    void chooseFirst();
    void fillChoice();
    void fillExport();
    void showRecordings();
    void showSides(std::vector<timeline::Side> sides);
    void pickedChanged();
    QString pinsKey() const;
    void record();
    void askForTrace();
    void closeTrace();
    const store::TimelineRecord* recordingOf(base::VariantId variant) const;
    QString titleOf(base::VariantId variant) const;
    void showEmptyTask();

    ProjectModel& m_project;
    Selection& m_selection;
    TimelineLoader* m_loader;
    TimelineView* m_view;
    TimelineBar* m_bar;
    TimelineTabs* m_tabs;
    InfoView* m_details;
    QWidget* m_bottom; ///< tables and details

    base::TaskId m_task;
    bool m_stale = false; ///< the task's recordings have not been read since something changed
    std::set<base::VariantId> m_chosen;
    bool m_choseSelf = false;                     ///< the user chose; else what is selected is chosen
    std::vector<store::TimelineRecord> m_records; ///< of the task, newest first
    struct Loaded {
        TimelineLoader::Sides sides; ///< null while it is being read
        QString beside;              ///< where the sides contradict the judge: why
    };
    std::map<base::TimelineId, Loaded> m_loaded;
    QStringList m_beside; ///< of what is shown
    QString m_file;       ///< the opened trace; empty while recordings are shown
    TimelineLoader::Sides m_trace;
};

} // namespace cudal1::ui
