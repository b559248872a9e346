// SPDX-License-Identifier: GPL-3.0-or-later
// CUPTI's resource callback for modules, and the driver's calls that load text.
#include "core/judge/capture/modulecapture.h"

#include "core/base/symbolname.h"
#include "core/kernels/cubin.h"
#include "core/protocol/kernels.h"

#include <cupti.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>

namespace cudal1::judge {

namespace {

using protocol::KernelModule;
using protocol::Kernels;

// Loading is lazy: the framework's modules come one by one too, and are told apart when the capture is asked for.
constexpr std::size_t mostModules = 16 * Kernels::maxModules, mostBytes = 16 * Kernels::maxAll_bytes;

// The process's, as CUPTI's subscription is.
std::mutex lock;
std::vector<KernelModule> loaded;
std::vector<std::string> texts;
std::size_t kept_bytes = 0, leftOut = 0;

void check(CUptiResult status, const char* what)
{
    if (status == CUPTI_SUCCESS)
        return;
    const char* text = nullptr;
    cuptiGetResultString(status, &text);
    throw std::runtime_error(std::string("CUPTI: ") + what + ": " + (text ? text : "unknown error"));
}

void keepModule(const CUpti_ModuleResourceData& module)
{
    const std::lock_guard guard(lock);
    if (loaded.size() >= mostModules || !module.pCubin || module.cubinSize > KernelModule::maxImage_bytes ||
        kept_bytes + module.cubinSize > mostBytes) {
        ++leftOut;
        return;
    }
    KernelModule& kept = loaded.emplace_back();
    kept.image.assign(module.pCubin, module.cubinSize);
    kept.image_bytes = std::int64_t(module.cubinSize);
    kept_bytes += module.cubinSize;
}

/// An image may be a cubin, a fat binary or text that ends with a zero.
void keepText(const void* image)
{
    const auto* text = static_cast<const char*>(image);
    if (!text || (*text != '/' && *text != '\n' && *text != '.' && *text != ' ' && *text != '\t'))
        return; // PTX begins with a comment, a blank or a directive; nothing binary does
    const std::size_t size = ::strnlen(text, KernelModule::maxPtx_bytes);
    if (size == KernelModule::maxPtx_bytes || !kernels::isPtx({text, size}))
        return;
    const std::lock_guard guard(lock);
    if (texts.size() < Kernels::maxModules)
        texts.emplace_back(text, size);
}

void CUPTIAPI onCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data)
{
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
        const auto* resource = static_cast<const CUpti_ResourceData*>(data);
        if (resource->resourceDescriptor)
            keepModule(*static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor));
        return;
    }
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call->callbackSite != CUPTI_API_ENTER || !call->functionParams)
        return;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData)
        keepText(static_cast<const cuModuleLoadData_params*>(call->functionParams)->image);
    else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx)
        keepText(static_cast<const cuModuleLoadDataEx_params*>(call->functionParams)->image);
    else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData)
        keepText(static_cast<const cuLibraryLoadData_params*>(call->functionParams)->code);
}

} // namespace

void startModuleCapture()
{
    CUpti_SubscriberHandle subscriber = nullptr;
    check(cuptiSubscribe(&subscriber, onCallback, nullptr), "subscribing");
    check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
          "watching modules");
    for (const CUpti_CallbackId id :
         {CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
          CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData})
        check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id), "watching what is loaded");
}

TakeModules::Reply capturedModules(const TakeModules& request)
{
    const std::set<std::string> wanted(request.kernels.begin(), request.kernels.end());
    const std::lock_guard guard(lock);
    std::vector<KernelModule> found;
    std::size_t bytes = 0, beyond = leftOut;
    for (const KernelModule& module : loaded) {
        std::vector<std::string> entries = kernels::cubinEntries(module.image);
        if (std::none_of(entries.begin(), entries.end(),
                         [&](const std::string& entry) { return wanted.contains(base::demangled(entry)); }))
            continue;
        if (found.size() >= Kernels::maxModules || bytes + module.image.size() > Kernels::maxAll_bytes) {
            ++beyond;
            continue;
        }
        bytes += module.image.size();
        found.push_back(module);
        found.back().kernels = std::move(entries);
    }
    return {std::move(found), {texts.begin(), texts.end()}, beyond};
}

} // namespace cudal1::judge
