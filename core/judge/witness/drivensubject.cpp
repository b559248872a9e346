// SPDX-License-Identifier: GPL-3.0-or-later
// Stopping, pinning and reading another process.
#include "core/judge/witness/drivensubject.h"

#include "core/judge/witness/contents.h"
#include "core/judge/witness/othermemory.h"

#include <ATen/EmptyTensor.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

namespace cudal1::judge {

namespace {

/// Strides that a subject claims, if they are those of a tensor of this shape without gaps or overlaps.
std::vector<std::int64_t> stridesOf(const ResultPlace& place, const TensorSpec& spec)
{
    std::vector<std::int64_t> strides(spec.shape.size());
    std::int64_t next = 1;
    for (std::size_t d = strides.size(); d-- > 0;) {
        strides[d] = place.dense ? next : d < place.strides.size() ? place.strides[d] : -1;
        next *= std::max<std::int64_t>(spec.shape[d], 1);
    }
    // Sorted by stride, each dimension must begin where the smaller ones end.
    std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;
    for (std::size_t d = 0; d < strides.size(); ++d)
        if (spec.shape[d] > 1)
            dimensions.emplace_back(strides[d], spec.shape[d]);
    std::sort(dimensions.begin(), dimensions.end());
    std::int64_t expected = 1;
    for (const auto& [stride, size] : dimensions) {
        if (stride != expected)
            throw DrivenSubject::Unreadable("its elements overlap or leave gaps");
        expected *= size;
    }
    return strides;
}

void checkReading(cudaError_t status, const char* what)
{
    if (status != cudaSuccess) {
        cudaGetLastError();
        throw DrivenSubject::Unreadable(std::string(what) + ": " + cudaGetErrorString(status));
    }
}

/// Copies a result to the host by the copy engine, which does not wait for the other process's kernels and takes up to
/// a tenth of a millisecond. So a place drawn in secret is copied first: who answers when the start of a result has
/// been written, and writes the rest ahead of the copy, does not know what must be there.
void copyFromAnywhere(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream)
{
    constexpr std::size_t alignment = 512;
    const std::size_t first = secretNumber() % bytes / alignment * alignment;
    checkReading(cudaMemcpyAsync(to + first, from + first, bytes - first, cudaMemcpyDeviceToHost, stream),
                 "copying a result");
    if (first > 0)
        checkReading(cudaMemcpyAsync(to, from, first, cudaMemcpyDeviceToHost, stream), "copying a result");
}

/// As requireWrittenMemory() of a result in the memory that is shared on a CPU, which is a file: a process can take
/// pages out of it, and whoever reads there has the kernel make zeros.
void requireWrittenArena(const std::byte* from, std::size_t bytes)
{
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t before = reinterpret_cast<std::uint64_t>(from) % page; // since its first page begins
    std::vector<unsigned char> isThere((before + bytes + page - 1) / page);
    if (::mincore(const_cast<std::byte*>(from) - before, before + bytes, isThere.data()) != 0)
        throw DrivenSubject::Unreadable(std::string("its pages cannot be looked up: ") + std::strerror(errno));
    if (std::any_of(isThere.begin(), isThere.end(), [](unsigned char there) { return (there & 1) == 0; }))
        throw DrivenSubject::Unreadable("a part of its memory was never written to");
}

} // namespace

DrivenSubject::DrivenSubject(int page, const Attach& attach, const c10::Device& device, bool spins)
    : m_steps(page, spins), m_process(attach.process), m_device(device), m_freezer(Freezer::open(attach.freezer))
{
}

DrivenSubject::~DrivenSubject()
{
    pin(-1);
    forgetAllocations();
}

void DrivenSubject::freeze()
{
    if (!m_freezer->freeze())
        throw std::runtime_error("a process did not stop within two seconds");
}

void DrivenSubject::forgetAllocations()
{
    for (const auto& [name, memory] : m_opened)
        cudaIpcCloseMemHandle(memory);
    m_opened.clear();
}

void* DrivenSubject::opened(const ResultPlace& place, bool& isNew)
{
    const auto name = std::pair{place.allocation, place.handle};
    if (const auto known = m_opened.find(name); known != m_opened.end())
        return known->second;
    isNew = true;
    cudaIpcMemHandle_t handle{};
    std::memcpy(handle.reserved, place.handle.data(), sizeof handle.reserved);
    void* memory = nullptr;
    checkReading(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess),
                 "opening the memory of a result");
    m_opened.emplace(name, memory);
    return memory;
}

std::byte* DrivenSubject::addressOf(const ResultPlace& place, const TensorSpec& spec, bool& isNew)
{
    void* const start = opened(place, isNew);
    std::size_t size = 0;
    if (!Arena::rangeOf(start, size) || place.offset > size || spec.bytes > size - place.offset)
        throw Unreadable("it lies outside of its allocation");
    return static_cast<std::byte*>(start) + place.offset;
}

at::Tensor DrivenSubject::copyOf(const ResultPlace& place, const TensorSpec& spec, const Arena& arena,
                                 const at::Tensor& landing, std::size_t offset, bool& isNew)
{
    const std::vector<std::int64_t> strides = stridesOf(place, spec);
    const at::ScalarType type = scalarTypeOf(spec.dtype);
    const at::Tensor out = landing.defined()
                             ? laidOver(landing, offset, spec.shape, strides, type)
                             : at::empty_strided(spec.shape, strides, at::TensorOptions().dtype(type).device(m_device));
    if (spec.bytes == 0)
        return out;
    if (place.kind == ResultPlace::Kind::Memory) {
        if (!m_device.is_cpu())
            throw Unreadable("it is not on the device");
        requireOwnMemory(m_process, place.offset, spec.bytes);
        requireWrittenMemory(m_process, place.offset, spec.bytes);
        readMemory(m_process, place.offset, out.mutable_data_ptr(), spec.bytes);
        return out;
    }
    const std::byte* from = nullptr;
    if (place.kind == ResultPlace::Kind::Arena) {
        if (place.offset > arena.bytes() || spec.bytes > arena.bytes() - place.offset)
            throw Unreadable("it lies outside of the shared memory");
        from = arena.data() + place.offset;
        if (m_device.is_cpu() && spec.bytes > 0)
            requireWrittenArena(from, spec.bytes);
    } else {
        from = addressOf(place, spec, isNew);
    }
    if (m_device.is_cpu())
        std::memcpy(out.mutable_data_ptr(), from, spec.bytes);
    else if (landing.defined())
        copyFromAnywhere(static_cast<std::byte*>(out.mutable_data_ptr()), from, spec.bytes,
                         c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
    else
        checkReading(cudaMemcpyAsync(out.mutable_data_ptr(), from, spec.bytes, cudaMemcpyDeviceToDevice,
                                     c10::cuda::getCurrentCUDAStream(m_device.index()).stream()),
                     "copying a result");
    return out;
}

std::vector<ResultPlace> DrivenSubject::places(std::size_t count)
{
    const HandoverPage& page = m_steps.page();
    const std::size_t said = std::min<std::size_t>(page.places, mostPlaces);
    if (said != std::min(count, mostPlaces))
        throw Unreadable("the process names another number of results");
    return {page.place.begin(), page.place.begin() + static_cast<std::ptrdiff_t>(said)};
}

/// Whether the offsets of two results of one call count from the same start. The number of an allocation is the
/// process's own and says nothing here.
static bool inOneMemory(const ResultPlace& a, const ResultPlace& b)
{
    return a.kind == b.kind && (a.kind != ResultPlace::Kind::Device || a.handle == b.handle);
}

bool isCallers(const ResultPlace& place, const TensorSpec& spec)
{
    if (place.kind == ResultPlace::Kind::Arena)
        return place.offset == spec.offset;
    return spec.sharing != Sharing::Weights;
}

/// Results lie in no input and in no other result, but where the reference's do.
static void refuseShared(const std::vector<ResultPlace>& places, const ArenaLayout& layout)
{
    const std::vector<TensorSpec>& outputs = layout.outputs;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (outputs[i].bytes == 0 || outputs[i].sharing == Sharing::Weights)
            continue;
        if (places[i].kind == ResultPlace::Kind::Arena && places[i].offset != outputs[i].offset &&
            (outputs[i].fresh() || places[i].offset > layout.inputBytes ||
             outputs[i].bytes > layout.inputBytes - places[i].offset))
            throw DrivenSubject::Unreadable("it lies in shared memory that is not its own, where the reference's does "
                                            "not");
        if (!outputs[i].own())
            continue;
        for (std::size_t j = 0; j < places.size(); ++j)
            if (j != i && inOneMemory(places[j], places[i]) && places[j].offset < places[i].offset + outputs[i].bytes &&
                places[i].offset < places[j].offset + outputs[j].bytes)
                throw DrivenSubject::Unreadable("it is memory of another result, where the reference's is its own");
    }
}

std::vector<at::Tensor> DrivenSubject::read(const std::vector<ResultPlace>& places, const ArenaLayout& layout,
                                            const Arena& arena, bool& isNew)
{
    const std::vector<TensorSpec>& outputs = layout.outputs;
    constexpr std::size_t mostLanding = std::size_t{4} << 20; // more is copied faster within the device
    constexpr std::size_t alignment = 256;
    refuseShared(places, layout);
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
    for (const TensorSpec& spec : outputs) {
        offsets.push_back(bytes);
        bytes += (spec.bytes + alignment - 1) / alignment * alignment;
    }
    at::Tensor landing;
    if (m_device.is_cuda() && bytes > 0 && bytes <= mostLanding)
        landing = m_landings.take(static_cast<std::int64_t>(bytes));
    std::vector<at::Tensor> out(outputs.size());
    const std::size_t first = out.empty() ? 0 : secretNumber() % out.size(); // as copyFromAnywhere() does within each
    for (std::size_t n = 0; n < out.size(); ++n) {
        const std::size_t i = (first + n) % out.size();
        ResultPlace place;
        if (i < places.size())
            place = places[i];
        else
            place.offset = outputs[i].offset;
        out[i] = copyOf(place, outputs[i], arena, landing, offsets[i], isNew);
    }
    return out;
}

constexpr std::size_t lineBytes = 64; // of a cache: who looks for a line that differs has to read all of the memory

struct Garbage {
    std::byte one, other;
};
constexpr Garbage ofNumbers{std::byte{0xff}, std::byte{0x3f}}; // the first is NaN in every floating type
constexpr Garbage ofTruths{std::byte{1}, std::byte{0}};

/// Half of each line is of one kind, and half of another: what is the same as one of them where a result is what it
/// should be (-1, NaN, what is read as true) differs from the other.
static std::vector<std::byte> garbageFor(const TensorSpec& spec, std::size_t bytes)
{
    const Garbage& kinds = spec.dtype == nameOf(at::kBool) ? ofTruths : ofNumbers;
    const std::size_t half = std::min(lineBytes, bytes) / 2;
    std::vector<std::byte> garbage(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        garbage[i] = i % lineBytes < half ? kinds.one : kinds.other;
    return garbage;
}

bool DrivenSubject::isAsSpoiled(const ResultPlace& place, std::size_t bytes, const Arena& arena) const
{
    constexpr int looks = 32;
    std::array<std::byte, lineBytes> line{};
    // Results can overlap, so a line need not begin where the garbage of one does. It has half of each kind all the
    // same, and each half in one or two pieces.
    const auto isGarbage = [&line](const Garbage& kinds) {
        constexpr auto half = static_cast<std::ptrdiff_t>(lineBytes / 2);
        int changes = 0;
        for (std::size_t i = 1; i < line.size(); ++i)
            changes += line[i] != line[i - 1];
        return changes <= 2 && std::count(line.begin(), line.end(), kinds.one) == half &&
               std::count(line.begin(), line.end(), kinds.other) == half;
    };
    // Not by process_vm_readv, which respects that a process has taken the right to read from its memory. It would give
    // itself the right back in the call.
    const int memory = place.kind == ResultPlace::Kind::Arena ? -1 : openMemory(m_process, O_RDONLY);
    bool isGarbageThroughout = memory >= 0 || place.kind == ResultPlace::Kind::Arena; // it may hide its memory
    for (int i = 0; i < looks && bytes >= lineBytes && isGarbageThroughout; ++i) {
        const std::uint64_t at = place.offset + secretNumber() % (bytes - lineBytes + 1);
        if (place.kind == ResultPlace::Kind::Arena) {
            std::memcpy(line.data(), arena.data() + at, line.size());
        } else if (::pread(memory, line.data(), line.size(), static_cast<off_t>(at)) !=
                   static_cast<ssize_t>(line.size())) {
            if (!isGone(m_process, at) && !isGone(m_process, at + lineBytes - 1))
                isGarbageThroughout = false; // a kernel may refuse to show memory that the process may not read itself
            continue;                        // what is gone a call that uses it has to get from the kernel first
        }
        isGarbageThroughout = isGarbage(ofNumbers) || isGarbage(ofTruths);
    }
    ::close(memory); // of -1 it does nothing
    return isGarbageThroughout;
}

void DrivenSubject::spoil(const std::vector<ResultPlace>& named, const ArenaLayout& layout, const Arena& arena)
{
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
        const TensorSpec& spec = layout.outputs[i];
        ResultPlace place; // what is not named lies in the arena
        place.offset = spec.offset;
        if (i < named.size())
            place = named[i];
        if (spec.bytes == 0 || !isCallers(place, spec))
            continue;
        const bool inArena = place.kind == ResultPlace::Kind::Arena;
        if (m_device.is_cpu())
            spoilAll(inArena ? arena.data() + spec.offset : nullptr, place, spec);
        else
            spoilLine(inArena ? arena.data() + spec.offset : nullptr, place, spec);
    }
}

void DrivenSubject::spoilAll(std::byte* inArena, const ResultPlace& place, const TensorSpec& spec)
{
    constexpr std::size_t most = std::size_t{1} << 20;
    const std::vector<std::byte> garbage = garbageFor(spec, std::min(most, spec.bytes));
    if (!inArena)
        return overwriteMemory(m_process, place.offset, spec.bytes, garbage);
    for (std::size_t done = 0; done < spec.bytes; done += garbage.size())
        std::memcpy(inArena + done, garbage.data(), std::min(garbage.size(), spec.bytes - done));
}

void DrivenSubject::spoilLine(std::byte* inArena, const ResultPlace& place, const TensorSpec& spec)
{
    const std::size_t from = secretNumber() % spec.bytes / lineBytes * lineBytes;
    const std::vector<std::byte> garbage = garbageFor(spec, std::min(lineBytes, spec.bytes - from));
    bool isNew = false;
    std::byte* const to = (inArena ? inArena : addressOf(place, spec, isNew)) + from;
    const std::size_t half = garbage.size() / 2;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    checkReading(cudaMemsetAsync(to, static_cast<int>(garbage.front()), half, stream), "overwriting a result");
    checkReading(cudaMemsetAsync(to + half, static_cast<int>(garbage.back()), garbage.size() - half, stream),
                 "overwriting a result");
}

void DrivenSubject::pin(int core)
{
    if (core >= 0 && !m_coresBefore) {
        cpu_set_t before, one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(core), &one);
        if (::sched_getaffinity(m_process, sizeof before, &before) == 0 &&
            ::sched_setaffinity(m_process, sizeof one, &one) == 0)
            m_coresBefore.emplace(reinterpret_cast<const char*>(&before), sizeof before);
    } else if (core < 0 && m_coresBefore) {
        cpu_set_t before;
        std::memcpy(&before, m_coresBefore->data(), sizeof before);
        ::sched_setaffinity(m_process, sizeof before, &before);
        m_coresBefore.reset();
    }
}

double DrivenSubject::Schedule::waitedSince_ns(const Schedule& before, double witness_ns) const
{
    double longest_ns = 0;
    for (const auto& [number, thread] : threads) {
        const auto found = before.threads.find(number);
        const ThreadSchedule earlier = found == before.threads.end() ? ThreadSchedule{} : found->second;
        const double others = ran_ns - before.ran_ns - (thread.ran_ns - earlier.ran_ns);
        longest_ns = std::max(longest_ns, thread.waited_ns - earlier.waited_ns - std::max(others, 0.0) - witness_ns);
    }
    return longest_ns;
}

DrivenSubject::Schedule DrivenSubject::schedule() const
{
    Schedule out;
    double main_ns = 0;
    std::error_code error; // threads and processes may end while they are looked at
    const std::string folder = "/proc/" + std::to_string(m_process) + "/task";
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::optional<ThreadSchedule> thread = scheduleIn(entry->path() / "schedstat");
        if (!thread)
            continue;
        const int number = std::atoi(entry->path().filename().c_str());
        out.threads[number] = *thread;
        if (number == m_process)
            main_ns = thread->ran_ns;
    }
    if (main_ns > 0) {
        out.ran_ns = std::max(cpu_ns(), main_ns);
        out.others_ns = out.ran_ns - main_ns;
    }
    return out;
}

int DrivenSubject::threads() const
{
    struct stat folder {};
    const std::string path = "/proc/" + std::to_string(m_process) + "/task";
    constexpr int ownLinks = 2; // of every folder; each folder in it is one more
    return ::stat(path.c_str(), &folder) == 0 ? static_cast<int>(folder.st_nlink) - ownLinks : 0;
}

double DrivenSubject::cpu_ns() const
{
    clockid_t clock{};
    timespec all{};
    if (::clock_getcpuclockid(m_process, &clock) != 0 || ::clock_gettime(clock, &all) != 0)
        return -1;
    return static_cast<double>(all.tv_sec) * 1e9 + static_cast<double>(all.tv_nsec);
}

} // namespace cudal1::judge
