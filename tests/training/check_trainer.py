# SPDX-License-Identifier: GPL-3.0-or-later
"""cudal1-trainer through its protocol, with tiny models. Run as:
check_trainer.py CUDAL1-TRAINER CUDAL1-MODEL DATA [--device cuda] [TESTS].

Where Python lacks a package the whole run is a skip (status 77). What follows goes to unittest.
"""
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from trainerclient import Refused, Trainer

PROGRAM, MODEL, DATA = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
DEVICE = "cpu"
if sys.argv[4:5] == ["--device"]:
    DEVICE, sys.argv[4:6] = sys.argv[5], []
LLAMA = str(DATA / "llama")
OPTIMIZER = {"learning_rate": 0.003, "weight_decay": 0.01}


def opened(trainer, model=LLAMA, **settings):
    body = {"model": model, "device": DEVICE, "numbers": "float32", "threads": 1, "optimizer": OPTIMIZER, "pass_tokens": 64, **settings}
    return trainer.answer("open", **body)


def logits(model):
    """Of the rows of three tokens, one row behind the other, as cudal1-model computes them."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([MODEL, "logits", model, "--tokens", "50,51,52", "--out", out.name, "--numbers", "float32"], check=True)
        return list(memoryview(pathlib.Path(out.name).read_bytes()).cast("f"))


def batch(number, size=6):
    """Counting: a prompt of three tokens that follow each other, and the ones that come next."""
    draw, out = random.Random(number), []
    for _ in range(size):
        begin = draw.randrange(40, 200)
        out.append({"prompt_tokens": [begin, begin + 1, begin + 2], "tokens": [begin + 3 + i for i in range(draw.randrange(2, 9))]})
    return out


def groups(number, count=4, size=4):
    draw, out = random.Random(1000 + number), []
    for _ in range(count):
        replies = [{"tokens": [draw.randrange(10, 200) for _ in range(draw.randrange(2, 8))], "reward": draw.choice([0, 1, 1.5])} for _ in range(size)]
        for reply in replies:
            reply["logprobs"] = [-5 - draw.random() for _ in reply["tokens"]]
        out.append({"prompt_tokens": [draw.randrange(10, 200) for _ in range(5)], "replies": replies})
    return out


def curve(step):
    """What must be the same whatever machine time it took."""
    return {key: value for key, value in step.items() if key not in ("seconds", "tokens_per_second", "id", "saved", "passes")}


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def refused(self, trainer, kind, *words, **body):
        with self.assertRaises(Refused) as raised:
            trainer.answer(kind, **body)
        for word in words:
            self.assertIn(word, str(raised.exception))
        return raised.exception.answer


class SftTest(FolderTest):
    def test_it_learns_to_count(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            held_out = batch(999)
            before = trainer.answer("sft", pairs=held_out, updates=False)
            self.assertEqual((before["step"], before["stage"]), (0, "sft"))
            steps = [trainer.answer("sft", pairs=batch(i, 16)) for i in range(60)]
            after = trainer.answer("sft", pairs=held_out, updates=False)
            self.assertEqual([step["step"] for step in steps], list(range(1, 61)))
            self.assertGreater(before["loss"], 5)
            self.assertLess(after["loss"], 0.6 * before["loss"])
            first = steps[0]
            self.assertEqual(first["reply_tokens"], sum(len(pair["tokens"]) for pair in batch(0, 16)))
            self.assertEqual(first["tokens"], first["reply_tokens"] + 3 * 16)
            self.assertGreater(first["passes"], 1)
            self.assertGreater(first["gradient_norm"], 0)
            self.assertEqual(set(trainer.end()), {0})

    def test_texts_and_conversations(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            chat = [{"role": "user", "content": "Hi 12"}]
            # The template's own text, as tests/decoder has it; the end token comes behind the reply.
            same = [{"messages": chat, "reply": "ab"}, {"prompt": "<|start|>user\nHi 12<|end|>\n<|start|>assistant\n", "reply": "ab"},
                    {"prompt": "<|start|>user\nHi 12<|end|>\n<|start|>assistant\n", "reply": "ab<|end|>", "is_cut": True}]
            losses = [trainer.answer("sft", pairs=[pair], updates=False) for pair in same]
            self.assertEqual(len({(answer["loss"], answer["reply_tokens"]) for answer in losses}), 1)
            cut = trainer.answer("sft", pairs=[{**same[0], "is_cut": True}], updates=False)
            self.assertEqual(cut["reply_tokens"], losses[0]["reply_tokens"] - 1)

    def test_gguf_files_are_unpacked_first(self):
        conversation = [{"messages": [{"role": "user", "content": "Hi 12"}], "reply": "ab"}]
        file, out = str(DATA / "llama.gguf"), self.folder / "out"
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            wanted = trainer.answer("sft", pairs=conversation, updates=False)["tokens"]
        with Trainer(PROGRAM) as trainer:
            self.refused(trainer, "open", "unpacked", model=file)
            opened(trainer, model=file, out=str(out))
            self.assertEqual(trainer.answer("sft", pairs=conversation)["tokens"], wanted)
            saved = trainer.answer("save")["path"]
        for one, two in zip(logits(file), logits(str(out / "start")), strict=True):
            self.assertAlmostEqual(one, two, delta=1e-5)
        for made in (out / "start", pathlib.Path(saved)):
            config, tokenizer = (json.loads((made / name).read_text()) for name in ("config.json", "tokenizer_config.json"))
            self.assertEqual(config["num_key_value_heads"], json.loads((DATA / "llama" / "config.json").read_text())["num_key_value_heads"])
            self.assertIn("<|start|>", tokenizer["chat_template"])
        with Trainer(PROGRAM) as trainer:  # the file may be gone by then
            self.assertEqual(opened(trainer, model="/gone/llama.gguf", out=str(out), reference="start")["step"], 1)
            trainer.answer("sft", pairs=conversation)
        with Trainer(PROGRAM) as trainer:
            self.refused(trainer, "open", "no tokenizer", model=str(DATA / "qwen2.gguf"), out=str(self.folder / "other"))
        self.assertFalse((self.folder / "other" / "start").exists())

    def test_numbers_packing_and_memory_make_no_difference(self):
        def run(**settings):
            with Trainer(PROGRAM) as trainer:
                opened(trainer, **settings)
                return [trainer.answer("sft", pairs=batch(i)) for i in range(4)]
        plain = run(numbers="float64")
        for settings in ({"numbers": "float64", "recomputes": True}, {"numbers": "float64", "pass_tokens": 5}, {"numbers": "float64", "pass_tokens": 4096},
                         {"numbers": "float64", "shares_prompts": False}):
            for one, two in zip(plain, run(**settings)):
                self.assertAlmostEqual(one["loss"], two["loss"], delta=1e-12)
                self.assertAlmostEqual(one["gradient_norm"], two["gradient_norm"], delta=1e-11)
        narrow = run(numbers="bfloat16")
        for one, two in zip(plain, narrow):
            self.assertAlmostEqual(one["loss"], two["loss"], delta=0.1)
            self.assertNotEqual(one["loss"], two["loss"])

    def test_schedule(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer, optimizer={"learning_rate": 0.01, "warmup_steps": 2, "total_steps": 6, "end_share": 0.1})
            rates = [trainer.answer("sft", pairs=batch(i, 2))["learning_rate"] for i in range(8)]
        # Half the peak, the peak, then the cosine from step 2 to step 6, and a tenth for good.
        wanted = [0.005, 0.01] + [0.001 + 0.009 * (1 + math.cos(math.pi * i / 4)) / 2 for i in (1, 2, 3)] + [0.001] * 3
        for one, two in zip(rates, wanted):
            self.assertAlmostEqual(one, two, delta=1e-12)

    def test_an_empty_batch_is_skipped(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            answer = trainer.answer("sft", pairs=[])
            self.assertEqual((answer["step"], answer["batch"], answer["skipped"]), (0, 0, "the batch is empty"))
            self.assertEqual(trainer.answer("info")["batch"], 1)

    def test_several_updates_of_a_batch(self):
        """Two epochs are the same batch twice; minibatches divide its pairs among updates."""
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            wanted = [trainer.answer("sft", pairs=batch(1, 6))["loss"] for _ in range(2)]
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            steps = trainer.answers("sft", pairs=batch(1, 6), epochs=2)
            self.assertEqual([step["loss"] for step in steps], wanted)
            self.assertEqual([(step["step"], step["batch"], step["is_last"]) for step in steps], [(1, 0, False), (2, 0, True)])
            steps = trainer.answers("sft", pairs=batch(2, 6), epochs=2, minibatches=3)
            self.assertEqual([step["sequences"] for step in steps], [2] * 6)
            self.assertEqual({step["batch"] for step in steps}, {1})
            self.assertLess(sum(step["loss"] for step in steps[3:]), sum(step["loss"] for step in steps[:3]))
            self.assertEqual(len(trainer.answers("sft", pairs=batch(3, 6), updates=False, epochs=2)), 1)
            self.refused(trainer, "sft", "epochs", pairs=batch(3, 6), epochs=0)

    def test_lora_trains_its_own_matrices_alone(self):
        with Trainer(PROGRAM) as trainer:
            facts = opened(trainer, lora={"rank": 4}, out=str(self.folder / "out"), optimizer={"learning_rate": 0.02})
            self.assertLess(facts["trained"], facts["parameters"] // 2)
            losses = [trainer.answer("sft", pairs=batch(i, 16))["loss"] for i in range(30)]
            self.assertLess(sum(losses[-5:]), 0.9 * sum(losses[:5]))
            saved = trainer.answer("save")
            last = trainer.answer("sft", pairs=batch(5), updates=False)["loss"]
        adapter = json.loads((pathlib.Path(saved["path"]) / "adapter/adapter_config.json").read_text())
        self.assertEqual((adapter["r"], adapter["peft_type"]), (4, "LORA"))
        # The checkpoint's own weights have the product added.
        with Trainer(PROGRAM) as trainer:
            opened(trainer, model=saved["path"])
            self.assertAlmostEqual(trainer.answer("sft", pairs=batch(5), updates=False)["loss"], last, delta=1e-5)


class DeviceTest(FolderTest):
    """On whatever device the tests run: the same as in float64 on the CPU, within what its numbers can hold."""

    def test_numbers(self):
        def run(device, **settings):
            with Trainer(PROGRAM) as trainer:
                opened(trainer, device=device, reference="start", **settings)
                steps = [trainer.answer("sft", pairs=batch(i)) for i in range(4)]
                return steps + trainer.answers("grpo", groups=groups(0), settings={"epochs": 2, "beta": 0.1})
        wanted = run("cpu", numbers="float64")
        # The second path parts from the first with every update; its first step is what can be compared.
        for numbers, bound, compared in (("float32", 1e-3, 9), ("bfloat16", 0.1, 1)):
            for settings in ({}, {"recomputes": True}, {"pass_tokens": 4096}):
                for one, two in list(zip(wanted, run(DEVICE, numbers=numbers, **settings)))[:compared]:
                    for key in ("loss", "entropy", "gradient_norm"):
                        self.assertAlmostEqual(one[key], two[key], delta=bound * max(abs(one[key]), 1), msg=(key, numbers, settings))

    def test_sampler_and_trainer(self):
        for numbers, bound in (("float32", 1e-3), ("bfloat16", 0.5)):
            with Trainer(PROGRAM) as trainer:
                opened(trainer, numbers=numbers)
                for _ in range(2):
                    replies = trainer.generate([{"prompt": "for i in"}], replies=8, settings={"temperature": 1, "max_tokens": 12, "seed": 4})[0]
                    asked = [{"prompt": "for i in", "replies": [{"tokens": reply["tokens"], "logprobs": reply["logprobs"], "reward": i}
                                                                  for i, reply in enumerate(replies)]}]
                    self.assertLess(trainer.answer("grpo", groups=asked)["mismatch"], bound)


class CheckpointTest(FolderTest):
    def test_other_programs_load_it(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer, out=str(self.folder / "out"))
            for i in range(3):
                trainer.answer("sft", pairs=batch(i))
            saved = trainer.answer("save")
            wanted = trainer.answer("sft", pairs=[{"prompt_tokens": [50, 51, 52], "tokens": [53]}], updates=False)["loss"]
            exported = trainer.answer("save", path=str(self.folder / "exported"))
        self.assertEqual(saved["step"], 3)
        for path in (saved["path"], exported["path"]):
            last = logits(path)[-272:]
            self.assertAlmostEqual(math.log(sum(math.exp(value) for value in last)) - last[53], wanted, delta=1e-3)
            self.assertEqual(json.loads((pathlib.Path(path) / "config.json").read_text())["dtype"], "float32")
            self.assertTrue((pathlib.Path(path) / "tokenizer.json").exists())

    def test_rotation_keeps_the_newest_and_the_best(self):
        out = self.folder / "out"
        with Trainer(PROGRAM) as trainer:
            opened(trainer, out=str(out), keep=2)
            for i, value in enumerate((1, 3, 2, 2.5, 0)):
                trainer.answer("sft", pairs=batch(i, 2))
                self.assertEqual(trainer.answer("save", value=value)["is_best"], value in (1, 3))
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["best.json", "step-000002", "step-000004", "step-000005"])
        self.assertEqual(json.loads((out / "best.json").read_text()), {"name": "step-000002", "value": 3})

    def test_back_to_an_older_one(self):
        out = str(self.folder / "out")
        with Trainer(PROGRAM) as trainer:
            opened(trainer, out=out, keep=9, save_every=1)
            steps = [trainer.answer("sft", pairs=batch(i)) for i in range(4)]
        with Trainer(PROGRAM) as trainer:
            self.assertEqual(opened(trainer, out=out, keep=9, save_every=1, checkpoint="step-000002")["step"], 2)
            self.assertEqual(curve(trainer.answer("sft", pairs=batch(2))), curve(steps[2]))
        self.assertEqual(sorted(os.listdir(out)), ["step-000001", "step-000002", "step-000003", "undone"])
        with Trainer(PROGRAM) as trainer:
            self.refused(trainer, "open", "no such checkpoint", model=LLAMA, out=out, checkpoint="step-000077")

    def test_killed_at_three_places(self):
        """50 steps of both kinds, on a cosine; where a process was killed, another one goes on with the same curve."""
        def learn(trainer, number):
            if number % 5 == 4:
                return [curve(step) for step in trainer.answers("grpo", groups=groups(number), settings={"epochs": 2, "minibatches": 2})]
            return [curve(trainer.answer("sft", pairs=batch(number)))]

        settings = {"optimizer": {**OPTIMIZER, "total_steps": 60, "warmup_steps": 5}, "save_every": 4, "seed": 3, "reference": "start"}
        with Trainer(PROGRAM) as trainer:
            opened(trainer, out=str(self.folder / "whole"), **settings)
            whole = [learn(trainer, number) for number in range(32)]
        self.assertEqual(whole[-1][-1]["step"], 50)
        cut, kills = {}, [7, 18, 26]
        for kill in (*kills, None):
            with Trainer(PROGRAM) as trainer:
                facts = opened(trainer, out=str(self.folder / "cut"), **settings)
                first = facts["batch"]
                self.assertEqual(first, 0 if kill == 7 else max(key for key in range(0, max(cut) + 2, 4)))
                for number in range(first, 32):
                    if number == kill:
                        trainer.ask("sft", pairs=batch(number))  # killed at its work
                        trainer.kill()
                        break
                    cut[number] = learn(trainer, number)
        self.assertEqual([cut[number] for number in range(32)], whole)

    def test_a_checkpoint_of_other_settings(self):
        out = str(self.folder / "out")
        with Trainer(PROGRAM) as trainer:
            opened(trainer, out=out)
            trainer.answer("sft", pairs=batch(0))
            path = pathlib.Path(trainer.answer("save")["path"])
        for settings in ({"numbers": "float64"}, {"lora": {"rank": 2}}):
            with Trainer(PROGRAM) as trainer, self.assertRaises(Refused) as raised:
                opened(trainer, out=out, **settings)
            self.assertIn("are others", str(raised.exception))
        state = path / "optimizer-00000-of-00001.safetensors"
        state.write_bytes(state.read_bytes()[:-100])
        with Trainer(PROGRAM) as trainer, self.assertRaises(Refused) as raised:
            opened(trainer, out=out)
        self.assertIn("cut off", str(raised.exception))


class GrpoTest(FolderTest):
    def test_numbers_of_a_step(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer, reference="start")
            asked = groups(0)
            for reply in asked[1]["replies"]:
                reply["reward"] = 0.5
            first, second = trainer.answers("grpo", groups=asked, settings={"epochs": 2, "beta": 0.1})
            self.assertEqual((first["groups"], first["skipped_groups"], first["zero_variance_share"]), (4, 1, 0.25))
            self.assertEqual(first["sequences"], 12)
            self.assertEqual(first["tokens"], first["reply_tokens"] + 12 * 5)
            self.assertEqual(first["computed_tokens"], first["reply_tokens"] + 3 * 5)  # each prompt once
            rewards = [reply["reward"] for group in asked for reply in group["replies"]]
            mean = sum(rewards) / 16
            self.assertAlmostEqual(first["reward"], mean)
            self.assertAlmostEqual(first["reward_deviation"], math.sqrt(sum((r - mean) ** 2 for r in rewards) / 15))
            # Before the first update the policy is its own old one and the reference.
            self.assertAlmostEqual(first["ratio"], 1, delta=1e-6)
            self.assertAlmostEqual(first["divergence"], 0, delta=1e-6)
            self.assertEqual(first["clip_share"], 0)
            self.assertGreater(second["divergence"], 0)
            self.assertNotEqual(second["ratio"], 1)
            self.assertGreater(first["mismatch"], 0.1)  # the sampler's log-probabilities were made up
            self.assertTrue(second["is_last"] and not first["is_last"])

    def test_another_model_is_the_reference(self):
        """As where stage 3 begins with stage 2's weights and is held to those of stage 1."""
        with Trainer(PROGRAM) as trainer:
            opened(trainer, out=str(self.folder / "out"))
            for i in range(3):
                trainer.answer("sft", pairs=batch(i))
            later = trainer.answer("save")["path"]
        divergence = {}
        for reference in ("start", LLAMA):
            with Trainer(PROGRAM) as trainer:
                opened(trainer, model=later, reference=reference)
                divergence[reference] = trainer.answer("grpo", groups=groups(0), settings={"beta": 0.1})["divergence"]
        self.assertAlmostEqual(divergence["start"], 0, delta=1e-6)
        self.assertGreater(divergence[LLAMA], 1e-4)

    def test_no_variance_is_no_update(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            asked = groups(0)
            for group in asked:
                for reply in group["replies"]:
                    reply["reward"] = 1
            answer = trainer.answer("grpo", groups=asked)
            self.assertEqual((answer["step"], answer["zero_variance_share"], answer["reward"]), (0, 1, 1))
            self.assertIn("no group", answer["skipped"])
            cut = groups(0)
            for group in cut:
                for reply in group["replies"]:
                    reply["is_cut"] = True
            self.assertIn("cut off", trainer.answer("grpo", groups=cut, settings={"masks_cut": True})["skipped"])

    def test_the_samplers_numbers_fit_the_trainers(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer)
            for temperature in (1.0, 0.7):
                replies = trainer.generate([{"prompt": "for i in"}], replies=8, settings={"temperature": temperature, "max_tokens": 12, "seed": 4})[0]
                self.assertTrue(all(len(reply["tokens"]) == len(reply["logprobs"]) for reply in replies))
                asked = [{"prompt": "for i in", "replies": [{"tokens": reply["tokens"], "logprobs": reply["logprobs"], "reward": i}
                                                              for i, reply in enumerate(replies)]}]
                answer = trainer.answer("grpo", groups=asked, settings={"temperature": temperature})
                self.assertLess(answer["largest_mismatch"], 1e-4)
                self.assertEqual(answer["corrected_share"], 0)

    def test_a_two_armed_bandit(self):
        """One token, odd or even; even ones earn 1 and odd ones 0.2, so that the probability of even ones goes to 1."""
        prompt = {"prompt": "x"}

        def even(trainer):
            pairs = [{**prompt, "tokens": [token]} for token in range(0, 272, 2)]
            return sum(math.exp(-trainer.answer("sft", pairs=[pair], updates=False)["loss"]) for pair in pairs)
        for numbers in ("float32", "bfloat16"):
            with Trainer(PROGRAM) as trainer:
                opened(trainer, numbers=numbers, optimizer={"learning_rate": 0.005, "weight_decay": 0}, reference="start")
                before = even(trainer)
                for i in range(25):
                    replies = trainer.generate([prompt], replies=32, settings={"temperature": 1, "max_tokens": 1, "seed": 1000 * i})[0]
                    asked = [{**prompt, "replies": [{"tokens": reply["tokens"][:1], "logprobs": reply["logprobs"][:1],
                                                      "reward": 1.0 if reply["tokens"][0] % 2 == 0 else 0.2} for reply in replies]}]
                    trainer.answer("grpo", groups=asked, settings={"beta": 0.001})
                self.assertTrue(0.2 < before < 0.8, before)
                self.assertGreater(even(trainer), 0.95, numbers)

    def test_bfloat16_has_masters_in_float32(self):
        """Updates far below a weight's last place in bfloat16 are not lost; steps are those of float64 up to the products' rounding."""
        def run(numbers, rate):
            out = self.folder / f"{numbers}-{rate}"
            with Trainer(PROGRAM) as trainer:
                self.assertEqual(opened(trainer, numbers=numbers, out=str(out), reference="start",
                                        optimizer={"learning_rate": rate, "weight_decay": 0})["numbers"], numbers)
                steps = trainer.answers("grpo", groups=groups(0), settings={"epochs": 4, "beta": 0.1})
                return steps, pathlib.Path(trainer.answer("save")["path"])
        (wanted, _), (got, _) = run("float64", 1e-3), run("bfloat16", 1e-3)
        for one, two in zip(wanted, got, strict=True):
            for key in ("loss", "entropy", "gradient_norm", "mismatch", "divergence", "ratio"):
                self.assertAlmostEqual(one[key], two[key], delta=0.1 * max(abs(one[key]), 1), msg=(key, one["step"]))
        _, small = run("bfloat16", 1e-7)
        with open(small / "optimizer-00000-of-00001.safetensors", "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        self.assertEqual({one["dtype"] for name, one in header.items() if name != "__metadata__"}, {"F32"})
        difference = [abs(one - two) for one, two in zip(logits(LLAMA), logits(str(small)), strict=True)]
        self.assertTrue(0 < max(difference) < 1e-3, max(difference))

    def test_a_copy_task(self):
        """The reply shall repeat the prompt's letter four times; the reward is the share of places that are right."""
        letters = [65, 66, 67]
        prompts = [{"prompt_tokens": [letter, 30, letter]} for letter in letters]

        def rewards(trainer, seed):
            drawn = trainer.generate(prompts, replies=16, settings={"temperature": 1, "max_tokens": 4, "seed": seed})
            return drawn, [[sum(token == letter for token in reply["tokens"]) / 4 for reply in replies] for letter, replies in zip(letters, drawn)]
        with Trainer(PROGRAM) as trainer:
            opened(trainer, optimizer={"learning_rate": 0.004, "weight_decay": 0}, reference="start")
            # A start at which something succeeds now and then, as the paper's first stage gives it.
            for i in range(12):
                trainer.answer("sft", pairs=[{**prompt, "tokens": [letter] * 4} for prompt, letter in zip(prompts, letters)])
                if sum(map(sum, rewards(trainer, i)[1])) / 48 > 0.15:
                    break
            before = sum(map(sum, rewards(trainer, 77)[1])) / 48
            for i in range(40):
                drawn, earned = rewards(trainer, 10000 + 100 * i)
                asked = [{**prompt, "replies": [{"tokens": reply["tokens"], "logprobs": reply["logprobs"], "reward": reward}
                                                for reply, reward in zip(replies, own)]} for prompt, replies, own in zip(prompts, drawn, earned)]
                trainer.answer("grpo", groups=asked, settings={"beta": 0.001, "epochs": 2})
            after = sum(map(sum, rewards(trainer, 78)[1])) / 48
            self.assertLess(before, 0.6)
            self.assertGreater(after, 0.9)


def at_most(kinds):
    """Those of the given numbers of processes, with what belongs to them, for which there is room: each process needs a GPU to itself."""
    if DEVICE == "cpu":
        return kinds
    told = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    return [kind for kind in kinds if kind[0] <= told.stdout.count("GPU ")]


class ProcessesTest(FolderTest):
    def setUp(self):
        if not at_most([(2,)]):
            self.skipTest("there are no two GPUs")
        super().setUp()

    def run_both(self, processes, folder, **settings):
        with Trainer(PROGRAM, processes) as trainer:
            facts = opened(trainer, numbers="float64", out=str(folder), reference="start", **settings)
            self.assertEqual(facts["processes"], processes)
            out = [trainer.answer("sft", pairs=batch(i)) for i in range(3)]
            for i in range(2):
                out += trainer.answers("grpo", groups=groups(i), settings={"epochs": 2, "minibatches": 2, "beta": 0.1})
            out.append(trainer.answer("sft", pairs=batch(8)[:1]))  # one sequence: a process has nothing to do
            trainer.answer("save")
            self.assertEqual(trainer.end(), [0] * processes)
            return out

    def test_several_are_as_one(self):
        alone = self.run_both(1, self.folder / "one")
        kinds = at_most([(2, "none"), (2, "optimizer"), (2, "gradients"), (2, "weights"), (4, "optimizer"), (4, "gradients"), (4, "weights")])
        for processes, sharding in kinds:
            for recomputes in {False, sharding == "weights"}:
                folder = self.folder / f"{processes}-{sharding}-{recomputes}"
                for one, two in zip(alone, self.run_both(processes, folder, sharding=sharding, recomputes=recomputes), strict=True):
                    self.assertEqual(set(one), set(two))
                    for key in set(one) - {"seconds", "tokens_per_second", "passes", "computed_tokens", "peak_device_bytes"}:
                        if isinstance(one[key], float):
                            self.assertAlmostEqual(one[key], two[key], delta=1e-9, msg=(key, folder))
                        else:
                            self.assertEqual(one[key], two[key], (key, folder))
                slices = processes if sharding != "none" else 1
                wanted = [f"optimizer-{slice:05}-of-{slices:05}.safetensors" for slice in range(slices)]
                self.assertEqual(sorted(path.name for path in folder.glob("step-*/optimizer-*")), wanted)
        # What processes saved in slices, one takes up, and so do others with another kind of sharding.
        with Trainer(PROGRAM) as trainer:
            step = opened(trainer, numbers="float64", out=str(self.folder / "one"), reference="start")["step"]
            wanted = curve(trainer.answer("sft", pairs=batch(9)))
        for processes, sharding in kinds[1:]:
            folder = str(self.folder / f"{processes}-{sharding}-False")
            for takers, kind in ((1, "none"), (2, "weights")):
                with Trainer(PROGRAM, takers) as trainer:
                    self.assertEqual(opened(trainer, numbers="float64", out=folder, reference="start", sharding=kind)["step"], step)
                    got = curve(trainer.answer("sft", pairs=batch(9)))
                self.assertAlmostEqual(got["loss"], wanted["loss"], delta=1e-9)
                self.assertAlmostEqual(got["gradient_norm"], wanted["gradient_norm"], delta=1e-9)

    def test_divided_weights_are_whole_for_sampler_and_files(self):
        exported, drawn = [], []
        for processes, settings in at_most([(1, {}), (2, {"sharding": "weights"}), (4, {"sharding": "weights", "recomputes": True})]):
            with Trainer(PROGRAM, processes) as trainer:
                opened(trainer, **settings)
                for i in range(2):
                    trainer.answer("sft", pairs=batch(i))
                    replies = trainer.generate([{"prompt": "for i in"}], replies=4, settings={"temperature": 1, "max_tokens": 12, "seed": 4})[0]
                trainer.answer("sft", pairs=batch(3), updates=False)
                path = self.folder / str(processes)
                trainer.answer("save", path=str(path))
                self.refused(trainer, "save", "cannot be written", path="/proc/nowhere")
                trainer.answer("sft", pairs=batch(4))
                self.assertEqual(trainer.end(), [0] * processes)
            exported.append(logits(str(path)))
            drawn.append([logprob for reply in replies for logprob in reply["logprobs"]])
        for other, replies in zip(exported[1:], drawn[1:]):
            for numbers, wanted in ((other, exported[0]), (replies, drawn[0])):
                for one, two in zip(numbers, wanted, strict=True):
                    self.assertAlmostEqual(one, two, delta=1e-3)

    def test_a_process_that_dies(self):
        with Trainer(PROGRAM, 2) as trainer:
            opened(trainer)
            trainer.processes[0].kill()
            trainer.processes[0].wait()
            trainer.ask("sft", pairs=batch(0))
            while (answer := trainer.next())["type"] != "error" or answer["id"] != 0:
                self.assertIn(answer["type"], ("error",))
            self.assertIn("lost each other", answer["message"])
            self.assertEqual(trainer.process.wait(timeout=60), 1)

    def test_a_process_that_dies_while_nothing_is_asked(self):
        with Trainer(PROGRAM, 2) as one, Trainer(PROGRAM, 2) as two:
            for trainer, dead in ((one, 0), (two, 1)):
                opened(trainer)
                trainer.processes[dead].kill()
                trainer.processes[dead].wait()
            self.assertEqual((one.processes[1].wait(timeout=60), two.processes[0].wait(timeout=60)), (1, 1))
            self.assertIn("another one has died", one.next()["message"])


class ProtocolTest(FolderTest):
    def test_what_is_refused(self):
        with Trainer(PROGRAM) as trainer:
            self.refused(trainer, "sft", "No training is open", pairs=[])
            for settings, word in (({"optimizer": {"learning_rate": -1}}, "learning rate"), ({"pass_tokens": 0}, "makes no sense"),
                                   ({"numbers": "int1"}, "int1"), ({"device": "toaster"}, "toaster"), ({"lora": {"rank": 2, "targets": ["x"]}}, "'x'"),
                                   ({"optimizer": {"decay": "sudden"}}, "sudden"), ({"checkpoint": "step-1"}, "named by its folder"),
                                   ({"model": "/nowhere"}, "no such model"),
                                   ({"reference": str(DATA / "qwen3")}, "64 tokens"), ({"optimizer": {"beta1": 1}}, "beta1")):
                self.refused(trainer, "open", word, **{"model": LLAMA, **settings})
            opened(trainer)
            self.refused(trainer, "open", "open already", model=LLAMA)
            for pair, word in (({"prompt": "a", "tokens": [999]}, "no token"), ({"tokens": [1]}, "either messages"), ({"prompt": "a", "tokens": [1] * 200}, "holds 128"),
                               ({"prompt": "a", "prompt_tokens": [1], "tokens": [1]}, "either messages"), ({"prompt": "a", "reply": "b", "tokens": [1]}, "either a text"),
                               ({"prompt": "a", "reply": 5}, "cannot be read")):
                self.refused(trainer, "sft", word, pairs=[pair])
            good = groups(0, 1)[0]
            for group, settings, word in (({**good, "replies": good["replies"][:1]}, {}, "two replies"), (good, {"clip_low": 2}, "clip_low"),
                                          (good, {"mean": "median"}, "median"), (good, {"epochs": 0}, "epochs"), (good, {"temperature": 0}, "temperature"),
                                          ({**good, "replies": [{**good["replies"][0], "logprobs": [-1]}, good["replies"][1]]}, {}, "log-probabilities")):
                self.refused(trainer, "grpo", word, groups=[group], settings=settings)
            self.refused(trainer, "save", "without a folder")
            self.refused(trainer, "dance", "dance")
            answer = trainer.answer("info")
            self.assertEqual((answer["type"], answer["step"], answer["batch"]), ("facts", 0, 0))
            for line in (b"garbage\n", b"[1]\n", b'{"type": 5}\n', b'{"type": "sft"}\n', b"\xff\xfe\n"):
                trainer.raw(line)
                self.assertEqual(trainer.next()["code"], "invalid_argument")
            # None of it has changed anything.
            self.assertEqual(trainer.answer("sft", pairs=batch(0))["step"], 1)
            self.assertEqual(trainer.end(), [0])

    def test_a_model_without_a_tokenizer(self):
        with Trainer(PROGRAM) as trainer:
            opened(trainer, model=str(DATA / "qwen3"))
            self.refused(trainer, "sft", "tokenizer", pairs=[{"prompt": "a", "reply": "b"}])
            self.assertEqual(trainer.answer("sft", pairs=[{"prompt_tokens": [3, 4], "tokens": [5, 6]}])["step"], 1)

    def test_wrong_use(self):
        for arguments in ([], ["dance"], ["serve", "x"]):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertIn(b"--help", done.stderr)
        done = subprocess.run([PROGRAM, "serve"], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
                              env={**os.environ, "WORLD_SIZE": "2", "RANK": "0"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"MASTER_ADDR", done.stderr)
        with Trainer(PROGRAM, hello=False) as trainer:
            trainer.send({"type": "hello", "protocol": 99})
            self.assertIn("version 99", trainer.next()["message"])
            self.assertEqual(trainer.process.wait(timeout=60), 1)


if __name__ == "__main__":
    with Trainer(PROGRAM) as first:
        try:
            opened(first)
            first.generate([{"prompt": "a"}], replies=1, settings={"max_tokens": 1})
        except Refused as error:
            if error.answer["code"] != "unavailable":
                raise
            print("skipped:", error)
            sys.exit(77)
    sys.argv[1:4] = []
    unittest.main(verbosity=2)
