// SPDX-License-Identifier: GPL-3.0-or-later
// What a training minimises, as a function of the log-probabilities of the replies' tokens.
//
// Every loss here depends on the model only through the numbers log pi(token | what stands before it). So an objective
// is told these numbers one by one, and answers each with the derivative of the loss by it. The model carries these
// slopes back to its weights. All logarithms are natural ones. An objective is used from one thread.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace cudal1::training {

class TokenObjective {
public:
    virtual ~TokenObjective() = default;
    /// `sequence` is a number among the sequences that were given to the model, and `token` one of its reply, both from
    /// 0. `entropy` is that of the distribution which the token came from, in nats. Returns d loss / d logProbability.
    /// Each token of each reply comes once, in an order that the model chooses.
    virtual double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) = 0;
};

/// Keeps the log-probabilities that it is told: those of an old or a frozen policy are needed later. Its slopes are 0.
class Recorder : public TokenObjective {
public:
    /// `replyTokens` says for each sequence how many tokens its reply has.
    explicit Recorder(std::span<const std::size_t> replyTokens);
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override;

    /// A list for each sequence, with a number for each token of its reply; `unknown` until it was told.
    std::vector<std::vector<double>>& logProbabilities() { return m_logProbabilities; }
    double entropySum() const { return m_entropySum; } ///< over all tokens that were told

private:
    std::vector<std::vector<double>> m_logProbabilities;
    double m_entropySum = 0;
};

/// Supervised fine-tuning (sections 2.2 and 2.3): minus the sum of log-probabilities, divided by `tokens`.
class Likelihood : public TokenObjective {
public:
    /// `tokens` counts those of all replies of the batch, also of replies in other passes and other processes.
    explicit Likelihood(double tokens) : m_tokens(tokens) {}
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override;

    struct Sums {
        double loss = 0; ///< minus the sum of log-probabilities, not divided by anything
        double entropy = 0;
        double tokens = 0;
    };
    const Sums& sums() const { return m_sums; }

private:
    double m_tokens;
    Sums m_sums;
};

/// Replies are drawn by a sampler, whose probabilities differ a little from those of the trainer's old policy: the two
/// round differently though their weights are the same, and with overlap the sampler's weights are older. This says how
/// the ratio pi_old / pi_sampler of a token goes into the loss.
enum class Correction {
    None,      ///< not at all
    Truncated, ///< it multiplies the token's loss, but by `ratioLimit` at most (truncated importance sampling)
    Masked,    ///< a token whose ratio is above `ratioLimit`, or below its inverse, is left out
};

struct PolicySettings {
    double clipLow = 0.2;  ///< the paper's epsilon: how far below 1 the ratio pi / pi_old still counts
    double clipHigh = 0.2; ///< the same above 1
    double beta = 0.04;    ///< weight of the divergence from the reference policy; 0: none
    Correction correction = Correction::Truncated;
    double ratioLimit = 2;
};

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The log-probabilities that other models gave to a token; `unknown` where nobody has said.
struct TokenHistory {
    double old = unknown;       ///< by the trainer's weights before the batch. Unknown: those of now stand for them
    double sampler = unknown;   ///< by the sampler that drew the token. Unknown: nothing is corrected
    double reference = unknown; ///< by the frozen reference policy. Unknown: there is no divergence
};

/// What one token adds to equation 5, before anything is averaged.
struct TokenTerms {
    double loss = 0;  ///< -(correction * min(ratio A, clip(ratio) A) - beta * divergence)
    double slope = 0; ///< d loss / d log pi, with `old` and `sampler` held constant
    double ratio = 1; ///< pi / pi_old
    /// Schulman's estimator k3 (2020) of the divergence from the reference: exp(d) - 1 - d, where d = log pi_ref - log
    /// pi.
    double divergence = 0;
    double correction = 1;  ///< the factor that Correction makes of pi_old / pi_sampler
    double mismatch = 0;    ///< log pi_old - log pi_sampler; 0 where the sampler is unknown
    bool isClipped = false; ///< the ratio has left its interval on the side that the advantage pulls to: the loss does
                            ///< not change with it any more
};

/// Of a token with this log-probability by the present weights, in a reply with this advantage A.
TokenTerms policyTerms(double logProbability, const TokenHistory& history, double advantage,
                       const PolicySettings& settings);

/// How the losses of tokens become the loss of a batch.
enum class Mean {
    Sequence, ///< equation 5: the mean over the tokens of each reply, then the mean over replies
    Token,    ///< the mean over all tokens of the batch
    Constant, ///< the sum over all tokens, divided by the number of replies and by a constant length
};

/// For each reply, the weight of each of its tokens in that mean. `replyTokens` says how many tokens each reply has; a
/// reply that does not count is not among them. `constantLength`, in tokens, is read for Mean::Constant alone.
std::vector<double> tokenWeights(std::span<const std::size_t> replyTokens, Mean mean, double constantLength);

/// One reply in a batch of the third stage.
struct PolicyReply {
    double advantage = 0;
    double weight = 0;                           ///< of each of its tokens, as tokenWeights() gives it
    std::vector<double> old, sampler, reference; ///< as in TokenHistory, one for each token; empty where unknown
};

/// Group relative policy optimisation (equation 5).
class PolicyObjective : public TokenObjective {
public:
    /// Sums over the tokens that were told. All but `loss` are not weighted.
    struct Sums {
        double loss = 0; ///< each token's loss times the weight of its reply
        double divergence = 0, entropy = 0, ratio = 0;
        double clipped = 0;           ///< how many tokens were clipped
        double tokens = 0;            ///< how many there were
        double samplerTokens = 0;     ///< how many have a known log-probability of the sampler
        double mismatch = 0;          ///< of |log pi_old - log pi_sampler|
        double samplerDivergence = 0; ///< k3 of the divergence of the sampler from the old policy
        double corrected = 0;         ///< how many tokens had their ratio cut, or were left out, by the correction
    };
    /// Replies, by the numbers that take() is told, and settings are not copied: both must outlive the objective.
    PolicyObjective(std::span<const PolicyReply> replies, const PolicySettings& settings);
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override;

    const Sums& sums() const { return m_sums; }
    double largestMismatch() const { return m_largestMismatch; } ///< the largest |log pi_old - log pi_sampler|

private:
    std::span<const PolicyReply> m_replies;
    const PolicySettings& m_settings;
    Sums m_sums;
    double m_largestMismatch = 0;
};

/// The members of a struct that has nothing but doubles, as a list, so that they can be added up over processes.
template<class Sums> std::span<double> numbersOf(Sums& sums)
{
    static_assert(sizeof(Sums) % sizeof(double) == 0);
    return {reinterpret_cast<double*>(&sums), sizeof(Sums) / sizeof(double)};
}

} // namespace cudal1::training
