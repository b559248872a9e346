// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a result: its kind, and the number, shapes, types and device of its tensors. What it finds is a claim;
// the witness compares values.
#pragma once

#include "core/judge/module/torchsupport.h"
#include "core/judge/wire/modulemessages.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// What results must look like. Looking is part of a call, so what it takes is prepared.
class ResultForm {
public:
    /// With `exact` results must be plain tensors; without, they may be of a derived class. Keeps a reference to
    /// `layout`.
    ResultForm(const ArenaLayout& layout, const c10::Device& device, bool exact);

    /// Puts the tensors of what a forward returned into `tensors`, which is empty. Throws Refusal when their number, a
    /// shape, a type or the device are not the reference's.
    void take(const PyRef& result, std::vector<at::Tensor>& tensors) const;

private:
    bool fits(const at::Tensor& tensor, std::size_t output) const;
    [[noreturn]] void refuse(const at::Tensor& tensor, std::size_t output) const; ///< says why it does not fit

    const ArenaLayout& m_layout;
    c10::Device m_device;
    bool m_exact;
    std::vector<c10::ScalarType> m_types; ///< of each output
};

/// "float32[16, 64]".
std::string shapeText(const at::Tensor& tensor);
std::string shapeText(const TensorSpec& spec);

} // namespace cudal1::judge
