// SPDX-License-Identifier: GPL-3.0-or-later
// A variant's source and an editable copy of it beside each other: changed by hand, then judged as a variant of its own.
#pragma once

#include "core/base/ids.h"

#include <QWidget>

#include <string>
#include <unordered_map>

class QLabel;
class QPushButton;
class QTimer;

namespace cudal1::ui {

class CodeView;

/// Drafts are kept for as long as the window is open, one a variant, until they are judged or discarded.
class DraftEditor : public QWidget {
    Q_OBJECT
public:
    explicit DraftEditor(QWidget* parent = nullptr);

    /// Shows the draft of `variant`, or a copy of its source where there is none.
    void edit(base::VariantId variant, const std::string& source);
    base::VariantId variant() const { return m_variant; }
    bool hasDraft(base::VariantId variant) const;
    /// UTF-8, as it stands in the editor.
    std::string text() const;
    CodeView* editor() const { return m_editor; }
    void find();

public slots:
    void judge();
    void discard(); ///< forgets the draft
    void leave();   ///< keeps it

signals:
    void judgeRequested(cudal1::base::VariantId parent, const std::string& source);
    void left();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void keep();
    void showChanges();

    CodeView* m_original;
    CodeView* m_editor;
    QLabel* m_title;
    QLabel* m_changes;
    QPushButton* m_judge;
    QTimer* m_typed;
    base::VariantId m_variant;
    std::string m_source;
    std::unordered_map<base::VariantId, std::string> m_drafts;
};

} // namespace cudal1::ui
