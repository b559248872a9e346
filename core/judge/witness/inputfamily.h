// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions of inputs beside the dataset's own, so that a constant or a zero that hides under the tolerance, or a
// shortcut that holds for one distribution alone, does not pass.
//
// A family keeps what the dataset's inputs promise: zeros stay zeros (a triangular matrix stays triangular), symmetric
// stays symmetric, non-negative stays non-negative, rows in ascending order or of length one stay so; labels
// (integers), masks and probabilities are left as they are.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace cudal1::judge {

/// What the dataset's inputs promise; read once from a draw of its own generator.
struct InputTraits {
    bool fixed = false; ///< labels, masks, probabilities, non-float: changed by one family at most ("flipped", "rows")
    bool nonNegative = false;
    bool structured = false; ///< a pattern of zeros that must stay
    bool symmetric = false;  ///< each matrix in the last two dimensions
    bool bothSigns = false;
    /// Integers that never fall, as lengths and offsets, or rows of other numbers that never do, as the limits of
    /// intervals: they mean something only together.
    bool ordered = false;
    bool manyRows = false; ///< more than one, where the last dimension is a row
    bool unitRows = false; ///< rows whose Euclidean length is one, as directions and quaternions
    bool choices = false;  ///< rows of whole numbers that sum to one: one element of each is chosen
    /// Truth values or whole numbers of a floating type, all of them the same, as a first state of zeros.
    bool constant = false;
    /// Whole numbers of an integer type, in no order, or complex ones: each may stand in the place of another of its
    /// row.
    bool movable = false;
    bool distinct = false; ///< of these, no two in a row are equal, as in a permutation
    /// What is no number with a fraction, and each draw gives the same. To be set by who has drawn twice.
    bool repeats = false;
    bool probabilities = false; ///< rows that sum to one, and are no choices of one of them
    /// A result is of a half type, whose rounding hides what a sum over a sample of many elements misses by. To be set
    /// by who knows the results.
    bool coarse = false;
    bool whole = false; ///< a result is whole numbers or truth values, which hide it too; set in the same way
};

InputTraits traitsOf(const at::Tensor& input);

/// An input of floating numbers that were changed one by one, with what the dataset's inputs promise of whole rows and
/// matrices made true again.
at::Tensor withPromises(const at::Tensor& changed, const InputTraits& traits);

/// A new tensor of the family, or the same one where the family does not apply to it.
at::Tensor applyFamily(std::string_view family, const at::Tensor& input, const InputTraits& traits);

/// InputTraits::coarse and whole, which results decide.
void noteHiding(std::span<InputTraits> traits, const std::vector<at::Tensor>& results);
/// InputTraits::repeats of these inputs. `drawAgain` gives another draw, and is asked only where that can be.
void noteRepeats(std::span<InputTraits> traits, const std::vector<at::Tensor>& inputs,
                 const std::function<std::vector<at::Tensor>()>& drawAgain);
/// What no draw changes, with each element in the place of another one, or, where all are the same, half of them of
/// another value: for timed calls, in which who compares it with what it was must find that it is not.
at::Tensor redrawn(const at::Tensor& input, const InputTraits& traits);
/// Whether redrawn() is for this input: truth values or whole numbers of a floating type that are the same in each
/// draw, more than one, and all of them finite.
bool canBeRedrawn(const at::Tensor& input, const InputTraits& traits);
/// Whether nothing changes the input if each draw gives the same one, though it could be changed.
bool canRepeat(const at::Tensor& input, const InputTraits& traits);

/// False when the family changes none of these inputs. "redrawn" is what redrawn() makes; no trial has it.
bool familyApplies(std::string_view family, std::span<const InputTraits> traits);

/// Whether numbers that differ still do in this family, and hardly any becomes the equal of another: it multiplies by
/// powers of two.
bool keepsDifferent(std::string_view family);

/// The input with every element moved by about one unit in the last place, of float32 where its type is no wider: for
/// telling rounding from error.
at::Tensor perturbed(const at::Tensor& input, const InputTraits& traits);

} // namespace cudal1::judge
