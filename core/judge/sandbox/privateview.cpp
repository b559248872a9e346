// SPDX-License-Identifier: GPL-3.0-or-later
// Mounts of a candidate.
#include "core/judge/sandbox/privateview.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace cudal1::judge {

namespace fs = std::filesystem;

namespace {

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif

bool setReadOnly(int folder, const char* path, bool readOnly, unsigned flags)
{
    mount_attr attributes{};
    (readOnly ? attributes.attr_set : attributes.attr_clr) = MOUNT_ATTR_RDONLY;
    return ::syscall(SYS_mount_setattr, folder, path, flags, &attributes, sizeof attributes) == 0;
}

bool setReadOnly(const std::string& path, bool readOnly, bool recursive = false)
{
    return setReadOnly(AT_FDCWD, path.c_str(), readOnly, recursive ? AT_RECURSIVE : 0);
}

/// A copy of the mount at this path with all below it, attached nowhere yet. -1 with errno.
int copyOf(const std::string& path)
{
    return static_cast<int>(
        ::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
}

bool attach(int tree, const std::string& path)
{
    return ::syscall(SYS_move_mount, tree, "", AT_FDCWD, path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

/// Whether each process namespace has a limit of its own; on older kernels the file sets the whole machine's.
bool taskLimitIsPerNamespace()
{
    utsname names{};
    int major = 0, minor = 0;
    return ::uname(&names) == 0 && std::sscanf(names.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 14));
}

/// An empty folder or file for a mount to lie on, where there is none yet.
bool makePlace(const std::string& path, bool folder)
{
    std::error_code error;
    fs::create_directories(folder ? fs::path(path) : fs::path(path).parent_path(), error);
    if (!error && !folder && ::mknod(path.c_str(), S_IFREG | 0644, 0) != 0 && errno != EEXIST)
        return false;
    errno = error.value();
    return !error;
}

/// The caller's root becomes this folder, which a mount lies on, and the old root is gone.
bool changeRoot(const std::string& folder)
{
    // The new root is put over the old one, which is then what lies at "." and can be taken off.
    return ::chdir(folder.c_str()) == 0 && ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0;
}

struct Node {
    std::string path;
    int tree;
    bool folder;
};

} // namespace

PrivateView::PrivateView(std::string folder, const ReadablePaths& readable)
    : m_folder(std::move(folder)), m_readable(readable)
{
}

PrivateView::~PrivateView()
{
    for (const int tree : m_trees)
        ::close(tree);
}

bool PrivateView::enterRoot()
{
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return false;
    const int own = copyOf(m_folder);
    if (own < 0)
        return false;
    m_trees.push_back(own);
    // The folder itself is where the new root is built, since it is surely there and nobody else looks into it.
    if (::mount("tmpfs", m_folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") != 0)
        return false;
    if (furnish(own) && changeRoot(m_folder))
        return ::chdir(m_folder.c_str()) == 0;
    const int error = errno;
    if (::umount2(m_folder.c_str(), MNT_DETACH) == 0 && ::chdir(m_folder.c_str()) == 0)
        errno = error;
    return false;
}

bool PrivateView::furnish(int own)
{
    std::vector<std::string> shown = m_readable.trees;
    shown.insert(shown.end(), {"/proc", "/sys", "/dev"});
    for (const std::string& path : shown) {
        const int tree = copyOf(path);
        if (tree < 0 && (errno == ENOENT || errno == EACCES))
            continue; // it went since it was found, or is not for this user
        if (tree < 0)
            return false;
        m_trees.push_back(tree);
        std::error_code error;
        if (!makePlace(m_folder + path, fs::is_directory(path, error)) || !attach(tree, m_folder + path))
            return false;
    }
    // Programs that use /tmp without asking find it empty. Links come after all places: those are made by their real
    // paths.
    if (!makePlace(m_folder + "/tmp", true) || !makePlace(m_folder + m_folder, true))
        return false;
    for (const auto& [link, target] : m_readable.links) {
        if (!makePlace(m_folder + fs::path(link).parent_path().string(), true))
            return false;
        if (::symlink(target.c_str(), (m_folder + link).c_str()) != 0 && errno != EEXIST)
            return false;
    }
    return setReadOnly(m_folder, true, true) && setReadOnly(m_folder + "/proc", false) &&
           attach(own, m_folder + m_folder);
}

bool PrivateView::mountProc(int tasks)
{
    const int driver = copyOf("/proc/driver"); // what a container's runtime shows of the GPU driver is mounted there
    if (driver >= 0)
        m_trees.push_back(driver);
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
        return false;
    if (driver >= 0)
        attach(driver, "/proc/driver");
    if (taskLimitIsPerNamespace())
        std::ofstream("/proc/sys/kernel/pid_max") << tasks << std::flush;
    return true;
}

bool PrivateView::protectKernelSettings()
{
    for (const char* path :
         {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi",
          "/proc/asound", "/proc/driver", "/proc/mtrr", "/proc/dynamic_debug", "/proc/pressure"}) {
        if (::access(path, F_OK) != 0)
            continue;
        if (::mount(path, path, nullptr, MS_BIND | MS_REC, nullptr) != 0 || !setReadOnly(path, true, true))
            return false;
    }
    return true;
}

std::vector<std::string> PrivateView::devices()
{
    std::vector<std::string> paths;
    for (const char* name : {"null", "zero", "full", "random", "urandom", "dri", "dxg"})
        if (::access((std::string("/dev/") + name).c_str(), F_OK) == 0)
            paths.push_back(std::string("/dev/") + name);
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/dev", error))
        if (entry.path().filename().string().starts_with("nvidia"))
            paths.push_back(entry.path());
    return paths;
}

bool PrivateView::mountDevices()
{
    std::vector<Node> nodes;
    for (const std::string& path : devices()) {
        std::error_code error;
        const int tree = copyOf(path);
        if (tree < 0)
            return false;
        m_trees.push_back(tree);
        // A device works on a read-only mount; its mode and owner, which belong to the machine, cannot be changed
        // there.
        if (!setReadOnly(tree, "", true, AT_EMPTY_PATH | AT_RECURSIVE))
            return false;
        nodes.push_back({path, tree, fs::is_directory(path, error)});
    }
    if (::mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "size=256k,mode=755") != 0)
        return false;
    for (const Node& node : nodes) {
        const bool made = node.folder ? ::mkdir(node.path.c_str(), 0755) == 0
                                      : ::mknod(node.path.c_str(), S_IFREG | 0644, 0) == 0;
        if (!made || !attach(node.tree, node.path))
            return false;
    }
    for (const auto& [target, link] : {std::pair{"/proc/self/fd", "/dev/fd"},
                                       {"/proc/self/fd/0", "/dev/stdin"},
                                       {"/proc/self/fd/1", "/dev/stdout"},
                                       {"/proc/self/fd/2", "/dev/stderr"}})
        if (::symlink(target, link) != 0)
            return false;
    return ::mkdir("/dev/shm", 01777) == 0 && setReadOnly("/dev", true) && mountSharedMemory();
}

bool PrivateView::mountSharedMemory()
{
    return ::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "size=50%,mode=1777") == 0;
}

} // namespace cudal1::judge
