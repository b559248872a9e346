// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 doctor`: what this machine can do.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/farm/launcher.h"

#include <QCoreApplication>

namespace cudal1::cli {

namespace {

using Tone = Terminal::Tone;

class Page {
public:
    explicit Page(Terminal& terminal) : m_terminal(terminal) {}

    void good(const std::string& what, const std::string& text) { line(Tone::Good, "✓", what, text); }
    void absent(const std::string& what, const std::string& text) { line(Tone::Warn, "–", what, text); }
    void bad(const std::string& what, const std::string& text) { line(Tone::Bad, "✗", what, text); }

private:
    void line(Tone tone, const char* mark, const std::string& what, const std::string& text)
    {
        const std::string space(std::size_t(std::max(1, 12 - displayWidth(what))), ' ');
        m_terminal.print(m_terminal.toned(tone, mark) + " " + what + space + text);
    }

    Terminal& m_terminal;
};

std::string deviceText(const protocol::DeviceInfo& device)
{
    const bool gpu = device.name != "cpu";
    std::string out = device.model + ", " + std::to_string(device.processors) +
                      (gpu ? " multiprocessors, " : " cores, ") + base::bytesText(double(device.memory_bytes));
    if (!device.capability.empty())
        out += ", compute capability " + device.capability;
    if (!device.driver.empty())
        out += ", driver " + device.driver;
    return out;
}

void printMachine(Page& page, const protocol::Machine& machine)
{
    const protocol::Environment& environment = machine.environment;
    page.good("python", environment.python);
    page.good("torch", environment.torch + (environment.cuda.empty() ? "" : ", CUDA " + environment.cuda));
    for (const protocol::DeviceInfo& device : machine.devices)
        page.good(device.name, deviceText(device));
    if (machine.devices.size() < 2)
        page.absent("GPU", "none; everything works on the CPU");
    machine.compiler.empty() ? page.absent("compiler", "none") : page.good("compiler", machine.compiler);
    machine.nvcc.empty() ? page.absent("nvcc", "none") : page.good("nvcc", machine.nvcc);
    for (const std::string& applied : environment.isolation)
        page.good("isolation", applied);
    for (const std::string& missing : environment.isolationMissing)
        page.absent("isolation", missing);
    page.good("memory", base::bytesText(double(machine.memory_bytes)));
    page.good("disk", base::bytesText(double(machine.disk_bytes)) + " free for temporary files");
    if (!environment.os.empty())
        page.good("system", environment.os + (environment.host.empty() ? "" : " on " + environment.host));
}

} // namespace

int doctor(Context& context, const QCommandLineParser&, const QStringList&)
{
    Interrupt interrupt;
    Client client(interrupt);
    Terminal& terminal = context.terminal();
    const auto machine = context.describe(client);
    if (interrupt.caught())
        return 128 + interrupt.caught();

    const std::string command = farm::Launcher::standard().text().toStdString();
    const std::string version = QCoreApplication::applicationVersion().toStdString();
    const std::string projectPath = context.projectPath().string();
    // Looking must not create a project.
    const bool exists = std::filesystem::exists(context.projectPath());
    const auto project = exists ? context.storedProject() : base::Result<store::Project*>(nullptr);
    const auto suite = context.suite();

    Page page(terminal);
    page.good("cudal1", version);
    if (machine) {
        page.good("evaluator", client.crew().hello().program + " (" + command + ")");
        printMachine(page, *machine);
    } else {
        page.bad("evaluator", machine.error().text());
    }
    suite ? page.good("tasks", std::to_string(suite->tasks.size()) + " in " + suite->path.string())
          : page.absent("tasks", suite.error().text());
    if (!project)
        page.bad("project", project.error().text());
    else
        page.good("project", projectPath + (exists ? "" : " (made at the first use)"));
    if (machine && !machine->missing.empty()) {
        terminal.print("\nWhat is missing, and how to get it:");
        for (const protocol::Reason& missing : machine->missing)
            terminal.print("  " + missing.text + " [" + missing.code + "]" +
                           (missing.evidence.empty() ? "" : "\n" + indented(missing.evidence, "    ")));
    }

    if (context.settings().json) {
        nlohmann::json out = {
            {"version", version},
            {"evaluator", {{"command", command}, {"ok", machine.ok()}, {"program", client.crew().hello().program}}},
            {"machine", machine ? nlohmann::json(*machine) : nlohmann::json(nullptr)},
            {"project", {{"path", projectPath}, {"exists", exists}, {"ok", project.ok()}}},
            {"tasks", suite ? nlohmann::json{{"path", suite->path.string()}, {"count", suite->tasks.size()}}
                            : nlohmann::json(nullptr)}};
        if (!machine)
            out["evaluator"]["error"] = toJson(machine.error());
        if (!project)
            out["project"]["error"] = toJson(project.error());
        context.printJson(out);
    }
    return machine && project ? Done : CannotDoIt;
}

} // namespace cudal1::cli
