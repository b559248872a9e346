// SPDX-License-Identifier: GPL-3.0-or-later
// What the witness answers, and which part of it does the work.
#include "core/judge/witness/witness.h"

#include "core/judge/sandbox/guard.h"
#include "core/judge/witness/localround.h"
#include "core/judge/witness/recycledmemory.h"
#include "core/judge/witness/taskscreen.h"
#include "core/judge/witness/timedround.h"
#include "core/judge/witness/traffic.h"
#include "core/judge/witness/trial.h"

#include <ATen/Parallel.h>

#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace cudal1::judge {

namespace {

/// Whether this process has cores enough to wait for another without sleeping.
bool mayWaitAwake(const c10::Device& device)
{
    cpu_set_t cores;
    if (::sched_getaffinity(0, sizeof cores, &cores) != 0)
        return false;
    const int own = CPU_COUNT(&cores);
    return device.is_cuda() ? own >= 2 : own > at::get_num_threads();
}

/// While it lives, and if `wanted`, the framework's operators run on this thread alone. The threads of an OpenMP team
/// go on spinning for some milliseconds after their work, and by then the subject's call has begun on the same cores.
/// It is not wanted for large inputs: making those with one thread would take too long, and their calls are long enough
/// not to notice.
class OneThread {
public:
    explicit OneThread(bool wanted) : m_before(at::get_num_threads())
    {
        if (wanted)
            at::set_num_threads(1);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;
    ~OneThread() { at::set_num_threads(m_before); }

private:
    int m_before;
};

} // namespace

Witness::Witness(int socket, int memoryFile, std::string folder)
    : ReferenceHost(memoryFile, std::move(folder)), m_socket(socket), m_present(*this, m_families),
      m_oracle(*this, m_present), m_weights(*this), m_buffers(*this)
{
    constexpr std::uint64_t mostRecycled = 1u << 30;
    recycleMemory(std::min(mostRecycled, freeMemory() / 16));
    m_requests.on<LoadTask>([this](const LoadTask& request) { return load(request); });
    m_requests.on<RepeatFirstCall>([this](const RepeatFirstCall&) { return repeatFirstCall(); });
    m_requests.on<Attach>([this](const Attach& request, Descriptors& descriptors) { attach(request, descriptors); });
    m_requests.on<RunTrial>([this](const RunTrial& request) { return trial(request); });
    m_requests.on<DrawBase>([this](const DrawBase& request) { m_calls->drawBase(request.seed); });
    m_requests.on<RunRound>([this](const RunRound& request) { return round(request); });
    m_requests.on<CompareKept>([this](const CompareKept& request) { return compareKept(request); });
    m_requests.on<Reweigh>([this](const Reweigh& request) {
        m_weights.give(request);
        weightsChanged();
        m_families.weightsChanged(request.initial);
    });
    m_requests.on<ClearArena>([this](const ClearArena&) {
        m_kernels->poison(m_arena.data(), m_arena.bytes());
        synchronise(m_device);
    });
    m_requests.on<GiveBuffers>([this](const GiveBuffers&) { m_buffers.give(); });
    m_requests.on<CompareBuffers>([this](const CompareBuffers& request) {
        const std::vector<SecretCall> calls = request.ofRound ? std::exchange(m_made, {})
                                                              : std::vector{m_present.call()};
        const std::string difference = m_buffers.compare(calls);
        return CompareBuffers::Reply{difference,
                                     difference.empty() ? m_buffers.errors(calls) : OracleErrors{0, 0, false, {}}};
    });
    m_requests.on<MeasureTraffic>([this](const MeasureTraffic& request) { return trafficOf(*this, request); });
    m_requests.on<MeasureBandwidth>([this](const MeasureBandwidth&) { return bandwidthOf(m_device); });
    m_requests.on<ScreenTask>(
        [this](const ScreenTask& request) { return TaskScreen(*this, m_present, m_families).screen(request); });
    m_requests.on<Abandon>([](const Abandon&) {}); // it came when nothing was under way any more
}

LoadTask::Reply Witness::load(const LoadTask& request)
{
    LoadTask::Reply reply = loadTask(request);
    m_flush = std::make_unique<CacheFlush>(m_device);
    m_driver = std::make_unique<Driver>(m_device, m_arena, m_layout, *m_flush);
    m_calls = std::make_unique<CallMaker>(*this, m_families, m_present, *m_driver);
    constexpr std::uint64_t keptShare = 8; // of the memory that is free: candidates need theirs
    m_expected = ExpectedTrials(freeMemory() / keptShare);
    if (m_firstCall) {
        reply.keepsFirst = m_expected.keep(request.seed, state(), {*m_firstCall, m_first_ns * 1e-9});
        m_firstCall->facts->stays = reply.keepsFirst;
        m_firstCall.reset();
    }
    return reply;
}

void Witness::attach(const Attach& request, Descriptors& descriptors)
{
    if (descriptors.size() != 1)
        throw std::runtime_error("a subject without its page");
    m_knownOf.erase(request.side);
    m_driven[request.side] = std::make_unique<DrivenSubject>(descriptors.front(), request, m_device,
                                                             mayWaitAwake(m_device));
}

RunTrial::Reply Witness::trial(const RunTrial& request)
{
    const Trial::Means means{*this, *m_driver, m_families, m_present, m_nulls, m_oracle, m_expected};
    return Trial(means, *m_driven.at(DrivenSide::Candidate), request).run(patienceOf(request.limit_s));
}

RunRound::Reply Witness::round(const RunRound& request)
{
    if (m_calls->empty())
        throw std::runtime_error("a round before anything was drawn");
    if (request.keep && request.side == DrivenSide::Candidate)
        m_kept.clear();
    if (request.local) {
        RunRound::Reply reply = localRound({*this, *m_driver, *m_calls, *m_flush}, request);
        m_arguments = {};
        return reply;
    }
    constexpr std::size_t mostAlone = std::size_t{64} << 20;
    const OneThread alone(m_device.is_cpu() && m_layout.inputBytes <= mostAlone);
    const TimedRound::Means means{
        *this, *m_driver, *m_calls, m_kept, m_copied, m_callsOf[request.side], m_made, m_knownOf[request.side]};
    return TimedRound(means, *m_driven.at(request.side), request, patienceOf(request.limit_s)).run();
}

Driver::Patience Witness::patienceOf(double limit_s) const
{
    return [this, limit_s](double seconds) -> Ending {
        char byte = 0;
        if (::recv(m_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
            return "abandoned"; // the supervisor sent a message, or is gone
        return seconds > limit_s ? "silent" : "";
    };
}

CompareKept::Reply Witness::compareKept(const CompareKept& request)
{
    CompareKept::Reply out;
    std::vector<SecretCall> kept = std::exchange(m_kept, {});
    const SecretCall* farthest = nullptr;
    double largest = 1;
    for (SecretCall& call : kept) {
        if (const SecretCall* known = m_calls->pairOf(call.seed)) {
            call.expected = known->expected;
            call.left = known->left;
        }
        if (call.expected.empty())
            call.expected = runReference(call.inputs, call.seed, &call.left);
        for (at::Tensor& actual : call.actual)
            actual = asReal(actual.to(m_device));
        m_present.set(call);
        ++out.compared;
        out.worstRelativeError = std::max(out.worstRelativeError,
                                          m_present.compareResults("of a timed call, " + m_present.call().family));
        m_present.compareLeft("of a timed call, " + m_present.call().family);
        if (const double doubt = m_oracle.doubt(); doubt > largest) {
            largest = doubt;
            farthest = &call;
        }
    }
    const auto measure = [&](const SecretCall* call, Yardstick yardstick) {
        if (!call || yardstick == Yardstick::None)
            return;
        m_present.set(*call);
        const OracleErrors errors = m_oracle.errors(yardstick);
        if (!std::exchange(out.measured, true) || excessOf(errors) > excessOf(out.errors))
            out.errors = errors;
    };
    // Its place among them says how late in its round a call was made, which the process can count.
    const SecretCall* const drawn = kept.empty() || request.oracle == Yardstick::None
                                      ? nullptr
                                      : &kept[secretNumber() % kept.size()];
    measure(drawn, request.oracle);
    if (farthest != drawn)
        measure(farthest, request.doubted);
    return out;
}

} // namespace cudal1::judge
