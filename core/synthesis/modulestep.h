// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a composed module, and the lists of them.
#pragma once

#include "core/synthesis/composer.h"

#include <functional>
#include <string>
#include <vector>

namespace cudal1::synthesis {

struct ModuleStep {
    std::string id;      ///< "layer_norm": stands in the names of tasks
    int weight = 1;      ///< how often it is drawn, relative to the others
    bool inside = false; ///< it may stand in a structure (Composer::depth above 0), where it keeps the shape
    /// Writes its statements and gives a phrase for the description ("layer norm"). Where it does not fit the tensor or
    /// the budget it gives an empty one, and has written nothing.
    std::function<std::string(Composer& c, Flow& x)> apply;
};

void addElementwiseSteps(std::vector<ModuleStep>& steps);
void addNormSteps(std::vector<ModuleStep>& steps);
void addReductionSteps(std::vector<ModuleStep>& steps);
void addProductSteps(std::vector<ModuleStep>& steps);
void addConvolutionSteps(std::vector<ModuleStep>& steps);
void addAttentionSteps(std::vector<ModuleStep>& steps);
void addRecurrenceSteps(std::vector<ModuleStep>& steps);
void addStructureSteps(std::vector<ModuleStep>& steps);

/// All of them, in a fixed order.
const std::vector<ModuleStep>& allSteps();

/// "(1, 16, 1, 1)": a shape that holds `size` at `dim` and broadcasts elsewhere, without the batch.
std::string broadcastShape(const Flow& x, int dim, const std::string& size);

} // namespace cudal1::synthesis
