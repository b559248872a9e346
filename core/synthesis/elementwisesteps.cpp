// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that treat every element alone: activations, arithmetic with numbers, parameters and further inputs.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

void addPlain(std::vector<ModuleStep>& steps, const char* id, int weight, const char* expression, const char* phrase)
{
    steps.push_back({id, weight, true, [=](Composer& c, Flow& x) -> std::string {
                         if (!c.spend(0, 2 * x.elements()))
                             return {};
                         c.assignOf(x, expression);
                         return phrase;
                     }});
}

/// A number of the task, kept as an attribute.
void addWithNumber(std::vector<ModuleStep>& steps, const char* id, int weight, const char* name,
                   const std::vector<std::string>& values, const std::string& expression, const char* phrase)
{
    steps.push_back({id, weight, true, [=](Composer& c, Flow& x) -> std::string {
                         if (!c.spend(0, 2 * x.elements()))
                             return {};
                         const std::string size = c.text.number(name, c.draw.of(values));
                         const std::string own = c.text.attribute(name, size);
                         std::string text = expression;
                         text.replace(text.find('$'), 1, own);
                         c.assignOf(x, text);
                         return phrase;
                     }});
}

std::string parameterStep(Composer& c, Flow& x, const char* name, const char* generator, const char* operation)
{
    if (!c.spend(0, 2 * x.elements()))
        return {};
    const std::string channels = c.text.size("channels", x.channels());
    const std::string shape = x.form == Form::Sequence || x.form == Form::Features
                                ? channels
                                : broadcastShape(x, x.channelDim(), channels);
    const std::string own = c.text.attribute(name, "nn.Parameter(" + std::string(generator) + "(" + shape + "))");
    c.assign(x, x.name + " " + operation + " " + own);
    return operation == std::string("+") ? "a bias for each channel" : "a gain for each channel";
}

/// A second input of the same shape.
std::string otherInput(Composer& c, Flow& x, const char* expression, const char* phrase)
{
    if (c.depth > 0 || !c.spend(0, 3 * x.elements()))
        return {};
    static constexpr const char* names[] = {"batch_size", "dim1", "dim2", "dim3", "dim4"};
    std::string shape;
    for (int d = 0; d < x.rank(); ++d)
        shape += (d ? ", " : "") + c.text.size(names[d], x.shape[static_cast<std::size_t>(d)]);
    const std::string own = c.text.input("other", "torch.randn(" + shape + ")");
    std::string text = expression;
    text.replace(text.find('$'), 1, own);
    c.assignOf(x, text);
    return phrase;
}

} // namespace

void addElementwiseSteps(std::vector<ModuleStep>& steps)
{
    addPlain(steps, "relu", 8, "torch.relu({})", "ReLU");
    addPlain(steps, "gelu", 6, "F.gelu({})", "GELU");
    addPlain(steps, "gelu_tanh", 2, "0.5 * {} * (1 + torch.tanh(0.7978845608 * ({} + 0.044715 * torch.pow({}, 3))))",
             "GELU by its tanh formula");
    addPlain(steps, "swish", 5, "{} * torch.sigmoid({})", "Swish");
    addPlain(steps, "sigmoid", 4, "torch.sigmoid({})", "sigmoid");
    addPlain(steps, "tanh", 4, "torch.tanh({})", "tanh");
    addPlain(steps, "mish", 3, "F.mish({})", "Mish");
    addPlain(steps, "hardswish", 3, "F.hardswish({})", "hard Swish");
    addPlain(steps, "hardsigmoid", 1, "F.hardsigmoid({})", "hard sigmoid");
    addPlain(steps, "softplus", 2, "F.softplus({})", "softplus");
    addPlain(steps, "selu", 1, "torch.selu({})", "SELU");
    addPlain(steps, "softsign", 2, "{} / (1 + torch.abs({}))", "softsign");
    addPlain(steps, "abs", 2, "torch.abs({})", "the absolute value");
    addPlain(steps, "square", 2, "{} * {}", "the square");
    addPlain(steps, "exp", 1, "torch.exp(-torch.abs({}))", "a decaying exponential");
    addPlain(steps, "log1p", 1, "torch.log1p(torch.abs({}))", "a logarithm of the size");
    addPlain(steps, "sqrt", 1, "torch.sqrt(torch.abs({}) + 1e-3)", "a root of the size");
    addWithNumber(steps, "leaky_relu", 4, "negative_slope", {"0.01", "0.1", "0.2"},
                  "F.leaky_relu({}, negative_slope=$)", "leaky ReLU");
    addWithNumber(steps, "elu", 2, "alpha", {"0.5", "1.0", "1.5"}, "F.elu({}, alpha=$)", "ELU");
    addWithNumber(steps, "scale", 6, "scaling_factor", {"0.5", "2.0", "1.5", "0.125"}, "{} * $", "a factor");
    addWithNumber(steps, "divide", 4, "divisor", {"2.0", "4.0", "10.0"}, "{} / $", "a division");
    addWithNumber(steps, "add_value", 3, "add_value", {"0.5", "1.0", "-0.25"}, "{} + $", "a constant that is added");
    addWithNumber(steps, "subtract", 3, "subtract_value", {"0.5", "0.2", "2.0"}, "{} - $",
                  "a constant that is taken away");
    addWithNumber(steps, "clamp", 3, "max_value", {"1.0", "2.0", "0.5"}, "torch.clamp({}, min=-1.0, max=$)", "a clamp");
    addWithNumber(steps, "clamp_min", 2, "min_value", {"-0.5", "0.0", "-1.0"}, "torch.clamp({}, min=$)",
                  "a lower bound");
    addWithNumber(steps, "hardtanh", 2, "limit", {"1.0", "2.0"}, "F.hardtanh({}, min_val=-1.0, max_val=$)",
                  "hard tanh");
    addWithNumber(steps, "minimum", 1, "ceiling", {"0.5", "1.0"},
                  "torch.minimum({}, torch.tensor($, device={}.device))", "an upper bound");
    steps.push_back(
        {"bias_add", 6, true, [](Composer& c, Flow& x) { return parameterStep(c, x, "bias", "torch.randn", "+"); }});
    steps.push_back(
        {"gain", 4, true, [](Composer& c, Flow& x) { return parameterStep(c, x, "gain", "torch.rand", "*"); }});
    steps.push_back({"add_input", 3, true,
                     [](Composer& c, Flow& x) { return otherInput(c, x, "{} + $", "a second input that is added"); }});
    steps.push_back({"times_input", 3, true,
                     [](Composer& c, Flow& x) { return otherInput(c, x, "{} * $", "a product with a second input"); }});
    steps.push_back({"gated_input", 2, true, [](Composer& c, Flow& x) {
                         return otherInput(c, x, "{} * torch.sigmoid($)", "a gate by a second input");
                     }});
}

} // namespace cudal1::synthesis
