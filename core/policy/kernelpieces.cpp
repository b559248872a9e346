// SPDX-License-Identifier: GPL-3.0-or-later
// Operations, numbers and offsets as text.
#include "core/policy/kernelpieces.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace cudal1::policy {

std::string withDefinitions(const std::string& text)
{
    static const std::pair<const char*, const char*> combiners[] = {
        {"Sum", "a + b"},
        {"Prod", "a * b"},
        {"Max", "(a > b || a != a) ? a : b"},
        {"Min", "(a < b || a != a) ? a : b"},
    };
    std::string out;
    if (text.find("INFINITY") != std::string::npos)
        out += "#define INFINITY __int_as_float(0x7f800000)\n\n";
    for (const auto& [name, value] : combiners) {
        const bool used = text.find(std::string(name) + "::") != std::string::npos ||
                          text.find("<" + std::string(name)) != std::string::npos;
        if (used)
            out += std::string("struct ") + name + " { static __device__ float of(float a, float b) { return " + value +
                   "; } };\n";
    }
    return out + (out.ends_with("};\n") ? "\n" : "") + text;
}

std::string combinerOf(const std::string& reduction)
{
    return reduction == "sum" ? "Sum" : reduction == "prod" ? "Prod" : reduction == "max" ? "Max" : "Min";
}

std::string floatText(double value)
{
    if (std::isinf(value))
        return value > 0 ? "INFINITY" : "(-INFINITY)";
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    std::string out = text;
    if (out.find_first_of(".e") == std::string::npos)
        out += ".0";
    return value < 0 ? "(" + out + "f)" : out + "f";
}

std::string operationText(const std::string& op, const std::vector<std::string>& args)
{
    static const std::map<std::string, std::string> forms{
        {"add", "$0 + $1"},
        {"sub", "$0 - $1"},
        {"mul", "$0 * $1"},
        {"div", "$0 / $1"},
        {"neg", "-$0"},
        {"minimum", "($0 < $1 || $0 != $0) ? $0 : $1"},
        {"maximum", "($0 > $1 || $0 != $0) ? $0 : $1"},
        {"relu", "$0 < 0.0f ? 0.0f : $0"},
        {"leaky_relu", "$0 > 0.0f ? $0 : $0 * $1"},
        {"clamp", "$0 < $1 ? $1 : ($0 > $2 ? $2 : $0)"},
        {"sigmoid", "1.0f / (1.0f + expf(-$0))"},
        {"silu", "$0 / (1.0f + expf(-$0))"},
        {"tanh", "tanhf($0)"},
        {"exp", "expf($0)"},
        {"log", "logf($0)"},
        {"sqrt", "sqrtf($0)"},
        {"rsqrt", "1.0f / sqrtf($0)"},
        {"reciprocal", "1.0f / $0"},
        {"square", "$0 * $0"},
        {"abs", "fabsf($0)"},
        {"erf", "erff($0)"},
        {"sin", "sinf($0)"},
        {"cos", "cosf($0)"},
        {"pow", "powf($0, $1)"},
        {"gelu", "0.5f * $0 * (1.0f + erff($0 * 0.707106781f))"},
        {"gelu_tanh", "0.5f * $0 * (1.0f + tanhf(0.797884561f * ($0 + 0.044715f * $0 * $0 * $0)))"},
        {"hardswish", "$0 * ($0 < -3.0f ? 0.0f : ($0 > 3.0f ? 6.0f : $0 + 3.0f)) * 0.166666667f"},
        {"hardsigmoid", "$0 < -3.0f ? 0.0f : ($0 > 3.0f ? 1.0f : $0 * 0.166666667f + 0.5f)"},
        {"softplus", "$0 > 20.0f ? $0 : log1pf(expf($0))"},
        {"mish", "$0 * tanhf($0 > 20.0f ? $0 : log1pf(expf($0)))"},
        {"elu", "$0 > 0.0f ? $0 : $1 * expm1f($0)"}};
    std::string out;
    const std::string& form = forms.at(op);
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] == '$')
            out += args[static_cast<std::size_t>(form[++i] - '0')];
        else
            out += form[i];
    }
    return out;
}

double workOf(const KernelProgram& program)
{
    constexpr double ofDivision = 0.3;
    double work = 0;
    for (const KernelExpr& expr : program.exprs) {
        if (expr.kind != KernelExpr::Kind::Operation || !expr.full)
            continue;
        const std::string text = operationText(expr.op, {"x", "x", "x"});
        for (std::size_t at = 0; (at = text.find("f(", at)) != std::string::npos; ++at)
            work += text.compare(at < 4 ? 0 : at - 4, 5, "fabsf") == 0 ? 0 : 1;
        work += ofDivision * static_cast<double>(std::count(text.begin(), text.end(), '/'));
    }
    return work;
}

std::string offsetText(const std::vector<KernelAxis>& axes, std::size_t input, const std::string& variable)
{
    std::string out;
    std::int64_t below = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        const std::int64_t stride = axes[i].strides[input];
        if (stride != 0) {
            std::string index = below == 1 ? variable : variable + " / " + std::to_string(below);
            if (i != 0)
                index += " % " + std::to_string(axes[i].extent);
            if (index != variable && stride != 1)
                index = "(" + index + ")";
            out = index + (stride == 1 ? "" : " * " + std::to_string(stride)) + (out.empty() ? "" : " + " + out);
        }
        below *= axes[i].extent;
    }
    return out;
}

} // namespace cudal1::policy
