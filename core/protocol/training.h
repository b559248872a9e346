// SPDX-License-Identifier: GPL-3.0-or-later
// The messages between a client and `cudal1-trainer`, the process that trains a language model: JSON objects, one a
// line, over standard input and output (docs/training.md).
//
// client -> trainer   hello · open · sft · grpo · generate · save · info · quit
// trainer -> client   hello · opened · step · reply · saved · facts · error
//
// Both sides begin with hello and stop where the versions differ. Every request has an "id" above 0, chosen by the
// client; every answer repeats it. `sft` and `grpo` are answered by one `step` for each update, the last of which has
// "is_last"; `generate` as by cudal1-model (localmodel.h), with the weights of now; each of the others by the message
// of its kind. A request that is refused is answered by `error` alone and changes nothing. Requests are worked on in
// the order of their coming; `generate` requests that come one after the other are drawn together. Unknown fields are
// ignored, missing ones keep their defaults.
#pragma once

#include "core/protocol/localmodelmessages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::protocol {

inline constexpr int trainerProtocolVersion = 1;

enum class RateDecay { Cosine, Linear, None };
std::string_view toString(RateDecay decay);
bool fromString(std::string_view word, RateDecay& out);

/// What several processes divide among themselves instead of each having all of it; each includes the one before, as
/// the stages 1 to 3 of ZeRO do (Rajbhandari et al., 2020).
enum class Sharding {
    None,
    Optimizer, ///< masters and moments
    Gradients,
    Weights ///< each layer's are put together while it is computed
};
std::string_view toString(Sharding sharding);
bool fromString(std::string_view word, Sharding& out);

struct OptimizerSettings {
    double learningRate = 1e-5; ///< the highest
    int warmupSteps = 0;
    int totalSteps = 0; ///< over which the rate decays; 0: it does not
    double endShare = 0;
    RateDecay decay = RateDecay::Cosine;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double weightDecay = 0.1;
    double clipNorm = 1; ///< 0: gradients are not clipped
};

struct LoraChoice {
    int rank = 0; ///< 0: all weights are trained
    double alpha = 32;
    std::vector<std::string> targets; ///< empty: all seven matrices of a layer
};

struct OpenTraining {
    std::string model; ///< a Hugging Face folder
    std::string out;   ///< where checkpoints are kept, and where the newest is taken up; empty: none are
    std::string device = "cpu";
    std::string numbers; ///< "float32", "bfloat16", "float64"; empty: what the device is fast at
    /// Divergence from: empty, nothing; "start", the weights of `model`; else another folder.
    std::string reference;
    std::string checkpoint; ///< go back to this one of `out`, by its name; empty: to the newest
    std::uint64_t seed = 0;
    LoraChoice lora;
    OptimizerSettings optimizer;
    bool sharesPrompts = true; ///< a prompt of several replies is computed once in a pass
    bool recomputes = false;   ///< activation checkpointing: less memory, a third more work
    Sharding sharding = Sharding::None;
    int passTokens = 8192;   ///< packed into one forward and backward pass
    int logitMib = 256;      ///< of logits held at once
    int saveEvery = 0;       ///< batches; 0: only when asked
    int keep = 2;            ///< newest checkpoints; the best is kept besides
    int samplerReplies = 64; ///< drawn at once by generate
    int samplerCacheMib = 0; ///< of keys and values; 0: a quarter of the free memory
    int threads = 0;         ///< on the CPU; 0: one for each core
};

struct TrainingOpened {
    int step = 0; ///< updates made so far
    int batch =
        0; ///< requests to learn that were answered so far, skipped ones too: the next is number `batch`, from 0
    std::string checkpoint; ///< that was taken up; empty: it begins anew
    std::string family, device, numbers;
    std::uint64_t parameters = 0, trained = 0;
    int context = 0, vocabulary = 0;
    int processes = 1;
    std::uint64_t deviceBytes = 0; ///< in use on the GPU; 0 on the CPU
};

/// What a reply goes on from: a conversation, a text, or tokens.
struct TrainingPrompt {
    std::vector<ChatTurn> messages;
    std::string prompt;
    std::vector<int> tokens;
};

/// A reply to learn from. Its tokens are the text's with the model's end token, unless they are given.
struct TrainingReply {
    std::string text;
    std::vector<int> tokens;      ///< as drawn, with the end token where the model ended it
    std::vector<double> logprobs; ///< grpo: of each token, by the sampler; empty: unknown
    double reward = 0;            ///< grpo
    bool isCut = false;           ///< the reply was cut off by a limit: `masks_cut` leaves it out of the loss
};

/// Sections 2.2 and 2.3 of the paper.
struct SftRequest {
    struct Pair {
        TrainingPrompt prompt;
        TrainingReply reply;
    };
    std::vector<Pair> pairs;
    bool updates = true; ///< false: the loss is computed and nothing learnt
    int epochs = 1;      ///< how often the batch is gone through
    int minibatches = 1; ///< updates an epoch, each with its share of the pairs
};

enum class RewardBaseline { GroupMean, LeaveOneOut };
enum class LossMean { Sequence, Token, Constant };
enum class SamplerCorrection { None, Truncated, Masked };
std::string_view toString(RewardBaseline baseline);
bool fromString(std::string_view word, RewardBaseline& out);
std::string_view toString(LossMean mean);
bool fromString(std::string_view word, LossMean& out);
std::string_view toString(SamplerCorrection correction);
bool fromString(std::string_view word, SamplerCorrection& out);

struct GrpoSettings {
    double clipLow = 0.2, clipHigh = 0.2; ///< the paper's epsilon
    double beta = 0.04;                   ///< of the divergence; without a reference there is none
    RewardBaseline baseline = RewardBaseline::GroupMean;
    bool dividesByDeviation = true;
    LossMean mean = LossMean::Sequence;
    double constantLength = 1024; ///< for the mean "constant": tokens
    SamplerCorrection correction = SamplerCorrection::Truncated;
    double ratioLimit = 2; ///< of the correction
    bool masksCut = false;
    int epochs = 1;         ///< how often the batch is gone through
    int minibatches = 1;    ///< updates an epoch, each with its share of the groups
    double temperature = 1; ///< at which the replies were drawn
};

/// Section 2.4.5 of the paper: groups of replies with their rewards.
struct GrpoRequest {
    struct Group {
        TrainingPrompt prompt;
        std::vector<TrainingReply> replies; ///< two at least
    };
    std::vector<Group> groups;
    GrpoSettings settings;
};

/// One update, or none where `skipped` says why.
struct TrainingStep {
    std::string stage; ///< "sft", "grpo"
    int step = 0;      ///< updates made so far, this one included
    int batch = 0;     ///< number of the request to learn, from 0
    bool isLast = true;
    std::string skipped; ///< why nothing was learnt; empty: something was
    double loss = 0;
    double entropy = 0; ///< of the distribution of the next token, mean over the replies' tokens; nats
    double gradientNorm = 0;
    double learningRate = 0;
    int sequences = 0, passes = 0;
    std::uint64_t tokens = 0, replyTokens = 0;
    std::uint64_t computedTokens = 0; ///< that went through the model: a prompt of several replies counts once
    double replyLength = 0;           ///< tokens, mean
    double tokensPerSecond = 0;
    std::uint64_t peakDeviceBytes = 0;
    // Of grpo alone.
    double reward = 0, rewardDeviation = 0; ///< over all replies of the request
    double divergence = 0;                  ///< from the reference, a token
    double ratio = 1;                       ///< to the old policy, mean
    double clipShare = 0;
    double zeroVarianceShare = 0; ///< groups skipped since all rewards were equal
    int groups = 0, skippedGroups = 0;
    double mismatch = 0; ///< mean of |log-probability by the trainer - by the sampler|
    double largestMismatch = 0;
    double samplerDivergence = 0; ///< of the sampler from the trainer, a token
    double correctedShare = 0;    ///< of tokens
    struct Seconds {
        double tokenize = 0, old = 0, reference = 0, learn = 0, optimize = 0, save = 0;
    } seconds;
    std::string saved; ///< the checkpoint that was written after it; empty: none
};

struct SaveRequest {
    std::optional<double> value; ///< the greatest so far makes this checkpoint the best, which is kept
    std::string path;            ///< a folder to export to, without the optimizer's state; empty: a checkpoint in `out`
};

struct TrainingSaved {
    std::string path;
    int step = 0;
    bool isBest = false;
    std::uint64_t bytes = 0;
    double seconds = 0;
};

void to_json(nlohmann::json& j, const OpenTraining& v);
void from_json(const nlohmann::json& j, OpenTraining& v);
void to_json(nlohmann::json& j, const TrainingOpened& v);
void from_json(const nlohmann::json& j, TrainingOpened& v);
void to_json(nlohmann::json& j, const SftRequest& v);
void from_json(const nlohmann::json& j, SftRequest& v);
void to_json(nlohmann::json& j, const GrpoRequest& v);
void from_json(const nlohmann::json& j, GrpoRequest& v);
void to_json(nlohmann::json& j, const TrainingStep& v);
void from_json(const nlohmann::json& j, TrainingStep& v);
void to_json(nlohmann::json& j, const SaveRequest& v);
void from_json(const nlohmann::json& j, SaveRequest& v);
void to_json(nlohmann::json& j, const TrainingSaved& v);
void from_json(const nlohmann::json& j, TrainingSaved& v);

} // namespace cudal1::protocol
