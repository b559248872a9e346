// SPDX-License-Identifier: GPL-3.0-or-later
// The bar over the timelines: what is shown, recorded, opened and written, search, zoom, folds and measuring.
#pragma once

#include <QFrame>

#include <functional>

class QKeySequence;
class QLabel;
class QLineEdit;
class QProgressBar;
class QToolButton;

namespace cudal1::ui {

class TimelineView;

/// What concerns the view alone it does itself; the rest it says.
class TimelineBar : public QFrame {
    Q_OBJECT
public:
    explicit TimelineBar(TimelineView& view, QWidget* parent = nullptr);

    /// Their menus are filled by the page when they are about to show.
    QToolButton* choice() const { return m_choice; }
    QToolButton* exporter() const { return m_export; }
    /// An opened trace can be closed; variants are chosen and exported of recordings only.
    void setTraceOpen(bool isOpen);

    void setBusy(bool isBusy);
    /// Whether recordings can be made: they are kept in the project.
    void setRecordable(bool recordable);
    /// Negative when it is not known.
    void setProgress(const QString& text, double fraction);

    QString searched() const;
    void setSearched(const QString& text);
    void focusSearch();
    /// How much was found.
    void setFound(const QString& text);

signals:
    void recordClicked();
    void openClicked();
    void closeClicked();
    void stopClicked();
    void searchedChanged(const QString& text);
    void nextFoundRequested(int by);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* addButton(const QString& icon, const QString& text, const QString& tip, const QKeySequence& key,
                           std::function<void()> run);
    QToolButton* addMenu(const char* name, const QString& text, const QString& tip);
    QWidget* makeBusy();
    QLineEdit* makeSearch();
    void addFolds();

    TimelineView& m_view;
    QToolButton* m_choice = nullptr;
    QToolButton* m_export = nullptr;
    QToolButton* m_record = nullptr;
    QToolButton* m_closeTrace = nullptr;
    QLineEdit* m_search = nullptr;
    QLabel* m_found = nullptr;
    QWidget* m_busy = nullptr;
    QLabel* m_busyText = nullptr;
    QProgressBar* m_progress = nullptr;
};

} // namespace cudal1::ui
