// SPDX-License-Identifier: GPL-3.0-or-later
// What a training minimises, as a function of the log-probabilities of the replies' tokens.
//
// Every loss here depends on the model through log pi(token | what is before it) alone. So an objective is told these
// numbers, and answers each with the slope of the loss by it; the model carries the slopes back to its weights.
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
    /// `sequence`: its number among those given to the model; `token`: of its reply, from 0. Natural logarithms.
    /// Returns d loss / d logProbability. Each token comes once; the order is the model's.
    virtual double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) = 0;
};

/// Keeps what it is told, for log-probabilities of an old or a frozen policy.
class Recorder : public TokenObjective {
public:
    /// `replyTokens`: of each sequence.
    explicit Recorder(std::span<const std::size_t> replyTokens);
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override;

    std::vector<std::vector<double>>& logProbabilities() { return m_logProbabilities; }
    double entropySum() const { return m_entropySum; }

private:
    std::vector<std::vector<double>> m_logProbabilities;
    double m_entropySum = 0;
};

/// Supervised fine-tuning (sections 2.2 and 2.3): minus the sum of log-probabilities, divided by `tokens`.
class Likelihood : public TokenObjective {
public:
    /// `tokens`: of all replies of the batch, those of other passes and processes too.
    explicit Likelihood(double tokens) : m_tokens(tokens) {}
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override;

    struct Sums {
        double loss = 0; ///< over tokens, not divided
        double entropy = 0;
        double tokens = 0;
    };
    const Sums& sums() const { return m_sums; }

private:
    double m_tokens;
    Sums m_sums;
};

/// How the ratio of the trainer's old policy to the sampler's goes into the loss. The two differ, though their weights
/// are the same, since they round differently.
enum class Correction {
    None,
    Truncated, ///< a token counts by the ratio, by `ratioLimit` at most (truncated importance sampling)
    Masked,    ///< a token whose ratio is above `ratioLimit` or below its inverse counts nothing
};

struct PolicySettings {
    double clipLow = 0.2;  ///< the paper's epsilon, below 1
    double clipHigh = 0.2; ///< and above 1
    double beta = 0.04;    ///< weight of the divergence from the reference
    Correction correction = Correction::Truncated;
    double ratioLimit = 2;
};

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Log-probabilities that a token had elsewhere; `unknown` where nobody knows.
struct TokenHistory {
    double old = unknown;       ///< by the trainer's weights before the batch; unknown: by those of now
    double sampler = unknown;   ///< by the sampler that drew it
    double reference = unknown; ///< by the frozen model; unknown: the divergence is left out
};

/// One token's part of equation 5, without the averages.
struct TokenTerms {
    double loss = 0;  ///< -(correction * min(ratio A, clip(ratio) A) - beta * divergence)
    double slope = 0; ///< of it by the log-probability; old and sampler are constants
    double ratio = 1; ///< pi / pi_old
    double divergence =
        0; ///< k3 of the divergence from the reference (Schulman, 2020): exp(d) - 1 - d, d = ref - log pi
    double correction = 1;
    double mismatch = 0; ///< old - sampler
    bool isClipped = false;
};
TokenTerms policyTerms(double logProbability, const TokenHistory& history, double advantage,
                       const PolicySettings& settings);

/// How terms of tokens become one number.
enum class Mean {
    Sequence, ///< equation 5: of the tokens of each reply, then of replies
    Token,    ///< of all tokens of the batch
    Constant, ///< the sum over tokens divided by replies times a constant length
};

/// What one token of each reply weighs. `replyTokens`: of every reply of the batch that counts.
std::vector<double> tokenWeights(std::span<const std::size_t> replyTokens, Mean mean, double constantLength);

/// One reply in a batch of the third stage.
struct PolicyReply {
    double advantage = 0;
    double weight = 0;                           ///< of each token, of tokenWeights()
    std::vector<double> old, sampler, reference; ///< one a token, or empty where unknown
};

/// Group relative policy optimisation (equation 5).
class PolicyObjective : public TokenObjective {
public:
    struct Sums {        ///< over tokens
        double loss = 0; ///< weighted
        double divergence = 0, entropy = 0, ratio = 0;
        double clipped = 0;
        double tokens = 0;
        double samplerTokens = 0;     ///< of which the sampler's log-probability is known
        double mismatch = 0;          ///< of |old - sampler|
        double samplerDivergence = 0; ///< k3 of the divergence of the sampler from the old policy
        double corrected = 0;         ///< tokens whose ratio was cut or which were masked
    };

    /// Both must outlive it.
    PolicyObjective(std::span<const PolicyReply> replies, const PolicySettings& settings);
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override;

    const Sums& sums() const { return m_sums; }
    double largestMismatch() const { return m_largestMismatch; }

private:
    std::span<const PolicyReply> m_replies;
    const PolicySettings& m_settings;
    Sums m_sums;
    double m_largestMismatch = 0;
};

/// The numbers of a struct that has nothing but doubles, to be added up over processes.
template<class Sums> std::span<double> numbersOf(Sums& sums)
{
    static_assert(sizeof(Sums) % sizeof(double) == 0);
    return {reinterpret_cast<double*>(&sums), sizeof(Sums) / sizeof(double)};
}

} // namespace cudal1::training
