// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting on a stream for a word in the host's memory.
#include "core/judge/witness/heldstream.h"

#include "core/judge/module/checkcuda.h"
#include "core/judge/module/driverfunction.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>

namespace cudal1::judge {

HeldStream::HeldStream() : m_word(at::zeros({1}, at::TensorOptions().dtype(at::kInt)).pin_memory())
{
    checkCuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "making a stream");
}

HeldStream::~HeldStream()
{
    release();
    cudaStreamSynchronize(m_stream);
    cudaStreamDestroy(m_stream);
}

bool HeldStream::hold()
{
    using WaitValue = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    static const auto waitValue = driverFunction<WaitValue>("cuStreamWaitValue32");
    const auto word = reinterpret_cast<CUdeviceptr>(m_word.data_ptr());
    m_held = waitValue && waitValue(m_stream, word, m_number + 1, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS;
    return m_held;
}

void HeldStream::release() noexcept
{
    if (!m_held)
        return;
    m_held = false;
    std::atomic_ref(*static_cast<std::uint32_t*>(m_word.data_ptr())).store(++m_number, std::memory_order_seq_cst);
}

} // namespace cudal1::judge
