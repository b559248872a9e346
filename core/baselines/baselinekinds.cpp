// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of the baselines. Each subclasses the task's Model, so that parameters have the same names and values.
#include "core/baselines/baselinekinds.h"

#include <algorithm>
#include <array>

namespace cudal1::baselines {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::string_view eager = R"py(

class ModelNew(Model):
    pass
)py";

constexpr std::string_view compile = R"py(

class ModelNew(Model):
    forward = torch.compile(Model.forward)
)py";

constexpr std::string_view compileReduceOverhead = R"py(from torch.utils._pytree import tree_map_only


class ModelNew(Model):
    compiled = torch.compile(Model.forward, mode="reduce-overhead")

    def forward(self, *inputs):
        # This mode replays CUDA graphs, whose results the next call overwrites.
        return tree_map_only(torch.Tensor, torch.clone, self.compiled(*inputs))
)py";

constexpr std::string_view compileMaxAutotune = R"py(from torch.utils._pytree import tree_map_only


class ModelNew(Model):
    compiled = torch.compile(Model.forward, mode="max-autotune")

    def forward(self, *inputs):
        # On a GPU this mode replays CUDA graphs, whose results the next call overwrites.
        return tree_map_only(torch.Tensor, lambda result: result.clone() if result.is_cuda else result, self.compiled(*inputs))
)py";

constexpr std::string_view cudaGraph = R"py(from torch.utils._pytree import tree_map_only


class ModelNew(Model):
    """Replays a call as a CUDA graph that reads inputs and parameters where they lie: new values count, an input at another
    address makes a new graph. The result is copied out, since the next replay overwrites it."""

    captured = None

    def forward(self, *inputs):
        key = [(v.data_ptr(), v.shape, v.stride(), v.dtype) if isinstance(v, torch.Tensor) else v for v in inputs]
        if self.captured != key:
            self.capture(*inputs)
            self.captured = key
        self.graph.replay()
        return tree_map_only(torch.Tensor, torch.clone, self.result)

    def capture(self, *inputs):
        # Warming up runs the module for real, so what it changes is put back.
        states = [v for v in (*inputs, *self.buffers()) if isinstance(v, torch.Tensor)]
        before = [v.clone() for v in states]
        with torch.random.fork_rng(devices=[torch.cuda.current_device()]):
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    super().forward(*inputs)
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.result = super().forward(*inputs)
        for state, value in zip(states, before):
            state.copy_(value)
)py";

constexpr std::string_view cudnnAutotune = R"py(
# cuDNN times its algorithms at the first call of each convolution and keeps the fastest.
torch.backends.cudnn.benchmark = True


class ModelNew(Model):
    pass
)py";

constexpr std::string_view tf32 = R"py(
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True


class ModelNew(Model):
    pass
)py";

constexpr std::array<BaselineKind, 7> all{{
    {"eager", "eager", false, eager},
    {"compile", "torch.compile", false, compile},
    {"compile-reduce-overhead", "torch.compile, reduce-overhead", true, compileReduceOverhead},
    {"compile-max-autotune", "torch.compile, max-autotune", false, compileMaxAutotune},
    {"cuda-graph", "CUDA graph", true, cudaGraph},
    {"cudnn-autotune", "cuDNN autotune", true, cudnnAutotune},
    {"tf32", "TF32", true, tf32},
}};

} // namespace

std::span<const BaselineKind> kinds()
{
    return all;
}

const BaselineKind* find(std::string_view id)
{
    const auto found = std::find_if(all.begin(), all.end(), [id](const BaselineKind& kind) { return kind.id == id; });
    return found == all.end() ? nullptr : found;
}

base::Result<std::vector<const BaselineKind*>> choose(const std::string& list, bool cuda)
{
    std::vector<const BaselineKind*> wanted;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string id = list.substr(at, end - at);
        at = end + 1;
        const BaselineKind* kind = find(id);
        if (!kind) {
            std::string known;
            for (const BaselineKind& one : all)
                known += (known.empty() ? "" : ", ") + std::string(one.id);
            return Error{ErrorCode::InvalidArgument, "There is no baseline \"" + id + "\"", {}, "There are " + known};
        }
        if (kind->needsCuda && !cuda)
            return Error{ErrorCode::Unavailable,
                         "The baseline " + id + " needs a CUDA device",
                         {},
                         "Leave it out, or choose a GPU with --device"};
        wanted.push_back(kind);
    }
    std::vector<const BaselineKind*> out;
    for (const BaselineKind& kind : all)
        if (list.empty() ? cuda || !kind.needsCuda : std::find(wanted.begin(), wanted.end(), &kind) != wanted.end())
            out.push_back(&kind);
    return out;
}

std::string sourceOf(const BaselineKind& kind, const std::string& taskSource)
{
    return taskSource + "\n\n# Baseline: " + std::string(kind.name) + ".\nimport torch\n" + std::string(kind.code);
}

} // namespace cudal1::baselines
