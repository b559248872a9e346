// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what a candidate may read.
#include "core/judge/sandbox/readablepaths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace cudal1::judge {

namespace fs = std::filesystem;

namespace {

constexpr const char* systemFolders[] = {"/usr",
                                         "/bin",
                                         "/sbin",
                                         "/lib",
                                         "/lib32",
                                         "/lib64",
                                         "/libx32",
                                         "/nix/store",
                                         "/gnu/store",
                                         "/opt/cuda",
                                         "/run/opengl-driver"};

/// Of /etc: what the loader, the C library, compilers and drivers look up. Nothing here is a secret on any machine.
constexpr const char* settings[] = {"ld.so.cache",     "ld.so.conf",
                                    "ld.so.conf.d",    "ld.so.preload",
                                    "passwd",          "group",
                                    "nsswitch.conf",   "hosts",
                                    "host.conf",       "gai.conf",
                                    "protocols",       "services",
                                    "localtime",       "timezone",
                                    "locale.alias",    "locale.conf",
                                    "default/locale",  "alternatives",
                                    "os-release",      "lsb-release",
                                    "debian_version",  "redhat-release",
                                    "mime.types",      "terminfo",
                                    "fonts",           "ssl/openssl.cnf",
                                    "ssl/certs",       "pki/tls/openssl.cnf",
                                    "pki/tls/certs",   "pki/ca-trust/extracted",
                                    "crypto-policies", "ca-certificates",
                                    "OpenCL",          "vulkan",
                                    "glvnd",           "nvidia"};

constexpr const char* tools[] = {"nvcc", "ptxas", "cc", "c++", "gcc", "g++", "clang", "clang++", "ninja"};

/// By which build systems and frameworks are told of a compiler.
constexpr const char* toolVariables[] = {"CC", "CXX", "CUDACXX", "CUDAHOSTCXX", "NVCC_CCBIN"};

/// Of a prefix that also holds what is the user's own.
constexpr const char* programParts[] = {"bin",     "lib",  "lib32",   "lib64",     "libexec",
                                        "include", "nvvm", "targets", "pyvenv.cfg"};

bool liesBelow(const fs::path& path, const fs::path& folder)
{
    return path != folder &&
           std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<fs::path> pathsIn(const std::string& list)
{
    std::vector<fs::path> paths;
    std::istringstream entries(list);
    for (std::string entry; std::getline(entries, entry, ':');)
        if (entry.starts_with('/'))
            paths.push_back(entry);
    return paths;
}

std::vector<fs::path> entriesOf(const fs::path& folder, const std::string& start = {})
{
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && entry != end; entry.increment(error))
        if (entry->path().filename().string().starts_with(start))
            paths.push_back(entry->path());
    return paths;
}

fs::path normal(const fs::path& path)
{
    const fs::path clean = path.lexically_normal();
    return clean.has_filename() || clean == "/" ? clean : clean.parent_path();
}

std::optional<fs::path> firstLink(const fs::path& path)
{
    fs::path part;
    for (const fs::path& name : path) {
        part /= name;
        std::error_code error;
        if (fs::is_symlink(part, error))
            return part;
    }
    return {};
}

class Collector {
public:
    void hide(const fs::path& path)
    {
        std::error_code error;
        if (!path.empty())
            m_hidden.insert(normal(fs::weakly_canonical(path, error)));
    }

    /// The folder or file without what is hidden below it. Links are followed one by one, since each must be there for
    /// the path to work in a root that holds nothing else.
    void add(fs::path path)
    {
        constexpr int mostLinks = 40; // the kernel's own limit
        path = normal(path);
        for (int i = 0; i < mostLinks; ++i) {
            const auto link = firstLink(path);
            if (!link) {
                addReal(path);
                return;
            }
            std::error_code error;
            const fs::path target = fs::read_symlink(*link, error);
            m_links[*link] = target;
            path = normal(link->parent_path() / target / path.lexically_relative(*link));
        }
    }

    /// Of an environment or a toolkit: all of it, unless it is where the user's own files are.
    void addPrefix(const fs::path& prefix)
    {
        const fs::path home = variable("HOME");
        if (prefix == home || prefix == home / ".local")
            addParts(prefix);
        else
            add(prefix);
    }

    void addParts(const fs::path& prefix)
    {
        for (const char* part : programParts)
            add(prefix / part);
    }

    ReadablePaths paths() const
    {
        ReadablePaths out;
        for (const fs::path& tree : m_trees)
            if (!covered(tree))
                out.trees.push_back(tree);
        for (const auto& [link, target] : m_links)
            if (!covered(link))
                out.links[link] = target;
        return out;
    }

private:
    void addReal(const fs::path& path)
    {
        std::error_code error;
        if (path == "/" || m_hidden.contains(path) || !fs::exists(path, error))
            return;
        if (std::none_of(m_hidden.begin(), m_hidden.end(),
                         [&](const fs::path& hidden) { return liesBelow(hidden, path); })) {
            m_trees.insert(path);
            return;
        }
        for (const fs::path& entry : entriesOf(path))
            add(entry);
    }

    bool covered(const fs::path& path) const
    {
        return std::any_of(m_trees.begin(), m_trees.end(), [&](const fs::path& tree) { return liesBelow(path, tree); });
    }

    std::set<fs::path> m_hidden, m_trees;
    std::map<fs::path, fs::path> m_links;
};

void hideJudge(Collector& collector)
{
    std::error_code error;
    collector.hide(fs::temp_directory_path(error)); // of the reference and of other candidates
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    collector.hide(program.parent_path().parent_path() /
                   "share/cudal1"); // where packages put tasks and the judge's own tests
}

void addSettings(Collector& collector)
{
    for (const char* name : settings)
        collector.add(fs::path("/etc") / name);
    for (const fs::path& python : entriesOf("/etc", "python"))
        collector.add(python);
}

/// What the loader finds libraries in, as a driver outside of the system's folders.
void addLibraries(Collector& collector)
{
    for (const fs::path& folder : pathsIn(variable("LD_LIBRARY_PATH")))
        collector.add(folder);
    for (const fs::path& file : entriesOf("/etc/ld.so.conf.d")) {
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with('/'))
                collector.add(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
}

void addToolkit(Collector& collector)
{
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        for (const fs::path& folder : pathsIn(variable(name)))
            collector.addPrefix(folder);
    const auto addTool = [&collector](const fs::path& tool) { // false when it is not there
        std::error_code error;
        const fs::path real = fs::canonical(tool, error);
        if (error)
            return false;
        collector.add(tool);
        if (real.parent_path().filename() == "bin" && real.parent_path().parent_path() != variable("HOME"))
            collector.addParts(real.parent_path().parent_path());
        return true;
    };
    std::vector<fs::path> names(std::begin(tools), std::end(tools));
    for (const char* name : toolVariables)
        names.push_back(variable(name).substr(0, variable(name).find(' '))); // arguments may follow
    for (const fs::path& name : names)
        for (const fs::path& folder : pathsIn(variable("PATH")))
            if (!name.empty() && addTool(folder / name)) // a path that is absolute stays what it is
                break;
}

/// What the driver keeps at run time: its daemon that keeps GPUs initialised, and a service that shares them if there
/// is one.
void addDriver(Collector& collector)
{
    for (const char* folder : {"/run", "/var/run"})
        for (const fs::path& entry : entriesOf(folder, "nvidia"))
            collector.add(entry);
    const std::string service = variable("CUDA_MPS_PIPE_DIRECTORY");
    collector.add(service.starts_with('/') ? service : "/tmp/nvidia-mps");
}

} // namespace

ReadablePaths readablePaths(const std::vector<std::string>& prefixes)
{
    Collector collector;
    hideJudge(collector);
    collector.hide(variable("HOME"));
    for (const char* folder : systemFolders)
        collector.add(folder);
    addSettings(collector);
    addLibraries(collector);
    addToolkit(collector);
    addDriver(collector);
    for (const std::string& prefix : prefixes)
        collector.addPrefix(prefix);
    return collector.paths();
}

ReadablePaths allPaths()
{
    Collector collector;
    hideJudge(collector);
    for (const fs::path& entry : entriesOf("/"))
        if (entry != "/proc" && entry != "/sys" && entry != "/dev") // each view has its own
            collector.add(entry);
    return collector.paths();
}

} // namespace cudal1::judge
