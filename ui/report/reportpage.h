// SPDX-License-Identifier: GPL-3.0-or-later
// Reports: what about, how much of it and in which format on the left, the very file on the right, before it is saved.
#pragma once

#include "core/base/result.h"
#include "ui/kit/background.h"
#include "ui/kit/page.h"
#include "ui/report/reportbuilder.h"

#include <QThreadPool>

#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTimer;

namespace cudal1::ui {

class PageView;
class ProjectModel;
class Selection;

/// Builds only while it is shown. What was built before stays until its successor is there.
class ReportPage : public Page {
    Q_OBJECT
public:
    ReportPage(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);
    ~ReportPage() override;

    PageView* pages() const { return m_pages; }
    /// Null until the first report is there.
    std::shared_ptr<const BuiltReport> built() const { return m_built; }
    bool isBuilding() const { return bool(m_job); }
    ReportFormat format() const;
    /// Writes the report as it is shown; `saved` or `errorRaised` follows.
    void saveTo(const QString& path);

signals:
    void saved(const QString& path);
    void copied();
    void errorRaised(const cudal1::base::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Scope {
        QString name, id;
        report::ReportScope scope;
    };
    QWidget* makeChoices();
    QWidget* makePreview();
    void fillScopes();
    void changed();
    void build();
    void cancel();
    void display(const std::shared_ptr<const BuiltReport>& built);
    void showNothing(const base::Error& error);
    const Scope& chosenScope() const;
    void save();
    void copyMarkdown();
    void updateState();

    ProjectModel& m_project;
    Selection& m_selection;
    QComboBox *m_scope, *m_template, *m_format;
    QCheckBox* m_open;
    QPushButton *m_save, *m_copy, *m_cancel;
    QLabel *m_state, *m_about;
    QProgressBar* m_progress;
    QStackedWidget* m_stack;
    PageView* m_pages;
    QPlainTextEdit* m_text;
    QTimer *m_wait, *m_poll;
    std::vector<Scope> m_scopes;
    std::shared_ptr<const BuiltReport> m_built;
    QThreadPool m_saving;             ///< its end waits for every file
    std::shared_ptr<ReportJob> m_job; ///< of the build that goes on
    Asker m_asker{this};              ///< for what is shown
    bool m_stale = true;
};

} // namespace cudal1::ui
