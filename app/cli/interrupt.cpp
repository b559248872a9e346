// SPDX-License-Identifier: GPL-3.0-or-later
// Signals of the system through a pipe into the event loop.
#include "app/cli/interrupt.h"

#include <QSocketNotifier>

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace cudal1::cli {

namespace {

int s_pipe[2] = {-1, -1};
volatile std::sig_atomic_t s_caught = 0;

void handle(int number)
{
    if (s_caught)
        ::_exit(128 + number);
    s_caught = number;
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(s_pipe[1], &byte, 1);
}

} // namespace

Interrupt::Interrupt(QObject* parent) : QObject(parent)
{
    s_caught = 0;
    if (::pipe2(s_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return; // no descriptors left: signals keep their default action
    m_notifier = new QSocketNotifier(s_pipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        m_notifier->setEnabled(false);
        emit requested();
    });
    std::signal(SIGINT, &handle);
    std::signal(SIGTERM, &handle);
}

Interrupt::~Interrupt()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    for (int& end : s_pipe) {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
}

int Interrupt::caught() const
{
    return s_caught;
}

} // namespace cudal1::cli
