// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the table. tests/protocol/tst_codes.cpp holds it against what core/judge can say, and
// docs/measuring/codes.md against it.
#include "core/protocol/codes.h"

#include <algorithm>

namespace cudal1::protocol {

namespace {

using Kind = Code::Kind;

constexpr Code reason(std::string_view code, Verdict verdict, std::string_view meaning, About about = About::Program)
{
    return {code, Kind::Reason, Severity::Failure, about, verdict, false, meaning};
}

constexpr Code label(std::string_view code, Severity severity, About about, std::string_view meaning)
{
    return {code, Kind::Label, severity, about, std::nullopt, false, meaning};
}

/// One that asks for a second look.
constexpr Code lookedAtAgain(std::string_view code, Severity severity, std::string_view meaning,
                             std::optional<Verdict> verdict = {})
{
    return {code, Kind::Label, severity, About::Program, verdict, true, meaning};
}

constexpr Code table[] = {
    reason("wrong_values", Verdict::Incorrect,
           "Numbers of the result differ from the reference's by more than the tolerance of the precision allows."),
    reason("nan_mismatch", Verdict::Incorrect,
           "The result has NaN or infinity where the reference has a number, or the other way round."),
    reason("wrong_type", Verdict::Incorrect, "What a call returns is neither a plain tensor nor a tuple of such."),
    reason("wrong_count", Verdict::Incorrect, "A call returns another number of tensors than the reference."),
    reason("wrong_shape", Verdict::Incorrect, "A tensor of the result has another shape than the reference's."),
    reason("wrong_dtype", Verdict::Incorrect,
           "A tensor of the result has another type of numbers than the reference's."),
    reason("wrong_device", Verdict::Incorrect,
           "A tensor of the result is on another device than the one that is judged on."),
    reason("unreadable_result", Verdict::Incorrect, "The result cannot be read where the process says that it is."),
    reason("input_modified", Verdict::Incorrect, "A call changed its inputs, which belong to the caller."),
    reason("parameters_modified", Verdict::Incorrect,
           "Calls changed the module's parameters, so that later calls compute something else."),
    reason("stale_parameters", Verdict::Incorrect,
           "The result does not follow the module's parameters: it uses copies or constants of old ones."),
    reason("static_output", Verdict::Incorrect,
           "The result is memory that a later call overwrites, so that a caller cannot keep it."),
    reason("syntax", Verdict::Crashed, "Python cannot parse the source."),
    reason("missing_definition", Verdict::Crashed, "The source lacks a class or function that it must define."),
    reason("exception", Verdict::Crashed, "The code raised an exception of Python."),
    reason("no_gpu", Verdict::Crashed,
           "The code needs a GPU, and there is none here: judge it on a machine that has one.", About::Machine),
    reason("exit", Verdict::Crashed, "The code asked Python to exit."),
    reason("device_error", Verdict::Crashed,
           "A call left an error on the device, such as an access to memory that is not there."),
    reason("internal", Verdict::Crashed, "The framework or a library failed below Python."),
    reason("segfault", Verdict::Crashed, "The process touched memory that is not its own and was ended for it."),
    reason("signal", Verdict::Crashed, "The process was ended by a signal."),
    reason("exited", Verdict::Crashed, "The process ended itself before it had answered."),
    reason("connection_closed", Verdict::Crashed, "The process closed its connection to the judge."),
    reason("broken_protocol", Verdict::Crashed,
           "The process sent the judge something that is no answer to what it was asked."),
    reason("process_limit", Verdict::Crashed, "It started more processes or threads than a candidate may have."),
    reason("endless_output", Verdict::Crashed, "It printed more than is kept of any program."),
    reason("evaluator_failed", Verdict::Crashed,
           "The evaluator itself ended twice while it judged this, so that nothing is known of the result."),
    reason("hang", Verdict::TimedOut, "A step did not end within its limit of time."),
    reason("out_of_memory", Verdict::OutOfMemory,
           "The memory of the device, or what a candidate may have of the host's, was used up."),
    reason("late_device_work", Verdict::Exploit, "The device was still at work for a call when the clock had stopped."),
    reason("device_in_use", Verdict::Exploit, "The device was at work for it before it had inputs to compute with."),
    reason("no_device", Verdict::ReferenceFailed, "The machine does not have the device that was asked for.",
           About::Machine),
    reason("unsupported_output", Verdict::ReferenceFailed, "The reference returns something that cannot be compared.",
           About::Task),

    lookedAtAgain(
        "precision", Severity::Warning,
        "It computes less precisely than the reference, so that part of the gain may be bought by precision."),
    lookedAtAgain("clock_disagreement", Severity::Warning,
                  "Events on the stream tell another speed-up than the wall clock, which counts: they do not see all "
                  "of its work."),
    lookedAtAgain(
        "library_calls", Severity::Note,
        "It is faster without a kernel of its own: the gain comes from other calls of libraries or from doing less."),
    lookedAtAgain("large_speedup", Severity::Note,
                  "So large a gain often means that something is left out, so it deserves a look."),
    lookedAtAgain("below_floor", Severity::Doubt,
                  "It is faster than the device can move the bytes that it must; where a second look finds that again, "
                  "it is an exploit.",
                  Verdict::Exploit),
    label("charged_time", Severity::Warning, About::Program,
          "Time was added to its calls: for work while the clock stood still, or because they were shorter than "
          "the least call."),
    label("uneven_calls", Severity::Warning, About::Measuring,
          "Its calls vary more than the reference's, so what counts is the average of all its calls, not of the faster "
          "ones."),
    label("unchecked_parameters", Severity::Doubt, About::Program,
          "Whether it uses some of the parameters could not be checked."),
    label("buffers_differ", Severity::Doubt, About::Program,
          "A call does not leave in the module's buffers, as running statistics, what the reference leaves there."),
    label(
        "unchecked_state", Severity::Doubt, About::Task,
        "The reference keeps what follows from its inputs where it is not compared, so a program may leave that out."),
    label("failed_second_look", Severity::Warning, About::Program,
          "It passed once and failed when it was judged again with fresh seeds."),
    label("degenerate_task", Severity::Doubt, About::Task,
          "Results that take no work pass this task too, or results without the last operators, whose time may be most "
          "of the gain."),
    label(
        "last_operator_unseen", Severity::Note, About::Task,
        "A result without the reference's last operators passes this task too. Where there is a gain, most of it does "
        "not come from leaving these out."),
    label("not_reproduced", Severity::Doubt, About::Measuring,
          "A second measurement with fresh seeds and processes gave another speed-up."),
    label("few_pairs", Severity::Note, About::Measuring,
          "Its calls take seconds, so it was timed in fewer pairs than others, and its interval is wide."),
    label("no_gpu_busy", Severity::Note, About::Measuring, "How long the GPU was busy could not be recorded."),
    label("paper_discarded", Severity::Warning, About::Measuring,
          "By the paper's protocol there is no number, since its measurements vary too much."),
    label("paper_not_verified", Severity::Warning, About::Measuring,
          "By the paper's protocol there is no number, since a second measurement did not confirm it."),
    label("disturbed", Severity::Warning, About::Machine,
          "Many pairs were thrown away, since other work or a slower clock disturbed them."),
    label("crowded", Severity::Warning, About::Machine,
          "Other work wanted the cores for as long as it was timed, so its speed-up says little."),
};

} // namespace

std::span<const Code> codes()
{
    return table;
}

const Code* findCode(std::string_view code)
{
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const Code& one) { return one.code == code; });
    return found == std::end(table) ? nullptr : found;
}

std::string meaningOf(std::string_view code)
{
    const Code* found = findCode(code);
    return found ? std::string(found->meaning) : std::string();
}

std::string legendText(const std::set<std::string>& codes)
{
    std::size_t width = 0;
    for (const std::string& code : codes)
        width = std::max(width, findCode(code) ? code.size() : 0);
    std::string out;
    for (const std::string& code : codes)
        if (const Code* known = findCode(code))
            out += (out.empty() ? "" : "\n") + code + std::string(width + 2 - code.size(), ' ') +
                   std::string(known->meaning);
    return out;
}

} // namespace cudal1::protocol
