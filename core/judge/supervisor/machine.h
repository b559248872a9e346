// SPDX-License-Identifier: GPL-3.0-or-later
// Answers to the requests that judge nothing: what this machine can do, are these files tasks, what does a task
// compute.
#pragma once

#include "core/judge/supervisor/supervisor.h"
#include "core/protocol/screening.h"

namespace cudal1::judge {

/// Asks a subject that is forked for it; also fills the environment, with what isolation a candidate would get.
std::vector<protocol::DeviceInfo> askDevices(Supervisor& supervisor, protocol::Environment& environment);
protocol::Machine describeMachine(Supervisor& supervisor);
protocol::Inspection inspectTasks(Supervisor& supervisor, const protocol::InspectRequest& request);
/// Of each task on torch's meta device; a task without facts is an item with the reason.
protocol::Facts deriveFacts(Supervisor& supervisor, const protocol::FactsRequest& request);
/// Of each task; one that does not run is an item with the reason.
protocol::Screening screenTasks(Supervisor& supervisor, const protocol::ScreenRequest& request);
/// The operator graph as the tracer gives it. Throws RequestFailed with the task's own traceback.
nlohmann::json traceTask(Supervisor& supervisor, const protocol::GraphRequest& request);

std::int64_t availableMemory(); ///< bytes of the host; 0 when unknown

/// What the device is called in requests must exist here; throws RequestFailed("unavailable").
const protocol::DeviceInfo& requireDevice(Supervisor& supervisor, const std::string& name);

} // namespace cudal1::judge
