// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a task around a user's class.
#include "core/tasks/newtask.h"

#include "core/tasks/inputspec.h"
#include "core/tasks/modulescan.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace cudal1::tasks {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

Error at(const NewTask& request, int line, std::string message, std::string hint)
{
    return Error{ErrorCode::InvalidArgument, std::move(message),
                 request.file + (line > 0 ? ":" + std::to_string(line) : ""), std::move(hint)};
}

std::string listedClasses(const std::vector<ModuleClass>& classes)
{
    std::string out;
    for (const ModuleClass& one : classes)
        out += (out.empty() ? "" : ", ") + one.name;
    return out;
}

std::vector<ModuleClass> classesIn(const ModuleScan& scan)
{
    std::vector<ModuleClass> out;
    for (const Binding& binding : scan.bindings)
        if (binding.moduleLevel && binding.kind == Binding::Kind::Class)
            out.push_back({binding.name, binding.line});
    return out;
}

base::Result<std::string> chosenClass(const NewTask& request, const std::vector<ModuleClass>& classes)
{
    if (classes.empty())
        return at(request, 0, "the file defines no class at its top level",
                  "A task is made of a class that derives from torch.nn.Module");
    if (request.className.empty()) {
        if (classes.size() == 1)
            return classes.front().name;
        return at(request, 0, "the file defines several classes", "Choose one with --class: " + listedClasses(classes));
    }
    if (std::none_of(classes.begin(), classes.end(),
                     [&](const ModuleClass& one) { return one.name == request.className; }))
        return at(request, 0, "the file defines no class '" + request.className + "' at its top level",
                  "It defines " + listedClasses(classes));
    return request.className;
}

/// What stands in the way of a task that consists of this text, whatever its inputs are.
base::Status usable(const NewTask& request, const ModuleScan& scan, const std::string& className)
{
    if (scan.flaw)
        return at(request, scan.flaw->line, scan.flaw->message, "Correct the file first");
    if (!scan.relativeImports.empty())
        return at(request, scan.relativeImports.front(),
                  "the file imports from its own package, but a task stands alone",
                  "Copy what it needs into the file, or import it from an installed package");
    const Binding* inputs = scan.find("get_inputs");
    const Binding* arguments = scan.find("get_init_inputs");
    if (inputs && arguments && scan.find("Model"))
        return at(request, 0, "the file is a task already: it defines Model, get_inputs and get_init_inputs",
                  "Use it as it is");
    for (const Binding* taken : {inputs, arguments})
        if (taken)
            return at(request, taken->line, "the file defines " + taken->name + ", which the task defines too",
                      "Give it another name");
    if (const Binding* model = scan.find("Model"); model && className != "Model")
        return at(request, model->line, "the file defines Model, which the task would define too",
                  "Make the task of the class Model, or give it another name");
    return {};
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : ", ") + part;
    return out;
}

/// `[a, b]` on one line where that is short, else an element a line.
std::string listText(const std::vector<std::string>& elements)
{
    constexpr std::size_t LineWidth = 100;
    const std::string flat = joined(elements);
    if (flat.size() <= LineWidth)
        return "[" + flat + "]";
    std::string out = "[\n";
    for (const std::string& element : elements)
        out += "        " + element + ",\n";
    return out + "    ]";
}

/// A class of its own rather than another name for the user's: whoever writes variants finds `class Model` with its
/// forward.
std::string modelClass(const std::string& className, std::size_t inputs)
{
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= inputs; ++i)
        names.push_back(inputs == 1 ? "x" : "x" + std::to_string(i));
    const std::string parameters = joined(names);
    return "class Model(" + className + "):\n    def forward(self" + (parameters.empty() ? "" : ", " + parameters) +
           "):\n        return super().forward(" + parameters + ")\n\n\n";
}

} // namespace

std::vector<ModuleClass> classesOf(std::string_view source)
{
    return classesIn(scanModule(source));
}

base::Result<NewTaskText> newTaskText(const NewTask& request)
{
    const ModuleScan scan = scanModule(request.source);
    const auto className = scan.flaw ? base::Result<std::string>(request.className)
                                     : chosenClass(request, classesIn(scan));
    if (!className)
        return className.error();
    if (const auto status = usable(request, scan, *className); !status)
        return status.error();

    const auto placed = [](Error error, const char* what, std::size_t index) {
        error.context = std::string(what) + " " + std::to_string(index + 1) + ", " + error.context;
        return error;
    };
    std::vector<std::string> inputs, arguments;
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        auto input = inputExpression(request.inputs[i], scan);
        if (!input)
            return placed(input.error(), "input", i);
        inputs.push_back(std::move(*input));
    }
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
        const auto values = constructorValues(request.arguments[i], scan);
        if (!values)
            return placed(values.error(), "constructor argument", i);
        arguments.insert(arguments.end(), values->begin(), values->end());
    }

    NewTaskText out;
    out.className = *className;
    out.text = request.source;
    if (!out.text.ends_with('\n'))
        out.text += '\n';
    out.ownLines = static_cast<int>(std::count(out.text.begin(), out.text.end(), '\n'));
    out.text += "\n\n# What makes a task of " + *className + ": the file above stands as it was.\n";
    if (*className != "Model")
        out.text += modelClass(*className, inputs.size());
    out.text += "def get_inputs():\n";
    // Here, since the file above may import torch under another name.
    if (std::any_of(inputs.begin(), inputs.end(), [](const std::string& input) { return input.starts_with("torch."); }))
        out.text += "    import torch\n\n";
    out.text += "    return " + listText(inputs) + "\n\n\ndef get_init_inputs():\n";
    if (std::any_of(arguments.begin(), arguments.end(),
                    [](const std::string& value) { return value.find("torch.") != std::string::npos; }))
        out.text += "    import torch\n\n";
    out.text += "    return " + listText(arguments) + "\n";
    return out;
}

base::Error noResult(const NewTaskText& made, const std::string& file)
{
    return {ErrorCode::InvalidArgument,
            "forward of " + made.className + " returns no tensor, so that nothing could be judged", file,
            "Return a tensor, or a tuple, list or dictionary of tensors"};
}

base::Error runFailure(const base::Error& error, const NewTaskText& made, const std::string& file)
{
    if (error.code != ErrorCode::Unreadable)
        return error;
    Error out{ErrorCode::InvalidArgument, error.message, file,
              "Nothing was written; correct the inputs, the arguments or the module"};
    constexpr std::string_view Before = "cannot be traced: ", Line = " (line ", Place = "task.py\", line ";
    if (const std::size_t at = out.message.find(Before); at != std::string::npos)
        out.message.erase(0, at + Before.size());
    // A line of the framework's files; the user's own stands in the traceback.
    if (const std::size_t at = out.message.rfind(Line); at != std::string::npos && out.message.ends_with(')'))
        out.message.erase(at);
    out.message = "the module does not run: " + out.message;
    for (const std::string& traceback : {error.hint, error.context}) {
        for (std::size_t at = traceback.rfind(Place); at != std::string::npos;
             at = at > 0 ? traceback.rfind(Place, at - 1) : std::string::npos) {
            const int line = std::atoi(traceback.c_str() + at + Place.size());
            if (line > 0 && line <= made.ownLines) {
                out.context = file + ":" + std::to_string(line);
                return out;
            }
        }
    }
    return out;
}

base::Status writeTask(const fs::path& file, const std::string& text, bool replace)
{
    std::error_code error;
    if (!replace && fs::exists(fs::symlink_status(file, error)))
        return Error{ErrorCode::InvalidArgument, "the file exists already", file.string(),
                     "Choose another name, or replace it with --force"};
    const auto failed = [&](const std::string& why) {
        return Error{ErrorCode::Unavailable, "the task could not be written: " + why, file.string(),
                     "Choose another place with --output"};
    };
    // Beside and renamed: a disk that is full leaves no half a task.
    fs::path part = file;
    part += ".part";
    {
        std::ofstream stream(part, std::ios::binary | std::ios::trunc);
        stream.write(text.data(), static_cast<std::streamsize>(text.size()));
        stream.flush();
        if (!stream) {
            const std::string why = std::error_code(errno, std::generic_category()).message();
            fs::remove(part, error);
            return failed(why);
        }
    }
    fs::rename(part, file, error);
    if (error) {
        const std::string why = error.message();
        fs::remove(part, error);
        return failed(why);
    }
    return {};
}

} // namespace cudal1::tasks
