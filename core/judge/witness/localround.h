// SPDX-License-Identifier: GPL-3.0-or-later
// A timed round of the reference in the witness itself: where memory has no room for another process, or calls are
// long.
#pragma once

#include "core/judge/witness/callmaker.h"
#include "core/judge/witness/driver.h"
#include "core/judge/witness/referencehost.h"

namespace cudal1::judge {

/// What a round of the reference in this process is made with.
struct LocalMeans {
    ReferenceHost& reference;
    Driver& driver; ///< probes the device before each call
    CallMaker& calls;
    CacheFlush& flush; ///< empties the caches before each call
};

/// Makes the round and waits for the device after each call. The results of a paired call become its expected ones
/// (SecretCall::expected). The reply has no more than times and the device's probes. The arguments of the last call
/// stay the reference's. Call it on the witness's main thread. Throws PythonError for what the task's code throws, and
/// what CallMaker throws.
RunRound::Reply localRound(const LocalMeans& means, const RunRound& request);

} // namespace cudal1::judge
