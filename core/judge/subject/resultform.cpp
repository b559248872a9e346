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

ResultForm::ResultForm(const ArenaLayout& layout, const c10::Device& device, bool exact)
    : m_layout(layout), m_device(device), m_exact(exact)
{
    for (const TensorSpec& spec : layout.outputs)
        m_types.push_back(scalarTypeOf(spec.dtype));
}

bool ResultForm::fits(const at::Tensor& tensor, std::size_t output) const
{
    return tensor.sizes() == c10::IntArrayRef(m_layout.outputs[output].shape) &&
           tensor.scalar_type() == m_types[output] && tensor.device() == m_device && tensor.has_storage();
}

void ResultForm::refuse(const at::Tensor& tensor, std::size_t output) const
{
    const TensorSpec& spec = m_layout.outputs[output];
    const bool shaped = tensor.sizes() == c10::IntArrayRef(spec.shape);
    if (!shaped || tensor.scalar_type() != m_types[output])
        throw Refusal(shaped ? "wrong_dtype" : "wrong_shape",
                      "The result is " + shapeText(tensor) + ", the reference's " + shapeText(spec) + ".");
    throw Refusal("wrong_device", "The result is on " + tensor.device().str() + ", not on " + m_device.str() + ".");
}

void ResultForm::take(const PyRef& result, std::vector<at::Tensor>& tensors) const
{
    if (m_types.size() == 1 && isPlainTensor(result.get())) { // as most are
        tensors.push_back(tensorOf(result.get()));
    } else {
        Outputs outputs = flattenOutputs(result.get(), m_exact);
        if (!outputs.problem.empty())
            throw Refusal("wrong_type", "The result is of the wrong kind: " + outputs.problem + ".");
        if (outputs.tensors.size() != m_layout.outputs.size())
            throw Refusal("wrong_count", "The result has " + std::to_string(outputs.tensors.size()) +
                                             " tensors, the reference's " + std::to_string(m_layout.outputs.size()) +
                                             ".");
        tensors = std::move(outputs.tensors);
    }
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!fits(tensors[i], i))
            refuse(tensors[i], i);
}

} // namespace cudal1::judge
