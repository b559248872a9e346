// SPDX-License-Identifier: GPL-3.0-or-later
// Steps on signals, images and volumes: convolutions of all kinds, pooling, and blocks of known networks.
#include "core/synthesis/modulestep.h"

#include <algorithm>
#include <cmath>

namespace cudal1::synthesis {

namespace {

std::string suffix(const Flow& x)
{
    return std::to_string(x.spatial()) + "d";
}

int smallest(const Flow& x)
{
    return *std::min_element(x.shape.begin() + 2, x.shape.end());
}

struct Kernel {
    int out = 0, size = 3, stride = 1, padding = 1, dilation = 1, groups = 1;
    bool bias = true;
};

std::vector<int> sizesAfter(const Flow& x, const Kernel& k)
{
    std::vector<int> out;
    for (int d = 2; d < x.rank(); ++d)
        out.push_back(
            (x.shape[static_cast<std::size_t>(d)] + 2 * k.padding - k.dilation * (k.size - 1) - 1) / k.stride + 1);
    return out;
}

/// False, and nothing changed, where a dimension would be gone or the work is too much.
bool takes(Composer& c, Flow& x, const Kernel& k)
{
    std::vector<int> sizes = sizesAfter(x, k);
    double elements = double(x.batch()) * k.out;
    for (const int size : sizes) {
        if (size < 2)
            return false;
        elements *= size;
    }
    const double flop = 2 * elements * x.channels() / k.groups * std::pow(k.size, x.spatial());
    if (!c.spend(flop, x.elements() + elements))
        return false;
    sizes.insert(sizes.begin(), {x.batch(), k.out});
    x.shape = std::move(sizes);
    return true;
}

std::string layerText(Composer& c, int in, const Flow& after, const Kernel& k)
{
    std::string out = "nn.Conv" + suffix(after) + "(" + c.text.size("in_channels", in) + ", " +
                      c.text.size("out_channels", k.out) + ", kernel_size=" + c.text.size("kernel_size", k.size);
    if (k.stride != 1)
        out += ", stride=" + std::to_string(k.stride);
    if (k.padding != 0)
        out += ", padding=" + std::to_string(k.padding);
    if (k.dilation != 1)
        out += ", dilation=" + std::to_string(k.dilation);
    if (k.groups != 1)
        out += ", groups=" + c.text.size("groups", k.groups);
    return out + (k.bias ? ")" : ", bias=False)");
}

std::string convolved(Composer& c, Flow& x, const Kernel& k, const char* name, const char* phrase)
{
    const int in = x.channels();
    if (!x.channelsFirst() || !takes(c, x, k))
        return {};
    c.assignOf(x, c.text.attribute(name, layerText(c, in, x, k)) + "({})");
    return phrase;
}

int channels(Composer& c, const Flow& x)
{
    return c.depth > 0            ? x.channels()
         : x.form == Form::Volume ? c.draw.of({4, 8, 12, 16})
                                  : c.draw.of({8, 12, 16, 24, 32, 48, 64});
}

std::string convolution(Composer& c, Flow& x)
{
    Kernel k;
    k.out = channels(c, x);
    k.size = c.draw.of({1, 3, 3, 3, 5});
    k.padding = c.depth > 0 || c.draw.chance(55) ? k.size / 2 : 0;
    if (c.depth == 0 && c.draw.chance(20))
        k.stride = 2;
    k.bias = c.draw.chance(75);
    return convolved(c, x, k, "conv", k.size == 1 ? "a pointwise convolution" : "a convolution");
}

std::string dilated(Composer& c, Flow& x)
{
    const int dilation = c.draw.of({2, 3});
    return convolved(c, x, {channels(c, x), 3, 1, dilation, dilation, 1, true}, "dilated_conv",
                     "a dilated convolution");
}

std::string depthwise(Composer& c, Flow& x)
{
    if (!x.channelsFirst() || x.channels() < 2)
        return {};
    const int size = c.draw.of({3, 5});
    return convolved(c, x, {x.channels(), size, 1, size / 2, 1, x.channels(), c.draw.chance(50)}, "depthwise",
                     "a depthwise convolution");
}

std::string grouped(Composer& c, Flow& x)
{
    const int groups = c.draw.of({2, 4}), out = channels(c, x);
    if (!x.channelsFirst() || x.channels() % groups || out % groups || x.channels() == groups)
        return {};
    return convolved(c, x, {out, 3, 1, 1, 1, groups, true}, "grouped_conv", "a grouped convolution");
}

std::string separable(Composer& c, Flow& x)
{
    if (!x.channelsFirst() || x.channels() < 2)
        return {};
    const Kernel first{x.channels(), 3, 1, 1, 1, x.channels(), false}, second{channels(c, x), 1, 1, 0, 1, 1, false};
    const int in = x.channels();
    if (!takes(c, x, first))
        return {};
    const std::string depth = c.text.attribute("depthwise", layerText(c, in, x, first));
    const std::string point = takes(c, x, second) ? c.text.attribute("pointwise", layerText(c, in, x, second)) : "";
    c.assignOf(x, point.empty() ? depth + "({})" : point + "(" + depth + "({}))");
    return point.empty() ? "a depthwise convolution" : "a separable convolution";
}

std::string transposed(Composer& c, Flow& x)
{
    const int out = x.form == Form::Volume ? c.draw.of({4, 8}) : c.draw.of({8, 12, 16, 24, 32});
    const int size = c.draw.of({2, 3, 4}), stride = c.draw.of({1, 2, 2}), padding = size == 3 ? 1 : 0;
    if (c.depth > 0 || !x.channelsFirst())
        return {};
    double elements = double(x.batch()) * out;
    std::vector<int> shape{x.batch(), out};
    for (int d = 2; d < x.rank(); ++d) {
        shape.push_back((x.shape[static_cast<std::size_t>(d)] - 1) * stride - 2 * padding + size);
        elements *= shape.back();
    }
    if (!c.spend(2 * x.elements() * out * std::pow(size, x.spatial()), x.elements() + elements))
        return {};
    std::string text = "nn.ConvTranspose" + suffix(x) + "(" + c.text.size("in_channels", x.channels()) + ", " +
                       c.text.size("out_channels", out) + ", kernel_size=" + c.text.size("kernel_size", size);
    text += (stride > 1 ? ", stride=" + std::to_string(stride) : "") +
            (padding ? ", padding=" + std::to_string(padding) : "") + ")";
    c.assignOf(x, c.text.attribute("conv_transpose", text) + "({})");
    x.shape = std::move(shape);
    return "a transposed convolution";
}

std::string pooled(Composer& c, Flow& x)
{
    if (c.depth > 0 || !x.channelsFirst() || smallest(x) < 4 || !c.spend(0, 2 * x.elements()))
        return {};
    const bool largest = c.draw.chance(55);
    const int size = c.draw.of({2, 2, 3});
    c.assignOf(x, c.text.attribute("pool", "nn." + std::string(largest ? "Max" : "Avg") + "Pool" + suffix(x) + "(" +
                                               c.text.size("pool_size", size) + ")") +
                      "({})");
    for (int d = 2; d < x.rank(); ++d)
        x.shape[static_cast<std::size_t>(d)] /= size;
    return largest ? "max pooling" : "average pooling";
}

std::string globalPool(Composer& c, Flow& x)
{
    if (c.depth > 0 || !x.channelsFirst() || smallest(x) < 2 || x.channels() < 2 || !c.spend(0, x.elements()))
        return {};
    std::string dims;
    for (int d = 2; d < x.rank(); ++d)
        dims += (d > 2 ? ", " : "") + std::to_string(d);
    if (c.draw.chance(50)) {
        c.assignOf(x, "torch.mean({}, dim=(" + dims + ",))");
    } else {
        c.assignOf(x, c.text.attribute("global_pool", "nn.AdaptiveAvgPool" + suffix(x) + "(1)") + "({}).flatten(1)");
    }
    x.shape.resize(2);
    x.form = Form::Features;
    return "the mean of each channel";
}

std::string squeezeExcite(Composer& c, Flow& x)
{
    const int reduced = std::max(2, x.channels() / 4);
    if (x.form != Form::Image || x.channels() < 8 || smallest(x) < 2 || !c.spend(0, 3 * x.elements()))
        return {};
    const std::string in = c.text.size("channels", x.channels()), inner = c.text.size("reduced_channels", reduced);
    const std::string down = c.text.attribute("squeeze", "nn.Linear(" + in + ", " + inner + ")");
    const std::string up = c.text.attribute("excite", "nn.Linear(" + inner + ", " + in + ")");
    const std::string gate = c.text.local("gate");
    c.text.statement(gate + " = torch.sigmoid(" + up + "(torch.relu(" + down + "(" + x.name + ".mean(dim=(2, 3))))))");
    c.assignOf(x, "{} * " + gate + "[:, :, None, None]");
    return "squeeze and excitation";
}

std::string inverted(Composer& c, Flow& x)
{
    const int expanded = x.channels() * c.draw.of({2, 3, 4});
    if (x.form != Form::Image || x.batch() < 2 || x.channels() < 3 || smallest(x) < 4 ||
        !c.spend(2 * x.elements() * expanded * 2 + 18 * x.elements() / x.channels() * expanded,
                 6 * x.elements() / x.channels() * expanded))
        return {};
    const std::string in = c.text.size("channels", x.channels()), out = c.text.size("expanded_channels", expanded);
    const std::string block = c.text.attribute(
        "block", "nn.Sequential(\n            nn.Conv2d(" + in + ", " + out + ", kernel_size=1, bias=False),\n" +
                     "            nn.BatchNorm2d(" + out + "),\n            nn.ReLU6(),\n            nn.Conv2d(" + out +
                     ", " + out + ", kernel_size=3, padding=1, groups=" + out + ", bias=False),\n" +
                     "            nn.BatchNorm2d(" + out + "),\n            nn.ReLU6(),\n            nn.Conv2d(" + out +
                     ", " + in + ", kernel_size=1, bias=False),\n            nn.BatchNorm2d(" + in + "),\n        )");
    c.assignOf(x, c.draw.chance(70) ? "{} + " + block + "({})" : block + "({})");
    return "an inverted residual block";
}

std::string dense(Composer& c, Flow& x)
{
    const int growth = c.draw.of({4, 8, 12});
    if (c.depth > 0 || x.form != Form::Image || smallest(x) < 4 ||
        !c.spend(36 * x.elements() * growth, 2 * x.elements() + 4 * x.elements() / x.channels() * growth))
        return {};
    const std::string g = c.text.size("growth_rate", growth);
    for (int layer = 0; layer < 2; ++layer) {
        const std::string own = c.text.attribute("dense", "nn.Conv2d(" + c.text.size("in_channels", x.channels()) +
                                                              ", " + g + ", kernel_size=3, padding=1)");
        c.assignOf(x, "torch.cat([{}, torch.relu(" + own + "({}))], dim=1)");
        x.shape[1] += growth;
    }
    return "two layers of a dense block";
}

std::string shuffled(Composer& c, Flow& x)
{
    const int groups = c.draw.of({2, 3, 4});
    if (!x.channelsFirst() || x.channels() % groups || x.channels() == groups || !c.spend(0, 2 * x.elements()))
        return {};
    const std::string g = c.text.attribute("groups", c.text.size("groups", groups));
    c.assignOf(x, "{}.unflatten(1, (" + g + ", -1)).transpose(1, 2).flatten(1, 2)");
    return "a channel shuffle";
}

std::string toSequence(Composer& c, Flow& x)
{
    if (c.depth > 0 || !x.channelsFirst() || x.channels() < 4)
        return {};
    int length = 1;
    for (int d = 2; d < x.rank(); ++d)
        length *= x.shape[static_cast<std::size_t>(d)];
    if (length > 400 || !c.spend(0, x.elements()))
        return {};
    c.assignOf(x, "{}.flatten(2).transpose(1, 2)");
    x.shape = {x.batch(), length, x.channels()};
    x.form = Form::Sequence;
    return "positions as a sequence";
}

} // namespace

void addConvolutionSteps(std::vector<ModuleStep>& steps)
{
    steps.push_back({"conv", 40, true, convolution});
    steps.push_back({"dilated_conv", 4, true, dilated});
    steps.push_back({"depthwise", 6, true, depthwise});
    steps.push_back({"grouped_conv", 4, true, grouped});
    steps.push_back({"separable", 6, true, separable});
    steps.push_back({"conv_transpose", 12, false, transposed});
    steps.push_back({"pool", 12, false, pooled});
    steps.push_back({"global_pool", 5, false, globalPool});
    steps.push_back({"squeeze_excite", 5, true, squeezeExcite});
    steps.push_back({"inverted_residual", 4, true, inverted});
    steps.push_back({"dense_block", 4, false, dense});
    steps.push_back({"channel_shuffle", 4, true, shuffled});
    steps.push_back({"to_sequence", 4, false, toSequence});
}

} // namespace cudal1::synthesis
