// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of operators.
//
// Products are counted as they are written (a diagonal matrix is multiplied with its zeros). Everything else is counted
// by the element: how many additions, multiplications, comparisons and elementary functions (exp, log, tanh, erf, sqrt,
// a division) its formula has, each as one. An operator that is in no list counts one for each element of its results.
#include "core/costs/operation.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace cudal1::costs {

namespace {

using Factor = std::pair<std::string_view, double>;

/// For each element of the first result.
constexpr std::array byResult = std::to_array<Factor>({
    {"sigmoid", 3},   // negate, exp, add; the division is the reciprocal's
    {"gelu", 5},      // divide, erf, add, two multiplications
    {"silu", 4},      // sigmoid and a multiplication
    {"mish", 5},      // exp, add, log, tanh, multiply
    {"softplus", 3},  // exp, add, log
    {"elu", 3},       // compare, exp, subtract
    {"hardswish", 4}, // add, two clamps, multiply
    {"hardsigmoid", 4},
    {"hardtanh", 2}, // two comparisons
    {"clamp", 2},
    {"leaky_relu", 2}, // compare, multiply
    {"softsign", 3},
    {"xlogy", 2},
    {"addcmul", 2},
    {"addcdiv", 2},
    {"lerp", 3},
    {"native_dropout", 2},
    {"_thnn_fused_lstm_cell", 20}, // three sigmoids, two tanh, four additions of gates, three products, an addition
    {"_thnn_fused_gru_cell", 16},
});

/// For each element of the first argument: reductions and norms read all of it.
constexpr std::array byArgument = std::to_array<Factor>({
    {"sum", 1},
    {"mean", 1},
    {"prod", 1},
    {"max", 1},
    {"min", 1},
    {"amax", 1},
    {"amin", 1},
    {"argmax", 1},
    {"argmin", 1},
    {"cumsum", 1},
    {"cumprod", 1},
    {"any", 1},
    {"all", 1},
    {"linalg_vector_norm", 2},
    {"norm", 2}, // square, add
    {"var", 4},
    {"std", 4},
    {"var_mean", 4},  // add, subtract, square, add
    {"logsumexp", 4}, // compare, subtract, exp, add
    {"_softmax", 5},
    {"_safe_softmax", 5}, // compare, subtract, exp, add, divide
    {"_log_softmax", 5},
    {"native_batch_norm", 8},
    {"_native_batch_norm_legit", 8},
    {"cudnn_batch_norm", 8},
    {"_batch_norm_with_update", 8},
    {"native_layer_norm", 8},
    {"native_group_norm", 8}, // mean 1, variance 3, normalise 2, scale and shift 2
    {"smooth_l1_loss", 5},
    {"mse_loss", 3},
    {"nll_loss_forward", 1},
    {"kl_div", 4},
    {"_adaptive_avg_pool2d", 1},
    {"_adaptive_avg_pool3d", 1},
    {"adaptive_max_pool2d", 1},
    {"adaptive_max_pool3d", 1},
});

/// Computes nothing: results are copies, constants, choices or random numbers.
constexpr std::array<std::string_view, 41> moving{
    "clone",      "copy",          "_to_copy",    "contiguous",    "cat",           "stack",     "empty",
    "empty_like", "empty_strided", "new_empty",   "zeros",         "zeros_like",    "new_zeros", "ones",
    "ones_like",  "full",          "full_like",   "scalar_tensor", "fill",          "zero",      "arange",
    "roll",       "flip",          "index",       "index_select",  "gather",        "scatter",   "constant_pad_nd",
    "tril",       "triu",          "masked_fill", "where",         "diag_embed",    "repeat",    "embedding",
    "bernoulli",  "randn",         "rand",        "lift_fresh",    "diagonal_copy", "one_hot"};

constexpr std::array<std::string_view, 25> views{
    "t",       "view",         "_unsafe_view",    "transpose", "permute",        "expand",           "unsqueeze",
    "squeeze", "select",       "slice",           "unbind",    "split",          "split_with_sizes", "unsafe_split",
    "alias",   "detach",       "as_strided",      "unfold",    "_reshape_alias", "diagonal",         "chunk",
    "movedim", "view_as_real", "view_as_complex", "lift"};

constexpr std::array<std::string_view, 8> pools{"max_pool2d_with_indices",
                                                "max_pool3d_with_indices",
                                                "avg_pool2d",
                                                "avg_pool3d",
                                                "max_pool1d_with_indices",
                                                "max_pool2d",
                                                "max_pool3d",
                                                "avg_pool1d"};

bool in(std::span<const std::string_view> names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

const double* factor(std::span<const Factor> factors, std::string_view name)
{
    const auto found = std::find_if(factors.begin(), factors.end(),
                                    [name](const Factor& one) { return one.first == name; });
    return found == factors.end() ? nullptr : &found->second;
}

void collect(const nlohmann::json& value, std::vector<Tensor>& out)
{
    if (value.is_array())
        for (const auto& item : value)
            collect(item, out);
    else if (value.is_string())
        if (auto tensor = parseTensor(value.get_ref<const std::string&>()))
            out.push_back(std::move(*tensor));
}

double extent(const Tensor& tensor, std::size_t fromEnd)
{
    return fromEnd < tensor.shape.size() ? static_cast<double>(tensor.shape[tensor.shape.size() - 1 - fromEnd]) : 1;
}

const nlohmann::json* argument(const Operation& op, std::size_t at)
{
    return op.arguments.is_array() && at < op.arguments.size() ? &op.arguments[at] : nullptr;
}

double convolution(const Operation& op)
{
    if (op.tensors.size() < 2 || op.tensors[1].shape.empty() || op.results.empty())
        return 0;
    // A weight is [out, in / groups, kernel...]: what each element of the result takes. Of a transposed one it is
    // [in, out / groups, kernel...]: what each element of the input gives.
    const nlohmann::json* flag = argument(op, 6);
    const bool transposed = (flag && flag->is_boolean() && flag->get<bool>()) ||
                            op.name.find("transpose") != std::string::npos;
    const Tensor& weight = op.tensors[1];
    const double each = 2 * weight.elements() / static_cast<double>(std::max<std::int64_t>(1, weight.shape[0]));
    return each * (transposed ? op.tensors[0] : op.results[0]).elements();
}

double recurrentLayers(const Operation& op)
{
    // Every weight matrix is used once for each row of each step.
    if (op.tensors.empty())
        return 0;
    const double rows = op.tensors[0].elements() / std::max(1.0, extent(op.tensors[0], 0));
    double weights = 0;
    for (std::size_t i = 1; i < op.tensors.size(); ++i)
        if (op.tensors[i].shape.size() == 2)
            weights += op.tensors[i].elements();
    return 2 * rows * weights;
}

double attention(const Operation& op)
{
    if (op.tensors.size() < 3)
        return 0;
    const Tensor &query = op.tensors[0], &key = op.tensors[1], &value = op.tensors[2];
    const double scores = query.elements() / std::max(1.0, extent(query, 0)) * extent(key, 1);
    return 2 * scores * (extent(query, 0) + extent(value, 0));
}

Flops flopsOf(const Operation& op)
{
    const std::string_view name = baseName(op.name);
    const auto& in0 = op.tensors;
    const double results = op.results.empty() ? 0 : op.results[0].elements();
    const double first = in0.empty() ? 0 : in0[0].elements();
    if (name == "mm" || name == "bmm" || name == "mv" || name == "dot" || name == "matmul" || name == "linear")
        return {in0.empty() ? 0 : 2 * results * extent(in0[0], 0), 0};
    if (name == "addmm" || name == "baddbmm" || name == "addmv" || name == "addbmm")
        return {in0.size() < 2 ? 0 : 2 * results * extent(in0[1], 0), results};
    if (name.find("convolution") != std::string_view::npos)
        return {convolution(op), in0.size() > 2 ? results : 0};
    if (name.find("scaled_dot_product") != std::string_view::npos)
        return {attention(op),
                in0.empty() || in0.size() < 2 ? 0 : 5 * first / std::max(1.0, extent(in0[0], 0)) * extent(in0[1], 1)};
    if (name == "_cudnn_rnn" || name == "mkldnn_rnn_layer" || name == "lstm" || name == "gru" || name == "rnn_tanh" ||
        name == "rnn_relu")
        return {recurrentLayers(op), 0};
    if (in(moving, name) || op.memory == Memory::View)
        return {};
    if (in(pools, name)) {
        double window = 1;
        if (const nlohmann::json* kernel = argument(op, 1); kernel && kernel->is_array())
            for (const auto& one : *kernel)
                window *= one.is_number() ? one.get<double>() : 1;
        return {0, results * window};
    }
    if (const double* each = factor(byArgument, name);
        each && !(in0.size() > 1 && op.results.size() == 1 && (name == "max" || name == "min")))
        return {0, *each * first};
    const double* each = factor(byResult, name);
    return {0, (each ? *each : 1) * results};
}

} // namespace

Flops& Flops::operator+=(const Flops& more)
{
    products += more.products;
    others += more.others;
    return *this;
}

std::string_view baseName(std::string_view name)
{
    name = name.substr(0, name.find('.'));
    if (name.size() > 1 && name.back() == '_')
        name.remove_suffix(1);
    return name;
}

Memory memoryOf(std::string_view name)
{
    if (in(views, baseName(name)))
        return Memory::View;
    const std::string_view plain = name.substr(0, name.find('.'));
    return plain.size() > 1 && plain.back() == '_' ? Memory::InPlace : Memory::New;
}

namespace {

/// Reads of its first argument what its results need, however much more that holds.
bool readsAPart(std::string_view name)
{
    constexpr std::array parts{"embedding", "gather", "index", "index_select", "take"};
    return std::find(parts.begin(), parts.end(), baseName(name)) != parts.end();
}

} // namespace

Operation operationOf(std::string name, nlohmann::json arguments, const nlohmann::json& keywords,
                      std::vector<Tensor> results)
{
    Operation op;
    op.name = std::move(name);
    op.arguments = std::move(arguments);
    op.results = std::move(results);
    op.memory = memoryOf(op.name);
    collect(op.arguments, op.tensors);
    for (const auto& [key, value] : keywords.items())
        collect(value, op.tensors);
    op.flops = flopsOf(op);
    // An allocation writes nothing.
    if (op.memory != Memory::View && !baseName(op.name).starts_with("empty") &&
        !baseName(op.name).starts_with("new_empty")) {
        double written = 0;
        for (const Tensor& tensor : op.results)
            written += tensor.bytes();
        for (std::size_t i = 0; i < op.tensors.size(); ++i)
            op.bytes += i == 0 && readsAPart(op.name) ? std::min(op.tensors[i].bytes(), written)
                                                      : op.tensors[i].bytes();
        op.bytes += written;
    }
    return op;
}

} // namespace cudal1::costs
