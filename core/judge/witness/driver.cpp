// SPDX-License-Identifier: GPL-3.0-or-later
// Drives one call of a subject: on the CPU by stopping it, on a GPU by the order of what is done.
#include "core/judge/witness/driver.h"

#include "core/judge/module/checkcuda.h"
#include "core/judge/witness/witness.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <time.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace cudal1::judge {

double clock_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

Driver::Driver(const c10::Device& device, const Arena& arena, const ArenaLayout& layout, CacheFlush& flush)
    : m_device(device), m_arena(arena), m_layout(layout), m_flush(flush)
{
    if (device.is_cuda())
        m_sender = std::make_unique<InputSender>(device, arena, layout);
}

std::vector<at::Tensor> Driver::views() const
{
    std::vector<at::Tensor> out;
    for (const TensorSpec& spec : m_layout.inputs)
        if (spec.isTensor())
            out.push_back(viewOf(m_arena.data(), spec, m_device));
    return out;
}

at::Tensor Driver::copyOfInputs() const
{
    return at::from_blob(m_arena.data(), {static_cast<std::int64_t>(m_layout.inputBytes)},
                         at::TensorOptions().dtype(at::kByte).device(m_device))
        .clone();
}

void Driver::lay(std::size_t slot, const std::vector<at::Tensor>& inputs)
{
    if (!m_sender || !m_sender->whole())
        return; // run() writes them while the subject is stopped
    m_sender->lay(slot, inputs);
}

double Driver::probe()
{
    if (m_device.is_cpu())
        return 0;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    const double begun = clock_ns();
    checkCuda(cudaMemsetAsync(m_arena.data() + m_arena.bytes() - 4, 0, 4, stream), "asking for the device");
    checkCuda(cudaStreamSynchronize(stream), "asking for the device");
    return clock_ns() - begun;
}

Ending Driver::await(DrivenSubject& subject, const Patience& patience)
{
    const double begun = clock_ns();
    Ending ending;
    const bool answered = subject.steps().await([&] {
        ending = patience((clock_ns() - begun) * 1e-9);
        return ending.empty();
    });
    if (!answered)
        return ending;
    return subject.steps().failed() ? "failed" : "";
}

Ending Driver::ready(DrivenSubject& subject, std::uint32_t flags, const Patience& patience)
{
    subject.steps().tell(Step::Ready, flags);
    subject.thaw();
    return await(subject, patience);
}

Ending Driver::run(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, std::size_t slot,
                   const Patience& patience, Call& out)
{
    return m_device.is_cuda() ? onGpu(subject, plan, inputs, slot, patience, out)
                              : onCpu(subject, plan, inputs, patience, out);
}

Ending Driver::onCpu(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs,
                     const Patience& patience, Call& out)
{
    const auto worked = [&subject](double took_ns, std::optional<double>& before) {
        const std::optional<double> now = subject.used_ns(), then = std::exchange(before, now);
        return now && then ? std::min(took_ns, *now - *then) : took_ns;
    };
    std::optional<double> used = subject.used_ns();
    const double asked = clock_ns();
    if (const Ending ending = ready(subject, plan.readyFlags, patience); !ending.empty())
        return ending;
    subject.freeze();
    out.ready_ns = clock_ns() - asked; // until it stands still, since the kernel may be at work for it after its answer
    out.readyWorked_ns = worked(out.ready_ns, used);
    out.threads = subject.threads();
    plan.whenReady();
    const std::vector<at::Tensor> shared = views();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        shared[i].copy_(inputs[i]);
    if (plan.flush)
        m_flush();
    subject.steps().tell(Step::Call, plan.callFlags, plan.seed);
    const double begun = clock_ns();
    subject.thaw();
    if (const Ending ending = await(subject, patience); !ending.empty())
        return ending;
    double ended = clock_ns();
    subject.freeze(); // the call is over when the subject can no longer change its results
    if (subject.stoppingCounts())
        ended = clock_ns();
    out.wall_ns = ended - begun;
    out.wallWorked_ns = worked(out.wall_ns, used);
    out.places = subject.places(m_layout.outputs.size());
    if (!plan.read)
        return {};
    out.results = subject.read(out.places, m_layout, m_arena, out.opened);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        out.inputsChanged = out.inputsChanged || !sameBytes(shared[i], inputs[i]);
    if (plan.keepInputs)
        out.inputsAfter = copyOfInputs();
    return {};
}

Ending Driver::onGpu(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, std::size_t slot,
                     const Patience& patience, Call& out)
{
    // A process that was stopped finds the caches of its core cold, which doubles a call of 15 us. Where all inputs are
    // sent at the last moment, the subject stays awake: it has nothing to compute with yet, and the probes find what it
    // does on the device.
    if (!m_sender->whole()) {
        subject.freeze();
        m_sender->lay(slot, inputs);
        synchronise(m_device);
    }
    if (plan.flush) {
        const double begun = clock_ns();
        m_flush();
        synchronise(m_device);
        out.flush_ns = clock_ns() - begun;
    }
    const double asked = clock_ns();
    if (const Ending ending = ready(subject, plan.readyFlags, patience); !ending.empty())
        return ending;
    out.readyWorked_ns = out.ready_ns = clock_ns() - asked;
    for (int i = 0; i < plan.probes; ++i) {
        out.probe_ns.push_back(probe());
        // The probe has switched the device to this process, so the subject has to take it again.
        if (const Ending ending = ready(subject, plan.readyFlags, patience); !ending.empty())
            return ending;
    }
    m_sender->send(slot, plan.decoy);
    if (plan.peek) {
        out.peek_ns = probe();
        return {};
    }
    const double begun = clock_ns();
    subject.steps().tell(plan.launch ? Step::Launch : Step::Call, plan.callFlags, plan.seed);
    if (const Ending ending = await(subject, patience); !ending.empty())
        return ending;
    out.wallWorked_ns = out.wall_ns = clock_ns() - begun;
    if (plan.launch)
        return {};
    if (plan.tail)
        out.tail_ns = probe();
    out.places = subject.places(m_layout.outputs.size());
    out.results = subject.read(out.places, m_layout, m_arena, out.opened);
    synchronise(m_device);
    if (plan.read && m_sender->whole())
        out.inputsAfter = m_sender->readBack();
    else if (plan.read)
        out.inputsChanged = m_sender->changed({}, inputs);
    if (plan.read && plan.keepInputs && !m_sender->whole())
        out.inputsAfter = copyOfInputs();
    return {};
}

bool Driver::changed(const at::Tensor& inputsAfter, const std::vector<at::Tensor>& inputs) const
{
    return m_sender && m_sender->whole() && inputsAfter.defined() && m_sender->changed(inputsAfter, inputs);
}

Ending Driver::runEmpty(DrivenSubject& subject, const Patience& patience, double& wall_ns)
{
    const bool cuda = m_device.is_cuda();
    if (!cuda)
        subject.freeze();
    double begun = clock_ns();
    subject.steps().tell(Step::Empty);
    if (!cuda) {
        begun = clock_ns();
        subject.thaw();
    }
    const Ending ending = await(subject, patience);
    wall_ns = clock_ns() - begun;
    if (!cuda) {
        subject.freeze();
        if (subject.stoppingCounts())
            wall_ns = clock_ns() - begun;
    }
    return ending;
}

void Driver::finish(DrivenSubject& subject) noexcept
{
    try {
        subject.forgetAllocations();
        subject.steps().tell(Step::End);
    } catch (const std::exception&) {
        // the supervisor ends this subject
    }
}

} // namespace cudal1::judge
