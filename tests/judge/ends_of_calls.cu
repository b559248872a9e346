// SPDX-License-Identifier: GPL-3.0-or-later
// What one process sees of another one's kernel that is still running when that process has answered: how long it
// takes to get the device, and whether a copy finds the result whole. docs/measuring/time.md quotes it.
//
// nvcc -O2 -std=c++17 -arch=native -o ends_of_calls tests/judge/ends_of_calls.cu -lcuda && ./ends_of_calls
//
// The candidate launches a kernel that waits for so many microseconds and then writes 256 KiB. It answers when it has
// waited for the kernel (sync), when the kernel has said that it is done (word), or so many microseconds after the
// launch. The witness then asks for the device, or copies the result.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int elements = 65536, block = 256, blocks = elements / 4 / block;
constexpr double cyclesPerNanosecond = 1.8; // roughly; the kernel's length need not be exact

enum class Step { None, Ready, Call, End };
enum class End { Sync, Word, Early };
enum class Way { Ask, Copy, QueuedCopy };

/// What both processes share. The witness counts `turn` up, and the candidate answers with that number.
struct Page {
    alignas(64) std::atomic<unsigned> turn{0};
    Step step = Step::None;
    End end = End::Sync;
    double kernel_ns = 0, delay_ns = 0;
    unsigned number = 0;
    alignas(64) std::atomic<unsigned> answered{0};
    std::atomic<int> began{0}; ///< 1: the memory is there; 2: the candidate has opened it
    cudaIpcMemHandle_t memory;
};

double now_ns()
{
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

void check(int status, const char* what)
{
    if (status == 0)
        return;
    std::printf("%s failed: %d\n", what, status);
    std::fflush(stdout);
    _exit(1);
}

void pin(int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    sched_setaffinity(0, sizeof cores, &cores);
}

__global__ void work(const unsigned* in, unsigned* out, unsigned number, long long cycles, unsigned* counter,
                     volatile unsigned* word)
{
    const int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
    for (int k = 0; k < 4; ++k)
        out[at + k] = in[at + k] + number;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0 && atomicInc(counter, gridDim.x - 1) == gridDim.x - 1) {
        *word = number;
        __threadfence_system();
    }
}

void runCandidate(Page& page)
{
    while (page.began != 1) {}
    unsigned *memory = nullptr, *counter = nullptr, *word = nullptr;
    cudaStream_t stream{};
    check(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), page.memory, cudaIpcMemLazyEnablePeerAccess),
          "opening");
    check(cudaMalloc(&counter, 256), "allocating");
    check(cudaMemset(counter, 0, 256), "clearing");
    check(cudaHostAlloc(&word, 64, 0), "allocating");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    work<<<blocks, block, 0, stream>>>(memory, memory + elements, 0, 0, counter, word);
    check(cudaStreamSynchronize(stream), "waiting");
    pin(2);
    page.began = 2;
    for (unsigned seen = 0;;) {
        while (page.turn.load() == seen) {}
        seen = page.turn.load();
        if (page.step == Step::End)
            break;
        if (page.step == Step::Ready) {
            cudaMemsetAsync(counter + 32, 0, 4, stream);
            cudaStreamSynchronize(stream);
        } else {
            work<<<blocks, block, 0, stream>>>(memory, memory + elements, page.number,
                                               static_cast<long long>(page.kernel_ns * cyclesPerNanosecond), counter,
                                               word);
            if (page.end == End::Sync)
                cudaStreamSynchronize(stream);
            else if (page.end == End::Word)
                while (*static_cast<volatile unsigned*>(word) != page.number) {}
            else
                for (const double until = now_ns() + page.delay_ns; now_ns() < until;) {}
        }
        page.answered.store(seen);
    }
    cudaStreamSynchronize(stream);
}

class Witness {
public:
    explicit Witness(Page& page) : m_page(page)
    {
        check(cudaMalloc(&m_memory, 2 * elements * 4), "allocating");
        check(cudaIpcGetMemHandle(&page.memory, m_memory), "sharing");
        check(cudaMalloc(&m_four, 4), "allocating");
        for (unsigned** place : {&m_in, &m_landing, &m_word})
            check(cudaHostAlloc(place, elements * 4, 0), "allocating");
        *m_word = 0;
        check(cudaStreamCreateWithFlags(&m_held, cudaStreamNonBlocking), "making a stream");
        check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "making a stream");
        page.began = 1;
        while (page.began != 2) {}
        pin(4);
    }
    ~Witness()
    {
        m_page.step = Step::End;
        m_page.turn.fetch_add(1);
    }

    void measure(Way way, double kernel_ns, End end, double delay_ns, const char* name)
    {
        constexpr int calls = 90;
        std::vector<double> wall, tail;
        int wrong = 0;
        m_page.end = end, m_page.kernel_ns = kernel_ns, m_page.delay_ns = delay_ns;
        for (int n = 0; n < calls; ++n)
            wrong += !call(way, wall, tail);
        std::sort(wall.begin(), wall.end());
        std::sort(tail.begin(), tail.end());
        const double third = std::accumulate(tail.begin(), tail.begin() + calls / 3, 0.0) / (calls / 3);
        std::printf("%9.1f %6s | %8.2f %8.2f %8.2f | %5.1f %%\n", kernel_ns / 1e3, name, wall[calls / 2] / 1e3,
                    third / 1e3, (wall[calls / 2] + third) / 1e3, 100.0 * wrong / calls);
    }

private:
    void tell(Step step)
    {
        m_page.step = step;
        const unsigned turn = m_page.turn.fetch_add(1) + 1;
        while (m_page.answered.load() != turn) {}
    }

    void copy(cudaStream_t stream)
    {
        check(cudaMemcpyAsync(m_landing, m_memory + elements, elements * 4, cudaMemcpyDeviceToHost, stream), "copying");
    }

    /// Makes a call; false where the copied result was not whole.
    bool call(Way way, std::vector<double>& wall, std::vector<double>& tail)
    {
        m_page.number = ++m_number;
        std::fill(m_in, m_in + elements, m_number);
        tell(Step::Ready);
        if (way == Way::QueuedCopy) {
            check(
                cuStreamWaitValue32(m_held, reinterpret_cast<CUdeviceptr>(m_word), m_number, CU_STREAM_WAIT_VALUE_GEQ),
                "waiting for a word");
            copy(m_held);
        }
        check(cudaMemcpyAsync(m_memory, m_in, elements * 4, cudaMemcpyHostToDevice, m_stream), "sending");
        check(cudaStreamSynchronize(m_stream), "sending");
        const double begun = now_ns();
        tell(Step::Call);
        const double ended = now_ns();
        if (way == Way::QueuedCopy)
            reinterpret_cast<std::atomic<unsigned>*>(m_word)->store(m_number);
        else if (way == Way::Copy)
            copy(m_stream);
        else
            check(cudaMemsetAsync(m_four, 0, 4, m_stream), "asking for the device");
        check(cudaStreamSynchronize(way == Way::QueuedCopy ? m_held : m_stream), "waiting");
        tail.push_back(now_ns() - ended);
        wall.push_back(ended - begun);
        tell(Step::Ready); // so that a kernel that is still running ends
        return way == Way::Ask ||
               std::all_of(m_landing, m_landing + elements, [this](unsigned x) { return x == 2 * m_number; });
    }

    Page& m_page;
    unsigned *m_memory = nullptr, *m_four = nullptr, *m_in = nullptr, *m_landing = nullptr, *m_word = nullptr;
    cudaStream_t m_held{}, m_stream{};
    unsigned m_number = 0;
};

} // namespace

int main()
{
    auto* page = new (mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Page;
    const pid_t child = fork(); // before either process has used CUDA
    if (child == 0) {
        runCandidate(*page);
        _exit(0);
    }
    {
        Witness witness(*page);
        witness.measure(Way::Copy, 0, End::Sync, 0, "first");
        for (const Way way : {Way::Ask, Way::Copy, Way::QueuedCopy}) {
            std::printf("%s\n   kernel   ends |     call     tail      sum | wrong\n",
                        way == Way::Ask    ? "asking for the device"
                        : way == Way::Copy ? "a copy"
                                           : "a copy that was queued before");
            for (const double kernel_ns : {0.0, 2e3, 5e3, 10e3, 30e3, 100e3}) {
                witness.measure(way, kernel_ns, End::Sync, 0, "sync");
                witness.measure(way, kernel_ns, End::Word, 0, "word");
                for (int delay = 0; delay <= 6; ++delay)
                    witness.measure(way, kernel_ns, End::Early, delay * 1e3, ("+" + std::to_string(delay)).c_str());
            }
        }
    }
    waitpid(child, nullptr, 0);
    return 0;
}
