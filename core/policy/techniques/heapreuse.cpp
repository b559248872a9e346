// SPDX-License-Identifier: GPL-3.0-or-later
// Technique heap_reuse: on a CPU, memory of earlier results that nobody holds any more is used again.
#include "core/base/bytestext.h"
#include "core/policy/technique.h"

#include <algorithm>

namespace cudal1::policy {

namespace {

constexpr std::int64_t largeBytes = 1 << 20;

// A block is free when its storage has no other owner, so a result that a caller still holds is never written again.
const std::string helper = R"py(class KeptMemory:
    """New tensors in the memory of earlier ones that nobody holds any more: its pages need not be mapped and cleared."""

    def __init__(self):
        self.blocks = {}

    def __call__(self, shape, device=None):
        size = 1
        for extent in shape:
            size *= extent
        if size < 1 << 18:
            return torch.empty(shape)
        blocks = self.blocks.setdefault(size, [])
        for block, address, owners in blocks:
            if torch._C._storage_Use_Count(address) == owners:
                return block.view(shape)
        block = torch.empty(size)
        address = block.untyped_storage()._cdata
        if len(blocks) < 4:
            blocks.append((block, address, torch._C._storage_Use_Count(address)))
        return block.view(shape)


kept_tensor = KeptMemory()
)py";

class HeapReuse : public Technique {
public:
    std::string id() const override { return "heap_reuse"; }
    std::string title() const override { return "Memory kept between calls"; }
    std::string comment() const override
    {
        return "use memory of earlier results again instead of mapping and clearing fresh pages in each call";
    }
    bool rewrites() const override { return true; }

    Match match(const TechniqueContext& context) const override
    {
        if (context.cuda())
            return Match::no("On a GPU the framework's own allocator keeps memory between calls.");
        std::string why;
        if (!context.rewritable(why))
            return Match::no(why);
        std::int64_t large = 0, most = 0;
        for (const GraphNode& node : context.prompt.graph.nodes) {
            for (const int id : node.outputs) {
                if (id < 0 || isView(node.op))
                    continue;
                large += context.graph.bytes(id) >= largeBytes ? context.graph.bytes(id) : 0;
                most = std::max(most, context.graph.bytes(id));
            }
        }
        if (large == 0)
            return Match::no("The largest tensor that a call makes has " + base::bytesText(static_cast<double>(most)) +
                             "; the C library keeps small blocks by itself.");
        Match m;
        m.applies = true;
        m.gain = large >= 32 << 20 ? 1.5 : 1.1;
        m.finding = "A call makes tensors of " + base::bytesText(static_cast<double>(large)) +
                    " in blocks of 1 MiB and more, which the system maps and clears again and again: up to " +
                    std::to_string(large / 4096) + " page faults a call.";
        m.design = "As the framework does on GPUs, memory is kept: large results are made in blocks whose earlier "
                   "tensors are gone, told by the number of their storage's owners, and the C library is told not to "
                   "return freed memory to the system. A result that is still held is never touched.";
        return m;
    }

    void rewrite(Graph& graph, Source& source, const TechniqueContext&) const override
    {
        Source::once(source.helpers, helper);
        std::vector<GraphNode> nodes = graph.nodes();
        for (GraphNode& node : nodes) {
            if (node.outputs.size() != 1 || node.outputs[0] < 0 || graph.bytes(node.outputs[0]) < largeBytes ||
                graph.value(node.outputs[0]).dtype != "float32")
                continue;
            static const std::set<std::string> withOut{"mul", "add",  "sub", "div", "sigmoid", "tanh",
                                                       "exp", "sqrt", "mm",  "bmm", "addmm",   "clamp"};
            std::string shape = shapeText(graph.shape(node.outputs[0]));
            if (node.op == "cudal1.python" && node.kwargs.value("stem", "") == "fused_out_") {
                std::string code = node.kwargs["code"];
                code.insert(code.size() - 1, ", new=kept_tensor");
                node.kwargs["code"] = code;
            } else if (node.op.starts_with("aten.") && withOut.contains(shortName(node.op)) &&
                       !node.kwargs.contains("out")) {
                node.kwargs["out"] = {{"literal", "kept_tensor(" + shape + ")"}};
            } else {
                continue;
            }
            graph.replace({node.id}, {node});
        }
    }

    void wrap(Source& source, const TechniqueContext&) const override
    {
        source.settings.push_back(
            "if USE_HEAP_REUSE:\n"
            "    import ctypes\n\n"
            "    _c_library = ctypes.CDLL(None)\n"
            "    if hasattr(_c_library, 'mallopt'):\n"
            "        _c_library.mallopt(-4, 0)            # M_MMAP_MAX: no mappings of their own for large blocks\n"
            "        _c_library.mallopt(-1, 2**31 - 1)    # M_TRIM_THRESHOLD: freed memory stays");
    }
};

} // namespace

std::unique_ptr<Technique> makeHeapReuse()
{
    return std::make_unique<HeapReuse>();
}

} // namespace cudal1::policy
