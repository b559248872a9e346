// SPDX-License-Identifier: GPL-3.0-or-later
// Choice and order of checks.
#include "core/selftest/plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace cudal1::selftest {

namespace {

/// Classes whose programs attack other processes than their own.
constexpr std::array<std::string_view, 2> attackers{"h06", "t10"};

constexpr std::array<std::pair<TestSection, std::string_view>, 5> sectionWords{
    {{TestSection::Canaries, "canaries"},
     {TestSection::Same, "same"},
     {TestSection::Slower, "slower"},
     {TestSection::Exploits, "exploits"},
     {TestSection::Lookalikes, "lookalikes"}}};

std::string expectedOf(const PlantedProgram& program, TestSection section)
{
    if (section == TestSection::Lookalikes)
        return "accepted";
    if (section == TestSection::Canaries)
        return program.expect;
    if (program.expect == "reject")
        return "rejected";
    return program.expect == "no_gain" ? "no gain"
                                       : "no gain, or the label " + program.expect.substr(program.expect.find(':') + 1);
}

std::string ratioText(double ratio)
{
    char out[32];
    std::snprintf(out, sizeof out, "%.3f", ratio);
    return out;
}

std::vector<std::string> missing(const PlantedProgram& program, const Equipment& equipment)
{
    std::vector<std::string> out;
    std::copy_if(program.needs.begin(), program.needs.end(), std::back_inserter(out),
                 [&](const std::string& need) { return !equipment.has(need); });
    return out;
}

class Planner {
public:
    Planner(const Corpus& corpus, const SelfTestOptions& options) : m_corpus(corpus), m_options(options) {}

    SelfTestPlan make()
    {
        const auto wanted = [&](TestSection section) { return m_options.sections.contains(section); };
        if (wanted(TestSection::Canaries))
            for (const PlantedProgram& program : m_corpus.canaries)
                add(program, TestSection::Canaries);
        if (wanted(TestSection::Same))
            for (int i = 0; i < m_options.sameSessions(); ++i)
                addSession(m_corpus.kinds.all[std::size_t(i) % m_corpus.kinds.all.size()], TestSection::Same, 0);
        if (wanted(TestSection::Slower))
            addSlower();
        if (wanted(TestSection::Exploits))
            addExploits();
        if (wanted(TestSection::Lookalikes))
            addLookalikes();
        order();
        return std::move(m_plan);
    }

private:
    /// False, and said so, where the machine lacks something; false in silence where the device is another.
    bool usable(const PlantedProgram& program)
    {
        if (!program.fits(m_options.device.name))
            return false;
        const auto lacks = missing(program, m_options.equipment);
        std::string list;
        for (const std::string& one : lacks)
            list += (list.empty() ? "" : " and ") + one;
        if (lacks.empty())
            return true;
        m_plan.leftOut.push_back(program.name() + " needs " + list + ", which this machine has not");
        return false;
    }

    void addExploits()
    {
        std::map<std::string, std::vector<const PlantedProgram*>> byClass;
        std::map<std::string, bool> known;
        for (const PlantedProgram& program : m_corpus.exploits) {
            known.emplace(program.folder(), false);
            if (usable(program))
                byClass[program.folder()].push_back(&program);
        }
        for (auto& [name, programs] : byClass) {
            known[name] = true;
            // Without a compiler first: a quick self-test is to end in minutes.
            std::stable_sort(programs.begin(), programs.end(), [](const PlantedProgram* a, const PlantedProgram* b) {
                return a->needs.size() < b->needs.size();
            });
            if (!m_options.full)
                programs.resize(1);
            for (const PlantedProgram* program : programs)
                add(*program, TestSection::Exploits);
        }
        for (const auto& [name, used] : known)
            if (!used)
                m_plan.leftOut.push_back("class " + name + " has no program for " + m_options.device.name +
                                         " on this machine");
    }

    void addLookalikes()
    {
        std::set<std::string> seen;
        for (const PlantedProgram& program : m_corpus.lookalikes) {
            // Compiling takes minutes and tells nothing about the judge that the others do not.
            if (!usable(program) || (!m_options.full && !program.needs.empty()))
                continue;
            // Of those that are named after a class of cheats a quick self-test takes one each of e01_, e02_ and so on,
            // and one of all the others (s06_…).
            const std::string name = program.path.stem().string();
            const auto isDigit = [&](std::size_t at) {
                return std::isdigit(static_cast<unsigned char>(name[at])) != 0;
            };
            const bool named = name.size() > 4 && isDigit(1) && isDigit(2) && name[3] == '_';
            if (m_options.full || !named || seen.insert(name.substr(0, name[0] == 'e' ? 3 : 1)).second)
                add(program, TestSection::Lookalikes);
        }
    }

    void addSlower()
    {
        std::vector<const WorkKind*> kinds;
        for (const WorkKind& kind : m_corpus.kinds.all)
            if (kind.divisible())
                kinds.push_back(&kind);
        std::size_t next = 0;
        for (int i = 0; i < m_options.slowerSessions() && !kinds.empty(); ++i)
            for (const int percent : slowdowns)
                addSession(*kinds[next++ % kinds.size()], TestSection::Slower, percent);
    }

    void addSession(const WorkKind& kind, TestSection section, int percent)
    {
        Check check;
        check.section = section;
        check.percent = percent;
        check.name = kind.name;
        check.expected = ratioText(ratioOfSlower(percent));
        check.oneThread = !m_options.cuda();
        check.task = {"selftest: " + kind.name, m_corpus.kinds.source(kind, "Model", 0, m_options.cuda())};
        check.candidate = m_corpus.kinds.source(kind, "ModelNew", percent, m_options.cuda());
        m_plan.checks.push_back(std::move(check));
    }

    void add(const PlantedProgram& program, TestSection section)
    {
        Check check;
        check.section = section;
        check.name = section == TestSection::Exploits ? program.name() : program.path.stem().string();
        check.group = section == TestSection::Exploits ? program.folder() : "";
        check.expected = expectedOf(program, section);
        check.program = std::make_shared<const PlantedProgram>(program);
        check.task = {"selftest: " + program.task, m_corpus.tasks.at(program.task)};
        check.candidate = program.source;
        if (program.hasHonestFile())
            check.honest = m_corpus.honest.at(program.honest);
        check.oneThread = !m_options.cuda() && program.threads == "one";
        check.alone = section == TestSection::Exploits &&
                      std::find(attackers.begin(), attackers.end(), check.group) != attackers.end();
        if (program.expect == "reject" || program.expect == "incorrect")
            check.weight = 0.15;
        m_plan.checks.push_back(std::move(check));
    }

    void order()
    {
        std::stable_sort(m_plan.checks.begin(), m_plan.checks.end(), [](const Check& a, const Check& b) {
            const auto key = [](const Check& check) {
                const bool planted = check.section >= TestSection::Exploits;
                return std::tuple(!check.oneThread, planted ? 2 : int(check.section == TestSection::Slower),
                                  check.alone, planted ? std::string_view(check.task.name) : std::string_view());
            };
            return key(a) < key(b);
        });
    }

    const Corpus& m_corpus;
    const SelfTestOptions& m_options;
    SelfTestPlan m_plan;
};

} // namespace

std::string_view toString(TestSection section)
{
    return std::find_if(sectionWords.begin(), sectionWords.end(), [&](const auto& one) { return one.first == section; })
        ->second;
}

bool fromString(std::string_view word, TestSection& out)
{
    for (const auto& [section, name] : sectionWords)
        if (name == word) {
            out = section;
            return true;
        }
    return false;
}

bool Equipment::has(const std::string& need) const
{
    return (need == "compiler" && compiler) || (need == "nvcc" && nvcc) || (need == "ninja" && ninja) ||
           (need == "x86_64" && x86_64);
}

SelfTestPlan makePlan(const Corpus& corpus, const SelfTestOptions& options)
{
    return Planner(corpus, options).make();
}

} // namespace cudal1::selftest
