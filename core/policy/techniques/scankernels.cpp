// SPDX-License-Identifier: GPL-3.0-or-later
// Technique scan_kernels: running sums and products in a kernel that reads each element once, with what stands around
// them: flips, zeros in front, slices, a mask, element-wise operators.
#include "core/base/timetext.h"
#include "core/policy/scankernel.h"
#include "core/policy/technique.h"

#include <algorithm>
#include <set>

namespace cudal1::policy {

namespace {

using nlohmann::json;

struct ScanSite {
    ScanKernel kernel;
    std::set<int> nodes; ///< ids of all operators that the kernel replaces
    std::vector<int> read;
    int result = -1;
    std::string operators; ///< "flip, cumsum, flip"
    double replaced_ns = 0, expected_ns = 0;

    void take(const GraphNode& node, bool inFront)
    {
        nodes.insert(node.id);
        replaced_ns += isView(node.op) ? 0 : node.time_ns;
        const std::string name = shortName(node.op);
        operators = operators.empty() ? name : inFront ? name + ", " + operators : operators + ", " + name;
    }
};

bool isScan(const GraphNode& node)
{
    const std::string name = shortName(node.op);
    return (name == "cumsum" || name == "cumprod") && node.op.starts_with("aten.") && node.outputs.size() == 1;
}

std::int64_t extents(const Shape& shape, std::size_t from, std::size_t to)
{
    std::int64_t product = 1;
    for (std::size_t i = from; i < to; ++i)
        product *= shape[i];
    return product;
}

bool isFlipAlong(const Graph& graph, const GraphNode& node, std::size_t dim)
{
    return node.op == "aten.flip.default" && node.args.size() == 2 && node.args[1].is_array() &&
           node.args[1].size() == 1 && Graph::axis(node.args[1][0], graph.shape(node.outputs[0]).size()) == dim;
}

/// Whether all elements are zero, of a value that a node makes.
bool isZero(const Graph& graph, int value)
{
    const GraphNode* made = graph.producer(value);
    if (!made || !made->op.starts_with("aten.") || graph.isOutput(value))
        return false;
    const std::string name = shortName(made->op);
    if (name == "zeros" || name == "zeros_like" || name == "new_zeros")
        return true;
    const bool filled = name == "full" || name == "full_like" || name == "new_full";
    return filled && Graph::number(Graph::argument(*made, name == "new_full" ? 2 : 1, "fill_value")) == 0.0;
}

/// From the scan's input back to the tensor that the kernel reads.
class SourceOfScan {
public:
    SourceOfScan(const Graph& graph, ScanSite& site, int value, std::size_t dim)
        : m_graph(graph), m_site(site), m_value(value), m_dim(dim)
    {
        site.kernel.high = site.kernel.length;
    }

    /// Returns the tensor.
    int run(int reader)
    {
        while (m_graph.usedOnce(m_value)) {
            const GraphNode* node = m_graph.producer(m_value);
            if (!node || !node->op.starts_with("aten.") ||
                !(flip(*node) || slice(*node) || joined(*node) || padded(*node)))
                break;
            reader = node->id;
        }
        const Shape& shape = m_graph.shape(m_value);
        m_site.kernel.sourceLength = shape[m_dim];
        takeElementwise(reader);
        return m_value;
    }

private:
    ScanKernel& kernel() { return m_site.kernel; }

    void take(const GraphNode& node, int source)
    {
        m_site.take(node, true);
        m_value = source;
    }

    /// The node's first argument where it is a tensor in float32 with the result's number of dimensions.
    std::optional<int> operand(const GraphNode& node) const
    {
        const auto x = node.args.empty() ? std::nullopt : Graph::tensor(node.args[0]);
        return x && m_graph.value(*x).dtype == "float32" && m_graph.shape(*x).size() == m_graph.shape(m_value).size()
                 ? x
                 : std::nullopt;
    }

    /// Place t of the value is place t + by of `source`, where that has one, and zero elsewhere.
    void shift(int source, std::int64_t by)
    {
        const std::int64_t length = m_graph.shape(source)[m_dim];
        kernel().offset += by;
        const std::int64_t offset = kernel().offset;
        kernel().low = std::max(kernel().low, kernel().step > 0 ? -offset : offset - length + 1);
        kernel().high = std::min(kernel().high, kernel().step > 0 ? length - offset : offset + 1);
    }

    bool flip(const GraphNode& node)
    {
        const auto x = operand(node);
        if (!x || !isFlipAlong(m_graph, node, m_dim))
            return false;
        kernel().offset = m_graph.shape(*x)[m_dim] - 1 - kernel().offset;
        kernel().step = -kernel().step;
        take(node, *x);
        return true;
    }

    bool slice(const GraphNode& node)
    {
        if (node.op != "aten.slice.Tensor")
            return false;
        const auto x = operand(node);
        if (!x)
            return false;
        const Shape& shape = m_graph.shape(*x);
        const json &axis = Graph::argument(node, 1, "dim"), &start = Graph::argument(node, 2, "start"),
                   &step = Graph::argument(node, 4, "step");
        const auto sliced = axis.is_null() ? std::optional<std::size_t>(0) : Graph::axis(axis, shape.size());
        if (!sliced || (*sliced != m_dim && *sliced != 0) || !(step.is_null() || step == 1) ||
            !(start.is_null() || start.is_number_integer()))
            return false;
        std::int64_t from = start.is_null() ? 0 : start.get<std::int64_t>();
        from = std::clamp<std::int64_t>(from < 0 ? from + shape[*sliced] : from, 0, shape[*sliced]);
        if (*sliced == m_dim)
            shift(*x, from);
        else
            kernel().firstRow += from * extents(shape, 1, m_dim);
        take(node, *x);
        return true;
    }

    /// Zeros, one tensor and zeros, one behind the other.
    bool joined(const GraphNode& node)
    {
        if (node.op != "aten.cat.default" || node.args.empty() || !node.args[0].is_array())
            return false;
        const json& axis = Graph::argument(node, 1, "dim");
        const std::size_t rank = m_graph.shape(m_value).size();
        if ((axis.is_null() ? std::optional<std::size_t>(0) : Graph::axis(axis, rank)) != m_dim)
            return false;
        std::optional<int> source;
        std::int64_t front = 0;
        std::vector<const GraphNode*> zeros;
        for (const json& part : node.args[0]) {
            const auto id = Graph::tensor(part);
            if (!id || m_graph.value(*id).dtype != "float32" || m_graph.shape(*id).size() != rank)
                return false;
            if (isZero(m_graph, *id)) {
                front += source ? 0 : m_graph.shape(*id)[m_dim];
                if (m_graph.usedOnce(*id))
                    zeros.push_back(m_graph.producer(*id));
            } else if (source) {
                return false;
            } else {
                source = id;
            }
        }
        if (!source)
            return false;
        shift(*source, -front);
        take(node, *source);
        for (const GraphNode* one : zeros)
            m_site.take(*one, true);
        return true;
    }

    bool padded(const GraphNode& node)
    {
        if (node.op != "aten.constant_pad_nd.default")
            return false;
        const auto x = operand(node);
        const json& value = Graph::argument(node, 2, "value");
        if (!x || node.args.size() < 2 || !node.args[1].is_array() || !(value.is_null() || Graph::number(value) == 0.0))
            return false;
        const json& pads = node.args[1]; // two for each dimension, from the last one on
        const std::size_t ours = (m_graph.shape(*x).size() - 1 - m_dim) * 2;
        for (std::size_t i = 0; i < pads.size(); ++i) {
            if (!pads[i].is_number_integer() || (i != ours && i != ours + 1 && pads[i] != 0))
                return false;
        }
        if (pads.size() < ours + 2)
            return false;
        shift(*x, -pads[ours].get<std::int64_t>());
        take(node, *x);
        return true;
    }

    /// A product with a tensor of the same shape, or none, and what makes one tensor of another by itself.
    void takeElementwise(int reader)
    {
        if (takeChain(reader))
            return;
        const GraphNode* node = m_graph.usedOnce(m_value) ? m_graph.producer(m_value) : nullptr;
        if (!node || node->op != "aten.mul.Tensor" || node->args.size() != 2)
            return;
        auto x = Graph::tensor(node->args[0]), factor = Graph::tensor(node->args[1]);
        const Shape& shape = m_graph.shape(m_value);
        const auto fits = [&](const std::optional<int>& id, bool mask) {
            return id && m_graph.shape(*id) == shape && m_graph.value(*id).dtype == (mask ? "bool" : "float32");
        };
        if (fits(x, true))
            std::swap(x, factor);
        if (!fits(x, false) || !(fits(factor, true) || fits(factor, false)))
            return;
        take(*node, *x);
        takeChain(node->id);
        // A mask may have been made numbers before.
        const GraphNode* made = m_graph.usedOnce(*factor) ? m_graph.producer(*factor) : nullptr;
        if (made && made->op == "aten._to_copy.default" && fits(Graph::tensor(made->args[0]), true)) {
            factor = Graph::tensor(made->args[0]);
            m_site.take(*made, true);
        }
        kernel().factor = fits(factor, true) ? ScanKernel::Factor::Mask : ScanKernel::Factor::Numbers;
        m_site.read.insert(m_site.read.begin(), *factor);
    }

    bool takeChain(int reader)
    {
        Chain chain = chainBefore(m_graph, m_value, reader);
        if (chain.nodes.empty())
            return false;
        for (auto node = chain.nodes.rbegin(); node != chain.nodes.rend(); ++node)
            m_site.take(**node, true);
        for (const int input : chain.program->inputs) {
            if (input != chain.from)
                m_site.read.push_back(input);
        }
        m_value = chain.from;
        kernel().before = std::move(chain);
        return true;
    }

    const Graph& m_graph;
    ScanSite& m_site;
    int m_value;
    std::size_t m_dim;
};

/// Why the kernel is not for this scan, as a sentence; empty where it is.
std::string whyNoScan(const Graph& graph, const ScanSite& site, const std::string& name)
{
    constexpr std::int64_t fewRows = 32, longRow = 65536, shortRow = 32, columnsWanted = 4096;
    const ScanKernel& kernel = site.kernel;
    const std::string rows = std::to_string(kernel.rows) + (kernel.rows == 1 ? " row of " : " rows of ") +
                             std::to_string(kernel.length) + " elements";
    if (graph.numel(site.result) == 0)
        return "The " + name + " to " + shapeText(graph.shape(site.result)) + " has no elements.";
    if (kernel.low >= kernel.high)
        return "The " + name + " is of zeros alone.";
    if (kernel.length >= (std::int64_t{1} << 30))
        return "The " + name + " has rows of " + std::to_string(kernel.length) +
               " elements, more than the kernel counts.";
    if (kernel.inner > 1) {
        if (kernel.columns() < columnsWanted)
            return "The " + name + " runs along a dimension that is not the last, over " +
                   std::to_string(kernel.columns()) +
                   " columns, which are too few to keep a GPU busy with a thread each.";
    } else if (kernel.length < shortRow) {
        return "The " + name + " has " + rows + ", which are too short for the threads of a warp.";
    } else if (kernel.rows < fewRows && kernel.length > longRow) {
        return "The " + name + " has " + rows + ": a block of threads for each row would leave most of a GPU idle.";
    }
    if (site.replaced_ns > 0 && site.expected_ns > 0.9 * site.replaced_ns)
        return "The " + site.operators + " to " + shapeText(graph.shape(site.result)) + " is expected to take " +
               base::timeText(site.expected_ns) + " in one kernel, and takes " + base::timeText(site.replaced_ns) +
               " now.";
    return {};
}

/// As long as the bytes take, or as the few rows or columns do, of which each is read in order.
double expectedTime(const Graph& graph, const ScanSite& site)
{
    constexpr double bytesPerNsOfRow = 18, wait_ns = 800, atOnce = 16;
    double bytes = static_cast<double>(graph.bytes(site.result));
    for (const int id : site.read)
        bytes += static_cast<double>(graph.bytes(id)) * (isInOrder(graph, id) ? 1 : 3); // what is not is copied first
    const ScanKernel& kernel = site.kernel;
    if (kernel.inner > 1)
        return kernelLaunch_ns + std::max(bytes / bytesPerNs, wait_ns * static_cast<double>(kernel.length) / atOnce);
    return kernelLaunch_ns + bytes / std::min(bytesPerNs, bytesPerNsOfRow * static_cast<double>(kernel.rows));
}

/// Empty where the node is no scan, or with the reason in `why` where the kernel is not for it.
std::optional<ScanSite> scanSite(const Graph& graph, const GraphNode& node, std::string* why = nullptr)
{
    const auto x = isScan(node) && !node.args.empty() ? Graph::tensor(node.args[0]) : std::nullopt;
    if (!x)
        return {};
    const std::string name = shortName(node.op);
    const auto no = [&](const std::string& reason) {
        if (why)
            *why = reason;
        return std::optional<ScanSite>();
    };
    ScanSite site;
    site.result = node.outputs[0];
    const Shape& shape = graph.shape(site.result);
    for (const int id : {*x, site.result}) {
        if (graph.value(id).dtype != "float32")
            return no("The kernel is for float32; the " + name + " is of " + graph.value(id).dtype + ".");
    }
    const auto dim = Graph::axis(Graph::argument(node, 1, "dim"), shape.size());
    if (!dim || graph.shape(*x) != shape)
        return no("The " + name + " is along no dimension of a tensor.");
    ScanKernel& kernel = site.kernel;
    kernel.operation = name == "cumsum" ? ScanKernel::Operation::Sum : ScanKernel::Operation::Product;
    kernel.rows = extents(shape, 0, *dim);
    kernel.length = shape[*dim];
    kernel.inner = extents(shape, *dim + 1, shape.size());
    site.take(node, false);
    const int source = SourceOfScan(graph, site, *x, *dim).run(node.id);
    site.read.insert(site.read.begin(), source);
    while (graph.usedOnce(site.result)) {
        const GraphNode* reader = graph.consumers(site.result).front();
        if (!isFlipAlong(graph, *reader, *dim))
            break;
        site.take(*reader, false);
        kernel.storesReversed = !kernel.storesReversed;
        site.result = reader->outputs[0];
    }
    site.expected_ns = expectedTime(graph, site);
    const std::string reason = whyNoScan(graph, site, name);
    return reason.empty() ? std::optional(std::move(site)) : no(reason);
}

class ScanKernels : public Technique {
public:
    std::string id() const override { return "scan_kernels"; }
    std::string title() const override { return "Scan in one kernel"; }
    std::string comment() const override
    {
        return "compute running sums and products, with what stands around them, in kernels of their own";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        std::string why;
        if (!context.takesKernels(why))
            return Match::no(why);
        why = "No running sum and no running product along a dimension.";
        MatchedSites sites;
        for (const GraphNode& node : context.graph.nodes()) {
            if (const auto site = scanSite(context.graph, node, &why))
                sites.add(site->replaced_ns, site->expected_ns,
                          site->operators + " to " + shapeText(context.graph.shape(site->result)) + " in " +
                              base::timeText(site->replaced_ns));
        }
        if (sites.count == 0)
            return Match::no(why);
        Match m;
        m.applies = true;
        m.gain = sites.gain(context);
        m.finding = std::to_string(sites.count) + (sites.count == 1 ? " kernel for " : " kernels for ") + sites.list() +
                    ". That is " + sites.shareText(context) + ".";
        m.design =
            "Each element is read once and each result is written once. Where the dimension is the last, the threads "
            "of a row have a few neighbouring elements each; what they have is joined over a warp by shuffles and over "
            "the warps in shared memory, so sums and products are rounded as those of a tree are, and where a part "
            "alone is too large for float32, results may be infinite or NaN at other places. Along another dimension "
            "each thread goes through a column. Flips, zeros beside the tensor, slices, a mask and element-wise "
            "operators only change where and how an element is read. Expected: " +
            base::timeText(sites.expected_ns) + ".";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        // An edit ends pointers to nodes; values keep their ids.
        std::vector<int> results;
        for (const GraphNode& node : graph.nodes()) {
            if (scanSite(graph, node))
                results.push_back(node.outputs[0]);
        }
        for (const int result : results) {
            const GraphNode* node = graph.producer(result);
            const auto site = node ? scanSite(graph, *node) : std::nullopt;
            if (!site)
                continue;
            const std::string name = addScan(source, site->kernel, graph.shape(site->result),
                                             graph.numel(site->read.front()), site->operators);
            graph.replace(site->nodes, {callNode(graph, name, site->read, {site->result}, "scanned_")});
            graph.removeDead(); // views that zeros took their shape from
        }
    }
};

} // namespace

std::unique_ptr<Technique> makeScanKernels()
{
    return std::make_unique<ScanKernels>();
}

} // namespace cudal1::policy
