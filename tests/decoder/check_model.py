# SPDX-License-Identifier: GPL-3.0-or-later
"""cudal1-model through its protocol, with tiny random models. Run as: check_model.py CUDAL1-MODEL DATA [--device cuda:0].

Where Python lacks a package, or the device is not there, the whole run is a skip (status 77). What follows goes to unittest.
"""
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
DEVICE = []
if sys.argv[3:4] == ["--device"]:
    DEVICE, sys.argv[3:5] = sys.argv[3:5], []
DEADLINE = 60
GREEDY = {"temperature": 0, "max_tokens": 20}


class Model:
    """The program with a client's end of its pipes. Whatever comes out that is no JSON object fails the test."""

    def __init__(self, name, *options, hello=True, environment=None):
        self.process = subprocess.Popen([PROGRAM, "serve", str(name if os.path.isabs(name) else DATA / name), *DEVICE, *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **(environment or {})})
        self.lines = queue.Queue()
        self.threads = [threading.Thread(target=self._read, daemon=True),
                        threading.Thread(target=self.process.stderr.read, daemon=True)]
        for thread in self.threads:
            thread.start()
        self.number = 0
        if hello:
            self.send({"type": "hello", "protocol": 1})
            self.hello = self.next()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def next(self):
        return self.lines.get(timeout=DEADLINE)

    def ask(self, kind, **body):
        self.number += 1
        self.send({"type": kind, "id": self.number, **body})
        return self.number

    def answer(self, kind, **body):
        number = self.ask(kind, **body)
        answer = self.next()
        assert answer["id"] == number, answer
        return answer

    def finish(self, number, replies=1):
        """Final answers of a request, by reply; partial texts are compared with them."""
        done, parts = {}, {}
        while len(done) < replies:
            message = self.next()
            assert message is not None and message["id"] == number, message
            if message["type"] == "partial":
                assert message["reply"] not in done, message
                parts[message["reply"]] = parts.get(message["reply"], "") + message["text"]
            else:
                assert message["type"] == "reply", message
                done[message["reply"]] = message
        for reply, text in parts.items():
            assert text == done[reply]["text"], (text, done[reply])
        return [done[i] for i in range(replies)]

    def generate(self, replies=1, **body):
        return self.finish(self.ask("generate", replies=replies, **body), replies)

    def text(self, **body):
        return self.generate(**body)[0]["text"]

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = Model("llama.gguf")

    @classmethod
    def tearDownClass(cls):
        status = cls.model.end()
        cls.model.__exit__()
        assert status == 0, status

    def refused(self, answer, *words):
        self.assertEqual(answer["type"], "error", answer)
        self.assertEqual(answer["code"], "invalid_argument", answer)
        for word in words:
            self.assertIn(word, answer["message"])


class TokenTest(Shared):
    def test_sentence_piece(self):
        """Expected tokens are those of the library sentencepiece (make_sentencepiece.py)."""
        facts = json.loads((DATA / "sentencepiece.json").read_text())
        with Model("sentencepiece.gguf") as model:
            for row in facts["texts"]:
                self.assertEqual(model.answer("tokenize", prompt=row["text"])["tokens"], row["tokens"], row["text"])
            reply = model.generate(prompt="tokens", tokens=True, settings={"temperature": 1, "seed": 3, "max_tokens": 90})[0]
        written = b""
        for piece in (facts["pieces"][token] for token in reply["tokens"]):
            written += bytes([int(piece[3:5], 16)]) if piece.startswith("<0x") else piece.replace("\u2581", " ").encode()
        self.assertGreater(len(reply["tokens"]), 20)
        self.assertEqual(reply["text"], written.decode(errors="replace"))

    def test_damaged_sentence_piece(self):
        whole = (DATA / "sentencepiece.gguf").read_bytes()
        for key, words in ((b"scores", ["lack scores"]), (b"model", ["'gpt2'", "'llama'"]), (b"tokens", ["no tokenizer"])):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.gguf"
                path.write_bytes(whole.replace(b"tokenizer.ggml." + key, b"tokenizer.ggml." + key[:-1] + b"?"))
                with Model(str(path)) as model:
                    message = model.next()
                    self.assertEqual((message["type"], message["id"], message["code"]), ("error", 0, "invalid_argument"), message)
                    for word in words:
                        self.assertIn(word, message["message"] + message["hint"])

    def test_both_formats_have_the_same_tokens(self):
        with Model("llama") as folder:
            for text in ("def forward(self, x):\n    return x @ self.weight", "Zahl 1234, grüße  und\t\n\n 日本 🙂",
                         "<|start|>user\nHi<|end|>"):
                one, two = self.model.answer("tokenize", prompt=text), folder.answer("tokenize", prompt=text)
                self.assertEqual(one["tokens"], two["tokens"])
                self.assertEqual(one["count"], len(one["tokens"]))
                counted = self.model.answer("count", prompt=text)
                self.assertEqual((counted["count"], "tokens" in counted), (one["count"], False))
            chat = [{"role": "user", "content": "  Hi  "}]
            self.assertEqual(self.model.answer("tokenize", messages=chat)["tokens"], folder.answer("tokenize", messages=chat)["tokens"])

    def test_conversations_go_through_the_template(self):
        chat = self.model.answer("tokenize", messages=[{"role": "user", "content": "  Hi 12  "}, {"role": "assistant", "content": "x"}])
        plain = self.model.answer("tokenize", prompt="<|start|>user\nHi 12<|end|>\n<|start|>assistant\nx<|end|>\n<|start|>assistant\n")
        self.assertEqual(chat["tokens"], plain["tokens"])
        self.assertEqual(chat["tokens"][0], 0)  # a control token, and not its letters
        self.refused(self.model.answer("tokenize", messages=[{"role": "tool", "content": "x"}]), "no tools here")

    def test_what_is_no_text_is_refused(self):
        self.refused(self.model.answer("count"), "either messages or a prompt")
        self.refused(self.model.answer("count", prompt="a", messages=[{"role": "user", "content": "b"}]), "either")
        self.refused(self.model.answer("count", messages=[{"role": "user"}]), "cannot be read")
        self.refused(self.model.answer("count", messages="hello"), "")
        self.refused(self.model.answer("count", prompt=7), "cannot be read")


class GenerateTest(Shared):
    def test_a_seed_repeats_in_a_crowd(self):
        asked = dict(prompt="for i in range(", settings={"temperature": 1.1, "max_tokens": 24, "seed": 99}, replies=3, logprobs=True)
        alone = self.model.generate(**asked)
        self.assertEqual(len({reply["text"] for reply in alone}), 3)
        others = [self.model.ask("generate", prompt="x" * (3 * i + 1), replies=4, partials=False,
                                 settings={"max_tokens": 40, "temperature": 0.9}) for i in range(6)]
        number = self.model.ask("generate", **asked)
        crowd, left = {}, 3 + 4 * len(others)
        while left:
            message = self.model.next()
            if message["type"] == "reply":
                left -= 1
                if message["id"] == number:
                    crowd[message["reply"]] = message
        for reply in alone:
            self.assertEqual(crowd[reply["reply"]]["text"], reply["text"])
            self.assertEqual(crowd[reply["reply"]]["logprobs"], reply["logprobs"])
            self.assertEqual(len(reply["logprobs"]), reply["reply_tokens"])
            self.assertTrue(all(value <= 0 for value in reply["logprobs"]))
        # With their tokens; the model's own end is one of them, and has a log-probability too.
        for plain, reply in zip(alone, self.model.generate(**asked, tokens=True)):
            extra = reply["end"] == "stop"
            self.assertEqual(reply["text"], plain["text"])
            self.assertEqual((len(reply["tokens"]), len(reply["logprobs"])), (reply["reply_tokens"] + extra,) * 2)
            self.assertEqual(reply["logprobs"][:reply["reply_tokens"]], plain["logprobs"])
        ended = [reply for seed in range(12) for reply in
                 self.model.generate(prompt="abc", settings={"temperature": 3, "seed": seed}, tokens=True) if reply["end"] == "stop"]
        self.assertEqual({reply["tokens"][-1] for reply in ended}, {1})
        # Reply i is drawn with seed + i.
        second = self.model.generate(**{**asked, "replies": 1, "settings": {**asked["settings"], "seed": 100}})[0]
        self.assertEqual(second["text"], alone[1]["text"])
        unseeded = [self.model.text(prompt="ab", settings={"temperature": 2, "max_tokens": 30}) for _ in range(2)]
        self.assertNotEqual(*unseeded)

    def test_ends(self):
        reply = self.model.generate(prompt="abc", settings={"temperature": 0, "max_tokens": 5})[0]
        self.assertEqual((reply["end"], reply["reply_tokens"], reply["prompt_tokens"]), ("length", 5, 3))
        full = self.model.generate(prompt="abc", settings={"temperature": 1, "seed": 4})
        self.assertLessEqual(full[0]["prompt_tokens"] + full[0]["reply_tokens"], 128)  # the context
        seeds = [self.model.generate(prompt="abc", settings={"temperature": 3, "seed": seed})[0] for seed in range(12)]
        self.assertIn("stop", {reply["end"] for reply in seeds})  # of 272 tokens one ends a reply, and 125 are drawn

    def test_stop_strings(self):
        settings = {"temperature": 1, "seed": 3, "max_tokens": 60}
        whole = self.model.text(prompt="Some text", settings=settings)
        self.assertGreater(len(whole), 30)
        for begin, size in ((10, 1), (11, 2), (12, 4), (20, 7)):
            stop = whole[begin:begin + size]
            if "\ufffd" in stop:
                continue
            reply = self.model.generate(prompt="Some text", settings={**settings, "stop": ["no such text", stop]})[0]
            self.assertEqual(reply["text"], whole[:whole.index(stop)])
            self.assertEqual(reply["end"], "stop")
            self.assertNotIn(stop, reply["text"])

    def test_settings_are_checked(self):
        for settings, word in (({"temperature": -1}, "temperature"), ({"top_p": 0}, "top_p"), ({"top_p": 1.5}, "top_p"),
                               ({"top_k": 0}, "top_k"), ({"min_p": 2}, "min_p"), ({"max_tokens": 0}, "max_tokens"),
                               ({"temperature": "warm"}, "cannot be read"), ({"seed": "x"}, "cannot be read"),
                               ({"stop": 5}, "cannot be read")):
            self.refused(self.model.answer("generate", prompt="a", settings=settings), word)
        self.refused(self.model.answer("generate", prompt="a", replies=0), "replies")
        self.refused(self.model.answer("generate", prompt="a", replies=100000), "replies")
        self.refused(self.model.answer("generate", prompt="a " * 500, settings=GREEDY), "context holds 128")
        self.assertEqual(self.model.text(prompt="a", settings={**GREEDY, "top_k": None, "unknown": 1}),
                         self.model.text(prompt="a", settings={**GREEDY, "top_k": 1, "top_p": 0.5}))

    def test_other_engines_draw_the_same(self):
        texts = []
        for options in (["--numbers", "float32"], ["--numbers", "float32", "--threads", "1", "--replies", "2"],
                        ["--numbers", "float32", "--engine", "torch"]):
            with Model("llama", *options) as model:
                texts.append([reply["text"] for prompt in ("x = 1\n", "import torch") for reply in
                              model.generate(prompt=prompt, replies=3, settings={"temperature": 0.8, "seed": 5, "max_tokens": 30})])
                self.assertEqual(model.end(), 0)
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])


class ProtocolTest(Shared):
    def test_facts(self):
        facts = self.model.answer("info")
        self.assertEqual((facts["family"], facts["vocabulary"], facts["context"], facts["chats"]), ("llama", 272, 128, True))
        self.assertEqual(facts["name"], "llama.gguf")
        self.assertIn("Q8_0", facts["formats"])
        self.assertGreater(facts["cache_tokens"], 128)

    def test_garbage(self):
        for line in (b"garbage\n", b"[1, 2]\n", b"\n", b'{"type": 5}\n', b'{"type": "generate"}\n', b"\xff\xfe\x00\n",
                     b'{"type": "generate", "id": -3, "prompt": "a"}\n', b'{"id": 5}\n', b"{" * 2000 + b"\n"):
            self.model.raw(line)
            answer = self.model.next()
            self.assertEqual((answer["type"], answer["code"]), ("error", "invalid_argument"), line)
        self.refused(self.model.answer("dance"), "dance")
        self.model.raw(b'{"type": "in')
        time.sleep(0.05)
        self.model.raw(b'fo", "id": 70000}\n{"type": "info", "id": 70001}\n')
        self.assertEqual([self.model.next()["id"], self.model.next()["id"]], [70000, 70001])

    def test_one_id_at_a_time(self):
        number = self.model.ask("generate", prompt="a", settings={"max_tokens": 100, "temperature": 1, "seed": 1}, replies=8)
        self.model.send({"type": "generate", "id": number, "prompt": "b"})
        problems = []
        replies = 0
        while replies < 8:
            message = self.model.next()
            if message["type"] == "error":
                problems.append(message)
            replies += message["type"] == "reply"
        if not problems:  # the first one was quicker: then the second one was answered by a reply of its own
            self.assertEqual(self.model.next()["id"], number)

    def test_cancel(self):
        for wait in (0, 0.01, 0.05):
            long = self.model.ask("generate", prompt="a", replies=64, partials=False, settings={"temperature": 1, "seed": 8})
            queued = self.model.ask("generate", prompt="b", replies=64, partials=False, settings={"temperature": 1, "seed": 8})
            time.sleep(wait)
            self.model.send({"type": "cancel", "id": queued})
            self.model.send({"type": "cancel", "id": long})
            self.model.send({"type": "cancel", "id": 999999})
            marker = self.model.ask("generate", prompt="c", settings=GREEDY, partials=False)
            ended, done = set(), {long: 0, queued: 0}
            while True:
                message = self.model.next()
                if message["id"] == marker:
                    break
                self.assertNotIn(message["id"], ended)
                if message["type"] == "error":
                    self.assertEqual(message["code"], "cancelled")
                    ended.add(message["id"])
                else:
                    done[message["id"]] += 1
            for number in (long, queued):
                self.assertTrue(number in ended or done[number] == 64)
        self.model.send({"type": "cancel", "id": 1})
        end = time.monotonic() + DEADLINE
        while self.model.answer("info")["running"] > 0:  # counted behind each step
            self.assertLess(time.monotonic(), end)


class LifeTest(unittest.TestCase):
    def failure(self, name, *options, words=(), status=1, code=None):
        with Model(name, *options) as model:
            self.assertEqual(model.hello["type"], "hello")
            message = model.next()
            self.assertEqual((message["type"], message["id"]), ("error", 0))
            self.assertIn(message["code"], code or ("not_found", "unreadable", "invalid_argument"))
            for word in words:
                self.assertIn(word, message["message"] + message["hint"])
            self.assertIsNone(model.next())
            self.assertEqual(model.process.wait(timeout=DEADLINE), status)

    def test_models_that_cannot_be_loaded(self):
        self.failure("nowhere", words=["no such model"])
        self.failure("qwen2", words=["tokenizer.json"])
        self.failure("logits.json", words=["GGUF"])
        with tempfile.TemporaryDirectory() as folder:
            whole = (DATA / "llama.gguf").read_bytes()
            path = os.path.join(folder, "cut.gguf")
            pathlib.Path(path).write_bytes(whole[:-1000])
            self.failure(path, words=["cut off"])
            other = pathlib.Path(folder) / "model"
            shutil.copytree(DATA / "llama", other)
            (other / "tokenizer.json").write_text("{")
            self.failure(str(other), code=("internal",))
        if not DEVICE:
            self.failure("llama", "--device", "cuda:77", code=("unavailable",))
            self.failure("llama", "--device", "toaster")
        self.failure("llama", "--numbers", "int1")

    def test_an_exported_file_answers_as_its_folder(self):
        def greedy(path):
            with Model(path, "--numbers", "float32") as model:
                done = model.finish(model.ask("generate", messages=[{"role": "user", "content": "x12 yz"}], settings=GREEDY, logprobs=True))
                return done[0]["text"], done[0]["logprobs"]

        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.gguf")
            done = subprocess.run([PROGRAM, "export", str(DATA / "llama"), "--out", file, "--type", "F32"], capture_output=True, timeout=DEADLINE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["bytes"], os.path.getsize(file))
            self.assertEqual(greedy(file), greedy("llama"))  # tokens, template and every number

    def test_wrong_use(self):
        for arguments in ([], ["dance"], ["serve"], ["serve", "a", "b"], ["serve", "a", "--threads", "0"], ["serve", "a", "--what"],
                          ["export", str(DATA / "llama")], ["export", str(DATA / "llama"), "--out", "f", "--type", "Q9"],
                          ["fetch"], ["logits", str(DATA / "llama")]):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=DEADLINE)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertIn(b"--help", done.stderr)
        done = subprocess.run([PROGRAM, "fetch", "gpt9", "/nowhere"], capture_output=True, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"smollm2 can be fetched", done.stderr)

    def test_hello(self):
        for line, word in ((b'{"type": "hello", "protocol": 99}\n', "version 99"), (b'{"type": "info", "id": 1}\n', "hello"),
                           (b"nonsense\n", "hello")):
            with Model("llama", hello=False) as model:
                model.raw(line)
                self.assertIn(word, model.next()["message"])
                self.assertEqual(model.process.wait(timeout=DEADLINE), 1)

    def test_end_of_input_waits_for_answers(self):
        with Model("llama") as model:
            numbers = [model.ask("generate", prompt="a" * (i + 1), partials=False, settings={"max_tokens": 60}) for i in range(5)]
            self.assertEqual(model.end(), 0)
            answers = {}
            while (message := model.next()) is not None:
                answers[message["id"]] = message["type"]
            self.assertEqual(answers, {number: "reply" for number in numbers})

    def test_quit_and_a_client_that_went_away(self):
        with Model("llama") as model:
            model.ask("generate", prompt="a", replies=1000, settings={"temperature": 1})
            model.send({"type": "quit"})
            self.assertEqual(model.process.wait(timeout=DEADLINE), 0)
        # Nobody reads, and the pipe is full.
        process = subprocess.Popen([PROGRAM, "serve", str(DATA / "llama"), *DEVICE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        process.stdin.write(b'{"type": "hello", "protocol": 1}\n'
                            b'{"type": "generate", "id": 1, "prompt": "a", "replies": 4000, "settings": {"temperature": 1}}\n')
        process.stdin.flush()
        time.sleep(1)
        process.stdin.write(b'{"type": "quit"}\n')
        process.stdin.close()
        self.assertEqual(process.wait(timeout=DEADLINE), 0)
        process.stdout.close()
        ours, theirs = os.pipe()
        process = subprocess.Popen([PROGRAM, "serve", str(DATA / "llama"), *DEVICE], stdin=subprocess.PIPE, stdout=theirs,
                                   stderr=subprocess.DEVNULL)
        os.close(theirs)
        process.stdin.write(b'{"type": "hello", "protocol": 1}\n'
                            b'{"type": "generate", "id": 1, "prompt": "a", "replies": 4000, "partials": false}\n')
        process.stdin.flush()
        os.read(ours, 1000)
        os.close(ours)  # the input stays open: the program must see by itself that nobody reads
        self.assertEqual(process.wait(timeout=DEADLINE), 0)
        process.stdin.close()

    def test_kill_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder, Model("llama", environment={"TMPDIR": folder}) as model:
            model.ask("generate", prompt="a", replies=500, settings={"temperature": 1})
            model.next()
            children = pathlib.Path(f"/proc/{model.process.pid}/task/{model.process.pid}/children").read_text()
            self.assertEqual(children, "")
            model.process.send_signal(signal.SIGKILL)
            model.process.wait(timeout=DEADLINE)
            self.assertEqual(os.listdir(folder), [])


def available():
    with Model("llama") as model:
        message = model.answer("info")
        return message["message"] if message["type"] == "error" and message["code"] == "unavailable" else ""


if __name__ == "__main__":
    try:
        lacking = available()
    except AssertionError as error:  # an error of the start has the id 0
        message = error.args[0]
        lacking = message["message"] if message["code"] == "unavailable" else ""
        if not lacking:
            raise
    if lacking:
        print("skipped:", lacking)
        sys.exit(77)
    sys.argv[1:3] = []
    unittest.main(verbosity=2)
