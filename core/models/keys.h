// SPDX-License-Identifier: GPL-3.0-or-later
// Where the keys of models come from: the environment, or the system's keyring.
//
// The keyring (Secret Service, KWallet) is there when the program was built with QtKeychain; without it every function
// that needs it answers with Unavailable and how to get it. All of them return at once and answer from the event loop
// of the calling thread, since a keyring may ask its owner to unlock it; readKey() answers from within the call where
// no keyring is needed. Nothing is answered once `context` is gone.
#pragma once

#include "core/base/result.h"
#include "core/models/secret.h"

#include <functional>

class QObject;

namespace cudal1::models {

struct EndpointSettings;

/// Whether this program can use a keyring.
bool hasKeyring();

/// The key of the model; an empty one where the settings name none. NotFound for a variable that is not set and an
/// entry that is not there, Unavailable where the keyring cannot be used.
void readKey(const EndpointSettings& settings, QObject* context, std::function<void(base::Result<Secret>)> then);
/// Keeps the key under the name of the model, in place of one that was there.
void keepKey(const std::string& model, Secret key, QObject* context, std::function<void(base::Status)> then);
/// Success too where there was none.
void dropKey(const std::string& model, QObject* context, std::function<void(base::Status)> then);

} // namespace cudal1::models
