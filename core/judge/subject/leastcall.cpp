// SPDX-License-Identifier: GPL-3.0-or-later
// A function of the interpreter that launches nothing but an empty kernel.
#include "core/judge/subject/leastcall.h"

#include "core/judge/module/modulehost.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>

#include <numeric>

namespace cudal1::judge {

struct LeastCall::State {
    const ModuleHost& host;
    PyRef result;

    static PyObject* run(PyObject* capsule, PyObject* const*, Py_ssize_t)
    {
        const auto& state = *static_cast<const State*>(PyCapsule_GetPointer(capsule, nullptr));
        try {
            state.host.kernels().launchNothing();
        } catch (const std::exception& error) {
            PyErr_SetString(PyExc_RuntimeError, error.what());
            return nullptr;
        }
        return Py_NewRef(state.result.get());
    }
};

LeastCall::LeastCall(const ModuleHost& host) : m_state(std::make_unique<State>(State{host, {}}))
{
    const std::vector<TensorSpec>& outputs = host.layout().outputs;
    std::vector<PyRef> results;
    results.reserve(outputs.size());
    for (const TensorSpec& spec : outputs)
        results.push_back(
            pythonOf(at::empty(spec.shape, at::TensorOptions().dtype(scalarTypeOf(spec.dtype)).device(host.device()))));
    if (results.size() == 1) {
        m_state->result = results.front();
    } else {
        m_state->result = checked(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
        for (std::size_t i = 0; i < results.size(); ++i)
            PyTuple_SET_ITEM(m_state->result.get(), static_cast<Py_ssize_t>(i), Py_NewRef(results[i].get()));
    }
    static PyMethodDef method{"least_call", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&State::run)),
                              METH_FASTCALL, nullptr};
    const PyRef capsule = checked(PyCapsule_New(m_state.get(), nullptr, nullptr));
    m_function = checked(PyCFunction_New(&method, capsule.get()));
}

LeastCall::~LeastCall() = default;

bool LeastCall::tooLarge(const ModuleHost& host)
{
    constexpr std::size_t most = 16u << 20;
    const std::vector<TensorSpec>& outputs = host.layout().outputs;
    return std::accumulate(outputs.begin(), outputs.end(), std::size_t{0},
                           [](std::size_t sum, const TensorSpec& spec) { return sum + spec.bytes; }) > most;
}

PyRef LeastCall::operator()() const
{
    return m_state->host.callWithArguments(m_function);
}

} // namespace cudal1::judge
