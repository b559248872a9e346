// SPDX-License-Identifier: GPL-3.0-or-later
// Results that take no work.
#include "core/judge/witness/nullcandidates.h"

#include "core/judge/wire/steadyclock.h"

#include <ATen/core/function_schema.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Sleep.h>
#include <ATen/record_function.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <optional>

namespace cudal1::judge {

namespace {

using Tensors = std::vector<at::Tensor>;

Tensors zeros(const Tensors& expected)
{
    Tensors out;
    for (const at::Tensor& tensor : expected)
        out.push_back(at::zeros_like(tensor));
    return out;
}

double meanOf(const at::Tensor& result)
{
    return at::isFloatingType(result.scalar_type()) && result.numel() > 0 ? result.mean(at::kDouble).item<double>() : 0;
}

/// For each result an input of its shape and type; empty when one has none.
Tensors copies(const Tensors& expected, const Tensors& inputs)
{
    Tensors out;
    for (const at::Tensor& tensor : expected)
        for (const at::Tensor& input : inputs)
            if (input.sizes() == tensor.sizes() && input.scalar_type() == tensor.scalar_type()) {
                out.push_back(input);
                break;
            }
    return out;
}

/// A place in the work of the device, and when it comes to it. The host's clock on a CPU; on a GPU an event of the
/// stream that is used now, so that operators follow each other as they do when nobody looks.
class Moment {
public:
    explicit Moment(c10::Device device) : m_s(secondsNow())
    {
        // Nobody may ask for times while a graph is recorded.
        if (!device.is_cuda() || c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None)
            return;
        m_stream = c10::cuda::getCurrentCUDAStream(device.index());
        m_event.emplace(cudaEventDefault);
        m_event->record(*m_stream);
    }

    bool onStreamOf(const Moment& other) const { return m_stream == other.m_stream; }

    /// Waits until the device has come to `end`. Nothing where both are not on one stream.
    std::optional<double> nsUntil(const Moment& end) const
    {
        if (m_stream != end.m_stream)
            return std::nullopt;
        if (!m_event)
            return (end.m_s - m_s) * 1e9;
        end.m_event->synchronize();
        return static_cast<double>(m_event->elapsed_time(*end.m_event)) * 1e6;
    }

private:
    double m_s;
    std::optional<c10::cuda::CUDAStream> m_stream;
    std::optional<at::cuda::CUDAEvent> m_event;
};

/// An operator of the present call.
struct Operator {
    at::Tensor given;    ///< its first tensor, as it was before; undefined where it is large and not the last one's
    const void* place;   ///< where that tensor lies
    std::size_t number;  ///< how many operators ran before it
    Moment begun;        ///< when the device had done what comes before it
    bool mutates;        ///< writes into what it is given
    bool bounded = true; ///< WithoutLast::took_ns bounds the work that is left out with it
    bool read = false;   ///< a later operator is given what it made
};

/// What is known of the operators of this thread.
struct Observed {
    c10::Device device = at::kCPU;             ///< where the reference computes
    std::optional<Moment> ended;               ///< of the last operator so far
    bool oneStream = true;                     ///< all of them began on one
    std::vector<Operator> last;                ///< those that may be left out, the latest first
    std::map<const void*, std::size_t> madeBy; ///< where results lie, and the number of the operator that made them
    std::size_t operators = 0;
    int depth = 0; ///< of operators that call others
};

thread_local Observed observed;

constexpr std::size_t manyBytes = 256u << 20; // that are not kept for operators before the last one

const void* placeOf(const at::Tensor& tensor)
{
    return tensor.defined() && tensor.has_storage() ? tensor.storage().data() : nullptr;
}

void visitTensors(const c10::IValue& value, const auto& visit)
{
    if (value.isTensor())
        visit(value.toTensor());
    else if (value.isList())
        for (const c10::IValue& one : value.toListRef())
            visitTensors(one, visit);
}

/// A result that is only another view of an argument.
bool isView(const c10::FunctionSchema& schema)
{
    return std::any_of(schema.returns().begin(), schema.returns().end(), [](const c10::Argument& result) {
        return result.alias_info() && !result.alias_info()->isWrite();
    });
}

/// What an operator reads that was computed before one of the last ones is not work behind that one.
void noteReads(c10::ArrayRef<const c10::IValue> arguments)
{
    for (const c10::IValue& argument : arguments)
        visitTensors(argument, [](const at::Tensor& tensor) {
            const auto made = observed.madeBy.find(placeOf(tensor));
            if (made == observed.madeBy.end())
                return;
            for (Operator& one : observed.last) {
                one.bounded = one.bounded && (made->second >= one.number || made->first == one.place);
                one.read = one.read || made->second == one.number;
            }
        });
}

void begin(const c10::FunctionSchema& schema, const at::Tensor& given)
{
    if (!observed.last.empty() && observed.last.front().given.defined() &&
        observed.last.front().given.nbytes() > manyBytes)
        observed.last.front().given = at::Tensor();
    Moment begun(observed.device);
    observed.oneStream = observed.oneStream && (observed.last.empty() || begun.onStreamOf(observed.last.front().begun));
    observed.last.insert(observed.last.begin(),
                         {schema.is_mutable() ? given.detach().clone() : given.detach(), placeOf(given),
                          observed.operators, std::move(begun), schema.is_mutable()});
    if (observed.last.size() > std::tuple_size_v<WithoutLastOnes>)
        observed.last.pop_back();
}

std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& function)
{
    // What an operator calls is its own matter: a product copies its bias into memory that nothing was written to yet,
    // where the result of an earlier call may still lie.
    if (observed.depth++ > 0)
        return nullptr;
    const at::DisableRecordFunctionGuard quiet;
    const auto schema = function.operator_schema();
    const auto arguments = function.inputs();
    const auto first = std::find_if(arguments.begin(), arguments.end(),
                                    [](const c10::IValue& argument) { return argument.isTensor(); });
    if (schema && !isView(*schema) && schema->name() != "aten::copy_" && first != arguments.end() &&
        first->toTensor().defined())
        begin(*schema, first->toTensor());
    noteReads(arguments);
    return nullptr;
}

void leave(const at::RecordFunction& function, at::ObserverContext*)
{
    if (--observed.depth > 0)
        return;
    const at::DisableRecordFunctionGuard quiet;
    const auto schema = function.operator_schema();
    if (!schema || !isView(*schema)) {
        // Views take the device no time; those of a result may come when the host has waited for it.
        observed.ended.emplace(observed.device);
        for (const c10::IValue& result : function.outputs())
            visitTensors(result,
                         [](const at::Tensor& tensor) { observed.madeBy[placeOf(tensor)] = observed.operators; });
    }
    ++observed.operators;
}

/// Watches operators from now on. A GPU gets something to do before, for so long at the highest clock it has.
at::CallbackHandle watchBehind(c10::Device device, double busy_s)
{
    if (busy_s > 0 && device.is_cuda()) {
        int clock_kHz = 0;
        if (cudaDeviceGetAttribute(&clock_kHz, cudaDevAttrClockRate, device.index()) == cudaSuccess)
            at::cuda::sleep(static_cast<std::int64_t>(busy_s * 1e3 * clock_kHz));
        else
            cudaGetLastError(); // nobody else is to find it
    }
    return at::addThreadLocalCallback(at::RecordFunctionCallback(&observe, &leave)
                                          .needsInputs(true)
                                          .needsOutputs(true)
                                          .scopes({at::RecordScope::FUNCTION}));
}

} // namespace

LastOperators::LastOperators(c10::Device device, double ahead_s) : m_handle(watchBehind(device, ahead_s))
{
    observed = {};
    observed.device = device;
}

LastOperators::~LastOperators()
{
    at::removeCallback(m_handle);
    observed = {};
}

WithoutLastOnes LastOperators::end(const std::vector<at::Tensor>& results) const
{
    std::set<std::size_t> returned; // the operators whose results these are
    for (const at::Tensor& result : results)
        if (const auto made = observed.madeBy.find(placeOf(result)); made != observed.madeBy.end())
            returned.insert(made->second);
    const auto counts = std::find_if(observed.last.begin(), observed.last.end(), [&returned](const Operator& one) {
        return one.mutates || one.read || returned.contains(one.number);
    });
    WithoutLastOnes out;
    for (auto one = counts; one != observed.last.end(); ++one) {
        WithoutLast& without = out[static_cast<std::size_t>(one - counts)];
        without.given = one->given;
        if (!observed.oneStream || !observed.ended)
            continue;
        if (const auto took_ns = one->begun.nsUntil(*observed.ended); took_ns && one->bounded)
            without.took_ns = *took_ns;
    }
    synchronise(observed.device);
    return out;
}

double NullCandidates::lastOperators_ns() const
{
    double out = 0;
    for (const LeftOut& one : m_withoutLast)
        out = one.passed ? std::max(out, one.took_ns) : out;
    return out;
}

Tensors NullCandidates::means(const Tensors& expected)
{
    const bool first = m_first.empty();
    Tensors out;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double mean = meanOf(expected[i]);
        if (first)
            m_first.push_back(mean);
        out.push_back(at::full_like(expected[i], expected[i].numel() == 1 ? m_first.at(i) : mean));
    }
    return out;
}

void NullCandidates::tryOn(const Tensors& expected, const Tensors& inputs, const WithoutLastOnes& withoutLast,
                           const std::function<bool(std::size_t, const at::Tensor&)>& passes)
{
    ++m_trials;
    const auto allPass = [&](const Tensors& result) {
        if (result.size() != expected.size())
            return false;
        for (std::size_t i = 0; i < result.size(); ++i)
            if (!passes(i, result[i].contiguous()))
                return false;
        return true;
    };
    std::erase_if(m_left, [&](const std::string& name) {
        if (name == noWork && m_zerosStay)
            return false;
        if (name == protocol::lastOperatorLeftOut)
            return !tryWithoutLast(expected, withoutLast, allPass);
        return !allPass(name == noWork                     ? zeros(expected)
                        : name == "the mean of the result" ? means(expected)
                                                           : copies(expected, inputs));
    });
}

bool NullCandidates::tryWithoutLast(const Tensors& expected, const WithoutLastOnes& withoutLast,
                                    const std::function<bool(const Tensors&)>& allPass)
{
    bool any = false;
    for (std::size_t k = 0; k < withoutLast.size(); ++k) {
        const at::Tensor& given = withoutLast[k].given;
        LeftOut& one = m_withoutLast[k];
        one.passed = one.passed && expected.size() == 1 && given.defined() && given.sizes() == expected[0].sizes() &&
                     given.scalar_type() == expected[0].scalar_type() && allPass({given});
        any = any || one.passed;
    }
    return any;
}

void NullCandidates::keepZeros()
{
    m_zerosStay = true;
    m_left.emplace(noWork);
}

void NullCandidates::noteTimes(const WithoutLastOnes& withoutLast)
{
    for (std::size_t k = 0; k < withoutLast.size(); ++k)
        m_withoutLast[k].took_ns = std::min(m_withoutLast[k].took_ns, withoutLast[k].took_ns);
}

} // namespace cudal1::judge
