// SPDX-License-Identifier: GPL-3.0-or-later
// The supervisor's end of a subject: its socket, what it printed, how it ended.
#pragma once

#include "core/judge/sandbox/freezer.h"

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::judge {

/// A subject ended by itself; `status` is that of waitpid, absent when it could not be learned.
struct SubjectGone {
    std::optional<int> status;
    std::string cause = {}; ///< "processes" or "memory": a limit ended it; "protocol": it sent what no answer is
};
/// No answer in time. The subject is still there and must be killed.
struct DeadlinePassed {
    double seconds;
};
/// It printed more than a program that means well.
struct OutputFlood {};
/// The client withdrew the request.
struct Cancelled {};

class SubjectHandle {
public:
    static constexpr std::size_t keptOutput = 64 << 10;
    static constexpr std::uint64_t floodBytes = 64u << 20;

    /// `page` is the file of its handover page and `freezer` what stops it, of one that is driven; else -1 and null.
    SubjectHandle(int socket, int output, int page, std::shared_ptr<Freezer> freezer)
        : m_socket(socket), m_output(output), m_page(page), m_freezer(std::move(freezer))
    {
    }
    SubjectHandle(const SubjectHandle&) = delete;
    SubjectHandle& operator=(const SubjectHandle&) = delete;
    ~SubjectHandle(); ///< kills what is still there

    pid_t pid() const { return m_pid; } ///< 0 while it is not known, -1 when there is no process
    void setPid(pid_t pid) { m_pid = pid; }
    int socket() const { return m_socket; }
    int output() const { return m_output; } ///< -1 once it is closed
    int page() const { return m_page; }
    /// The process that holds the module: a descendant of pid() where that is its guard. 0 while it is not known.
    pid_t process() const { return m_process; }
    void setProcess(pid_t process);
    FreezerPlace freezerPlace() const { return m_freezer ? m_freezer->place() : FreezerPlace{}; }
    void freeze(); ///< all of it: it has no request. Nothing where it cannot be stopped.
    void thaw();
    void handOver(); ///< as Freezer::handOver()
    void kill();

    /// Reads what it printed without blocking; throws OutputFlood.
    void drain();
    const std::string& printed() const { return m_printed; }
    std::uint64_t nextNonce();
    /// With CUDAL1_TRACE in the environment: writes to standard error how long a request took that began then.
    void trace(const std::string& request, double begun_s) const;

    std::optional<int> status; ///< as waitpid gives it, once the zygote has told
    std::string cause;         ///< told with the status, see zygote.h
    std::vector<std::string> isolation, isolationMissing;

private:
    pid_t m_pid = 0, m_process = 0;
    int m_socket, m_output, m_page;
    std::shared_ptr<Freezer> m_freezer;
    std::string m_printed;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_nonce = 0;
};

} // namespace cudal1::judge
