// SPDX-License-Identifier: GPL-3.0-or-later
// The user's language models and coding agents: add, change, test and remove them.
#pragma once

#include "core/models/modelregistry.h"

#include <QDialog>

#include <array>
#include <optional>
#include <string>

class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace cudal1::ui {

class ModelList;
class ModelTest;
class NamedForm;

/// Nothing in it waits: the list is read and written in the background, and a test goes on while the window is used.
class ModelsDialog : public QDialog {
    Q_OBJECT
public:
    explicit ModelsDialog(ModelList& models, QWidget* parent = nullptr);

    enum Kind { Server, Local, Agent, Kinds };
    void addNew(Kind kind = Server); ///< empty fields for another one
    void select(const std::string& name);

signals:
    void saved(const std::string& policy); ///< "endpoint:NAME", "local:NAME", "agent:NAME"

private:
    QWidget* makeList();
    QWidget* makeRight();
    void fillList();
    void addToList(const models::NamedModel& model, const QString& note, const std::string& before);
    void showChosen();
    NamedForm& form() const { return *m_forms[std::size_t(m_kind)]; }
    void useForm(const models::NamedModel& model);
    void kept(const models::NamedModel& settings, bool thenTest);
    void showNote(const QString& text, std::optional<bool> good);
    void updateButtons();
    void save(bool thenTest);
    void remove();
    void test(const models::NamedModel& settings);
    std::string chosen() const; ///< empty for a new one

    ModelList& m_models;
    ModelTest* m_test;
    QListWidget* m_list;
    QLabel* m_noModels; ///< says it, while the list is empty
    std::array<NamedForm*, Kinds> m_forms;
    Kind m_kind = Server; ///< whose form is shown
    QStackedWidget* m_fields;
    QPushButton *m_remove, *m_save, *m_tryIt;
    QLabel* m_note;
    bool m_changed = false, m_busy = false, m_filling = false;
    bool m_adding = false; ///< empty fields were asked for
    std::string m_shown;   ///< whose fields these are; empty for a new one
    std::string m_wanted;  ///< to be chosen once the list has it
};

} // namespace cudal1::ui
