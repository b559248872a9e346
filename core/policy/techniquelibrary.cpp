// SPDX-License-Identifier: GPL-3.0-or-later
// Matching, and the search over combinations of techniques.
#include "core/policy/techniquelibrary.h"

#include "core/policy/analysis.h"
#include "core/policy/sourcewriter.h"

#include <algorithm>
#include <map>
#include <set>

namespace cudal1::policy {

namespace {

using Ids = std::set<std::string>;

struct Candidate {
    Ids ids;
    LaunchOptions launch;
};

// Pairs of which the second undoes or repeats the first.
bool clash(const std::string& a, const std::string& b)
{
    static const std::set<std::pair<std::string, std::string>> pairs{
        {"tf32", "ieee_recurrence"},
        {"tf32", "scaled_halves"},
        {"aligned_products", "scaled_halves"},
        {"triangular_product", "scaled_halves"},
        {"compiled_graph", "scaled_halves"},
        {"compiled_graph", "fuse_elementwise"},
        {"compiled_graph", "cuda_graph"},
        {"compiled_graph", "direct_convolution"},
        {"compiled_graph", "convolve_twice"},
        {"compiled_graph", "split_reduction"},
        {"compiled_graph", "window_kernels"},
        {"compiled_graph", "scan_kernels"},
        {"compiled_graph", "arg_reduction"},
        {"compiled_graph", "fused_attention"},
        {"compiled_graph", "persistent_recurrence"},
        {"ieee_recurrence", "persistent_recurrence"},
        {"channels_last", "direct_convolution"},
        {"channels_last", "convolve_twice"},
        {"channels_last", "window_kernels"},
        {"channels_last", "split_reduction"}, // 20 of 21 recorded variants with both were slower than with one
        {"transposed_by_phase", "direct_convolution"},
        {"bf16_products", "cpu_products"},
        // torch.compile does not lower the oneDNN operators that these call
        {"compiled_graph", "cpu_products"},
        {"bf16_products", "compiled_graph"}};
    return pairs.contains({a, b}) || pairs.contains({b, a});
}

class Search {
public:
    /// `rewriting`: the techniques that change the graph.
    Search(const Prompt& prompt, const std::map<std::string, Match>& matches, Ids rewriting)
        : m_prompt(prompt), m_matches(matches), m_rewriting(std::move(rewriting))
    {
        for (const auto& [id, match] : matches)
            m_order.push_back(id);
        m_order = sorted([&](const std::string& id) { return m_matches.at(id).gain; });
        for (const Exemplar& exemplar : prompt.exemplars) {
            const Ids ids(exemplar.techniques.begin(), exemplar.techniques.end());
            const bool ours = !ids.empty() && std::all_of(ids.begin(), ids.end(),
                                                          [&](const std::string& id) { return matches.contains(id); });
            if (!ours)
                continue;
            const bool good = exemplar.verdict == protocol::Verdict::Correct && exemplar.wall.valid();
            double& score = m_scores.try_emplace(ids, 0).first->second;
            score = std::max(score, good ? exemplar.wall.estimate : 0);
            if (good && exemplar.wall.low > m_bestLow) {
                m_bestLow = exemplar.wall.low;
                m_best = ids;
            }
        }
    }

    std::vector<Candidate> run()
    {
        if (m_scores.empty()) {
            const Ids first = combined();
            add(first);
            if (first.contains("cuda_graph") && m_prompt.graph.total_ns < shortCall_ns)
                withoutEach(first);
            ledByOthers(first);
            for (const std::string& id : m_order)
                add({id});
            pairsOfRewrites();
            return m_out;
        }
        // What alone was measured to help, together; then steps from the best; then what was not tried yet.
        Ids winners;
        for (const std::string& id : ranked()) {
            if (alone(id) > 1.02)
                extend(winners, id);
        }
        add(winners);
        if (!m_best.empty()) {
            for (const std::string& id : ranked()) {
                Ids next = m_best;
                if (!next.contains(id) && isOpen(id, next) && alone(id) != 0) {
                    std::erase_if(next, [&](const std::string& other) { return clash(id, other); });
                    next.insert(id);
                    add(next);
                }
            }
            for (const std::string& id : m_best) {
                Ids next = m_best;
                next.erase(id);
                add(next);
            }
            if (m_best.contains("fuse_elementwise") || m_best.contains("triangular_product")) {
                for (const int block : {128, 512, 1024})
                    add(m_best, {block, 4});
                add(m_best, {256, 1});
            }
        }
        for (const std::string& id : m_order)
            add({id});
        pairsOfRewrites();
        return m_out;
    }

private:
    static double unknown() { return -1; }

    /// Without a graph of the launches nothing gains much in a short call, so each technique is judged by what is lost
    /// without it.
    void withoutEach(const Ids& all)
    {
        for (const std::string& id : all) {
            Ids fewer = all;
            fewer.erase(id);
            if (id != "cuda_graph")
                add(fewer);
        }
    }

    /// The first proposal has what is expected to gain most. More may be gained by a technique that clashes with one of
    /// these, together with all that goes with it, or by the framework's own operators with what goes around them.
    void ledByOthers(const Ids& first)
    {
        if (first.contains("constant_result"))
            return;
        for (const std::string& id : m_order) {
            if (first.contains(id) || id == "compiled_graph" || m_matches.at(id).gain < 1)
                continue;
            if (const Ids led = gaining("compiled_graph", id); led.contains(id))
                add(led);
        }
        Ids around = first; // what leaves all operators to the framework
        std::erase_if(around, [&](const std::string& id) { return m_rewriting.contains(id); });
        if (around.size() > 1)
            add(around);
        if (!first.contains("compiled_graph") && mayBeCompiled(first))
            add(gaining({}, "compiled_graph"));
    }

    /// What others leave of a call may be too short to be compiled.
    bool mayBeCompiled(const Ids& others) const
    {
        double most = 1;
        for (const std::string& id : others)
            most = id == "compiled_graph" ? most : std::max(most, m_matches.at(id).gain);
        const auto compiled = m_matches.find("compiled_graph");
        return compiled != m_matches.end() && compiled->second.gain >= 1 &&
               m_prompt.graph.total_ns / most >= compiledPaysFrom_ns;
    }

    /// Measured speed-up of a technique alone: 0 when it failed, -1 when it was not measured. Of one that another
    /// opens it is the speed-up over that other one.
    double alone(const std::string& id) const
    {
        const Technique* opener = m_matches.at(id).opener;
        const auto it = m_scores.find(opener ? Ids{opener->id(), id} : Ids{id});
        if (it == m_scores.end())
            return unknown();
        const double without = opener ? alone(opener->id()) : 1;
        return without > 0 ? it->second / without : unknown();
    }

    std::vector<std::string> ranked() const
    {
        return sorted([&](const std::string& id) { return alone(id) >= 0 ? alone(id) : m_matches.at(id).gain; });
    }

    /// The largest first, but behind all others those that another technique opens.
    template<typename Key> std::vector<std::string> sorted(const Key& key) const
    {
        std::vector<std::string> out = m_order;
        std::stable_sort(out.begin(), out.end(), [&](const std::string& a, const std::string& b) {
            const bool openedA = m_matches.at(a).opener != nullptr, openedB = m_matches.at(b).opener != nullptr;
            return openedA == openedB ? key(a) > key(b) : openedB;
        });
        return out;
    }

    /// Whether a technique has anything to do beside these.
    bool isOpen(const std::string& id, const Ids& others) const
    {
        const Technique* opener = m_matches.at(id).opener;
        return !opener || others.contains(opener->id());
    }

    Ids withoutUnopened(const Ids& ids) const
    {
        Ids out = ids;
        std::erase_if(out, [&](const std::string& id) { return !isOpen(id, ids); });
        return out;
    }

    static void extend(Ids& ids, const std::string& id)
    {
        if (std::none_of(ids.begin(), ids.end(), [&](const std::string& other) { return clash(id, other); }))
            ids.insert(id);
    }

    /// All that are expected to gain, the likeliest of those that clash.
    Ids combined() const
    {
        if (m_matches.contains("constant_result"))
            return {"constant_result"};
        // On a GPU compiling takes longer than judging what our own kernels do, and mostly gains less.
        if (const Ids ids = gaining("compiled_graph"); m_prompt.graph.device.starts_with("cuda") && !ids.empty())
            return ids;
        const Ids ids = gaining({});
        return mayBeCompiled(ids) ? ids : gaining("compiled_graph");
    }

    /// `leader`: one that comes before all others, so that what clashes with it is left out.
    Ids gaining(const std::string& without, const std::string& leader = {}) const
    {
        Ids ids;
        if (!leader.empty()) {
            ids.insert(leader);
            if (const Technique* opener = m_matches.at(leader).opener)
                ids.insert(opener->id());
        }
        for (const std::string& id : m_order) {
            if (id != without && m_matches.at(id).gain >= 1)
                extend(ids, id);
        }
        ids = withoutUnopened(ids);
        for (const std::string& id : Ids(ids)) {
            for (const std::string& settled : m_matches.at(id).settles)
                ids.erase(settled);
        }
        return withoutUnopened(ids);
    }

    // Two rewrites open matches to each other (folding leaves a chain that fuses), so pairs are worth a try.
    void pairsOfRewrites()
    {
        for (std::size_t i = 0; i < m_order.size(); ++i) {
            for (std::size_t j = i + 1; j < m_order.size() && alone(m_order[i]) != 0; ++j) {
                if (!clash(m_order[i], m_order[j]) && alone(m_order[j]) != 0)
                    add({m_order[i], m_order[j]});
            }
        }
    }

    void add(const Ids& wanted, const LaunchOptions& launch = {})
    {
        const Ids ids = withoutUnopened(wanted);
        if (ids.empty() || (m_scores.contains(ids) && launch == LaunchOptions{}))
            return;
        if (std::none_of(m_out.begin(), m_out.end(),
                         [&](const Candidate& c) { return c.ids == ids && c.launch == launch; }))
            m_out.push_back({ids, launch});
    }

    const Prompt& m_prompt;
    const std::map<std::string, Match>& m_matches;
    const Ids m_rewriting;
    std::vector<std::string> m_order; ///< by guessed gain
    std::map<Ids, double> m_scores;
    Ids m_best;
    double m_bestLow = 0;
    std::vector<Candidate> m_out;
};

using Techniques = std::vector<std::unique_ptr<Technique>>;

/// Adds the techniques that apply only to the graph which one of those before them leaves. Where several of
/// these open a technique, it gets the first.
void addOpened(const Techniques& techniques, const TechniqueContext& context, std::map<std::string, Match>& matches)
{
    const std::map<std::string, Match> ofReference = matches;
    for (std::size_t i = 0; i < techniques.size(); ++i) {
        const Technique& opener = *techniques[i];
        if (!opener.rewrites() || !ofReference.contains(opener.id()))
            continue;
        Graph left = context.graph;
        Source scratch;
        opener.rewrite(left, scratch, context);
        left.removeDead();
        const TechniqueContext behind{context.prompt, left, context.module, context.launch, true};
        for (std::size_t j = i + 1; j < techniques.size(); ++j) {
            const Technique& opened = *techniques[j];
            if (matches.contains(opened.id()) || clash(opener.id(), opened.id()))
                continue;
            Match match = opened.match(behind);
            if (!match.applies)
                continue;
            match.opener = &opener;
            match.finding = "It applies only to what \"" + opener.title() + "\" leaves of the reference. " +
                            match.finding;
            matches.emplace(opened.id(), std::move(match));
        }
    }
}

} // namespace

TechniqueLibrary::TechniqueLibrary() : m_techniques(allTechniques()) {}
TechniqueLibrary::~TechniqueLibrary() = default;

Reply TechniqueLibrary::propose(const Prompt& prompt)
{
    Reply reply;
    reply.version = CUDAL1_VERSION;
    const auto scanned = scanPython(prompt.task.source);
    const PythonClass* model = scanned ? scanned->find("Model") : nullptr;
    if (!model || !model->method("forward")) {
        const std::string why = scanned ? "The source defines no class Model with a method forward."
                                        : "The source cannot be read: " + scanned.error().text() + ".";
        for (const auto& technique : m_techniques)
            reply.declined.push_back({technique->id(), why});
        return reply;
    }
    const Graph graph(prompt.graph);
    TechniqueContext context{prompt, graph, *scanned, {}};
    std::map<std::string, Match> matches;
    for (const auto& technique : m_techniques) {
        Match match = technique->match(context);
        if (match.applies)
            matches.emplace(technique->id(), std::move(match));
        else
            reply.declined.push_back({technique->id(), match.why});
    }
    addOpened(m_techniques, context, matches);
    std::erase_if(reply.declined, [&](const Declined& one) { return matches.contains(one.technique); });
    std::set<std::string> known;
    for (const Exemplar& exemplar : prompt.exemplars)
        known.insert(exemplar.source);
    Ids rewriting;
    for (const auto& technique : m_techniques)
        if (technique->rewrites())
            rewriting.insert(technique->id());
    for (const Candidate& candidate : Search(prompt, matches, rewriting).run()) {
        if (static_cast<int>(reply.proposals.size()) >= prompt.limit)
            break;
        context.launch = candidate.launch;
        Used used;
        for (const auto& technique : m_techniques) {
            if (candidate.ids.contains(technique->id()))
                used.push_back({technique.get(), matches.at(technique->id())});
        }
        Proposal proposal;
        proposal.source = writeSource(context, used);
        const bool tooLong = prompt.longest > 0 && proposal.source.size() > std::size_t(prompt.longest);
        if (tooLong || !known.insert(proposal.source).second)
            continue;
        proposal.performanceAnalysis = performanceAnalysis(context, used);
        proposal.algorithmDesign = algorithmDesign(context, used);
        proposal.codeImplementation = codeImplementation(context, used);
        for (const auto& [technique, match] : used)
            proposal.techniques.push_back(technique->id());
        reply.proposals.push_back(std::move(proposal));
    }
    return reply;
}

} // namespace cudal1::policy
