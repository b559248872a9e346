# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates that attack the machine instead of computing, each with the verdict and reason that it must get."""

# The judge's socket, as any program can find its own.
SOCKET = "wire = next(n for n in range(3, 200) if os.path.exists(f'/proc/self/fd/{n}') and stat.S_ISSOCK(os.fstat(n).st_mode))\n"
FRAME = SOCKET + "def frame(text):\n    os.write(wire, struct.pack('<I', len(text)) + text)\n"
HANG = "while True:\n    time.sleep(1)\n"

# name: (body of forward, verdict, codes of the first reason, further fields of the request)
QUICK = {
    "segfault": ("ctypes.string_at(0)\nreturn x", "crashed", {"segfault"}, {}),
    "abort": ("os.abort()", "crashed", {"signal"}, {}),
    "kills itself": ("os.kill(os.getpid(), signal.SIGKILL)\n" + HANG, "crashed", {"signal"}, {}),
    "exits with success": ("os._exit(0)", "crashed", {"exited"}, {}),
    "exits through Python": ("sys.exit(0)", "crashed", {"exit"}, {}),
    "closes all descriptors and returns": ("os.closerange(0, 4096)\nreturn x", "crashed", {"exited"}, {}),
    "answers garbage": (SOCKET + "os.write(wire, b'x' * 4096)\n" + HANG, "crashed", {"broken_protocol"}, {}),
    "announces four gigabytes": (SOCKET + "os.write(wire, b'\\xff' * 4)\n" + HANG, "crashed", {"broken_protocol"}, {}),
    "answers with another number": (FRAME + "frame(b'{\"ok\": true, \"nonce\": 1}')\n" + HANG, "crashed", {"broken_protocol"}, {}),
    "answers with a text for a number": (FRAME + "frame(b'{\"ok\": true, \"nonce\": \"a\"}')\n" + HANG, "crashed", {"broken_protocol"}, {}),
    "answers no object": (FRAME + "frame(b'[1, 2]')\n" + HANG, "crashed", {"broken_protocol"}, {}),
    "shuts the socket down": (SOCKET + "socket.socket(fileno=wire).shutdown(2)\nreturn x", "crashed", {"exited"}, {}),
    "cuts the shared memory": ("for n in range(3, 200):\n    try:\n        os.ftruncate(n, 0)\n    except OSError:\n        pass\n"
                               "os._exit(3)", "crashed", {"exited"}, {}),
    "prints a result": ("print('{\"type\": \"evaluation\", \"id\": 1, \"verdict\": \"correct\"}', flush=True)\nreturn x",
                        "incorrect", {"wrong_values"}, {}),
    "leaves a locked folder": ("os.makedirs('a/b/c')\nopen('a/b/c/file', 'w').close()\nos.chmod('a/b', 0)\nos.chmod('a', 0)\nos._exit(1)",
                               "crashed", {"exited"}, {}),
    "leaves helpers": ("for _ in range(5):\n    subprocess.Popen(['sleep', '1000'], start_new_session=True)\nos._exit(1)",
                       "crashed", {"exited"}, {}),
    "kills by name": ("for p in filter(str.isdigit, os.listdir('/proc')):\n    try:\n        if 'cudal1' in open(f'/proc/{p}/cmdline').read():\n"
                      "            os.kill(int(p), signal.SIGKILL)\n    except OSError:  # it may be gone by now\n        pass\nreturn x",
                      "crashed", {"signal"}, {}),
    "kills all": ("try:\n    os.kill(-1, signal.SIGKILL)\nexcept OSError:\n    pass\nos._exit(1)", "crashed", {"exited", "signal"}, {}),
    "kills its parent": ("try:\n    os.kill(os.getppid(), signal.SIGKILL)\nexcept OSError:\n    pass\nos._exit(1)", "crashed", {"exited"}, {}),
}

SLOW = {
    "loops": ("while True: pass", "timed_out", {"hang"}, {"build_limit_s": 2}),
    "ignores signals and loops": ("for n in (1, 2, 15):\n    signal.signal(n, signal.SIG_IGN)\n" + HANG, "timed_out", {"hang"}, {"build_limit_s": 2}),
    "closes all descriptors and loops": ("os.closerange(0, 4096)\n" + HANG, "crashed", {"connection_closed"}, {}),
    "sends half an answer": (SOCKET + "os.write(wire, struct.pack('<I', 1000) + b'{')\n" + HANG, "crashed", {"broken_protocol"}, {}),
    "forks without end": ("while True:\n    try:\n        os.fork()\n    except OSError:\n        time.sleep(0.01)",
                          "crashed", {"process_limit"}, {"build_limit_s": 120}),
    "starts programs without end": ("while True:\n    try:\n        subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
                                    "    except OSError:\n        time.sleep(0.01)", "crashed", {"process_limit"}, {"build_limit_s": 120}),
    "starts threads without end": ("threading.stack_size(1 << 20)\nwhile True:\n    try:\n"
                                   "        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
                                   "    except RuntimeError:\n        time.sleep(0.01)", "crashed", {"process_limit"}, {"build_limit_s": 120}),
    "prints without end": ("while True:\n    os.write(1, b'x' * 65536)", "crashed", {"endless_output"}, {}),
    # Needs CUDAL1_CANDIDATE_MEMORY_MIB well below six times 300.
    "eats memory in a forest": ("for _ in range(6):\n    if os.fork() == 0:\n        kept = bytearray(300 << 20)\n        for i in range(0, len(kept), 4096):\n"
                                "            kept[i] = 1\n        time.sleep(1000)\n" + HANG, "out_of_memory", {"out_of_memory"}, {"build_limit_s": 60}),
    "fills its shared memory": ("with open('/dev/shm/file', 'wb') as file:\n    for _ in range(1500):\n        file.write(bytes(1 << 20))\n" + HANG,
                                "out_of_memory", {"out_of_memory"}, {"build_limit_s": 60}),
}
