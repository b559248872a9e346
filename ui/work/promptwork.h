// SPDX-License-Identifier: GPL-3.0-or-later
// What a prompt about a task is made of, as a job: the machine first, then the operators of the reference.
#pragma once

#include "ui/work/askwork.h"

namespace cudal1::ui {

/// Operators that the project keeps of this machine are taken from there; new ones are kept.
class PromptWork : public AskWork {
public:
    PromptWork(const Means& means, PromptJob job, const Place& place) : AskWork(means, place), m_job(std::move(job)) {}
    void start() override;

private:
    void take(const farm::Answer& answer) override;
    void takeMachine(const protocol::Machine& machine);
    void end(std::shared_ptr<const protocol::OperatorGraph> graph);

    PromptJob m_job;
    PromptBasis m_basis;
    std::string m_key; ///< of the operators in the project
};

} // namespace cudal1::ui
