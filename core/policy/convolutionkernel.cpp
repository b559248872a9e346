// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's text is one for all plans; a plan is a list of numbers in front of it.
#include "core/policy/convolutionkernel.h"

#include "core/policy/convolutionpieces.h"
#include "core/policy/kernelpieces.h"
#include "core/policy/kernelwriter.h"
#include "core/policy/momentspieces.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace cudal1::policy {

namespace {

using namespace convolutiontext;

/// `text` with so many spaces before each line.
std::string indented(const std::string& text, std::size_t spaces)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end > at)
            out += std::string(spaces, ' ') + text.substr(at, end - at);
        out += "\n";
        at = end + 1;
    }
    return out;
}

std::string list(const std::vector<std::int64_t>& numbers)
{
    std::string out;
    for (const std::int64_t n : numbers)
        out += (out.empty() ? "" : ", ") + number(n);
    return out;
}

class Constants {
public:
    void add(const std::string& comment, const std::vector<std::pair<std::string, std::int64_t>>& values)
    {
        m_text += "// " + comment + "\nconstexpr int ";
        for (std::size_t i = 0; i < values.size(); ++i)
            m_text += (i ? ", " : "") + values[i].first + " = " + number(values[i].second);
        m_text += ";\n";
    }

    void addForAxes(const ConvolutionPlan& plan, const std::string& comment,
                    const std::vector<std::pair<std::string, std::function<std::int64_t(const ConvolutionAxis&)>>>& all)
    {
        std::vector<std::pair<std::string, std::int64_t>> values;
        for (const auto& [name, of] : all) {
            for (std::size_t i = 0; i < 3; ++i)
                values.emplace_back(name + "_" + std::string(1, "dhw"[i]), of(plan.axes[i]));
        }
        add(comment, values);
    }

    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

std::string constantsText(const ConvolutionPlan& plan, bool turned)
{
    using Axis = ConvolutionAxis;
    Constants out;
    out.addForAxes(plan, "places of the input and of the result",
                   {{"in", [](const Axis& a) { return a.in; }}, {"out", [](const Axis& a) { return a.out; }}});
    out.addForAxes(plan, "phases, how many of them are stored, and places of the input between two results of a phase",
                   {{"phases", [](const Axis& a) { return a.phases; }},
                    {"stored", [](const Axis& a) { return a.stored; }},
                    {"stride", [](const Axis& a) { return a.stride; }}});
    out.addForAxes(plan, "a block's tile of places, for each phase, and the part of the input that it needs",
                   {{"tile", [](const Axis& a) { return a.tile; }},
                    {"tiles", [](const Axis& a) { return a.tiles(); }},
                    {"patch", [](const Axis& a) { return a.patch(); }},
                    {"low", [](const Axis& a) { return a.low; }},
                    {"step", [](const Axis& a) { return a.step; }}});
    out.add(
        "channels of a group; those of the input whose patch lies in memory; whether the next patch is copied ahead",
        {{"groups", plan.groups},
         {"inputs", plan.inputs},
         {"results", plan.results},
         {"chunk", plan.chunk},
         {"chunks", plan.chunks()},
         {"line", plan.line()},
         {"plane", plan.plane()},
         {"zeros", plan.padded() ? 1 : 0},
         {"ahead", plan.ahead() ? 1 : 0}});
    out.add("the patch as it is copied: numbers at a time, those of a row, before those needed, and of a channel",
            {{"at_once", plan.copiedAtOnce()},
             {"raw_w", plan.rawWidth()},
             {"raw_before", plan.rawBefore()},
             {"raw_plane", plan.rawPlane()}});
    if (plan.summed)
        out.add("images, runs of tiles of one, and threads of a warp that have other places of the same channels",
                {{"images", plan.images}, {"runs", plan.runs()}, {"sharing", turned ? 32 : 4}});
    out.add("tiles that a block takes one after the other, of one image where sums are stored",
            {{"run_of_tiles", plan.tilesOfARun()}, {"summed", plan.summed ? 1 : 0}});
    out.add(
        "tiles of 8 places and of 16 channels of a warp; whether the last one has fewer channels; warps and threads of "
        "a block; teams that share the channels of a patch, units that a thread makes at a time; steps of sixteen "
        "products",
        {{"place_tiles", plan.placeTiles},
         {"channel_tiles", plan.channelTiles},
         {"all_tiles", plan.allChannelTiles()},
         {"blocks_n", plan.blocksOfChannels()},
         {"ragged", plan.allChannelTiles() * 16 == plan.results ? 0 : 1},
         {"warps_m", plan.warpsAlongPlaces},
         {"warps_n", plan.warpsAlongChannels},
         {"threads", plan.threads()},
         {"teams", plan.teams()},
         {"batch", plan.batch()},
         {"steps", plan.steps()},
         {"cut", plan.cut() ? 1 : 0},
         {"longest", plan.cut() ? ConvolutionPlan::stepsOfAPart : plan.stepsOfASum() + 1},
         {"exact", plan.exact ? 1 : 0},
         {"pitch", plan.pitch()}});
    std::string text = out.text() + "constexpr unsigned tiles = " + number(plan.tiles()) + ";\n";
    text += "// how many taps each phase needs, and the place of the input that the first one reads\n";
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<std::int64_t> counts, first;
        for (const auto& taps : plan.axes[i].taps) {
            counts.push_back(taps.count);
            first.push_back(taps.first);
        }
        const std::string axis(1, "dhw"[i]);
        text += "__device__ constexpr int taps_" + axis + "[] = {" + list(counts) + "}, first_" + axis + "[] = {" +
                list(first) + "};\n";
    }
    const bool large = plan.resultElements() >= (std::int64_t{1} << 31);
    return text + "typedef " + (plan.exact ? "uint4" : "uint2") + " Unit;\ntypedef " +
           (large ? "unsigned long long" : "unsigned") + " Index;\n";
}

/// The text that reads an input of `program` for channel `c` of `image`, or "" where it differs from place to place.
std::string channelLoad(const KernelProgram& program, int input)
{
    const std::vector<KernelAxis> axes = program.axes();
    std::int64_t places = 1, inner = 1;
    for (std::size_t i = 2; i < program.domain.size(); ++i)
        places *= program.domain[i];
    bool one = true, images = false;
    for (std::size_t i = axes.size(); i-- > 0; inner *= axes[i].extent) {
        const std::int64_t stride = axes[i].strides[static_cast<std::size_t>(input)];
        if (stride == 0)
            continue;
        // A vector over channels, or over images and channels, walks along them alone, with a channel's places below.
        if (inner % places != 0 || stride != inner / places)
            return "";
        one = false;
        images = images || inner / places * axes[i].extent > program.domain[1];
    }
    const std::string array = "a" + std::to_string(input);
    if (one)
        return array + "[0]";
    return array + (images ? "[image * " + number(program.domain[1]) + " + c]" : "[c]");
}

/// Whether what follows the convolution happens in registers, before results change places for storing.
bool inRegisters(const ConvolutionPlan& plan, const ConvolutionKernel& kernel)
{
    return plan.pooled || plan.summed || kernel.rows || kernel.reduces();
}

/// The lines that store the results of one channel. In them `c` is the channel and `to[j]` the place in it of the
/// thread's j-th result; its place in memory is stored[j], if the channel is the warp's first one.
std::string storeText(const ConvolutionPlan& plan, const ConvolutionKernel& kernel)
{
    const bool computed = inRegisters(plan, kernel);
    std::string sum = "stage[e * pitch + j * 32 + lane]";
    std::string out;
    if (!computed)
        sum += " * lowered";
    if (kernel.bias && !computed) {
        out += "const float shift = bias[c];\n";
        sum += " + shift";
    }
    out += "#pragma unroll\nfor (int j = 0; j < words; ++j) {\n    if (to[j] < 0)\n        continue;\n"
           "    const float y = " +
           sum + ";\n";
    std::string value = "y";
    if (kernel.after && !computed) {
        const KernelProgram& program = *kernel.after;
        const std::vector<KernelAxis> axes = program.axes();
        bool reads = false; // whether an input differs from place to place
        const auto load = [&](int input) -> std::string {
            const auto at = static_cast<std::size_t>(input);
            if (program.inputs[at] == kernel.afterInput)
                return "y";
            if (const std::string text = channelLoad(program, input); !text.empty())
                return text;
            std::int64_t below = 1;
            bool whole = true;
            for (std::size_t i = axes.size(); i-- > 0;) {
                whole = whole && axes[i].strides[at] == below;
                below *= axes[i].extent;
            }
            reads = true;
            return "a" + std::to_string(input) + "[" + (whole ? "k" : offsetText(axes, at, "k")) + "]";
        };
        std::map<int, std::string> names;
        const std::string lines = declare(program, {program.outputs[0].expr}, names, load, "    ");
        out += (reads ? "    const Index k = first + (n * 8 + e) * of_channel + to[j];\n" : "") + lines;
        value = names.at(program.outputs[0].expr);
    }
    return out + "    stored[j][(n * 8 + e) * of_channel] = " + value + ";\n}\n";
}

/// Lines that run `program` on channels of one place that a thread has, `y[i]` of `channels`, of which `channel` is the
/// place among those of a group. A full result takes the place of `y`, one of the whole place becomes `reduced_place`.
std::string placeText(const KernelProgram& program, int result, char prefix, const std::string& channels,
                      const std::string& channel)
{
    const std::string loop = "#pragma unroll\n    for (int i = 0; i < " + channels +
                             "; ++i) {\n        const int channel = " + channel +
                             ", c = group * results + channel;\n"
                             "        if (ragged && channel >= results)\n            continue;";
    const auto load = [&](int input) -> std::string {
        std::string text = program.inputs[static_cast<std::size_t>(input)] == result ? "y[i]"
                                                                                     : channelLoad(program, input);
        if (text.starts_with("a"))
            text[0] = prefix;
        return text;
    };
    const auto over = [](const std::string&, const std::string& value) { return value; };
    std::map<int, std::string> names;
    std::string out = "{\n" + passesText(program, loop, over, load, names);
    const KernelOutput& output = program.outputs[0];
    if (output.full) {
        std::map<int, std::string> inside = names;
        out += "    " + loop + "\n" + declare(program, {output.expr}, inside, load, "        ");
        out += "        y[i] = " + inside.at(output.expr) + ";\n    }\n";
    } else {
        out += declare(program, {output.expr}, names, load, "    ");
        out += "    reduced_place = " + names.at(output.expr) + ";\n";
    }
    return out + "}\n";
}

/// Where a thread has all channels of a place, and where it has two of sixteen.
constexpr const char *allChannels = "channel_tiles * 16", *itsChannel = "first_channel + i";
constexpr const char *someChannels = "channel_tiles * 2", *itsOwnChannel = "first_channel + i * 8 + row";

/// A loop over the places of a thread that has two of sixteen channels; `body` works on `y`, taken from
/// `array[pw][p][c][r]`.
std::string forPlaces(const std::string& array, const std::string& phases, const std::string& before,
                      const std::string& body, const std::string& after)
{
    return "#pragma unroll\nfor (int q = 0; q < " + phases +
           " * place_tiles * 2; ++q) {\n"
           "    const int pw = q / 2 / place_tiles, p = q / 2 % place_tiles, half = q % 2;\n"
           "    float y[channel_tiles * 2];\n    #pragma unroll\n"
           "    for (int i = 0; i < channel_tiles * 2; ++i) {\n        float& v = " +
           array + "[pw][p][i / 2][i % 2 * 2 + half];\n        y[i] = v" + before + ";\n    }\n" + indented(body, 4) +
           after + "}\n";
}

/// The same for a thread that has all channels, of `turned[j]`; `change` is done with each of them first.
std::string forTurned(const std::string& change, const std::string& body)
{
    return "#pragma unroll\nfor (int j = 0; j < words; ++j) {\n    float (&y)[channel_tiles * 16] = turned[j];\n" +
           (change.empty() ? ""
                           : "    #pragma unroll\n    for (int i = 0; i < channel_tiles * 16; ++i) {\n" +
                                 indented(change, 8) + "    }\n") +
           indented(body, 4) + "}\n";
}

/// What makes the mean over a pool's window of the sum, as a factor; empty where maxima are taken.
std::string meanFactor(const ConvolutionPlan& plan, const ConvolutionKernel& kernel)
{
    double size = 1;
    for (const ConvolutionAxis& axis : plan.axes)
        size *= static_cast<double>(axis.phases);
    return kernel.mean ? " * " + floatText(1 / size) : "";
}

std::string combinerOf(const ConvolutionKernel& kernel)
{
    return kernel.mean ? "Sum" : "Max";
}

/// The lines from `turned` to what is stored; `change` is done with each number first. They leave the results in
/// `turned`, or one of each place in `reduced[words]`.
std::string lastText(const ConvolutionKernel& kernel, const std::string& change, bool rowResult)
{
    std::string after = kernel.after ? placeText(*kernel.after, kernel.afterInput, 'a', allChannels, itsChannel) : "";
    if (rowResult)
        after = "float reduced_place;\n" + after + "reduced[j] = reduced_place;\n";
    return std::string(rowResult ? "float reduced[words];\n" : "") +
           (change.empty() && after.empty() ? "" : forTurned(change, after));
}

/// The same where they come from a pool.
std::string lastOfPoolText(const ConvolutionPlan& plan, const ConvolutionKernel& kernel, bool rowResult)
{
    const std::string factor = meanFactor(plan, kernel);
    return lastText(kernel, factor.empty() ? "" : "y[i] = y[i]" + factor + ";\n", rowResult);
}

/// The lines that normalize rows of `sums`. Four threads have a row, with its places two by two.
std::string rowsText(const RowNorm& rows)
{
    const std::string each = "        #pragma unroll\n        for (int q = 0; q < phases_w * row_tiles * 2; ++q)\n";
    const std::string value = "sums[q / 2 / row_tiles][first + q / 2 % row_tiles][i / 2][i % 2 * 2 + q % 2]";
    const std::string place = "[(q / 2 % row_tiles * 8 + column * 2 + q % 2) * phases_w + q / 2 / row_tiles]";
    const auto over = [](const std::string& total) {
        return "        " + total + " += __shfl_xor_sync(0xffffffffu, " + total + ", 1);\n        " + total +
               " += __shfl_xor_sync(0xffffffffu, " + total + ", 2);\n";
    };
    return "constexpr int row_tiles = tile_w / 8, row_places = tile_w * phases_w;\n#pragma unroll\n"
           "for (int first = 0; first < place_tiles; first += row_tiles)\n    #pragma unroll\n"
           "    for (int i = 0; i < channel_tiles * 2; ++i) {\n        float sum = 0.0f, square = 0.0f;\n" +
           each + "            sum += " + value + ";\n" + over("sum") +
           "        const float mean = sum / row_places;\n" + each + "            square += (" + value +
           " - mean) * (" + value + " - mean);\n" + over("square") +
           "        const float scale = 1.0f / sqrtf(square / row_places + " + floatText(rows.eps) + ");\n" + each +
           "            " + value + " = (" + value + " - mean) * scale" + (rows.weight ? " * row_weight" + place : "") +
           (rows.bias ? " + row_bias" + place : "") + ";\n    }\n";
}

/// The lines from the sums of a phase to what is stored, where a program reduces over the channels: then a thread takes
/// all channels of its places, by way of shared memory. They end with `turned[words][channel_tiles * 16]` or
/// `reduced[words]`.
std::string turnedText(const ConvolutionPlan& plan, const ConvolutionKernel& kernel, bool rowResult)
{
    const std::string turned = "float turned[words][channel_tiles * 16];\n";
    const std::string lower = "const int channel = first_channel + i;\ny[i] = y[i] * lowered" +
                              std::string(kernel.bias ? " + (!ragged || channel < results ? "
                                                        "bias[group * results + channel] : 0.0f)"
                                                      : "") +
                              ";\n";
    if (!plan.pooled)
        return turned + "gather(sums, turned);\n" + lastText(kernel, lower, rowResult);
    const std::string before = placeText(*kernel.before, kernel.beforeInput, 'b', allChannels, itsChannel) +
                               "#pragma unroll\nfor (int i = 0; i < channel_tiles * 16; ++i)\n"
                               "    kept[j][i] = " +
                               combinerOf(kernel) + "::of(kept[j][i], y[i]);\n";
    return indented("#pragma unroll\nfor (int pw = 0; pw < phases_w; ++pw) {\n" +
                        indented(turned + "gather(sums + pw, turned);\n" + forTurned(lower, before), 4) + "}\n",
                    16) +
           "            }\n" +
           indented("float (&turned)[words][channel_tiles * 16] = kept;\n" + lastOfPoolText(plan, kernel, rowResult),
                    8);
}

/// The same where no program reduces before the pool: a thread has two of sixteen channels.
std::string registerText(const ConvolutionPlan& plan, const ConvolutionKernel& kernel, bool rowResult)
{
    std::string lower = " * lowered", shifts;
    if (kernel.bias) {
        lower += " + shift[i]";
        shifts = "float shift[channel_tiles * 2];\n#pragma unroll\nfor (int i = 0; i < channel_tiles * 2; ++i) {\n"
                 "    const int channel = first_channel + i * 8 + row;\n"
                 "    shift[i] = !ragged || channel < results ? bias[group * results + channel] : 0.0f;\n}\n";
    }
    const auto programText = [](const KernelProgram& program, int result, char prefix) {
        return placeText(program, result, prefix, someChannels, itsOwnChannel);
    };
    const auto keep = [](const std::string& array) {
        return "    #pragma unroll\n    for (int i = 0; i < channel_tiles * 2; ++i)\n        " + array +
               "[pw][p][i / 2][i % 2 * 2 + half] = y[i];\n";
    };
    const bool turns = kernel.reduces(); // behind the pool
    const std::string after = kernel.after && !turns ? programText(*kernel.after, kernel.afterInput, 'a') : "";
    std::string before = kernel.before ? programText(*kernel.before, kernel.beforeInput, 'b') : "";
    std::string rows;
    if (kernel.rows) {
        rows = shifts + forPlaces("sums", "phases_w", lower, before, keep("sums")) + rowsText(*kernel.rows);
        shifts = lower = before = "";
        if (!plan.pooled)
            return rows + (kernel.after ? forPlaces("sums", "phases_w", "", after, keep("sums")) : "");
    }
    if (!plan.pooled)
        return shifts + forPlaces("sums", "phases_w", lower, after, keep("sums"));
    const std::string combine = "    #pragma unroll\n    for (int i = 0; i < channel_tiles * 2; ++i) {\n"
                                "        float& best = kept[0][p][i / 2][i % 2 * 2 + half];\n"
                                "        best = " +
                                combinerOf(kernel) + "::of(best, y[i]);\n    }\n";
    std::string out = indented(rows + shifts + forPlaces("sums", "phases_w", lower, before, combine), 16) +
                      "            }\n";
    if (turns) {
        out += indented("float turned[words][channel_tiles * 16];\ngather(kept, turned);\n" +
                            lastOfPoolText(plan, kernel, rowResult),
                        8);
    } else if (kernel.after || kernel.mean) {
        out += indented(forPlaces("kept", "1", meanFactor(plan, kernel), after, keep("kept")), 8);
    }
    return out;
}

} // namespace

bool readableByChannel(const KernelProgram& program, int input)
{
    return !channelLoad(program, input).empty();
}

int partWidth(ConvolutionStore stored)
{
    return stored == ConvolutionStore::Results ? 0 : stored == ConvolutionStore::Sums ? 1 : 3;
}

bool ConvolutionKernel::reduces() const
{
    return (before && before->reduces()) || (after && after->reduces());
}

std::vector<std::pair<int, std::string>> ConvolutionKernel::inputs() const
{
    std::vector<std::pair<int, std::string>> out;
    for (const auto& [program, own, prefix] :
         {std::tuple{&before, beforeInput, "b"}, std::tuple{&after, afterInput, "a"}}) {
        for (std::size_t i = 0; *program && i < (*program)->inputs.size(); ++i) {
            if ((*program)->inputs[i] != own)
                out.emplace_back((*program)->inputs[i], prefix + std::to_string(i));
        }
    }
    for (const auto& [value, name] :
         {std::pair{&RowNorm::weight, "row_weight"}, std::pair{&RowNorm::bias, "row_bias"}}) {
        if (rows && (*rows).*value)
            out.emplace_back(*((*rows).*value), name);
    }
    return out;
}

std::string convolutionText(const ConvolutionPlan& plan, const std::string& name, const ConvolutionKernel& kernel)
{
    std::string parameters = "const float* __restrict__ x, const float* __restrict__ taps, ";
    if (kernel.bias)
        parameters += "const float* __restrict__ bias, ";
    for (const auto& [value, input] : kernel.inputs())
        parameters += "const float* __restrict__ " + input + ", ";
    const bool rowResult = kernel.after && !kernel.after->outputs[0].full;
    const bool turned = kernel.reduces();
    const bool early = turned && (!plan.pooled || (kernel.before && kernel.before->reduces()));
    std::string helpers;
    if (plan.summed)
        helpers = kernel.stored == ConvolutionStore::Sums ? sumPart : momentstext::moments + momentPart;
    std::string text = constantsText(plan, turned) + products + (plan.exact ? unitOfPairs : unitOfHalves) + "\n" +
                       helpers + "extern \"C\" __global__ void __launch_bounds__(" + number(plan.threads()) +
                       (plan.residentBlocks > 0 ? ", " + number(plan.residentBlocks) : "") + ") " + name + "(" +
                       parameters + "float* __restrict__ out)" + head + (turned || !plan.summed ? stageChannels : "") +
                       (turned ? turnChannels : "") + (plan.summed ? noParts : "") + tileLoop;
    if (plan.pooled) {
        const std::string kept = early ? "kept[words][channel_tiles * 16]" : "kept[1][place_tiles][channel_tiles][4]";
        text += "        float " + kept + "; // the " + (kernel.mean ? "sums" : "maxima") +
                " of the windows\n        #pragma unroll\n        for (int i = 0; i < " +
                (early ? "words * channel_tiles * 16" : "place_tiles * channel_tiles * 4") + "; ++i)\n            (&" +
                (early ? "kept[0][0]" : "kept[0][0][0][0]") + ")[i] = " + (kernel.mean ? "0" : "-INFINITY") + ";\n";
    }
    text += phaseSums + (plan.exact ? threeProducts : oneProduct) + sumsEnd;
    std::string write = turned || !plan.summed ? places : "";
    const std::string done = "auto& done = " + std::string(plan.pooled ? "kept" : "sums") + ";\n";
    if (plan.summed)
        write += turned ? addTurned : done + addParts;
    else if (rowResult)
        write += writeRows;
    else if (turned)
        write += storedPlaces + writeTurned;
    else
        write += done + storedPlaces + writeChannels + indented(storeText(plan, kernel), 8) + "    }\n}\n";
    const std::string end = (plan.summed ? indented(writeParts, 8) : "") + "    }\n}\n";
    const std::string computed = early ? turnedText(plan, kernel, rowResult) : registerText(plan, kernel, rowResult);
    if (plan.pooled)
        return withDefinitions(text + computed + "        const int pd = 0, ph = 0;\n" + indented(write, 8) + end);
    if (inRegisters(plan, kernel))
        text += indented(computed, 16);
    return withDefinitions(text + indented(write, 16) + "            }\n" + end);
}

} // namespace cudal1::policy
