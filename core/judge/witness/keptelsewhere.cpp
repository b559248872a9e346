// SPDX-License-Identifier: GPL-3.0-or-later
// Fingerprints of the tensors that a model keeps.
#include "core/judge/witness/keptelsewhere.h"

#include "core/judge/module/torchsupport.h"

namespace cudal1::judge {

std::map<std::string, KeptTensor> keptTensors(const PyRef& found, const DeviceKernels& kernels,
                                              const c10::Device& device)
{
    std::map<std::string, KeptTensor> out;
    for (Py_ssize_t i = 0; i < PyList_Size(found.get()); ++i) {
        PyObject* const pair = PyList_GetItem(found.get(), i);
        const at::Tensor tensor =
            tensorOf(PyTuple_GetItem(pair, 1)).detach().resolve_conj().resolve_neg().to(device).contiguous();
        std::string form = nameOf(tensor.scalar_type());
        for (const std::int64_t size : tensor.sizes())
            form.append(1, ' ').append(std::to_string(size));
        out[strOf(PyTuple_GetItem(pair, 0))] = {form, kernels.fingerprint(tensor)};
    }
    return out;
}

std::vector<std::string> changedPaths(const std::map<std::string, KeptTensor>& before,
                                      const std::map<std::string, KeptTensor>& after)
{
    std::vector<std::string> paths;
    for (const auto& [path, tensor] : after)
        if (const auto own = before.find(path); own == before.end() || own->second != tensor)
            paths.push_back(path);
    return paths;
}

} // namespace cudal1::judge
