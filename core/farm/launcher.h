// SPDX-License-Identifier: GPL-3.0-or-later
// How an evaluator or another program of ours is started: directly, or by any command whose standard input and output
// reach it.
#pragma once

#include <QString>
#include <QStringList>

namespace cudal1::farm {

/// A value; compares by its words.
class Launcher {
public:
    Launcher() = default; ///< starts nothing
    /// The program and its arguments, e.g. {"/…/cudal1-evaluator"} or {"ssh", "gpu1", "cudal1-evaluator"}.
    Launcher(QStringList words) : m_words(std::move(words)) {}
    Launcher(std::initializer_list<QString> words) : m_words(words) {}
    /// A command as typed ("srun --gres=gpu:1 \"/my path/cudal1-evaluator\""). Double quotes group words; no shell is
    /// involved.
    static Launcher fromText(const QString& text);
    /// $CUDAL1_EVALUATOR when set, else `cudal1-evaluator` beside the running program.
    static Launcher standard();
    /// The same for another program and variable: "cudal1-model", "CUDAL1_MODEL".
    static Launcher standard(const QString& program, const char* variable);

    const QStringList& words() const { return m_words; }
    bool isEmpty() const { return m_words.isEmpty(); }
    /// The command as a person would type it: the inverse of fromText.
    QString text() const;
    /// The same with these variables ("NAME=value") in the evaluator's environment, where the command runs on this
    /// machine.
    Launcher withEnvironment(const QStringList& variables) const;
    /// The same with these arguments behind the program's name. ssh hands them to a shell, so they are quoted for it.
    Launcher withArguments(const QStringList& arguments) const;

    /// Whether the command may take as long as it likes until the evaluator is there: for an allocation, a connection,
    /// a password. An evaluator that is started directly, perhaps by `env`, may not.
    bool mayWait() const;
    /// What is waited for, for a person: "gpu1" of `ssh -p 22 me@gpu1 …`, "srun" of `srun …`, "this machine".
    QString place() const;

    friend bool operator==(const Launcher&, const Launcher&) = default;

private:
    int programAt() const; ///< past `env` and what it sets

    QStringList m_words;
};

/// "waiting for gpu1 for 3 min"
QString waitingText(const Launcher& launcher, double seconds);

} // namespace cudal1::farm
