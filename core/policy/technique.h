// SPDX-License-Identifier: GPL-3.0-or-later
// A technique: one named optimisation. It decides whether it applies to a graph, changes the graph or the module around
// it, and explains itself.
#pragma once

#include "core/policy/graph.h"
#include "core/policy/policy.h"
#include "core/policy/pythonscanner.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudal1::policy {

/// Parameters of generated kernels, which later rounds of a search vary.
struct LaunchOptions {
    int block = 256; ///< threads of a block of a generated CUDA kernel
    int vector = 4;  ///< elements that a thread moves at once
    bool operator==(const LaunchOptions&) const = default;
};

/// What a technique bases its decisions on.
struct TechniqueContext {
    const Prompt& prompt;
    const Graph& graph;         ///< prompt.graph in its plain form
    const PythonModule& module; ///< the reference's text
    LaunchOptions launch;
    /// The graph is what another technique has made of the reference's, so forward is written anew from it.
    bool rewritten = false;

    bool cuda() const { return prompt.graph.device.starts_with("cuda"); }
    bool plainParameters() const; ///< forward takes so many arguments, each by its place
    /// Returns true when the graph's operators may be rewritten; otherwise sets `why`.
    bool rewritable(std::string& why) const;
    /// The same for techniques that write CUDA kernels, which no CPU runs.
    bool takesKernels(std::string& why) const;
    /// The sum of the operators' times; 0 when nothing was measured.
    double operators_ns() const;
    /// What part of operators_ns() this time is; 0 when nothing was measured.
    double share(double time_ns) const;
    /// Bytes that our kernels move in a nanosecond: of this device where the prompt says its rate (`Prompt::least`),
    /// else of an H200, of which the times of planned kernels are.
    double rateOfMemory() const;
    /// The number of operators that start work on the device; views do not.
    int launches() const;
    /// "5 operators take 5 us when each is measured alone".
    std::string operatorsText() const;
    double time_ns(std::string_view shortName) const; ///< sum over the operators of this name
};

class Technique;

/// Whether a technique applies to a graph. The texts are shown to users and name facts of this graph.
struct Match {
    bool applies = false;
    std::string why;                 ///< when it does not apply: why not, in one sentence
    std::string finding;             ///< when it applies: what in the graph it acts on
    std::string design;              ///< when it applies: why the result stays the same, and what gain to expect
    double gain = 1;                 ///< a guess of the speed-up, used only to order proposals
    std::set<std::string> settles{}; ///< techniques that have nothing left to do where this one is on
    /// The technique behind which alone it applies: its graph is the one which that technique leaves. Null where it
    /// applies to the reference's graph.
    const Technique* opener = nullptr;

    static Match no(std::string why) { return {false, std::move(why), {}, {}, 1, {}}; }
};

/// The techniques of a proposal, in the order of allTechniques(), with what each has found.
using Used = std::vector<std::pair<const Technique*, Match>>;

/// The places of a graph that a technique would change, as its match tells of them.
struct MatchedSites {
    int count = 0;
    double replaced_ns = 0, expected_ns = 0; ///< time of the operators, and of what takes their place

    /// `text` names the site: "argmax of [16, 256, 256], in 39 us".
    void add(double replaced, double expected, const std::string& text);
    std::string list() const; ///< the texts of the first four, and whether there are more
    double gain(const TechniqueContext& context) const;
    std::string shareText(const TechniqueContext& context) const; ///< "42 % of the operators' time"

private:
    std::string m_texts;
};

/// The parts of a generated module that techniques fill in.
struct Source {
    std::vector<std::string> helpers; ///< definitions at module level, each once
    std::vector<std::string> kernels; ///< kernels at module level, each with the function that launches it
    /// Of addFunction(): by stem and by the text under an empty name, the name of each function in `kernels`.
    std::map<std::string, std::map<std::string, std::string>> functions;
    std::vector<std::string> settings;   ///< statements at module level, after the toggles
    std::vector<std::string> initialise; ///< statements at the end of __init__
    std::vector<std::string> methods;    ///< further methods of ModelNew, without indentation
    std::vector<std::string> convert;    ///< statements at the head of the body, which convert the format of inputs
    bool graphRunner = false;            ///< forward runs a captured CUDA graph
    std::string compileArguments;        ///< arguments of torch.compile; empty when the body is not compiled

    /// Appends `text` to `list` unless it is there already.
    static void once(std::vector<std::string>& list, std::string text);
};

/// Has no state: all members are const.
class Technique {
public:
    virtual ~Technique() = default;
    virtual std::string id() const = 0;    ///< "cuda_graph"
    virtual std::string title() const = 0; ///< "CUDA graph", as users read it
    /// What the toggle switches: the comment beside it in the source.
    virtual std::string comment() const = 0;
    /// Whether it applies to the graph of the context.
    virtual Match match(const TechniqueContext& context) const = 0;
    /// True for techniques that change the graph. Those run one after the other, in the order of allTechniques().
    virtual bool rewrites() const { return false; }
    /// Changes the graph that the techniques before it have left. If they left nothing to do, it changes nothing.
    virtual void rewrite(Graph&, Source&, const TechniqueContext&) const {}
    /// Changes what is around the computation: CUDA graphs, compilation, formats, precision.
    virtual void wrap(Source&, const TechniqueContext&) const {}

    /// The name of its toggle: "USE_CUDA_GRAPH".
    std::string toggle() const;
    /// comment(), and which toggle must be on as well where another technique opens this one.
    std::string commentWith(const Match& match) const;
};

/// In shorter calls of a GPU the host's way to the kernels takes more than the kernels do.
inline constexpr double shortCall_ns = 150e3;

/// For guesses of a kernel's time on a GPU like an H100: bytes that it moves in a nanosecond, and what a launch takes.
inline constexpr double bytesPerNs = 2400, kernelLaunch_ns = 3000;
inline constexpr int processorsOfAnH100 = 132; // and of an H200

/// When calls shorter than this were compiled, they ran at 0.4 to 1.0 of the reference's speed (H100).
inline constexpr double compiledPaysFrom_ns = 800e3;

/// Whether there are so many convolutions over images that keeping channels innermost may pay on a GPU: our kernels
/// then read that memory order too.
bool mayKeepChannelsLast(const TechniqueContext& context);

/// All techniques, in the order in which they rewrite the graph.
std::vector<std::unique_ptr<Technique>> allTechniques();

std::unique_ptr<Technique> makeConstantResult();
std::unique_ptr<Technique> makeDiagonalProduct();
std::unique_ptr<Technique> makeTriangularProduct();
std::unique_ptr<Technique> makeConvolveTwice();
std::unique_ptr<Technique> makeMeanBeforeConvolution();
std::unique_ptr<Technique> makePoolIntoConvolution();
std::unique_ptr<Technique> makePoolFirst();
std::unique_ptr<Technique> makeDirectConvolution();
std::unique_ptr<Technique> makeTransposedByPhase();
std::unique_ptr<Technique> makeReassociateReduction();
std::unique_ptr<Technique> makeFoldScale();
std::unique_ptr<Technique> makeSplitReduction();
std::unique_ptr<Technique> makeWindowKernels();
std::unique_ptr<Technique> makeScanKernels();
std::unique_ptr<Technique> makeArgReduction();
std::unique_ptr<Technique> makePersistentRecurrence();
std::unique_ptr<Technique> makeCpuProducts();
std::unique_ptr<Technique> makeScaledHalves();
std::unique_ptr<Technique> makeAlignedProducts();
std::unique_ptr<Technique> makeGemmEpilogue();
std::unique_ptr<Technique> makeFusedAttention();
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

/// A node that calls a function of the source with these values. Its results are named by `stem` and a number.
GraphNode callNode(const Graph& graph, const std::string& function, const std::vector<int>& values,
                   const std::vector<int>& outputs, const std::string& stem);

/// The Python text of `prepared`, which keeps what a method makes of parameters until one of them changes.
const std::string& preparedHelper();
/// Adds the method `def NAME(self, ...)` with these statements and returns its name: `name`, or with a number behind it
/// where another version of the module, with other techniques on, has another method of that name. `parameters` is
/// "(self, weight)".
std::string addMethod(Source& source, const std::string& name, const std::string& parameters,
                      const std::string& statements);
/// A node that reads the tuple which `method` makes of these parameters of the module, kept by `prepared`. What another
/// such node has made of parameters may be among them.
GraphNode preparedNode(const Graph& graph, const std::string& method, const std::vector<int>& parameters,
                       const std::vector<int>& outputs);
/// Whether a value is one of those; like a parameter it lasts from call to call.
bool isPrepared(const Graph& graph, int value);
/// What a matrix product multiplies, and what it adds to each row of the result.
struct ProductOperands {
    int left = -1, right = -1;
    std::optional<int> bias;
};
/// Empty for a node that is no mm, bmm, addmm without factors or cudal1.linear.
std::optional<ProductOperands> operandsOfProduct(const GraphNode& node);
/// Whether what is made of a value may be kept from call to call. A call may write its buffers.
bool lastsFromCallToCall(const Graph& graph, int value);
/// Whether the elements of a value follow one another in memory, from the last axis to the first.
bool isInOrder(const Graph& graph, int value);

} // namespace cudal1::policy
