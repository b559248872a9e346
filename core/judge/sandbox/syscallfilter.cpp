// SPDX-License-Identifier: GPL-3.0-or-later
// The filter as a program for the kernel's packet filter machine.
#include "core/judge/sandbox/syscallfilter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace cudal1::judge {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t foreignCalls = 0x40000000; // x32's numbers, which would pass by every comparison below
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t foreignCalls = 0;
#else
#error "The system call filter knows x86-64 and 64-bit ARM"
#endif

constexpr std::uint32_t allowed = SECCOMP_RET_ALLOW;

constexpr std::uint32_t refusedWith(int error)
{
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

class FilterProgram {
public:
    FilterProgram()
    {
        load(offsetof(seccomp_data, arch));
        returnUnlessEqual(architecture, refusedWith(EPERM));
        load(offsetof(seccomp_data, nr));
        if (foreignCalls)
            add(BPF_JMP | BPF_JGE | BPF_K, foreignCalls, 0, 1), add(BPF_RET | BPF_K, refusedWith(ENOSYS));
    }

    void refuse(long call, int error = EPERM)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
        add(BPF_RET | BPF_K, refusedWith(error));
    }

    /// Refuses the call unless the low half of an argument is one of these.
    void allowOnly(long call, int argument, std::initializer_list<std::uint32_t> values, int error = EPERM)
    {
        decide(call, argument, values, allowed, refusedWith(error));
    }

    /// Refuses the call when the low half of an argument is one of these.
    void refuseValues(long call, int argument, std::initializer_list<std::uint32_t> values, int error = EPERM)
    {
        decide(call, argument, values, refusedWith(error), allowed);
    }

    /// Refuses local sockets of kinds that reach others without connecting. Later rules may concern the same call.
    void refuseUnconnected(long call)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 8);
        loadArgument(0);
        add(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 5);
        loadArgument(1);
        add(BPF_ALU | BPF_AND | BPF_K, 0xf); // above these bits are flags
        add(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
        add(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0);
        add(BPF_RET | BPF_K, refusedWith(EACCES));
        load(offsetof(seccomp_data, nr));
    }

    /// Refuses the call when the low half of an argument is this. Later rules may concern the same call.
    void refuseValue(long call, int argument, std::uint32_t value)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
        loadArgument(argument);
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
        add(BPF_RET | BPF_K, refusedWith(EPERM));
        load(offsetof(seccomp_data, nr));
    }

    /// Refuses clone() with one of these flags, and with another signal at the end of what it starts than the usual one
    /// or none.
    void refuseClones(std::uint32_t flags)
    {
        constexpr std::uint32_t signal = 0xff; // of the flags
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(SYS_clone), 0, 7);
        loadArgument(0);
        add(BPF_JMP | BPF_JSET | BPF_K, flags, 3, 0);
        add(BPF_ALU | BPF_AND | BPF_K, signal);
        add(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
        add(BPF_JMP | BPF_JEQ | BPF_K, SIGCHLD, 1, 0);
        add(BPF_RET | BPF_K, refusedWith(EPERM));
        add(BPF_RET | BPF_K, allowed);
    }

    bool install()
    {
        add(BPF_RET | BPF_K, allowed);
        const sock_fprog program{static_cast<unsigned short>(m_code.size()), m_code.data()};
        // Without the flag, older kernels turn off speculation for filtered processes, which slows their own code down.
        return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
    }

private:
    void add(int code, std::uint32_t value, std::uint8_t ifTrue = 0, std::uint8_t ifFalse = 0)
    {
        m_code.push_back({static_cast<std::uint16_t>(code), ifTrue, ifFalse, value});
    }
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
    void loadArgument(int argument)
    {
        load(offsetof(seccomp_data, args) +
             static_cast<std::size_t>(argument) * sizeof(std::uint64_t)); // little endian: the low half
    }
    /// Ends the call where the low half of an argument is one of these, and else in the other way.
    void decide(long call, int argument, std::initializer_list<std::uint32_t> values, std::uint32_t ifOneOfThese,
                std::uint32_t otherwise)
    {
        const auto count = static_cast<std::uint8_t>(values.size());
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(count + 3));
        loadArgument(argument);
        std::uint8_t left = count;
        for (const std::uint32_t value : values)
            add(BPF_JMP | BPF_JEQ | BPF_K, value, left--, 0);
        add(BPF_RET | BPF_K, otherwise);
        add(BPF_RET | BPF_K, ifOneOfThese);
    }
    void returnUnlessEqual(std::uint32_t value, std::uint32_t result)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
        add(BPF_RET | BPF_K, result);
    }

    std::vector<sock_filter> m_code;
};

// Numbers that the kernel gives to all architectures alike; older headers lack their names.
constexpr long callOpenTree = 428, callMoveMount = 429, callFsOpen = 430, callFsConfig = 431, callFsMount = 432,
               callFsPick = 433, callClone3 = 435, callPidfdGetfd = 438, callProcessMadvise = 440,
               callMountSetattr = 442, callProcessMrelease = 448, callPidfdSendSignal = 424, callIoUringSetup = 425,
               callIoUringEnter = 426, callIoUringRegister = 427;

constexpr std::initializer_list<long> refused
{
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, callPidfdGetfd, callProcessMadvise,
        callProcessMrelease, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, callOpenTree, callMoveMount,
        callFsOpen, callFsConfig, callFsMount, callFsPick, callMountSetattr, SYS_unshare, SYS_setns,
        SYS_open_by_handle_at, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key,
        SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
        SYS_acct, SYS_quotactl, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname,
        SYS_setdomainname, SYS_vhangup,
        SYS_ioprio_set, // it can name all programs of this user
        SYS_seccomp,    // a filter of its own could answer the judge's clock in the kernel's stead
        // These timers expire while their process is stopped: in the reference's rounds, or with a signal that
        // continues it.
        SYS_timer_create, SYS_timerfd_create,
#if defined(__x86_64__)
        SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};

constexpr std::uint32_t namespaceFlags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
                                         CLONE_NEWUTS | CLONE_NEWCGROUP;

void keepToItself(FilterProgram& program, std::uint32_t self)
{
    for (const long call : {SYS_prlimit64, SYS_migrate_pages, SYS_move_pages, SYS_sched_setscheduler,
                            SYS_sched_setparam, SYS_sched_setattr})
        program.allowOnly(call, 0, {self, 0});
    program.allowOnly(SYS_setpriority, 1, {self, 0});
    // Of a number that is not its own a filter cannot tell whether it is a thread of this process, which a program may
    // put on a core, or the timed reference. So that call does nothing, and says that it has worked.
    program.allowOnly(SYS_sched_setaffinity, 0, {self, 0}, 0);
}

/// In a namespace where nobody else is: a guard that hardly runs sees too late what it should end.
void leaveGuardAlone(FilterProgram& program, std::uint32_t guard)
{
    for (const long call : {SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity})
        program.refuseValues(call, 0, {guard});
    program.refuseValues(SYS_setpriority, 1, {guard});
}

void keepSignals(FilterProgram& program, std::uint32_t self)
{
    program.allowOnly(SYS_kill, 0, {self, 0});
    for (const long call : {SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
        program.allowOnly(call, 0, {self});
    program.refuse(SYS_tkill);
    program.refuse(callPidfdSendSignal);
}

} // namespace

bool filterSyscalls(const SyscallFilterPlan& plan)
{
    FilterProgram program;
    for (const long call : refused)
        program.refuse(call);
    // clone3 has its flags in memory, where a filter cannot look. By the others the kernel goes on for a process that
    // is stopped: it reads from a file into a result, for example, whose zeros then cost nobody's time.
    for (const long call :
         {static_cast<long>(SYS_io_setup), callIoUringSetup, callIoUringEnter, callIoUringRegister, callClone3})
        program.refuse(call, ENOSYS);
    // Where the process sees the machine's own /proc, these tell it when the witness writes to /proc/PID/mem, and so
    // whether a result was overwritten.
    for (const long call : {SYS_inotify_init1, SYS_fanotify_init})
        program.refuse(call, ENOSYS);
#if defined(__x86_64__)
    program.refuse(SYS_inotify_init, ENOSYS);
#endif
    // Pages that were written long ago could be moved to where the witness has seen results lie. The C library then
    // copies, as it does where memory lacks.
    program.refuse(SYS_mremap, ENOMEM);
    // Pages that are clean, or that nobody has looked at for long: /proc/self/smaps then tells without reading them
    // whether the witness has overwritten a part of a result. Allocators do without, as on older kernels.
    program.refuseValues(SYS_madvise, 2, {MADV_FREE, 20 /* MADV_COLD */, 21 /* MADV_PAGEOUT */}, EINVAL);
    // A witness without privileges must be able to look at its memory at any time, and at what its threads wait for.
    program.refuseValues(SYS_prctl, 0,
                         {PR_SET_SECCOMP, 59 /* PR_SET_SYSCALL_USER_DISPATCH */, PR_SET_DUMPABLE, PR_SET_PTRACER});
    // A process that is stopped by SIGSTOP goes on when it gets SIGCONT: as the signal that a descriptor sends when the
    // supervisor has read what the process printed, or that is sent at the end of a process that it has started. (The
    // owner of a descriptor gets a signal under the caller's name; a lease or a notice tells of the witness's access to
    // a file of /proc, as inotify does.)
    program.refuseValues(SYS_fcntl, 1,
                         {F_SETOWN, F_SETSIG, 15 /* F_SETOWN_EX */, 1024 /* F_SETLEASE */, 1026 /* F_NOTIFY */});
    program.refuseClones(namespaceFlags);
    program.refuseValue(SYS_setpriority, 0, PRIO_USER); // all programs of this user, whoever is asked about
    if (plan.connections) {
        program.refuse(SYS_connect, ECONNREFUSED); // as with a network namespace of its own, where nobody listens
        program.refuseUnconnected(SYS_socket);
        program.refuseUnconnected(SYS_socketpair);
    }
    if (plan.sockets)
        program.allowOnly(SYS_socket, 0, {AF_UNIX, AF_NETLINK}, EACCES);
    else
        program.allowOnly(SYS_socket, 0, {AF_UNIX, AF_NETLINK, AF_INET, AF_INET6},
                          EACCES); // a virtual machine's host is AF_VSOCK
    if (plan.ownProcess > 0) {
        keepToItself(program, static_cast<std::uint32_t>(plan.ownProcess));
        if (plan.signals)
            keepSignals(program, static_cast<std::uint32_t>(plan.ownProcess));
    } else if (plan.guard > 0) {
        leaveGuardAlone(program, static_cast<std::uint32_t>(plan.guard));
    }
    return program.install();
}

} // namespace cudal1::judge
