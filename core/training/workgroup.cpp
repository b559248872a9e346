// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls through c10d.
#include "core/training/workgroup.h"

#include "core/training/generated/processgroup_py.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace cudal1::training {

namespace {

constexpr const char* module = "cudal1_processgroup";
/// After another process has ended: for this one to end too, by the same order to quit or since its call failed.
constexpr std::chrono::seconds grace(10);

std::optional<int> numberOf(const char* name)
{
    const char* text = std::getenv(name);
    int out = 0;
    if (!text || std::from_chars(text, text + std::strlen(text), out).ec != std::errc())
        return {};
    return out;
}

int numberOf(const char* name, const char* ofSlurm, int otherwise)
{
    const auto number = numberOf(name);
    return number ? *number : numberOf(ofSlurm).value_or(otherwise);
}

void setNumber(const char* name, int number)
{
    ::setenv(name, std::to_string(number).c_str(), 1);
}

/// Waits for a message from another process that it never sends, and so for the end of the connection.
class Watch {
public:
    Watch(const c10::intrusive_ptr<c10d::ProcessGroup>& group, int other, std::function<void()> lost)
        : m_nothing{at::zeros({1}, at::kByte)}, m_lost(std::move(lost)), m_message(group->recv(m_nothing, other, 0)),
          m_thread([this] { run(); })
    {
    }

    ~Watch()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_isLeaving = true;
        }
        m_left.notify_one();
        m_message->abort();
        m_thread.join();
    }

private:
    void run()
    {
        try {
            m_message->wait();
        } catch (const std::exception&) {
            std::unique_lock lock(m_mutex);
            if (!m_left.wait_for(lock, grace, [this] { return m_isLeaving; }))
                m_lost();
        }
    }

    std::vector<at::Tensor> m_nothing;
    const std::function<void()> m_lost;
    std::mutex m_mutex;
    std::condition_variable m_left;
    bool m_isLeaving = false;
    const c10::intrusive_ptr<c10d::Work> m_message;
    std::thread m_thread; ///< behind what it uses
};

} // namespace

struct Workgroup::State {
    c10::intrusive_ptr<c10d::ProcessGroup> group, watched;
    std::vector<std::unique_ptr<Watch>> watches;
    decoder::Interpreter* python = nullptr;
};

Workgroup::Workgroup() = default;

Workgroup::~Workgroup()
{
    if (!m_state)
        return;
    m_state->group.reset();
    (void)m_state->python->call(module, "leave", nullptr); // the process ends in any case
}

void Workgroup::watch(const std::function<void()>& lost)
{
    // The first process sees the end of any other one, and the others that of the first.
    for (int other = 0; m_state && other < m_size; ++other)
        if (other != m_rank && (isFirst() || other == 0))
            m_state->watches.push_back(std::make_unique<Watch>(m_state->watched, other, lost));
}

int Workgroup::sizeOfEnvironment()
{
    return numberOf("WORLD_SIZE", "SLURM_NTASKS", 1);
}

int Workgroup::localRankOfEnvironment()
{
    return numberOf("LOCAL_RANK", "SLURM_LOCALID", 0);
}

base::Result<std::unique_ptr<Workgroup>> Workgroup::join(decoder::Interpreter& python)
{
    auto out = std::make_unique<Workgroup>();
    out->m_size = sizeOfEnvironment();
    out->m_rank = numberOf("RANK", "SLURM_PROCID", 0);
    if (out->m_size <= 1) {
        out->m_size = 1;
        out->m_rank = 0;
        return out;
    }
    if (!std::getenv("MASTER_ADDR") || !std::getenv("MASTER_PORT"))
        return base::Error{base::ErrorCode::InvalidArgument,
                           "There are " + std::to_string(out->m_size) +
                               " processes, and it is not said where the first one is",
                           "", "Set MASTER_ADDR and MASTER_PORT, as torchrun does; or start one process alone"};
    if (out->m_rank < 0 || out->m_rank >= out->m_size)
        return base::Error{base::ErrorCode::InvalidArgument,
                           "This process is number " + std::to_string(out->m_rank) + " of " +
                               std::to_string(out->m_size),
                           "RANK", "Numbers go from 0 to WORLD_SIZE - 1"};
    setNumber("RANK", out->m_rank);
    setNumber("WORLD_SIZE", out->m_size);
    if (const auto loaded = python.load(module, processgroupSource); !loaded)
        return loaded.error();
    const auto answer = python.call(module, "join", {{"local_rank", localRankOfEnvironment()}});
    if (!answer)
        return answer.error();
    out->m_state = std::make_unique<State>();
    out->m_state->python = &python;
    out->m_state->group = c10d::resolve_process_group(answer->at("name").get<std::string>());
    out->m_state->watched = c10d::resolve_process_group(answer->at("watch").get<std::string>());
    return out;
}

void Workgroup::sum(at::Tensor& flat)
{
    if (!m_state)
        return;
    std::vector<at::Tensor> tensors{flat};
    m_state->group->allreduce(tensors)->wait();
}

void Workgroup::sum(std::span<double> numbers)
{
    if (!m_state)
        return;
    at::Tensor all = at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kDouble);
    sum(all);
}

double Workgroup::largest(double number)
{
    if (!m_state)
        return number;
    std::vector<at::Tensor> tensors{at::full({1}, number, at::kDouble)};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    m_state->group->allreduce(tensors, options)->wait();
    return tensors[0].item<double>();
}

std::string Workgroup::fromFirst(const std::string& text)
{
    if (!m_state)
        return text;
    std::vector<at::Tensor> size{at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong)};
    m_state->group->broadcast(size)->wait();
    std::string out = text;
    out.resize(static_cast<std::size_t>(size[0].item<std::int64_t>()));
    if (out.empty())
        return out;
    std::vector<at::Tensor> bytes{at::from_blob(out.data(), {static_cast<std::int64_t>(out.size())}, at::kByte)};
    m_state->group->broadcast(bytes)->wait();
    return out;
}

void Workgroup::wait()
{
    double nothing = 0;
    sum(std::span(&nothing, 1));
}

void Workgroup::sumToSlices(at::Tensor& flat, at::Tensor& slice)
{
    if (!m_state)
        slice.copy_(flat);
    else
        m_state->group->_reduce_scatter_base(slice, flat)->wait();
}

void Workgroup::gather(const at::Tensor& slice, at::Tensor& flat)
{
    if (!m_state) {
        flat.copy_(slice);
        return;
    }
    // As bytes: gloo does not know every kind of number.
    at::Tensor all = flat.view(at::kByte), part = slice.contiguous().view(at::kByte);
    m_state->group->_allgather_base(all, part)->wait();
}

} // namespace cudal1::training
