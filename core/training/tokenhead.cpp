// SPDX-License-Identifier: GPL-3.0-or-later
// Log-probabilities by chunks of rows.
#include "core/training/tokenhead.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace cudal1::training {

at::Tensor headPass(const TokenHead& head, const at::Tensor& hidden, const at::Tensor& targets,
                    const RowObjective& objective, bool learns, const at::Tensor& matrixGradient)
{
    const at::NoGradGuard none;
    const at::ScalarType type = head.matrix.scalar_type();
    const at::ScalarType wide = type == at::kDouble ? at::kDouble : at::kFloat;
    const at::Tensor out = learns ? at::empty_like(hidden) : at::Tensor();
    for (std::int64_t begin = 0; begin < hidden.size(0); begin += head.rows) {
        const std::int64_t count = std::min(head.rows, hidden.size(0) - begin);
        const at::Tensor rows = hidden.narrow(0, begin, count).to(type);
        const at::Tensor tokens = targets.narrow(0, begin, count).unsqueeze(1);
        at::Tensor logits = at::linear(rows, head.matrix).to(wide);
        if (head.temperature != 1)
            logits.div_(head.temperature);
        const at::Tensor total = logits.logsumexp(1, true);
        const at::Tensor chosen = logits.gather(1, tokens) - total;
        at::Tensor shares = (logits - total).exp_();
        const at::Tensor mean = at::bmm(shares.unsqueeze(1), logits.unsqueeze(2)).view({count, 1});
        logits.reset();
        const at::Tensor told = at::cat({chosen, total - mean}, 1).to(at::kCPU, at::kDouble).contiguous();
        const double* values = told.data_ptr<double>();
        std::vector<double> slopes(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < slopes.size(); ++i)
            slopes[i] = objective(static_cast<std::size_t>(begin) + i, values[2 * i], values[2 * i + 1]) /
                        head.temperature;
        if (!learns)
            continue;
        const at::Tensor slope =
            at::tensor(slopes, at::TensorOptions(at::kDouble)).to(hidden.device(), wide).unsqueeze(1);
        shares.mul_(-slope);
        shares.scatter_add_(1, tokens, slope);
        const at::Tensor narrow = shares.to(type);
        out.narrow(0, begin, count).copy_(at::matmul(narrow, head.matrix));
        if (matrixGradient.defined() && type == matrixGradient.scalar_type())
            matrixGradient.addmm_(narrow.t(), rows);
        else if (matrixGradient.defined())
            matrixGradient.add_(at::matmul(narrow.t(), rows));
    }
    return out;
}

} // namespace cudal1::training
