# SPDX-License-Identifier: GPL-3.0-or-later
"""What a candidate can reach, and what is left after it. Run as: check_isolation.py EVALUATOR [DEVICE [TEST ...]].

Each hostile candidate gets its verdict, and an honest one is correct in the same evaluator afterwards. On a device that is
not there the whole run is a skip (status 77). What this machine does not isolate is printed, and its checks are skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from evaluatorclient import EvaluatorClient
from evaluatortest import DEVICE, EVALUATOR, main
from hostile import QUICK, SLOW
from leftovers import children, descendants, other_folders
from lineartask import HONEST, TASK, candidate
from planted import COMPILED, NEEDED, Planted

MEMORY_MIB = 1200

# Tries what must not work and prints the names of what did. The numbers of the evaluator's processes are given away,
# which a candidate would have to guess.
INTRUSIONS = """
import ctypes, fcntl, os, resource, signal, socket
libc = ctypes.CDLL(None, use_errno=True)

def called(number, *arguments):
    return libc.syscall(number, *arguments) >= 0

def attempt(name, action):
    try:
        if action() is not False:
            print('REACHED', name, flush=True)
    except (OSError, PermissionError, ValueError, RuntimeError):
        pass

def write(path):
    with open(path, 'a') as file:
        file.write('')

def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect(address)

def pin(pid):
    cores = os.sched_getaffinity(pid)
    os.sched_setaffinity(pid, {{min(cores)}})
    return os.sched_getaffinity(pid) != cores

def start_what_ends_with(signal):
    pid = libc.syscall(56 if os.uname().machine == 'x86_64' else 220, signal, None, None, None, None)
    if pid == 0:
        os._exit(0)
    return pid > 0

for pid in {pids}:
    attempt(f'signal {{pid}}', lambda: os.kill(pid, 0))
    attempt(f'memory of {{pid}}', lambda: open(f'/proc/{{pid}}/mem', 'rb').close())
    attempt(f'environment of {{pid}}', lambda: open(f'/proc/{{pid}}/environ', 'rb').close())
    attempt(f'descriptors of {{pid}}', lambda: [os.readlink(f'/proc/{{pid}}/fd/{{n}}') for n in os.listdir(f'/proc/{{pid}}/fd')])
    attempt(f'tracing {{pid}}', lambda: libc.ptrace(16, pid, None, None) >= 0)
    attempt(f'limits of {{pid}}', lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (-1, -1)))
    attempt(f'settings of {{pid}}', lambda: open(f'/proc/{{pid}}/oom_score_adj', 'w').close())
    attempt(f'cores of {{pid}}', lambda: pin(pid))
    attempt(f'turns of {{pid}}', lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))
attempt('cores of its guard', lambda: pin(os.getppid()))
attempt('turns of its guard', lambda: os.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0)))
attempt('priority of its guard', lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 5))
attempt('priority of all of the user', lambda: os.setpriority(os.PRIO_USER, 0, 0))
attempt('a signal when its output is read', lambda: fcntl.fcntl(1, 10, signal.SIGCONT))
attempt('a signal when a helper ends', lambda: start_what_ends_with(signal.SIGCONT))
attempt('hiding its memory', lambda: libc.prctl(4, 0, 0, 0, 0) == 0)
attempt('choosing who may read its memory', lambda: libc.prctl(0x59616d61, 0, 0, 0, 0) == 0)
attempt('tracing its guard', lambda: libc.ptrace(16, os.getppid(), None, None) >= 0)
attempt('memory of its guard', lambda: open(f'/proc/{{os.getppid()}}/mem', 'rb').close())
for path in {paths}:
    attempt('writing ' + path, lambda: write(path))
attempt('mode of a device', lambda: os.chmod('/dev/null', 0o666))
attempt('mount', lambda: libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0)
attempt('remount', lambda: libc.mount(None, b'/', None, 32 | 4096, None) == 0)
attempt('unmount', lambda: libc.umount2(b'/proc', 2) == 0)
attempt('user namespace', lambda: libc.unshare(0x10000000) == 0)
attempt('root folder', lambda: os.chroot('/'))
attempt('the network', lambda: connect(socket.AF_INET, ('127.0.0.1', {port})))
attempt('the host of a virtual machine', lambda: socket.socket(40, socket.SOCK_STREAM).close())
attempt('raw packets', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close())
counter = (ctypes.c_uint32 * 32)(1, 128)  # software events, of this process
attempt('performance counters', lambda: called(298 if os.uname().machine == 'x86_64' else 241, counter, 0, -1, -1, 0))
attempt('a timer that a descriptor stands for', lambda: libc.timerfd_create(1, 0) >= 0)
attempt('a timer that sends signals', lambda: called(222 if os.uname().machine == 'x86_64' else 107, 1, None, ctypes.byref(ctypes.c_int())) )
attempt('its own folder', lambda: write('mine'))
attempt('its own shared memory', lambda: write('/dev/shm/mine'))
attempt('a larger limit', lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192)))
for n in range(3, 100):
    attempt(f'size of descriptor {{n}}', lambda: os.ftruncate(n, max(1, os.fstat(n).st_size) - (os.fstat(n).st_size > 0)))
    attempt(f'growth of descriptor {{n}}', lambda: os.ftruncate(n, 1 << 30))
for disk in ('vda', 'sda', 'nvme0n1', 'mem', 'kmsg'):
    attempt('device ' + disk, lambda: open('/dev/' + disk, 'rb').close())
try:
    print('FOLDERS', os.listdir('..'), flush=True)
except PermissionError:
    print('FOLDERS', [os.path.basename(os.getcwd())], flush=True)
print('DESCRIPTORS', sorted(os.readlink(f'/proc/self/fd/{{n}}') for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{{n}}')),
      flush=True)
raise ValueError('done')
"""


class IsolationTest(unittest.TestCase):
    program = EVALUATOR

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.planted = Planted()
        cls.client = EvaluatorClient(cls.program, TMPDIR=cls.folder, CUDAL1_CANDIDATE_MEMORY_MIB=str(MEMORY_MIB), **cls.planted.variables)
        environment = cls.client.evaluate(TASK, HONEST, device=DEVICE)["environment"]
        cls.missing = environment["isolation_missing"]
        print("applied:", *environment["isolation"], "missing:", *(cls.missing or ["nothing"]), sep="\n  ", file=sys.stderr)

    @classmethod
    def tearDownClass(cls):
        assert cls.client.close() == 0
        cls.planted.close()
        left = os.listdir(cls.folder)
        shutil.rmtree(cls.folder)
        assert left == [], left

    def lacks(self, *starts: str) -> bool:
        return any(entry.startswith(starts) for entry in self.missing)

    def judge(self, source: str, **fields) -> dict:
        answer = self.client.evaluate(TASK, source, device=DEVICE, **fields)
        self.assertEqual(answer["type"], "evaluation", answer)
        return answer

    def provoke(self, name: str, body: str, verdict: str, codes: set, fields: dict) -> None:
        answer = self.judge(candidate(body), **fields)
        if name == "forks without end" and DEVICE != "cpu" and answer["verdict"] == "out_of_memory":
            verdict, codes = "out_of_memory", {"out_of_memory"}  # with CUDA in each, they fill the memory before they are too many
        self.assertEqual(answer["verdict"], verdict, (name, answer["reasons"]))
        self.assertIn(answer["reasons"][0]["code"], codes, name)

    def assert_honest_is_correct(self) -> None:
        answer = self.judge(HONEST)
        self.assertEqual(answer["verdict"], "correct", answer["reasons"])

    def hostile(self, among: dict):
        for name, case in among.items():
            if name.startswith("kills ") and self.lacks("no signals"):
                continue  # it would end this test
            if name == "fills its shared memory" and self.lacks("files outside", "names of other files", "no devices", "other processes"):
                continue  # it has none of its own
            yield name, case

    def test_quick_attacks(self):
        for name, case in self.hostile(QUICK):
            with self.subTest(name):
                self.provoke(name, *case)
        self.assert_honest_is_correct()

    def test_slow_attacks(self):
        for name, case in self.hostile(SLOW):
            with self.subTest(name):
                self.provoke(name, *case)
                self.assert_honest_is_correct()

    def test_nothing_out_of_reach_is_reached(self):
        with socket_that_listens() as listener:
            paths = [os.path.expanduser("~/cudal1-intruder"), "/tmp/cudal1-intruder", os.path.join(self.folder, "cudal1-intruder"),
                     EVALUATOR, "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger"]
            pids = [os.getpid(), self.client.process.pid, *descendants(self.client.process.pid)]
            source = INTRUSIONS.format(pids=pids, paths=paths, port=listener.getsockname()[1])
            answer = self.judge(candidate("exec(compile(" + repr(source) + ", 'intrusions', 'exec'), {})"))
        self.assertEqual(answer["reasons"][0]["text"], "ValueError: done", answer["reasons"])
        lines = answer["output"].splitlines()
        reached = [line for line in lines if line.startswith("REACHED ")]
        owns = ["REACHED its own folder"]
        if not self.lacks("files outside", "names of other files", "no devices"):
            owns.append("REACHED its own shared memory")
        for own in owns:
            self.assertIn(own, reached)
            reached.remove(own)
        reached = [line for line in reached if line != "REACHED its own shared memory"]
        if self.lacks("modes of files"):
            reached = [line for line in reached if line != "REACHED mode of a device"]
        if self.lacks("settings of this user"):
            reached = [line for line in reached if not line.startswith("REACHED settings of")]
        self.assertEqual(reached, [])
        [descriptors] = [line for line in lines if line.startswith("DESCRIPTORS ")]
        names = json.loads(descriptors.removeprefix("DESCRIPTORS ").replace("'", '"'))
        kinds = [kind for kind in (name.split(":")[0] for name in names) if "nvidia" not in kind]
        kinds = ["/dev/null" if kind.endswith("/dev/null") else kind for kind in kinds]  # in a changed root it has its whole path
        if DEVICE == "cpu":
            # Of memory the arena and its handover page.
            self.assertEqual(sorted(kinds), sorted(["/dev/null", "/memfd", "/memfd", "pipe", "pipe", "socket"]), names)
        if not self.lacks("files that it does not need"):
            [folders] = [line for line in lines if line.startswith("FOLDERS ")]
            self.assertEqual(folders.count("-"), 1, folders)  # its own; neither the reference's nor the evaluator's lock

    def read_by_a_candidate(self) -> list:
        """Of what is planted. That it is there for this user is checked first."""
        for name, path in self.planted.paths:
            self.assertTrue(os.access(path, os.R_OK) or os.geteuid() != 0, name)
        source = self.planted.program(self.client.process.pid, self.folder)
        self.assertIn("the reference's source", source)
        answer = self.judge(candidate("exec(compile(" + repr(source) + ", 'looking', 'exec'), {})"))
        self.assertEqual(answer["reasons"][0]["text"], "ValueError: done", answer["reasons"])
        return [line.removeprefix("READ ") for line in answer["output"].splitlines() if line.startswith("READ ")]

    def test_nothing_unneeded_is_read(self):
        self.assertFalse(self.lacks("files that it does not need", "no connections"), self.missing)
        self.assertEqual(self.read_by_a_candidate(), [])

    def test_it_may_not_take_more_priority(self):
        source = """
import os
print('NICE', os.getpriority(os.PRIO_PROCESS, 0), flush=True)
for what, action in (('process', lambda: os.setpriority(os.PRIO_PROCESS, 0, -20)),
                     ('session', lambda: os.write(os.open('/proc/self/autogroup', os.O_WRONLY), b'-20'))):
    try:
        action()
        print('REACHED', what, flush=True)
    except OSError:
        pass
"""
        answer = self.judge(candidate("exec(" + repr(source) + ", {})"))  # not one that is built ahead, when all is idle
        lines = answer["output"].splitlines()
        [nice] = [int(line.split()[1]) for line in lines if line.startswith("NICE ")]
        own = os.getpriority(os.PRIO_PROCESS, 0)
        # Before other work, where the evaluator may ask for that and its user has not asked for the opposite.
        self.assertEqual(nice, -15 if may_take_priority(self.client.process.pid) and own <= 0 else own)
        self.assertEqual([line for line in lines if line.startswith("REACHED ")], [])

    def test_what_is_needed_works(self):
        answer = self.judge(candidate("return torch.relu(self.linear(x)) * 2", NEEDED))
        self.assertEqual(answer["verdict"], "correct", answer["reasons"])
        self.assertEqual([line for line in answer["output"].splitlines() if line.startswith("FAILED ")], [])

    def test_compilers_work(self):
        graph = candidate("return self.graph(self.linear(x))", "self.graph = torch.compile(lambda x: torch.relu(x) * 2)")
        extension = candidate("return extension.twice(torch.relu(self.linear(x)))", module=COMPILED)
        for name, source in (("torch.compile", graph), ("load_inline", extension)):
            with self.subTest(name):
                answer = self.judge(source)
                self.assertEqual(answer["verdict"], "correct", answer["reasons"])

    def test_nothing_is_left(self):
        self.assert_honest_is_correct()
        before = self.inventory()
        cases = [case for _, case in self.hostile(QUICK)]
        for i in range(30):
            self.judge(candidate(cases[i % len(cases)][0]))
        self.assert_honest_is_correct()
        self.assertEqual(self.inventory(), before)

    def inventory(self) -> dict:
        pid = self.client.process.pid
        [zygote] = children(pid)
        deadline = time.monotonic() + 5
        while len(descendants(pid)) != 2 and time.monotonic() < deadline:  # zygote and reference
            time.sleep(0.05)
        return {"processes": len(descendants(pid)), "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
                "zygote's descriptors": len(os.listdir(f"/proc/{zygote}/fd")), "folders": other_folders(self.folder)}


class WithoutProcessNamespaces(IsolationTest):
    """Where the kernel refuses namespaces, other means take their place. A user namespace's own limits refuse them here."""
    refused = ("pid",)
    command = EVALUATOR

    @classmethod
    def setUpClass(cls):
        cls.scripts = tempfile.mkdtemp()
        cls.program = os.path.join(cls.scripts, "evaluator")
        refuse = "; ".join(f"echo 0 > /proc/sys/user/max_{kind}_namespaces" for kind in cls.refused)
        with open(cls.program, "w") as script:
            script.write(f"#!/bin/sh\nexec unshare --user --map-root-user sh -c '{refuse}; exec {cls.command}'\n")
        os.chmod(cls.program, 0o700)
        if subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True).returncode != 0:
            raise unittest.SkipTest("this machine has no user namespaces")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.scripts)

    def test_what_is_missing_is_said(self):
        self.assertTrue(self.lacks("other processes out of sight"), self.missing)
        self.assertFalse(self.lacks("no signals", "no network", "memory of other processes"), self.missing)

    test_slow_attacks = None
    test_nothing_is_left = None
    test_compilers_work = None


class WithoutNamespaces(WithoutProcessNamespaces):
    """Landlock alone keeps files from a candidate."""
    refused = ("pid", "net", "mnt", "user")
    test_compilers_work = IsolationTest.test_compilers_work


class OfAnOrdinaryUser(WithoutNamespaces):
    """Root's processes have privileges that a candidate lacks, so the kernel keeps it from their cores and turns. A user's have none."""
    command = f"setpriv --securebits=+noroot --inh-caps=-all --bounding-set=-all {EVALUATOR}"

    @classmethod
    def setUpClass(cls):
        if not shutil.which("setpriv"):
            raise unittest.SkipTest("no setpriv is installed")
        super().setUpClass()

    test_compilers_work = None


class WithoutLandlock(WithoutProcessNamespaces):
    """As on kernels before 5.13, and for signals before 6.12: the filter of system calls is what is left."""
    command = f"{sys.executable} {os.path.join(os.path.dirname(os.path.abspath(__file__)), 'withoutlandlock.py')} {EVALUATOR}"

    def test_what_is_missing_is_said(self):
        super().test_what_is_missing_is_said()
        self.assertTrue(self.lacks("settings of this user"), self.missing)


class WithoutNamespacesOrLandlock(WithoutLandlock):
    """Then files are as they are for the user, which is said. Memory, variables and sockets are out of reach all the same."""
    refused = WithoutNamespaces.refused

    def test_what_is_missing_is_said(self):
        [said] = [entry for entry in self.missing if entry.startswith("files that it does not need unreadable: ")]
        self.assertIn("and the kernel has no Landlock, so a candidate can read every file that this user can read.", said)
        self.assertTrue(self.lacks("files outside its folder read-only"), self.missing)

    def test_nothing_unneeded_is_read(self):
        read = self.read_by_a_candidate()
        self.assertIn("a key", read)  # else the statement above would be wrong
        self.assertEqual([name for name in read if "socket" in name or "variable" in name or "evaluator's" in name or "process 1" in name], [])

    test_nothing_out_of_reach_is_reached = None
    test_quick_attacks = None


class SweepTest(unittest.TestCase):
    def test_folders_of_a_killed_evaluator_go_at_the_next_start(self):
        folder = tempfile.mkdtemp()
        client = EvaluatorClient(EVALUATOR, TMPDIR=folder)
        other = EvaluatorClient(EVALUATOR, TMPDIR=folder)
        for each in (client, other):
            self.assertEqual(each.evaluate(TASK, HONEST, device=DEVICE)["verdict"], "correct")
        self.assertEqual(len(os.listdir(folder)), 2)
        os.mkdir(os.path.join(folder, "cudal1-notes"))  # a person's own
        client.process.kill()
        client.process.wait()
        client.process.stdin.close()
        client.process.stdout.close()
        third = EvaluatorClient(EVALUATOR, TMPDIR=folder)
        self.assertEqual(len([name for name in os.listdir(folder) if name.startswith("cudal1-evaluator-")]), 1)  # other's
        self.assertEqual(other.evaluate(TASK, HONEST, device=DEVICE)["verdict"], "correct")
        self.assertEqual([other.close(), third.close()], [0, 0])
        self.assertEqual(os.listdir(folder), ["cudal1-notes"])
        shutil.rmtree(folder)


class CompilerTest(unittest.TestCase):
    def test_its_folders_are_the_candidates_own(self):
        """What torch.compile imports looks for its cache where it is imported, which is beside everybody else's folders."""
        with tempfile.TemporaryDirectory() as folder:
            client = EvaluatorClient(EVALUATOR, TMPDIR=folder)
            own = "from torch._dynamo.package import DynamoCache\n" \
                  "from torch._inductor.runtime.cache_dir_utils import cache_dir\n" \
                  "self.graph = torch.compile(lambda x: x)\n" \
                  "print('FOLDERS', os.environ['TMPDIR'], cache_dir(), DynamoCache.path_prefix())"
            answer = client.evaluate(TASK, candidate("return torch.relu(self.linear(x)) * 2", own), device=DEVICE)
            self.assertEqual(answer["verdict"], "correct", answer["reasons"])
            mine, *others = answer["output"].split("FOLDERS ")[1].splitlines()[0].split(" ")
            self.assertTrue(mine.startswith(os.path.join(folder, "cudal1-evaluator-")), mine)
            self.assertEqual(others, [mine + "/inductor", mine + "/inductor/dynamo"])
            self.assertEqual(client.close(), 0)
            self.assertEqual(os.listdir(folder), [])


def may_take_priority(pid: int) -> bool:
    """Whether this process has CAP_SYS_NICE of the machine, and not just of a user namespace that was made here."""
    if os.readlink(f"/proc/{pid}/ns/user") != os.readlink("/proc/self/ns/user"):
        return False
    with open(f"/proc/{pid}/status") as file:
        [effective] = [line.split()[1] for line in file if line.startswith("CapEff:")]
    return bool(int(effective, 16) >> 23 & 1)


def socket_that_listens():
    import socket
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


if __name__ == "__main__":
    main()
