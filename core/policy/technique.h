// SPDX-License-Identifier: GPL-3.0-or-later
// One named optimisation: when it applies, what it does to the graph or to the module around it, and how to say so.
#pragma once

#include "core/policy/graph.h"
#include "core/policy/policy.h"
#include "core/policy/pythonscanner.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::policy {

/// Choices in generated kernels that later rounds vary.
struct LaunchOptions {
    int block = 256;   ///< threads of a block of a generated CUDA kernel
    int vector = 4;    ///< elements that a thread moves at once
    bool operator==(const LaunchOptions&) const = default;
};

/// What a technique decides on.
struct Context {
    const Prompt& prompt;
    const Graph& graph;          ///< plain form of prompt.graph
    const PythonModule& module;  ///< the reference's text
    LaunchOptions launch;

    bool cuda() const { return prompt.graph.device.starts_with("cuda"); }
    /// True when the graph's operators may be rewritten; otherwise `why` is set.
    bool rewritable(std::string& why) const;
    /// The total of operator times; 0 when nothing was measured.
    double operators_ns() const;
    /// Operators that start work on the device: without views.
    int launches() const;
    /// "5 operators take 5 us when each is measured alone".
    std::string operatorsText() const;
    double time_ns(std::string_view shortName) const;
};

/// Whether a technique applies to a graph. The sentences are made from the graph's facts.
struct Match {
    bool applies = false;
    std::string why;     ///< when it does not apply: one sentence
    std::string finding; ///< when it applies: what in the graph it acts on
    std::string design;  ///< why the result is the same and what is expected of it
    double gain = 1;     ///< guess of the speed-up, only to order proposals

    static Match no(std::string why) { return {false, std::move(why), {}, {}, 1}; }
};

/// The parts of a generated module that techniques fill in.
struct Source {
    std::vector<std::string> helpers;   ///< module-level definitions, each once
    std::vector<std::string> settings;  ///< module-level statements after the toggles
    std::vector<std::string> initialise;///< statements at the end of __init__
    std::vector<std::string> methods;   ///< further methods of ModelNew, unindented
    std::vector<std::string> convert;   ///< statements at the head of the body: formats of the inputs
    bool graphRunner = false;           ///< forward goes through a captured CUDA graph
    std::string compileArguments;       ///< of torch.compile; empty when no compiled graph is there

    static void once(std::vector<std::string>& list, std::string text);
};

class Technique {
public:
    virtual ~Technique() = default;
    virtual std::string id() const = 0;
    virtual std::string title() const = 0;
    /// What the toggle switches, for the comment beside it.
    virtual std::string comment() const = 0;
    virtual Match match(const Context& context) const = 0;
    /// True for techniques that change the graph; they run in the order of the library.
    virtual bool rewrites() const { return false; }
    /// Changes the graph; called with the result of the techniques before it, which may have left nothing to do.
    virtual void rewrite(Graph&, Source&, const Context&) const {}
    /// Changes what is around the computation.
    virtual void wrap(Source&, const Context&) const {}

    /// "USE_CUDA_GRAPH".
    std::string toggle() const;
};

/// All techniques, in the order in which rewrites run.
std::vector<std::unique_ptr<Technique>> allTechniques();

std::unique_ptr<Technique> makeConstantResult();
std::unique_ptr<Technique> makeDiagonalProduct();
std::unique_ptr<Technique> makeTriangularProduct();
std::unique_ptr<Technique> makeReassociateReduction();
std::unique_ptr<Technique> makeFoldScale();
std::unique_ptr<Technique> makeSplitReduction();
std::unique_ptr<Technique> makeCpuProducts();
std::unique_ptr<Technique> makeGemmEpilogue();
std::unique_ptr<Technique> makeFuseElementwise();
std::unique_ptr<Technique> makeHeapReuse();
std::unique_ptr<Technique> makeDeviceConstants();
std::unique_ptr<Technique> makeChannelsLast();
std::unique_ptr<Technique> makeTf32();
std::unique_ptr<Technique> makeBf16Products();
std::unique_ptr<Technique> makeIeeeRecurrence();
std::unique_ptr<Technique> makeCudnnBenchmark();
std::unique_ptr<Technique> makeCompiledGraph();
std::unique_ptr<Technique> makeCudaGraph();

/// Python text of helpers that several techniques share.
const std::string& preparedHelper();

} // namespace cudal1::policy
