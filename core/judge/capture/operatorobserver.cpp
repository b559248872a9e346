// SPDX-License-Identifier: GPL-3.0-or-later
// Operator ranges of all threads.
#include "core/judge/capture/operatorobserver.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

namespace cudal1::judge {

namespace {

/// Its thread writes and take() reads, perhaps while the thread still runs; so the lock, which nobody else wants.
struct ThreadLog {
    std::mutex lock;
    std::vector<OperatorRecord> records;
};

/// Shared with the callbacks, of which one may still be running on another thread when the observer is gone.
struct Shared {
    std::mutex lock;
    std::vector<std::shared_ptr<ThreadLog>> logs;
    std::atomic<std::size_t> count{0};
};

Shared& shared()
{
    static auto* instance = new Shared; // never destroyed: threads of a stranger may outlive everything
    return *instance;
}

thread_local bool paused = false;

ThreadLog& ownLog()
{
    thread_local const std::shared_ptr<ThreadLog> log = [] {
        auto made = std::make_shared<ThreadLog>();
        const std::lock_guard lock(shared().lock);
        shared().logs.push_back(made);
        return made;
    }();
    return *log;
}

struct Input {
    const c10::TensorImpl* tensor = nullptr;
    std::int64_t bytes = 0;
    int times = 1; ///< among the arguments
};
using Inputs = std::vector<Input>;

struct Range : at::ObserverContext {
    OperatorRecord record;
    Inputs inputs;
};

/// Sizes of nested and symbolic tensors are computed by code that may throw.
bool hasPlainSizes(const at::Tensor& tensor)
{
    return tensor.defined() && !tensor.is_nested() && !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

/// Of distinct elements, on a GPU: what is broadcast or overlaps is there once, and a number beside tensors is no
/// traffic.
std::int64_t bytesOf(const at::Tensor& tensor)
{
    if (!hasPlainSizes(tensor) || tensor.layout() != at::kStrided || !tensor.is_cuda() || !tensor.has_storage())
        return 0;
    auto bytes = static_cast<std::int64_t>(tensor.element_size());
    for (std::int64_t d = 0; d < tensor.dim(); ++d)
        bytes *= tensor.stride(d) == 0 ? std::min<std::int64_t>(tensor.size(d), 1) : tensor.size(d);
    return std::min(bytes, static_cast<std::int64_t>(tensor.storage().nbytes()));
}

Inputs inputsOf(const at::RecordFunction& function)
{
    Inputs inputs;
    for (const c10::IValue& input : function.inputs()) {
        if (!input.isTensor())
            continue;
        const at::Tensor& tensor = input.toTensor();
        const auto known = std::find_if(inputs.begin(), inputs.end(),
                                        [&](const Input& one) { return one.tensor == tensor.unsafeGetTensorImpl(); });
        if (known == inputs.end())
            inputs.push_back({tensor.unsafeGetTensorImpl(), bytesOf(tensor)});
        else
            ++known->times;
    }
    return inputs;
}

/// Of an operator whose result is one of its arguments: that one is written without being read. What is to be written
/// into (out=) may be what is read as well, and is then there twice.
bool overwrites(std::string_view name, const Input& argument)
{
    const bool inPlace = name.ends_with('_') && name != "aten::copy_" && name != "aten::fill_" && name != "aten::zero_";
    return !inPlace && argument.times == 1;
}

std::int64_t movedBytes(const at::RecordFunction& function, const Range& range)
{
    std::int64_t bytes = 0;
    for (const Input& input : range.inputs)
        bytes += input.bytes;
    for (const c10::IValue& output : function.outputs()) {
        if (!output.isTensor())
            continue;
        const at::Tensor& tensor = output.toTensor();
        bytes += bytesOf(tensor);
        const auto input = std::find_if(range.inputs.begin(), range.inputs.end(),
                                        [&](const Input& one) { return one.tensor == tensor.unsafeGetTensorImpl(); });
        if (input != range.inputs.end() && overwrites(range.record.name, *input))
            bytes -= input->bytes; // as it was before: it may have been given its size by this operator
    }
    return bytes;
}

std::string shapesOf(const at::RecordFunction& function)
{
    constexpr int mostTensors = 6;
    constexpr std::size_t mostCharacters = 120;
    std::string text;
    int shown = 0;
    for (const c10::IValue& input : function.inputs()) {
        if (!input.isTensor())
            continue;
        const at::Tensor& tensor = input.toTensor();
        if (!hasPlainSizes(tensor))
            continue;
        if (++shown > mostTensors || text.size() > mostCharacters) {
            text += " …";
            break;
        }
        text += text.empty() ? "[" : " [";
        for (std::int64_t d = 0; d < tensor.dim(); ++d)
            text += (d ? ", " : "") + std::to_string(tensor.size(d));
        text += "]";
    }
    return text;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function)
{
    if (paused)
        return nullptr;
    auto range = std::make_unique<Range>();
    range->record.thread = hostThread();
    range->record.userScope = function.scope() == at::RecordScope::USER_SCOPE;
    range->record.name = function.name();
    range->record.shapes = shapesOf(function);
    range->inputs = inputsOf(function);
    range->record.start_ns = hostNow_ns();
    return range;
}

void end(const at::RecordFunction& function, at::ObserverContext* context)
{
    const std::int64_t now = hostNow_ns();
    auto* range = static_cast<Range*>(context);
    if (!range || shared().count.fetch_add(1, std::memory_order_relaxed) >= OperatorObserver::maxRecords)
        return;
    range->record.end_ns = now;
    range->record.moved_bytes = movedBytes(function, *range);
    ThreadLog& log = ownLog();
    const std::lock_guard lock(log.lock);
    log.records.push_back(std::move(range->record));
}

} // namespace

std::int64_t hostNow_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::int64_t hostThread()
{
    thread_local const std::int64_t id = ::gettid();
    return id;
}

OperatorObserver::OperatorObserver()
{
    (void)take(); // what a thread of an earlier observation left behind
    shared().count = 0;
    m_handle = at::addGlobalCallback(at::RecordFunctionCallback(begin, end)
                                         .needsInputs(true)
                                         .needsOutputs(true)
                                         .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                                                  at::RecordScope::TORCHSCRIPT_FUNCTION, at::RecordScope::USER_SCOPE}));
}

OperatorObserver::~OperatorObserver()
{
    at::removeCallback(m_handle);
}

std::vector<OperatorRecord> OperatorObserver::take()
{
    std::vector<OperatorRecord> all;
    const std::lock_guard lock(shared().lock);
    for (const auto& log : shared().logs) {
        const std::lock_guard own(log->lock);
        std::move(log->records.begin(), log->records.end(), std::back_inserter(all));
        log->records.clear();
    }
    return all;
}

std::size_t OperatorObserver::lost() const
{
    const std::size_t count = shared().count;
    return count > maxRecords ? count - maxRecords : 0;
}

OperatorObserver::Pause::Pause() : m_before(paused)
{
    paused = true;
}

OperatorObserver::Pause::~Pause()
{
    paused = m_before;
}

} // namespace cudal1::judge
