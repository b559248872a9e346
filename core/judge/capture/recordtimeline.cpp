// SPDX-License-Identifier: GPL-3.0-or-later
// Records a few calls of the module in this process.
#include "core/judge/capture/recordtimeline.h"

#include "core/judge/capture/activity.h"
#include "core/judge/capture/operatorobserver.h"
#include "core/judge/capture/threadtimes.h"
#include "core/judge/capture/timelinebuilder.h"
#include "core/judge/module/torchsupport.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <time.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace cudal1::judge {

namespace {

constexpr std::int64_t warmup_ns = 100'000'000;
constexpr int warmupCalls = 3;
// After the last window the judge does nothing for as long as the window was, within these limits.
constexpr std::int64_t leastWait_ns = 10'000'000, mostWait_ns = 50'000'000;

/// The tightest of some pairs of readings.
ClockPoint readClocks(const ActivityCollection& activity)
{
    ClockPoint best;
    std::int64_t bestGap = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 50; ++i) {
        const std::int64_t before = hostNow_ns();
        const std::uint64_t there = activity.now_ns();
        const std::int64_t after = hostNow_ns();
        if (after - before < bestGap) {
            bestGap = after - before;
            best = {before + (after - before) / 2, there};
        }
    }
    return best;
}

void waitDoingNothing(std::int64_t duration_ns)
{
    const timespec pause{duration_ns / 1'000'000'000, duration_ns % 1'000'000'000};
    PyThreadState* state = PyEval_SaveThread(); // the module's own Python threads may run
    ::nanosleep(&pause, nullptr);
    PyEval_RestoreThread(state);
}

class Recording {
public:
    Recording(const c10::Device& device, CacheFlush& flush, std::uint64_t seed, const std::function<void()>& prepare,
              const std::function<PyRef()>& forward)
        : m_device(device), m_flush(flush), m_seed(seed), m_prepare(prepare), m_forward(forward)
    {
        m_out.device = device.str();
        m_out.judgeThread = hostThread();
        if (m_device.is_cuda())
            m_marker = at::empty({64}, at::TensorOptions().dtype(at::kByte).device(m_device));
    }

    protocol::Timeline run(int calls)
    {
        const std::int64_t begun = hostNow_ns();
        for (int i = 0; i < warmupCalls && (i == 0 || hostNow_ns() - begun < warmup_ns); ++i)
            callUnrecorded();
        OperatorObserver observer;
        startActivity();
        callUnrecorded(); // the first one under observation pays for what CUPTI sets up
        for (int i = 0; i < calls; ++i)
            window();
        wait();
        stopActivity();
        m_out.operators = observer.take();
        if (observer.lost() > 0)
            m_out.notes.push_back("There were " + std::to_string(observer.lost()) +
                                  " operators more than can be recorded.");
        for (const auto& [thread, time] : threadTimes())
            m_out.threadNames.emplace(thread, time.name);
        for (auto& [thread, time] : m_threads)
            m_out.threads.push_back(std::move(time));
        return buildTimeline(std::move(m_out));
    }

private:
    using Times = std::map<std::int64_t, ThreadTime>;

    void prepareCall()
    {
        m_prepare();
        at::manual_seed(m_seed);
        m_flush();
        synchronise(m_device);
    }

    void callUnrecorded()
    {
        const OperatorObserver::Pause pause;
        prepareCall();
        m_forward();
        synchronise(m_device);
    }

    /// As in a timed round: the next call follows at once, so that caches and clocks are as they are there.
    void window()
    {
        m_result = {}; // outside of the judge's work, so that what its end sets off is seen
        const std::int64_t judgeFrom = hostNow_ns();
        Times before;
        {
            const OperatorObserver::Pause pause;
            prepareCall();
            before = threadTimes();
        }
        RecordedWindow window;
        window.start_ns = hostNow_ns();
        m_out.judgeWork.emplace_back(judgeFrom, window.start_ns);
        m_result = m_forward();
        window.returned_ns = hostNow_ns();
        if (m_device.is_cuda())
            markStream(window.returned_ns);
        synchronise(m_device);
        window.end_ns = hostNow_ns();
        m_after = threadTimes();
        if (!m_out.windows.empty())
            m_out.windows.back().until_ns = window.start_ns;
        m_out.windows.push_back(window);
        for (const auto& [thread, time] : m_after)
            threadOf(thread, time).inside_ns += since(before, thread, time);
    }

    /// After the last window: work that was put off comes to light.
    void wait()
    {
        RecordedWindow& last = m_out.windows.back();
        waitDoingNothing(std::clamp(last.end_ns - last.start_ns, leastWait_ns, mostWait_ns));
        m_result = {};
        const std::int64_t judgeFrom = hostNow_ns();
        synchronise(m_device);
        const Times later = threadTimes();
        last.until_ns = hostNow_ns();
        m_out.judgeWork.emplace_back(judgeFrom, last.until_ns);
        for (const auto& [thread, time] : later)
            if (thread != m_out.judgeThread)
                threadOf(thread, time).outside_ns += since(m_after, thread, time);
    }

    /// Puts a memset of the judge's on the caller's stream: its end is when that stream had done all that it was given,
    /// on the same clock as the kernels.
    void markStream(std::int64_t from)
    {
        cudaMemsetAsync(m_marker.data_ptr(), 0, static_cast<std::size_t>(m_marker.nbytes()),
                        c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
        m_out.judgeWork.emplace_back(from, hostNow_ns());
    }

    protocol::TimelineThread& threadOf(std::int64_t thread, const ThreadTime& time)
    {
        protocol::TimelineThread& sum = m_threads[thread];
        sum.id = thread;
        sum.name = time.name;
        return sum;
    }

    static std::int64_t since(const Times& earlier, std::int64_t thread, const ThreadTime& now)
    {
        const auto before = earlier.find(thread);
        return now.run_ns - (before == earlier.end() ? 0 : before->second.run_ns);
    }

    void startActivity()
    {
        if (!m_device.is_cuda())
            return;
        m_activity.emplace();
        try {
            m_activity->start(ActivityLevel::Full);
            m_out.begin = readClocks(*m_activity);
        } catch (const std::runtime_error& error) {
            m_activity.reset();
            m_out.notes.push_back(std::string("The GPU's side is missing. ") + error.what() +
                                  ". Another profiler may hold it, or the driver lets only administrators profile.");
        }
    }

    void stopActivity()
    {
        if (!m_activity)
            return;
        m_out.end = readClocks(*m_activity);
        m_out.activity = m_activity->stop();
        if (m_activity->lost() > 0)
            m_out.notes.push_back("CUPTI lost " + std::to_string(m_activity->lost()) + " records.");
    }

    c10::Device m_device;
    CacheFlush& m_flush;
    std::uint64_t m_seed;
    const std::function<void()>& m_prepare;
    const std::function<PyRef()>& m_forward;
    at::Tensor m_marker;
    PyRef m_result; ///< of the last call
    Times m_after;  ///< at the end of the last window
    RecordedTimeline m_out;
    std::optional<ActivityCollection> m_activity;
    std::map<std::int64_t, protocol::TimelineThread> m_threads;
};

} // namespace

RecordTimeline::Reply recordTimeline(const RecordTimeline& request, const c10::Device& device, CacheFlush& flush,
                                     const std::function<void()>& prepare, const std::function<PyRef()>& forward)
{
    const int calls = std::clamp(request.calls, 1, protocol::TimelineRequest::maxCalls);
    return {Recording(device, flush, request.seed, prepare, forward).run(calls)};
}

} // namespace cudal1::judge
