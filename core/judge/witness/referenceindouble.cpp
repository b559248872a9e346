// SPDX-License-Identifier: GPL-3.0-or-later
// The reference's calls in double precision.
#include "core/judge/witness/referencehost.h"

#include "core/judge/generated/doubling_py.h"
#include "core/judge/module/pythoncontext.h"
#include "core/judge/witness/comparison.h"

#include <algorithm>

namespace cudal1::judge {

namespace {

/// The type of the first floating input, in which a module draws what is like its inputs.
std::string drawnType(const std::vector<at::Tensor>& inputs)
{
    const auto first = std::find_if(inputs.begin(), inputs.end(),
                                    [](const at::Tensor& input) { return at::isFloatingType(input.scalar_type()); });
    return nameOf(first == inputs.end() ? at::kFloat : first->scalar_type());
}

/// copy.deepcopy(model).double()
PyRef inDouble(const PyRef& model)
{
    const PyRef copy = checked(PyObject_CallMethod(importModule("copy").get(), "deepcopy", "O", model.get()));
    return checked(PyObject_CallMethod(copy.get(), "double", nullptr));
}

/// The arguments with floating tensors in double.
PyRef inDoubleArguments(const PyRef& arguments)
{
    const PyRef tuple = checked(PyTuple_New(PyTuple_Size(arguments.get())));
    for (Py_ssize_t i = 0; i < PyTuple_Size(arguments.get()); ++i) {
        PyRef argument = PyRef::borrowed(PyTuple_GetItem(arguments.get(), i));
        if (isTensor(argument.get()) && at::isFloatingType(tensorOf(argument.get()).scalar_type()))
            argument = pythonOf(tensorOf(argument.get()).to(at::kDouble));
        Py_INCREF(argument.get());
        PyTuple_SET_ITEM(tuple.get(), i, argument.get());
    }
    return tuple;
}

} // namespace

std::optional<std::vector<at::Tensor>> ReferenceHost::runInDouble(const std::vector<at::Tensor>& inputs,
                                                                  std::uint64_t seed, std::string& why)
{
    std::optional<std::vector<at::Tensor>> results;
    for (const bool throughout : {true, false}) { // not all modules run in a mode of the framework's
        makeArguments(inputsOfItsOwn(inputs));
        try {
            const PyRef model = inDouble(m_model), arguments = inDoubleArguments(m_arguments);
            std::optional<PythonContext> context;
            if (throughout)
                context.emplace(doubling(inputs));
            at::manual_seed(seed);
            results =
                flattenOutputs(checked(PyObject_Call(model.get(), arguments.get(), nullptr)).get(), false).tensors;
            for (Py_ssize_t i = 0; m_modifiesInputs && i < PyTuple_Size(arguments.get()); ++i)
                if (PyObject* const argument = PyTuple_GetItem(arguments.get(), i); isTensor(argument))
                    results->push_back(tensorOf(argument));
        } catch (const PythonError& error) {
            why = error.what();
            continue;
        }
        for (at::Tensor& result : *results)
            result = asReal(result.detach().resolve_conj().resolve_neg());
        if (std::all_of(results->begin(), results->end(), [](const at::Tensor& result) {
                return !at::isFloatingType(result.scalar_type()) || result.scalar_type() == at::kDouble;
            }))
            break;
    }
    m_arguments = {};
    return results;
}

std::vector<at::Tensor> ReferenceHost::buffersInDouble(const std::vector<SecretCall>& calls)
{
    std::vector<at::Tensor> out;
    try {
        const PyRef model = inDouble(m_model);
        for (const SecretCall& call : calls) {
            makeArguments(inputsOfItsOwn(call.inputs));
            const PyRef arguments = inDoubleArguments(m_arguments);
            const PythonContext context(doubling(call.inputs));
            at::manual_seed(call.seed);
            checked(PyObject_Call(model.get(), arguments.get(), nullptr));
        }
        const auto named = namedTensorsOf(model, "named_buffers");
        for (const NamedTensorSpec& buffer : m_layout.buffers)
            for (const auto& [name, tensor] : named)
                if (name == buffer.name)
                    out.push_back(asReal(tensor));
    } catch (const PythonError&) { // none is known then
    }
    m_arguments = {};
    return out.size() == m_layout.buffers.size() ? out : std::vector<at::Tensor>();
}

PyRef ReferenceHost::doubling(const std::vector<at::Tensor>& inputs)
{
    if (!m_doubling)
        m_doubling = runModule("cudal1_doubling", pythonDoubling, "cudal1_doubling.py");
    return checked(PyObject_CallMethod(m_doubling.get(), "InDouble", "s", drawnType(inputs).c_str()));
}

} // namespace cudal1::judge
