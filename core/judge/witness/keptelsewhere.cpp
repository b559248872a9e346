// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors of a module beside those that are compared.
#include "core/judge/witness/keptelsewhere.h"

#include "core/judge/module/torchsupport.h"
#include "core/judge/witness/comparison.h"

namespace cudal1::judge {

std::map<std::string, at::Tensor> keptElsewhere(const PyRef& model, const PyRef& tracer,
                                                const std::set<std::string>& compared)
{
    const PyRef found = checked(PyObject_CallMethod(tracer.get(), "tensors_kept_elsewhere", "O", model.get()));
    std::map<std::string, at::Tensor> out;
    for (Py_ssize_t i = 0; i < PyList_Size(found.get()); ++i) {
        PyObject* const pair = PyList_GetItem(found.get(), i);
        const std::string path = strOf(PyTuple_GetItem(pair, 0));
        if (!compared.contains(path))
            out.emplace(path, tensorOf(PyTuple_GetItem(pair, 1)).detach().cpu().clone());
    }
    return out;
}

std::string firstChanged(const std::map<std::string, at::Tensor>& before,
                         const std::map<std::string, at::Tensor>& after)
{
    for (const auto& [path, tensor] : after) {
        const auto own = before.find(path);
        if (own == before.end() || own->second.sizes() != tensor.sizes() ||
            own->second.scalar_type() != tensor.scalar_type() ||
            !sameBytes(own->second.contiguous(), tensor.contiguous()))
            return path;
    }
    return {};
}

} // namespace cudal1::judge
