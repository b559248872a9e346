// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the calls of rounds: fresh contents and a fresh seed for each, from secret numbers.
#pragma once

#include "core/judge/witness/contents.h"
#include "core/judge/witness/driver.h"
#include "core/judge/witness/knownfamilies.h"
#include "core/judge/witness/presentcall.h"
#include "core/judge/witness/referencehost.h"
#include "core/judge/witness/secretcall.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

/// Used from the witness's main thread; the witness owns it, one for its task. Keeps references to its arguments. Keys
/// and choices never leave this process. Members throw std::runtime_error where the system has no random numbers, and
/// what ReferenceHost::draw throws.
class CallMaker {
public:
    /// The task must be loaded.
    CallMaker(ReferenceHost& reference, KnownFamilies& families, PresentCall& present, Driver& driver);

    /// Adds to the draws that contents are made of: as many as are wanted before the first call, then one each time.
    void drawBase(std::uint64_t seed);
    bool empty() const { return m_contents.empty(); } ///< nothing has been drawn yet, so no call can be made

    SecretCall newCall(); ///< one with fresh contents
    /// One on inputs of another family than the task's own, if there is any, which is to be compared in any case. For
    /// each side all families have their turn before one comes again.
    SecretCall otherCall(DrivenSide side);
    /// One for long calls: each side gets the same contents once. They are staged in its slot. It stays this object's.
    SecretCall& pairedCall(DrivenSide side);
    /// The paired call, with the reference's results where there are some, if it has this seed; otherwise null.
    const SecretCall* pairOf(std::uint64_t seed) const;
    std::size_t mostKept() const; ///< how many calls of a round memory allows to compare: 1 to 4

private:
    SecretCall freshCall() const; ///< on inputs of the task's own family
    /// Gives the call inputs of this family, if they can be used.
    void apply(const std::string& family, SecretCall& call);
    /// Whether inputs of the call's family can be used, which is measured now where it has waited (FamilyFacts).
    bool canBeUsed(const SecretCall& call);
    bool canBeMixed(std::uint64_t seed); ///< the reference computes with mixed contents as with drawn ones
    /// Of the inputs that no draw changes, those of which one may be another in each call. Each is tried by itself.
    std::vector<std::size_t> inputsToRedraw();
    /// Whether results of such a call can be compared, by what a family must hold (PresentCall::measureFamily).
    bool canBeCompared(SecretCall call);

    ReferenceHost& m_reference;
    KnownFamilies& m_families;
    PresentCall& m_present; ///< measures families for which that has waited
    Driver& m_driver;
    Contents m_contents;
    /// False where the reference takes drawn inputs alone, as matrices that are positive definite. Then each call's
    /// inputs are drawn anew.
    bool m_mixes = true;
    std::vector<std::size_t> m_redrawn;                         ///< the inputs that redrawn() changes in each call
    double m_draw_ns = std::numeric_limits<double>::infinity(); ///< the shortest time that a draw has taken
    std::map<DrivenSide, std::vector<std::string>> m_turns;     ///< families that otherCall() has still to take
    SecretCall m_pair;                   ///< the contents that both sides of a pair of long calls get
    std::vector<DrivenSide> m_pairSides; ///< the sides that have had them
};

} // namespace cudal1::judge
