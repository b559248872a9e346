// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that bring a tensor to a common scale: softmax, norms of batches, layers, groups and instances.
#include "core/synthesis/modulestep.h"

namespace cudal1::synthesis {

namespace {

const char* suffixOf(Form form)
{
    return form == Form::Image ? "2d" : form == Form::Volume ? "3d" : "1d";
}

int anyDim(Composer& c, const Flow& x)
{
    return x.rank() == 2 || c.draw.chance(60) ? x.rank() - 1 : 1 + c.draw.below(x.rank() - 1);
}

bool fits(Composer& c, const Flow& x, int passes)
{
    return c.spend(0, passes * x.elements());
}

std::string softmax(Composer& c, Flow& x, const char* function, const char* phrase)
{
    const int dim = anyDim(c, x);
    if (x.shape[static_cast<std::size_t>(dim)] < 2 || !fits(c, x, 3))
        return {};
    c.assignOf(x, std::string(function) + "({}, dim=" + std::to_string(dim) + ")");
    return phrase;
}

std::string layerNorm(Composer& c, Flow& x)
{
    const bool last = x.form == Form::Features || x.form == Form::Sequence;
    if (x.last() < 4 || !fits(c, x, 3))
        return {};
    std::string shape;
    if (last) {
        shape = c.text.size("features", x.last());
    } else {
        static constexpr const char* names[] = {"", "channels", "size1", "size2", "size3"};
        for (int d = 1; d < x.rank(); ++d)
            shape += (d > 1 ? ", " : "") + c.text.size(names[d], x.shape[static_cast<std::size_t>(d)]);
        shape = "(" + shape + ")";
    }
    c.assignOf(x, c.text.attribute("norm", "nn.LayerNorm(" + shape + ")") + "({})");
    return "layer norm";
}

std::string batchNorm(Composer& c, Flow& x)
{
    if (x.form == Form::Sequence || x.batch() < 2 || !fits(c, x, 3))
        return {};
    c.assignOf(x, c.text.attribute("bn", "nn.BatchNorm" + std::string(suffixOf(x.form)) + "(" +
                                             c.text.size("channels", x.channels()) + ")") +
                      "({})");
    return "batch norm";
}

std::string groupNorm(Composer& c, Flow& x)
{
    const int groups = c.draw.of({2, 4, 8});
    if (x.form == Form::Sequence || x.channels() % groups != 0 || x.channels() / groups < 2 || !fits(c, x, 3))
        return {};
    c.assignOf(x, c.text.attribute("group_norm", "nn.GroupNorm(" + c.text.size("groups", groups) + ", " +
                                                     c.text.size("channels", x.channels()) + ")") +
                      "({})");
    return "group norm";
}

std::string instanceNorm(Composer& c, Flow& x)
{
    if (!x.channelsFirst() || x.last() < 4 || !fits(c, x, 3))
        return {};
    c.assignOf(x, c.text.attribute("instance_norm", "nn.InstanceNorm" + std::string(suffixOf(x.form)) + "(" +
                                                        c.text.size("channels", x.channels()) + ")") +
                      "({})");
    return "instance norm";
}

std::string rmsNorm(Composer& c, Flow& x)
{
    const int dim = x.form == Form::Sequence || x.form == Form::Features ? x.rank() - 1 : 1;
    if (x.shape[static_cast<std::size_t>(dim)] < 3 || !fits(c, x, 3))
        return {};
    c.assignOf(x, "{} / torch.sqrt(torch.mean({} ** 2, dim=" + std::to_string(dim) + ", keepdim=True) + 1e-5)");
    return "RMS norm";
}

std::string lengthNorm(Composer& c, Flow& x)
{
    const int dim = anyDim(c, x);
    if (x.shape[static_cast<std::size_t>(dim)] < 3 || !fits(c, x, 3))
        return {};
    const int kind = c.draw.below(3);
    const std::string at = std::to_string(dim);
    if (kind == 0)
        c.assignOf(x, "F.normalize({}, dim=" + at + ")");
    else if (kind == 1)
        c.assignOf(x, "{} / (torch.mean(torch.abs({}), dim=" + at + ", keepdim=True) + 1e-6)");
    else
        c.assignOf(x, "{} / (torch.norm({}, p=2, dim=" + at + ", keepdim=True) + 1e-6)");
    return kind == 1 ? "L1 norm" : "L2 norm";
}

std::string standardised(Composer& c, Flow& x)
{
    const int dim = anyDim(c, x);
    if (x.shape[static_cast<std::size_t>(dim)] < 4 || !fits(c, x, 4))
        return {};
    const std::string at = std::to_string(dim), mean = c.text.local("mean");
    c.text.statement(mean + " = torch.mean(" + x.name + ", dim=" + at + ", keepdim=True)");
    c.assignOf(x, "({} - " + mean + ") / ({}.std(dim=" + at + ", keepdim=True) + 1e-5)");
    return "standardisation";
}

std::string centred(Composer& c, Flow& x)
{
    const int dim = anyDim(c, x);
    if (x.shape[static_cast<std::size_t>(dim)] < 3 || !fits(c, x, 2))
        return {};
    const bool largest = c.draw.chance(40);
    const std::string at = std::to_string(dim);
    c.assignOf(x, largest ? "{} - torch.amax({}, dim=" + at + ", keepdim=True)"
                          : "{} - torch.mean({}, dim=" + at + ", keepdim=True)");
    return largest ? "the distance from the largest" : "the distance from the mean";
}

} // namespace

void addNormSteps(std::vector<ModuleStep>& steps)
{
    steps.push_back(
        {"softmax", 5, true, [](Composer& c, Flow& x) { return softmax(c, x, "torch.softmax", "softmax"); }});
    steps.push_back({"log_softmax", 2, true,
                     [](Composer& c, Flow& x) { return softmax(c, x, "torch.log_softmax", "log softmax"); }});
    steps.push_back({"layer_norm", 6, true, layerNorm});
    steps.push_back({"batch_norm", 6, true, batchNorm});
    steps.push_back({"group_norm", 4, true, groupNorm});
    steps.push_back({"instance_norm", 3, true, instanceNorm});
    steps.push_back({"rms_norm", 3, true, rmsNorm});
    steps.push_back({"length_norm", 3, true, lengthNorm});
    steps.push_back({"standardise", 2, true, standardised});
    steps.push_back({"centre", 2, true, centred});
}

} // namespace cudal1::synthesis
