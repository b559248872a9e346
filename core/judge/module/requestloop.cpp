// SPDX-License-Identifier: GPL-3.0-or-later
// The request loop.
#include "core/judge/module/requestloop.h"

#include "core/judge/module/allocationwatch.h"
#include "core/judge/module/devices.h"
#include "core/judge/wire/wire.h"

#include <c10/core/GradMode.h>

#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace cudal1::judge {

using nlohmann::json;

namespace {

json refused(const std::string& code, const std::string& text, const std::string& evidence)
{
    return {{"ok", false}, {"code", code}, {"text", text}, {"evidence", evidence}};
}

bool deviceOutOfMemory(const std::exception& error)
{
    return dynamic_cast<const c10::OutOfMemoryError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error);
}

json answer(ModuleHost& host, const json& request, Descriptors& descriptors)
{
    try {
        json reply = host.handle(request, descriptors);
        reply["ok"] = true;
        return reply;
    } catch (const Refusal& refusal) {
        return refused(refusal.code, refusal.what(), refusal.evidence);
    } catch (const PythonError& error) {
        const bool memory = error.kind == "memory" || ranOutOfMemory();
        json reply = refused(memory ? "out_of_memory" : error.kind, error.what(), error.traceback);
        reply["line"] = error.line;
        return reply;
    } catch (const std::exception& error) {
        PyErr_Clear();
        if (deviceOutOfMemory(error) || ranOutOfMemory())
            return refused("out_of_memory", "The device has too little memory.", error.what());
        if (const auto* device = dynamic_cast<const c10::Error*>(&error))
            return refused("device_error", "A call left an error on the device.", device->what_without_backtrace());
        return refused("internal", error.what(), error.what());
    }
}

/// Brings the C library's allocator to where it ends up in any long-lived process: it keeps blocks of up to 32 MiB
/// instead of returning them after each use, once it has seen one freed. A process that has not is several times slower
/// at work on such tensors, so both sides must have seen one.
void settleAllocator()
{
    constexpr std::size_t bytes = (32u << 20) - (64u << 10);
    void* volatile block = std::malloc(bytes); // volatile: a compiler may leave out an unused pair
    std::free(block);
}

} // namespace

int serveRequests(int socket, const std::function<std::unique_ptr<ModuleHost>()>& make)
{
    settleAllocator();
    c10::GradMode::set_enabled(false); // as KernelBench runs both sides
    std::unique_ptr<ModuleHost> host;
    try {
        for (;;) {
            Descriptors descriptors;
            const json request = receiveMessage(socket, &descriptors);
            json reply;
            if (request.at("command").get_ref<const std::string&>() == AskDevices::name) {
                reply = AskDevices::Reply{listDevices(), cudaVersions()};
                reply["ok"] = true;
            } else {
                if (!host)
                    host = make();
                reply = answer(*host, request, descriptors);
            }
            for (const int descriptor : descriptors)
                ::close(descriptor);
            reply["nonce"] = request.value("nonce", 0ull);
            sendMessage(socket, reply);
        }
    } catch (const WireClosed&) {
        // The supervisor has no more use for this process. Tearing down a framework with work of a stranger in it can
        // hang; the kernel frees everything.
        return 0;
    }
}

} // namespace cudal1::judge
