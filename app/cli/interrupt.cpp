// SPDX-License-Identifier: GPL-3.0-or-later
// Signals of the system through a pipe into the event loop.
#include "app/cli/interrupt.h"

#include <QSocketNotifier>

#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <unistd.h>

namespace cudal1::cli {

namespace {

int s_pipe[2] = {-1, -1};
volatile std::sig_atomic_t s_caught = 0;
timespec s_caughtAt{};

/// timeout(1) and some shells send a signal to a process and then to its group, so that it comes twice at once. That is
/// one wish to stop.
constexpr double oneWish_s = 0.5;

void handle(int number)
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (s_caught) {
        const double since_s = double(now.tv_sec - s_caughtAt.tv_sec) + double(now.tv_nsec - s_caughtAt.tv_nsec) / 1e9;
        if (number == s_caught && since_s < oneWish_s)
            return;
        ::_exit(128 + number);
    }
    s_caughtAt = now;
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
    if (!s_caught) { // else the same wish to stop may come once more while the program ends
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
    }
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
