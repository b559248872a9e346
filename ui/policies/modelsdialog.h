// SPDX-License-Identifier: GPL-3.0-or-later
// The user's language models: add, change, test and remove them.
#pragma once

#include "core/models/endpointsettings.h"

#include <QDialog>

#include <optional>
#include <string>

class QLabel;
class QListWidget;
class QPushButton;

namespace cudal1::ui {

class ModelForm;
class ModelList;
class ModelTest;

/// Nothing in it waits: the list is read and written in the background, and a test goes on while the window is used.
class ModelsDialog : public QDialog {
    Q_OBJECT
public:
    explicit ModelsDialog(ModelList& models, QWidget* parent = nullptr);

    void addNew(); ///< empty fields for another model
    void select(const std::string& name);

signals:
    void saved(const std::string& name);

private:
    QWidget* makeList();
    QWidget* makeRight();
    void fillList();
    void showChosen();
    void showNote(const QString& text, std::optional<bool> good);
    void updateButtons();
    void save(bool thenTest);
    void remove();
    void test(const models::EndpointSettings& settings);
    std::string chosen() const; ///< empty for a new one

    ModelList& m_models;
    ModelTest* m_test;
    QListWidget* m_list;
    ModelForm* m_form;
    QPushButton *m_remove, *m_save, *m_tryIt;
    QLabel* m_note;
    bool m_changed = false, m_busy = false, m_filling = false;
    std::string m_shown;  ///< whose fields these are; empty for a new one
    std::string m_wanted; ///< to be chosen once the list has it
};

} // namespace cudal1::ui
