// SPDX-License-Identifier: GPL-3.0-or-later
// A variant's source and an editable copy of it beside each other: changed by hand, then judged as a variant of its
// own.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <QWidget>

#include <string>

class QLabel;
class QPushButton;
class QTimer;

namespace cudal1::ui {

class CodeView;
class LinkedViews;

/// What a draft is a copy of.
struct DraftOrigin {
    QString project; ///< path of the file
    base::VariantId variant;
    std::string source;

    bool operator==(const DraftOrigin&) const = default;
};

/// A draft is a file in the user's data folder from the moment of typing, one for each variant of a project, until it
/// is judged or the same as the source again.
class DraftEditor : public QWidget {
    Q_OBJECT
public:
    explicit DraftEditor(QWidget* parent = nullptr);
    ~DraftEditor() override;

    /// Shows the draft, or a copy of the source where there is none.
    void edit(DraftOrigin origin);
    base::VariantId variant() const { return m_origin.variant; }
    bool hasDraft(const DraftOrigin& origin) const;
    /// UTF-8, as it stands in the editor.
    std::string text() const;
    CodeView* editor() const { return m_editor; }
    void find();
    void setWrapped(bool wrapped);
    void setSpaceShown(bool shown);

public slots:
    void judge();
    void discard(); ///< back to the source, as a step that can be undone
    void forget();  ///< the draft, since it was judged
    void leave();   ///< keeps it

signals:
    void judgeRequested(cudal1::base::VariantId parent, const std::string& source);
    void left();
    void errorRaised(const cudal1::base::Error& error); ///< the draft could not be kept

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void keep();
    void showChanges();

    CodeView* m_original;
    CodeView* m_editor;
    QLabel* m_title;
    QLabel* m_changes;
    QPushButton* m_judge;
    QPushButton* m_discard;
    QTimer* m_typed;
    LinkedViews* m_links;
    DraftOrigin m_origin; ///< no variant: nothing is edited
    std::string m_kept;   ///< what its file has, or the source where there is none
    bool m_discarded = false;
};

} // namespace cudal1::ui
