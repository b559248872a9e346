// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of cudal1-model.
#include "core/decoder/modelcommands.h"

#include "core/decoder/generated/fetch_py.h"
#include "core/decoder/ggufexport.h"
#include "core/decoder/interpreter.h"
#include "core/decoder/loadedmodel.h"
#include "core/decoder/modelserver.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

namespace cudal1::decoder {

using modelfiles::TensorFormat;

namespace {

using nlohmann::json;

constexpr const char* usage =
    R"(cudal1-model serve MODEL [OPTIONS]     answers requests, one JSON object a line, on standard input and output
cudal1-model fetch smollm2 FOLDER      fetches SmolLM2-135M-Instruct (98 MB, Apache-2.0) and prints its path
cudal1-model export FOLDER --out FILE.gguf [--type F32|F16|BF16|Q8_0]
                                       writes a Hugging Face folder as a GGUF file (F16)
cudal1-model logits MODEL --tokens 1,2,3 --out FILE [OPTIONS]
                                       writes the logits behind each token as floats, to compare with other programs
MODEL is a Hugging Face folder or a .gguf file of the Llama, Qwen2 or Qwen3 family.

  --device cpu|cuda:0        where it runs (cpu)
  --numbers float32|bfloat16 what it computes with (what the device is fast at)
  --engine torch             by libtorch's operators on the CPU too, to compare with
  --threads N                on the CPU (one for each core)
  --context N                tokens of the longest text (the model's own)
  --cache-mib N              memory for keys and values (a quarter of what is free, and no more than can be used)
  --replies N                replies at work at once (64)

docs/localmodel.md describes the messages.
)";

int fail(const base::Error& error)
{
    std::fprintf(stderr, "cudal1-model: %s\n", error.text().c_str());
    return 1;
}

int wrongUse(const std::string& problem)
{
    std::fprintf(stderr, "cudal1-model: %s\nSee cudal1-model --help.\n", problem.c_str());
    return 2;
}

/// A descriptor for answers; what else is written to standard output goes to standard error from now on.
int takeOutput()
{
    const int output = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
    std::fflush(stdout);
    ::dup2(2, 1);
    return output;
}

std::optional<std::size_t> countOfText(const std::string& text)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value > 0 && value < (1u << 30)
             ? std::optional(value)
             : std::nullopt;
}

struct Parsed {
    ModelOptions options;
    std::string tokens, out, type = "F16";
    std::string problem; ///< of the arguments; empty when they make sense
};

Parsed parse(const std::vector<std::string>& arguments)
{
    Parsed parsed;
    ModelOptions& options = parsed.options;
    const std::map<std::string, std::string*> texts{{"--device", &options.device}, {"--numbers", &options.numbers},
                                                    {"--engine", &options.engine}, {"--tokens", &parsed.tokens},
                                                    {"--out", &parsed.out},        {"--type", &parsed.type}};
    std::size_t threads = 0, mib = 0;
    const std::map<std::string, std::size_t*> counts{{"--threads", &threads},
                                                     {"--context", &options.context},
                                                     {"--cache-mib", &mib},
                                                     {"--replies", &options.maxReplies}};
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (!word.starts_with("--")) {
            if (!options.path.empty())
                parsed.problem = "One model is run at a time, and '" + word + "' is a second one.";
            options.path = word;
            continue;
        }
        const auto text = texts.find(word);
        const auto count = counts.find(word);
        if (text == texts.end() && count == counts.end()) {
            parsed.problem = "The option '" + word + "' is not known.";
        } else if (i + 1 == arguments.size()) {
            parsed.problem = word + " needs a value.";
        } else if (text != texts.end()) {
            *text->second = arguments[++i];
        } else {
            const auto number = countOfText(arguments[++i]);
            if (number)
                *count->second = *number;
            else
                parsed.problem = word + " needs a whole number above 0.";
        }
    }
    options.threads = static_cast<int>(std::min<std::size_t>(threads, 1024));
    options.cacheBytes = mib << 20;
    options.maxReplies = std::min<std::size_t>(options.maxReplies, 4096);
    if (parsed.problem.empty() && options.path.empty())
        parsed.problem = "No model is given.";
    if (parsed.problem.empty() && !options.engine.empty() && options.engine != "torch")
        parsed.problem = "The engine '" + options.engine + "' is not known; torch is.";
    return parsed;
}

bool writeAll(int output, const std::string& text)
{
    return ::write(output, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

int fetch(const std::vector<std::string>& arguments, const std::string& program, int output)
{
    if (arguments.size() != 3)
        return wrongUse("fetch needs the name of a model and a folder.");
    const auto python = Interpreter::start(program);
    if (!python)
        return fail(python.error());
    if (const auto loaded = (*python)->load("cudal1_fetch", fetchSource); !loaded)
        return fail(loaded.error());
    const auto answer = (*python)->call("cudal1_fetch", "fetch", {{"name", arguments[1]}, {"folder", arguments[2]}});
    if (!answer) {
        base::Error error = answer.error();
        if (error.code == base::ErrorCode::InvalidArgument)
            error.message.replace(0, error.message.find(": "), "The model cannot be fetched");
        return fail(error);
    }
    return writeAll(output, answer->dump() + '\n') ? 0 : 1;
}

base::Result<std::vector<int>> tokensOf(const std::string& text, std::size_t vocabulary)
{
    std::vector<int> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::size_t value = 0;
        const auto [last, error] = std::from_chars(text.data() + begin, text.data() + end, value);
        if (error != std::errc() || last != text.data() + end || value >= vocabulary)
            return base::Error{base::ErrorCode::InvalidArgument,
                               "'" + text.substr(begin, end - begin) + "' is no token of this model", "",
                               "Tokens are numbers below " + std::to_string(vocabulary) + ", with commas between"};
        out.push_back(static_cast<int>(value));
        begin = end + 1;
    }
    return out;
}

int logits(Parsed& parsed)
{
    if (parsed.tokens.empty() || parsed.out.empty())
        return wrongUse("logits needs --tokens and --out.");
    const auto model = loadModel(parsed.options);
    if (!model)
        return fail(model.error());
    const auto tokens = tokensOf(parsed.tokens, (*model)->checkpoint->config().vocabulary);
    if (!tokens)
        return fail(tokens.error());
    StepRunner& runner = *(*model)->runner;
    if (tokens->size() > std::min((*model)->context, runner.maxRows()))
        return fail({base::ErrorCode::InvalidArgument, "There are more tokens than fit into one step", "", ""});
    std::vector<int> table((tokens->size() + blockTokens - 1) / blockTokens);
    std::iota(table.begin(), table.end(), 0);
    std::vector<StepRow> rows;
    for (std::size_t i = 0; i < tokens->size(); ++i)
        rows.push_back({(*tokens)[i], static_cast<int>(i), static_cast<int>(tokens->size()), &table, true});
    const auto values = runner.run(rows);
    std::FILE* file = std::fopen(parsed.out.c_str(), "wb");
    const bool isWritten = file && std::fwrite(values.data(), sizeof(float), values.size(), file) == values.size();
    if (!file || std::fclose(file) != 0 || !isWritten)
        return fail({base::ErrorCode::Unreadable, "The file cannot be written", parsed.out, ""});
    return 0;
}

int exportModel(const Parsed& parsed, int output)
{
    if (parsed.out.empty())
        return wrongUse("export needs --out.");
    for (const TensorFormat format : {TensorFormat::F32, TensorFormat::F16, TensorFormat::BF16, TensorFormat::Q8_0}) {
        if (nameOf(format) != parsed.type)
            continue;
        const auto done = exportGguf(parsed.options.path, parsed.out, format);
        if (!done)
            return fail(done.error());
        const json answer{{"path", parsed.out},     {"type", parsed.type},    {"family", done->family},
                          {"tokenizer", done->pre}, {"tokens", done->tokens}, {"tensors", done->tensors},
                          {"bytes", done->bytes}};
        return writeAll(output, answer.dump() + '\n') ? 0 : 1;
    }
    return wrongUse("The type '" + parsed.type + "' is not known; F32, F16, BF16 and Q8_0 are.");
}

} // namespace

int runModelProgram(const std::vector<std::string>& arguments, const std::string& python)
{
    const std::string command = arguments.empty() ? "" : arguments[0];
    if (command == "--version") {
        std::puts("cudal1-model " CUDAL1_VERSION);
        return 0;
    }
    if (command == "--help" || command == "help") {
        std::fputs(usage, stdout);
        return 0;
    }
    if (command != "serve" && command != "fetch" && command != "logits" && command != "export")
        return wrongUse(command.empty() ? "It is not said what to do." : "'" + command + "' is not known.");
    const int output = takeOutput();
    if (output < 0)
        return fail({base::ErrorCode::Unavailable, "There is no standard output", "", ""});
    if (command == "fetch")
        return fetch(arguments, python, output);
    Parsed parsed = parse(arguments);
    if (!parsed.problem.empty())
        return wrongUse(parsed.problem);
    if (command == "export")
        return exportModel(parsed, output);
    return command == "serve" ? ModelServer(0, output, parsed.options, python).run() : logits(parsed);
}

} // namespace cudal1::decoder
