// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the form of a result against the reference's.
#include "core/judge/subject/resultform.h"

#include "core/judge/module/modulehost.h"

namespace cudal1::judge {

std::string shapeText(const at::Tensor& tensor)
{
    std::string text = nameOf(tensor.scalar_type()) + "[";
    for (std::int64_t d = 0; d < tensor.dim(); ++d)
        text += (d ? ", " : "") + std::to_string(tensor.size(d));
    return text + "]";
}

std::string shapeText(const TensorSpec& spec)
{
    std::string text = spec.dtype + "[";
    for (std::size_t d = 0; d < spec.shape.size(); ++d)
        text += (d ? ", " : "") + std::to_string(spec.shape[d]);
    return text + "]";
}

std::vector<at::Tensor> resultTensors(const PyRef& result, const ArenaLayout& layout, const c10::Device& device,
                                      bool exact)
{
    Outputs outputs = flattenOutputs(result.get(), exact);
    if (!outputs.problem.empty())
        throw Refusal("wrong_type", "The result is of the wrong kind: " + outputs.problem + ".");
    if (outputs.tensors.size() != layout.outputs.size())
        throw Refusal("wrong_count", "The result has " + std::to_string(outputs.tensors.size()) +
                                         " tensors, the reference's " + std::to_string(layout.outputs.size()) + ".");
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
        const at::Tensor& tensor = outputs.tensors[i];
        if (tensor.sizes() != c10::IntArrayRef(layout.outputs[i].shape))
            throw Refusal("wrong_shape", "The result is " + shapeText(tensor) + ", the reference's " +
                                             shapeText(layout.outputs[i]) + ".");
        if (nameOf(tensor.scalar_type()) != layout.outputs[i].dtype)
            throw Refusal("wrong_dtype", "The result is " + shapeText(tensor) + ", the reference's " +
                                             shapeText(layout.outputs[i]) + ".");
        if (tensor.device() != device || !tensor.has_storage())
            throw Refusal("wrong_device",
                          "The result is on " + tensor.device().str() + ", not on " + device.str() + ".");
    }
    return std::move(outputs.tensors);
}

} // namespace cudal1::judge
