// SPDX-License-Identifier: GPL-3.0-or-later
// The tools over the two sides of a comparison: the counter of differences, jumps, what is shown, and what is done with
// it.
#pragma once

#include "ui/compare/kerneltext.h"

#include <QFrame>

#include <array>

class QAction;
class QHBoxLayout;
class QMenu;
class QToolButton;

namespace cudal1::ui {

class DiffView;
class ElidedLabel;

/// A part of a page, to which its actions are added: the page has their keys, and the window's palette has them.
class CompareBar : public QFrame {
    Q_OBJECT
public:
    /// Jumps and folding act on `view`; everything else is asked for by a signal. Both outlive the bar.
    CompareBar(QWidget& page, DiffView& view);

    struct State {
        bool hasSubject = false; ///< there is a variant that can be edited, captured and judged
        bool isEditing = false;
        bool hasDraft = false; ///< of that variant
        bool startable = true; ///< the project may be written
        CodeKind kind = CodeKind::Source;
    };
    void setState(const State& state);
    /// Checks it; no signal follows.
    void setKind(CodeKind kind);
    void setCounter(const QString& text);
    /// Puts back how the code was read the last time, and remembers it from now on; once its signals are connected.
    void keepReading();

signals:
    void captureRequested();
    void swapRequested();
    void editRequested();
    void evaluateRequested();
    void wrapToggled(bool wrapped);
    void spaceToggled(bool shown);
    void kindRequested(cudal1::ui::CodeKind kind);
    void copyRequested(bool left);
    void saveRequested(bool left);
    void openRequested(bool left);

private:
    QAction* addTool(const QString& icon, const QString& text, const QString& tip, const QKeySequence& key);
    QToolButton* addButton(QAction* action);
    void addCapture();
    void addJumps(DiffView& view);
    void addReading(DiffView& view);
    void addColumns(DiffView& view);
    void addKinds();
    void addSources();
    void addEvaluate();
    void fillMenu(QMenu& menu);

    QWidget& m_page;
    QHBoxLayout* m_layout;
    ElidedLabel* m_counter;
    QString m_differences;     ///< what it says of texts
    bool m_isCounters = false; ///< which are no text
    QAction* m_capture = nullptr;
    std::array<QAction*, 2> m_jumps{}; ///< to the previous and the next difference
    QAction* m_fold = nullptr;
    std::array<QAction*, 4> m_reading{}; ///< one column, wrap, show and ignore white space
    /// One column as the user has chosen it, which is kept: a narrow page has it by itself until the user says
    /// otherwise.
    QAction* m_oneColumn = nullptr;
    bool m_hasChosenColumns = false;
    QAction* m_edit = nullptr;
    std::array<QAction*, 4> m_kinds{}; ///< by CodeKind
    QToolButton* m_evaluate = nullptr;
};

} // namespace cudal1::ui
