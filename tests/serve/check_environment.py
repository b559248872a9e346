# SPDX-License-Identifier: GPL-3.0-or-later
# Episodes over HTTP and WebSockets, in OpenEnv's messages, against a recorded evaluator.
#
# usage: check_environment.py CUDAL1 REPLAY_EVALUATOR [TEST...]
import concurrent.futures
import json

from servetest import Server, WebSocket, run, source, until


def test_an_episode_over_the_websocket():
    with Server() as server:
        client = WebSocket(server)
        assert client.ask({"type": "state"})["data"] == {"episode_id": None, "step_count": 0}
        early = client.ask({"type": "step", "data": {"source": source()}})
        assert early["type"] == "error" and early["data"]["code"] == "VALIDATION_ERROR" and "Reset" in early["data"]["message"], early
        begun = client.ask({"type": "reset", "data": {"task": "1/1", "episode_id": "mine", "max_steps": 4, "preset": "quick"}})
        seen = begun["data"]["observation"]
        assert begun["type"] == "observation" and begun["data"]["reward"] is None and begun["data"]["done"] is False
        assert seen["task"] == "1/1" and "class Model" in seen["reference"] and seen["device"] == "cpu" and seen["verdict"] is None
        assert seen["steps_left"] == 4 and seen["episode_id"] == "mine", seen
        steps = [({"source": source("wrong")}, 0, "incorrect"), ({"reply": "I do not know."}, 0, "no_code"),
                 ({"reply": "```python\n" + source("slower") + "```", "metadata": {}}, 0.99, "correct"), ({"source": source()}, 2.11, "correct")]
        for number, (action, reward, verdict) in enumerate(steps, 1):
            answer = client.ask({"type": "step", "data": action})
            seen = answer["data"]["observation"]
            assert answer["type"] == "observation" and answer["data"]["reward"] == reward == seen["reward"], answer["data"]["reward"]
            assert seen["verdict"] == verdict and seen["step"] == number and answer["data"]["done"] == (number == 4), seen["verdict"]
            if verdict == "incorrect":
                assert seen["reasons"][0]["code"] == "wrong_values" and len(seen["reasons"][0]["evidence"]) == 4096
        assert seen["speedup"] == {"estimate": 2.118, "low": 2.05, "high": 2.2} and seen["best_reward"] == 2.11, seen
        over = client.ask({"type": "step", "data": {"source": source()}})
        assert over["data"]["code"] == "VALIDATION_ERROR" and "over" in over["data"]["message"], over
        state = client.ask({"type": "state"})["data"]
        assert state["step_count"] == 4 and state["done"] and state["best_reward"] == 2.11 and state["episode_id"] == "mine", state
        assert client.ask({"type": "reset", "data": {}})["data"]["observation"]["step"] == 0
        client.send(json.dumps({"type": "close"}))
        assert client.receive() is None


def test_drawn_tasks():
    with Server() as server:
        client = WebSocket(server)
        drawn = [client.ask({"type": "reset", "data": {"seed": seed}})["data"]["observation"]["task"] for seed in (1, 1, 2, 3, 4, 5)]
        assert drawn[0] == drawn[1] and all(one.startswith("1/") for one in drawn), drawn
        reference = "class Model: pass\ndef get_inputs(): return []\ndef get_init_inputs(): return []\n"
        own = client.ask({"type": "reset", "data": {"reference": reference}})["data"]["observation"]
        assert own["task"].startswith("text/") and own["reference"] == reference


def test_wrong_messages():
    with Server() as server:
        client = WebSocket(server)
        for text, code in [("{", "INVALID_JSON"), ("[]", "INVALID_JSON"), ("\"x\"", "INVALID_JSON"), ("{}", "UNKNOWN_TYPE"),
                           ('{"type": "fly"}', "UNKNOWN_TYPE"), ('{"type": 7}', "UNKNOWN_TYPE"),
                           ('{"type": "reset", "data": 7}', "VALIDATION_ERROR"), ('{"type": "reset", "data": {"task": 3}}', "VALIDATION_ERROR"),
                           ('{"type": "reset", "data": {"task": "9/9"}}', "VALIDATION_ERROR"),
                           ('{"type": "reset", "data": {"max_steps": 0}}', "VALIDATION_ERROR"),
                           ('{"type": "reset", "data": {"seed": "x"}}', "VALIDATION_ERROR"),
                           ('{"type": "reset", "data": {"device": "tpu"}}', "VALIDATION_ERROR"),
                           ('{"type": "step"}', "VALIDATION_ERROR"), ('{"type": "step", "data": [1]}', "VALIDATION_ERROR")]:
            client.send(text)
            answer = json.loads(client.receive())
            assert answer["type"] == "error" and answer["data"]["code"] == code and answer["data"]["message"], (text, answer)
        client.ask({"type": "reset", "data": {"task": "1/1"}})
        wrong = client.ask({"type": "step", "data": {"code": "x"}})
        assert wrong["data"]["code"] == "VALIDATION_ERROR" and client.ask({"type": "state"})["data"]["step_count"] == 0
        # What is no text ends the connection, and so does what is far too long.
        client.send(b"\0\1", opcode=2)
        assert client.receive() is None
        large = WebSocket(server)
        try:
            large.send("x" * (13 << 20))
            assert large.receive() is None
        except ConnectionError:
            pass
        impatient = WebSocket(server)
        impatient.ask({"type": "reset", "data": {"task": "1/1"}})
        for number in range(40):
            impatient.send(json.dumps({"type": "step", "data": {"source": source("hang", number)}}))
        # One is judged and 16 wait; the others are refused, or the connection is closed.
        codes = []
        try:
            while len(codes) < 23 and (text := impatient.receive()) is not None:
                codes.append(json.loads(text)["data"]["code"])
        except ConnectionError:
            pass
        assert set(codes) <= {"CAPACITY_REACHED"}, codes
        impatient.close()
        until(lambda: server.metric("cudal1_open_requests") == 0, "its step is not judged any more")
        assert server.evaluate()[0] == 200


def test_who_goes_is_not_judged_for():
    with Server() as server:
        client = WebSocket(server)
        client.ask({"type": "reset", "data": {"task": "1/1"}})
        client.send(json.dumps({"type": "step", "data": {"source": source("hang")}}))
        until(lambda: server.metric("cudal1_open_requests") == 1, "a step is open")
        client.close()
        until(lambda: server.metric("cudal1_open_requests") == 0, "it is taken back")


def test_messages_behind_a_step_wait():
    with Server() as server:
        client = WebSocket(server)
        client.ask({"type": "reset", "data": {"task": "1/1"}})
        client.send(json.dumps({"type": "step", "data": {"source": source("half a second")}}))
        client.send(json.dumps({"type": "state"}))
        first, second = json.loads(client.receive()), json.loads(client.receive())
        assert first["type"] == "observation" and second["type"] == "state" and second["data"]["step_count"] == 1, (first, second)


def test_100_episodes_at_a_time():
    with Server() as server:
        def play(number):
            client = WebSocket(server)
            client.ask({"type": "reset", "data": {"task": "1/1", "max_steps": 2, "preset": "quick"}})
            rewards = [client.ask({"type": "step", "data": {"source": source(word, number)}})["data"]["reward"] for word in ("wrong", "")]
            client.close()
            return rewards
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            assert list(pool.map(play, range(100))) == [[0, 2.11]] * 100


def test_episodes_over_http():
    with Server() as server:
        schema = server.ask("GET", "/schema")[2]
        assert set(schema) == {"action", "observation", "state"} and "source" in schema["action"]["properties"]
        assert server.ask("GET", "/metadata")[2]["name"] == "cudal1"
        assert server.ask("GET", "/state")[2] == {"episode_id": None, "step_count": 0}
        assert server.ask("POST", "/step", {"action": {"source": source()}})[0] == 422
        status, _, begun = server.ask("POST", "/reset", {"task": "1/1", "preset": "quick"})
        assert status == 200 and begun["observation"]["task"] == "1/1" and begun["reward"] is None
        other = server.ask("POST", "/reset", {"task": "1/1", "episode_id": "other"})[2]
        assert other["observation"]["episode_id"] == "other"
        mine = begun["observation"]["episode_id"]
        status, _, stepped = server.ask("POST", "/step", {"action": {"source": source()}, "episode_id": mine})
        assert status == 200 and stepped["reward"] == 2.11 and stepped["observation"]["step"] == 1
        assert server.ask("GET", f"/state?episode_id={mine}")[2]["step_count"] == 1
        assert server.ask("GET", "/state?episode_id=other")[2]["step_count"] == 0
        assert server.ask("GET", "/state?episode_id=none")[0] == 404
        for body in ({"action": {}}, {"action": 7}, {}, {"action": {"source": source()}, "episode_id": "none"}, b"[", b"7"):
            assert server.ask("POST", "/step", body)[0] == 422, body
        assert server.ask("POST", "/reset", b"")[0] == 200, "a body is not needed"
        # A reset takes the step back that is under way, and whoever waits for it is told.
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waits = pool.submit(server.ask, "POST", "/step", {"action": {"source": source("hang")}, "episode_id": mine})
            until(lambda: server.metric("cudal1_open_requests") == 1, "a step is open")
            assert server.ask("POST", "/reset", {"task": "1/1", "episode_id": mine})[0] == 200
            status, _, answer = waits.result()
            assert status == 409 and "reset" in answer["error"]["message"], (status, answer)
        assert server.metric("cudal1_open_requests") == 0


run(globals())
