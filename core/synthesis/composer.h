// SPDX-License-Identifier: GPL-3.0-or-later
// Composes one task of steps: the operators, shapes and idioms that the bundled tasks' facts show.
#pragma once

#include "core/synthesis/seededchoice.h"
#include "core/synthesis/tasktext.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::synthesis {

/// A task file. The same seed and number give the same text, byte by byte, on every machine.
struct Composition {
    std::string name; ///< "linear_gelu_layer_norm": of the steps, fit for a file's name
    std::string source;
};

/// What the dimensions of a tensor mean.
enum class Form {
    Features, ///< batch, features
    Sequence, ///< batch, length, features
    Signal,   ///< batch, channels, length
    Image,    ///< batch, channels, height, width
    Volume,   ///< batch, channels, depth, height, width
};

/// The tensor that steps work on, as the text names it.
struct Flow {
    std::string name;
    Form form = Form::Features;
    std::vector<int> shape;

    int batch() const { return shape[0]; }
    int channels() const { return form == Form::Sequence ? shape.back() : shape[1]; }
    int channelDim() const { return form == Form::Sequence ? 2 : 1; }
    int last() const { return shape.back(); }
    int rank() const { return static_cast<int>(shape.size()); }
    int spatial() const { return rank() - 2; } ///< dimensions behind the channels, or the length of a sequence
    double elements() const;
    bool channelsFirst() const { return form == Form::Signal || form == Form::Image || form == Form::Volume; }
};

class Composer {
public:
    /// Bounds of one call, so that a call on the CPU takes well under 50 ms.
    static constexpr double mostFlop = 4e7, mostElements = 2e6;

    Composer(std::uint64_t seed, std::uint64_t number);

    Composition compose();

    // What steps use.
    TaskText text;
    SeededChoice draw;
    /// Whether that much more work fits. Nothing is counted where it does not.
    bool spend(double flop, double elements);
    /// Writes `flow.name = expression`.
    void assign(const Flow& flow, const std::string& expression);
    /// The same with every {} of the expression standing for the flow's name.
    void assignOf(const Flow& flow, std::string expression);
    /// At most `most` steps on a tensor, which keep its shape when that is asked for. Gives their phrases, with " and "
    /// before the last; empty where none fitted.
    std::string chain(Flow& flow, int most, bool keepShape);
    int depth = 0; ///< of structures in structures

private:
    Flow firstInput();
    void note(const std::string& id, const std::string& phrase);

    std::vector<std::string> m_ids, m_phrases;
    std::string m_before; ///< id of the step before, which is not repeated
    double m_flop = 0, m_elements = 0;
};

Composition compose(std::uint64_t seed, std::uint64_t number);

/// Changes when equal seeds would give other tasks than before.
inline constexpr int composerVersion = 1;

} // namespace cudal1::synthesis
