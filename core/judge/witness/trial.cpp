// SPDX-License-Identifier: GPL-3.0-or-later
// The course of a trial.
#include "core/judge/witness/trial.h"

#include "core/judge/module/pythonhost.h"
#include "core/judge/wire/handover.h"
#include "core/judge/witness/contents.h"
#include "core/judge/witness/handedresults.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace cudal1::judge {

Trial::Trial(const Means& means, DrivenSubject& subject, const RunTrial& request)
    : m_reference(means.reference), m_driver(means.driver), m_families(means.families), m_present(means.present),
      m_nulls(means.nulls), m_oracle(means.oracle), m_expected(means.expected), m_subject(subject), m_request(request)
{
    m_subject.freeze();
}

Trial::~Trial()
{
    m_driver.finish(m_subject);
    m_expected.fit();
}

RunTrial::Reply Trial::run(const Driver::Patience& patience)
{
    if (!expect() || !makeCall(patience))
        return std::move(m_out);
    try {
        return compare();
    } catch (const FamilyLeftOut& left) {
        m_out.usable = false;
        m_out.why = left.why;
    }
    return std::move(m_out);
}

RunTrial::Reply Trial::compare()
{
    if (m_request.nulls && m_nulls.anyLeft())
        m_present.tryNulls(m_nulls);
    m_out.worstRelativeError = m_present.compareResults(m_request.family);
    m_present.compareLeft(m_request.family);
    m_out.nullsLeft = m_nulls.left();
    m_out.nullTrials = m_nulls.trials();
    m_out.lastOperators_ns = std::min(m_nulls.lastOperators_ns(), std::numeric_limits<double>::max());
    if (m_request.oracle != Yardstick::None)
        m_out.errors = m_oracle.errors(m_request.oracle);
    return std::move(m_out);
}

bool Trial::expect()
{
    // The reference may refuse such inputs, as a matrix that is not positive. That is no fault of the candidate's.
    std::string why;
    try {
        return expectFamily();
    } catch (const PythonError& error) {
        if (m_request.family == "as_given" || error.kind != "exception")
            throw;
        why = FamilyFacts::raises(error.what());
    } catch (const Refusal& error) {
        if (m_request.family == "as_given")
            throw;
        why = error.what();
    }
    m_families.leaveOut(m_request.family, why);
    m_out.usable = false;
    m_out.why = why;
    return false;
}

bool Trial::expectFamily()
{
    const FamilyFacts* known = m_families.find(m_request.family);
    if (!known && !familyApplies(m_request.family, m_reference.traits())) {
        m_families.leaveOut(m_request.family, FamilyFacts::changesNothing);
        known = m_families.find(m_request.family);
    }
    m_out.usable = !known || known->usable;
    if (m_out.usable) {
        const bool stays = m_request.shared && m_reference.isRepeatable();
        const ExpectedTrials::Trial* kept = stays
                                              ? m_expected.find(m_request.family, m_request.seed, m_reference.state())
                                              : nullptr;
        if (kept)
            expectKept(*kept);
        else
            expectAnew(stays);
        if (!known) {
            known = &m_families.add(m_request.family, m_present.lookAtFamily());
            m_out.usable = known->usable;
        }
    }
    if (!m_out.usable)
        m_out.why = known->why;
    return m_out.usable;
}

void Trial::expectKept(const ExpectedTrials::Trial& kept)
{
    SecretCall call = kept.call;
    call.seed = secretNumber() >> 1;
    m_present.set(std::move(call));
    m_out.referenceCall_s = kept.referenceCall_s;
    m_out.kept = true;
}

void Trial::expectAnew(bool mayStay)
{
    SecretCall call;
    call.family = m_request.family;
    call.inputs = m_reference.draw(m_request.seed);
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        call.inputs[i] = applyFamily(m_request.family, call.inputs[i], m_reference.traits()[i]).contiguous();
    call.seed = secretNumber() >> 1;
    call.facts = std::make_shared<CallFacts>();
    std::vector<at::Tensor> before;
    // The reference may change inputs of this family, though of no other.
    if (!m_families.find(m_request.family) && !m_reference.modifiesInputs())
        for (const at::Tensor& tensor : call.inputs)
            before.push_back(tensor.clone());
    {
        // Where calls are long, what the last operator is given is seen in this one.
        std::optional<LastOperators> last;
        if (m_request.nulls && m_nulls.needsLastOperators() && m_reference.hasLongCalls())
            last.emplace(m_reference.device());
        const double begun = clock_ns();
        call.expected = m_reference.runReference(call.inputs, call.seed, &call.left);
        m_out.referenceCall_s = (clock_ns() - begun) * 1e-9;
        if (last)
            call.facts->withoutLast = last->end(call.expected);
    }
    for (std::size_t i = 0; i < before.size() && call.left.empty(); ++i)
        if (!sameBytes(before[i], call.inputs[i])) {
            m_reference.setModifiesInputs();
            call.left = std::exchange(call.inputs, before);
        }
    if (mayStay)
        call.facts->stays = m_expected.keep(m_request.seed, m_reference.state(), {call, m_out.referenceCall_s});
    m_present.set(std::move(call));
}

bool Trial::makeCall(const Driver::Patience& patience)
{
    for (const TensorSpec& spec : m_reference.layout().outputs) // so that the results of an earlier call cannot pass
        m_reference.kernels().poison(m_reference.arena().data() + spec.offset, spec.bytes);
    const std::vector<at::Tensor>& inputs = m_present.call().inputs;
    Driver::Plan plan;
    plan.readyFlags = InOrder;
    plan.callFlags = InOrder | m_reference.callFlags();
    plan.seed = m_present.call().seed;
    plan.flush = false;
    plan.keepInputs = m_reference.modifiesInputs();
    Driver::Call done;
    try {
        m_driver.lay(0, inputs);
        synchronise(m_reference.device());
        m_out.ending = m_driver.run(m_subject, plan, inputs, 0, patience, done);
    } catch (const DrivenSubject::Unreadable& error) {
        refuseUnreadable(error);
    }
    if (!m_out.ending.empty())
        return false;
    m_out.candidateCall_s = done.wall_ns * 1e-9;
    if ((done.inputsChanged || m_driver.changed(done.inputsAfter, inputs)) && !m_reference.modifiesInputs())
        throw Refusal("input_modified", "The call changed its inputs.");
    if (plan.keepInputs)
        m_present.setInputsAfter(done.inputsAfter);
    for (const at::Tensor& result : done.results)
        m_present.addActual(asReal(result.to(m_reference.device())));
    return true;
}

} // namespace cudal1::judge
