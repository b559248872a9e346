// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that train one model together, each with a share of every batch.
#pragma once

#include "core/base/result.h"
#include "core/decoder/interpreter.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace at {
class Tensor;
}

namespace cudal1::training {

/// Used by the thread that made it. All processes must make the same calls in the same order; each call waits for the
/// others. Where one of them has died, the others' calls throw c10::Error by gloo; by NCCL they may wait for ever,
/// which is what watch() is for.
class Workgroup {
public:
    /// A process alone.
    Workgroup();
    /// As RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT say, which torchrun sets; or SLURM_PROCID,
    /// SLURM_NTASKS and SLURM_LOCALID with the latter two. Without them, or with one process, it is alone. Gloo for
    /// tensors on the CPU, NCCL for those on a GPU; both through torch.distributed, for whose sake Python imports
    /// torch.
    static base::Result<std::unique_ptr<Workgroup>> join(decoder::Interpreter& python);
    /// How many processes the environment speaks of.
    static int sizeOfEnvironment();
    /// The GPU of this process among those of its machine.
    static int localRankOfEnvironment();
    ~Workgroup();

    /// `lost` is called from a thread of its own where another process has died and this one has not ended within
    /// seconds. To be called once.
    void watch(const std::function<void()>& lost);

    int rank() const { return m_rank; }
    int size() const { return m_size; }
    bool isFirst() const { return m_rank == 0; }

    void sum(std::span<double> numbers); ///< over processes, in place, at all of them
    double largest(double number);
    std::string fromFirst(const std::string& text); ///< what the first process gives
    void wait();                                    ///< until all are here

    void sum(at::Tensor& flat);
    /// `slice` becomes this process's part of the sum; `flat` has size() times its length and is used up.
    void sumToSlices(at::Tensor& flat, at::Tensor& slice);
    /// `flat` becomes the parts of all, one behind the other.
    void gather(const at::Tensor& slice, at::Tensor& flat);

private:
    struct State;
    std::unique_ptr<State> m_state; ///< null where it is alone
    int m_rank = 0;
    int m_size = 1;
};

} // namespace cudal1::training
