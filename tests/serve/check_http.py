# SPDX-License-Identifier: GPL-3.0-or-later
# The judge over plain HTTP, from outside, against a recorded evaluator.
#
# usage: check_http.py CUDAL1 REPLAY_EVALUATOR [TEST...]
import base64
import concurrent.futures
import http.client
import json
import os
import socket
import subprocess
import time

from servetest import DEADLINE, SUITE, Server, WebSocket, run, source, until


def test_an_evaluation_is_that_of_the_command_line():
    with Server() as server:
        status, headers, served = server.evaluate(seed=7)
        assert status == 200 and headers["Content-Type"] == "application/json", (status, served)
        candidate = server.folder / "candidate.py"
        candidate.write_text(source())
        command = subprocess.run([server.program, "evaluate", "1/1", str(candidate), "--json", "--device", "cpu", "--preset", "quick",
                                  "--seed", "7", "--suite", str(SUITE), "--project", str(server.folder / "other.cudal1")],
                                 env=server.environment(), capture_output=True, text=True, timeout=DEADLINE)
        printed = json.loads(command.stdout)
        extra = {name: served.pop(name) for name in ("reward", "reward_estimate", "interval", "cached")}
        assert served == printed, (served, printed)
        # The paper's example of rounding toward 1: 2.118 is 2.11.
        assert extra == {"reward": 2.11, "reward_estimate": 2.118, "interval": {"estimate": 2.118, "low": 2.05, "high": 2.2},
                         "cached": False}, extra


def test_rewards_follow_the_papers_rule():
    with Server() as server:
        words = ["", "slower", "wrong", "untimed", "lost reference"]
        answers = [server.evaluate(source=source(word))[2] for word in words]
        assert [one["reward"] for one in answers] == [2.11, 0.99, 0, None, None], [one["reward"] for one in answers]
        assert "not timed" in answers[3]["reward_why"] and "reference" in answers[4]["reward_why"].lower()
        fence = "Here it is:\n```python\n" + source("slower", 1) + "```\nFaster."
        status, _, many = server.ask("POST", "/rewards", {"task": "1/1", "preset": "quick", "completions": [
            fence, "I cannot.", [{"role": "user", "content": "go"}, {"role": "assistant", "content": fence.replace("slower", "wrong")}],
            "```python\nclass ModelNew:"]})
        assert status == 200 and many["rewards"] == [0.99, 0, 0, 0], many
        assert many["verdicts"] == ["correct", None, "incorrect", None] and many["variants"][1] is None, many
        assert "cut off" in many["reasons"][3] and "no block of code" in many["reasons"][1], many["reasons"]
        status, _, plain = server.ask("POST", "/rewards", {"tasks": ["1/1", "1/1"], "sources": [source(), source("wrong")]})
        assert status == 200 and plain["rewards"] == [2.11, 0], plain


def test_a_reference_of_its_own():
    reference = (SUITE / "level1" / "1_Chain.py").read_text()
    with Server() as server:
        known = server.ask("POST", "/evaluate", {"reference": reference, "source": source()})[2]
        assert known["task"] == "1/1", known["task"]
        other = server.ask("POST", "/evaluate", {"reference": reference + "# mine\n", "source": source()})[2]
        assert other["task"].startswith("text/") and other["reward"] == 2.11, other["task"]
        status, _, bad = server.ask("POST", "/evaluate", {"reference": "class ModelNew:\n    pass\n", "source": source()})
        assert status == 400 and "Model" in bad["error"]["message"], bad


def test_no_references():
    with Server("--no-references") as server:
        status, _, bad = server.ask("POST", "/evaluate", {"reference": (SUITE / "level1" / "1_Chain.py").read_text(), "source": source()})
        assert status == 400 and "not taken" in bad["error"]["message"], bad
        assert server.ask("POST", "/reset", {"reference": "class Model: pass"})[0] == 422 and server.evaluate()[0] == 200


def test_what_is_wrong_is_said():
    with Server("--device", "cpu") as server:
        cases = [
            (b"{", 400, "no JSON"), (b"[]", 400, "array"), (b"\xff\xfe", 400, "no JSON"), (b"", 400, "no JSON"),
            ({"source": source()}, 400, "no task"),
            ({"task": "1/1", "reference": "x", "source": source()}, 400, "two ways"),
            ({"task": "9/99", "source": source()}, 404, "9/99"),
            ({"task": "/etc/passwd", "source": source()}, 404, "/etc/passwd"),
            ({"task": "../../level1/1_Chain.py", "source": source()}, 404, "no task"),
            ({"task": 7, "source": source()}, 400, "\"task\" is a text"),
            ({"task": "1/1"}, 400, "no candidate"), ({"task": "1/1", "source": " \n"}, 400, "empty"),
            ({"task": "1/1", "source": source(), "device": "cuda:7"}, 400, "cuda:7"),
            ({"task": "1/1", "source": source(), "preset": "slow"}, 400, "quick, standard or paper"),
            ({"task": "1/1", "source": source(), "precision": "fp8"}, 400, "kernelbench, ieee or tf32"),
            ({"task": "1/1", "source": source(), "seed": -1}, 400, "\"seed\""),
            ({"task": "1/1", "source": source(), "seed": 2**60}, 400, "\"seed\""),
            ({"task": "1/1", "source": source(), "cached": "yes"}, 400, "\"cached\""),
            ({"task": "1/1", "reply": "no code here"}, 400, "no block of code"),
            ({"task": "1/1", "source": source("refused")}, 400, "cannot be judged"),
        ]
        for body, wanted, says in cases:
            status, _, answer = server.ask("POST", "/evaluate", body)
            assert status == wanted and says in answer["error"]["message"] + answer["error"]["context"], (body, status, answer)
        for deep in (b'{"task":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}", b'{"a":' * 100_000 + b"1" + b"}" * 100_000):
            for path in ("/evaluate", "/rewards", "/step", "/mcp"):
                assert server.ask("POST", path, deep)[0] in (400, 422), path
        for method, path, wanted in [("GET", "/evaluate", 405), ("POST", "/health", 405), ("GET", "/nothing", 404),
                                     ("PUT", "/", 405), ("GET", "/evaluations/1-1-00", 404), ("GET", "/evaluations/", 404),
                                     ("GET", "/ws", 426), ("DELETE", "/evaluations/x", 404), ("GET", "/tasks/9/9", 404)]:
            status, _, answer = server.ask(method, path, None if method == "GET" else b"{}")
            assert status == wanted and answer["error"]["message"], (method, path, status)
        assert [one["task"] for one in server.ask("GET", "/tasks")[2]["tasks"]] == ["1/1", "1/2"] or server.ask("GET", "/tasks")[2]["tasks"]
        assert "class Model" in server.ask("GET", "/tasks/1/1")[2]["reference"]
        # A candidate that ends its evaluator is judged, and the next one too.
        crashed = server.evaluate(source=source("crash"))[2]
        assert crashed["verdict"] == "crashed" and crashed["reward"] == 0, crashed
        assert server.evaluate()[0] == 200


def test_tokens():
    with Server() as server:
        body = {"task": "1/1", "source": source()}
        assert len(server.token) == 64
        for headers in [{}, {"Authorization": "Bearer "}, {"Authorization": "Bearer x"}, {"Authorization": server.token},
                        {"Authorization": "Bearer " + server.token[:-1]}, {"Authorization": "Bearer " + server.token + "0"},
                        {"Authorization": "Basic !!!"}, {"Authorization": "Digest " + server.token}]:
            status, answer, said = server.ask("POST", "/evaluate", body, token=False, headers=headers)
            assert status == 401 and answer["WWW-Authenticate"] == "Bearer" and "token" in said["error"]["message"], (headers, status)
        for path in ("/metrics", "/", "/tasks", "/state", "/nothing"):
            assert server.ask("GET", path, token=False)[0] == 401, path
        assert server.ask("GET", "/health", token=False)[2]["status"] == "healthy"
        assert WebSocket(server, authorization="Bearer x").status == 401
        # Clients that know no header but a URL give the token as a password in it.
        basic = "Basic " + base64.b64encode(f"any:{server.token}".encode()).decode()
        assert server.ask("GET", "/tasks", token=False, headers={"Authorization": basic})[0] == 200
        assert WebSocket(server, authorization=basic).status == 101
        assert not server.asked(), "a refused request was judged"
        page = {"Origin": "https://evil.example"}
        assert server.ask("POST", "/evaluate", body, headers=page)[0] == 403
        # Not a byte of the body is waited for.
        head = f"POST /evaluate HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 1000000\r\n\r\n"
        assert b" 401 " in server.raw(head.encode())
    with Server(token=False) as server:
        assert server.token is None and server.ask("GET", "/tasks")[0] == 200
        for headers in [{"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"}, {"Origin": "https://evil.example"},
                        {"Origin": "null"}]:
            assert server.ask("POST", "/evaluate", body, headers=headers)[0] == 403, headers
        assert server.ask("GET", "/tasks", headers={"Host": f"localhost:{server.port}", "Origin": "http://localhost:9"})[0] == 200


def test_files_of_tokens():
    with Server(token=False) as server:
        file = server.folder / "tokens"

        def tried(*options):
            done = subprocess.run(server.command("serve", *options), env=server.environment(), capture_output=True, text=True,
                                  timeout=DEADLINE)
            return done.returncode, done.stderr

        for options, says in [(["--no-token", "--host", "0.0.0.0"], "token is needed"), (["--host", "no.such.host.invalid"], "no host"),
                              (["--port", "70000"], "--port"), (["--queue", "0"], "--queue"), (["--port", str(server.port)], "cannot be served"),
                              (["--no-token", "--token-file", str(file)], "exclude"), (["--device", "cuda:3"], "cuda:3"),
                              (["--token-file", "/nonexistent/file"], "cannot be read")]:
            status, text = tried(*options)
            assert status in (2, 3) and says in text, (options, status, text)
        file.write_text("short\n")
        file.chmod(0o600)
        assert "at least 16" in tried("--token-file", str(file))[1]
        file.chmod(0o644)
        assert "Others may read" in tried("--token-file", str(file))[1]
        file.unlink()
        with Server("--token-file", str(file)) as made:
            assert file.read_text().strip() == made.token and file.stat().st_mode & 0o777 == 0o600
        file.write_text("# two\nalice aaaaaaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbbbbbb\n")
        with Server("--token-file", str(file), "--per-client", "1", "--queue", "10") as shared:
            assert shared.token == "aaaaaaaaaaaaaaaaaaaa"
            first = shared.ask("POST", "/evaluate", {"task": "1/1", "source": source("hang"), "async": True})
            assert first[0] == 202
            again = shared.ask("POST", "/evaluate", {"task": "1/1", "source": source("hang", 1)})
            assert again[0] == 429 and "share" in again[2]["error"]["message"], again
            bob = shared.ask("POST", "/evaluate", {"task": "1/1", "source": source("hang", 1), "async": True}, token=False,
                             headers={"Authorization": "Bearer bbbbbbbbbbbbbbbbbbbb"})
            assert bob[0] == 202, bob


def test_garbage():
    with Server("--patience", "1") as server:
        for garbage in [b"\x16\x03\x01\x02\x00\x01\x00", b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET nothing HTTP/1.1\r\n\r\n",
                        b"POST /evaluate HTTP/1.1\r\nContent-Length: -5\r\n\r\n", b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"\0" * 300 + b"\r\n\r\n", os.urandom(4096) + b"\r\n\r\n"]:
            answer = server.raw(garbage)
            assert answer == b"" or answer.split()[1] in (b"400", b"401", b"431"), (garbage[:40], answer[:100])
        assert b" 431 " in server.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n")
        auth = f"Host: localhost\r\nAuthorization: Bearer {server.token}\r\n".encode()
        chunked = b"POST /evaluate HTTP/1.1\r\n" + auth + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
        assert b" 400 " in server.raw(chunked)
        # A head and a body that come too slowly, or never.
        began = time.monotonic()
        assert b" 408 " in server.raw(b"POST /evaluate HTTP/1.1\r\n" + auth)
        assert b" 408 " in server.raw(b"POST /evaluate HTTP/1.1\r\n" + auth + b"Content-Length: 100\r\n\r\n{")
        assert 2 <= time.monotonic() - began < 30
        with socket.create_connection(("127.0.0.1", server.port)) as drip:
            drip.settimeout(DEADLINE)
            drip.sendall(b"POST /evaluate HTTP/1.1\r\n" + auth + b"Content-Length: 1000\r\n\r\n")
            got = b""
            while b"\r\n\r\n" not in got:
                try:
                    drip.sendall(b" ")
                    drip.settimeout(0.1)
                    got += drip.recv(4096)
                except TimeoutError:
                    pass
            assert b" 408 " in got, got
        assert server.evaluate()[0] == 200


def test_too_large():
    with Server() as server:
        status, _, answer = server.evaluate(source="#" * (4 << 20) + "#")
        assert status == 413 and "4" in answer["error"]["message"], (status, answer)
        assert server.evaluate(source=source() + "#" * ((4 << 20) - len(source())))[0] == 200
        status, _, answer = server.ask("POST", "/evaluate", b" " * (13 << 20))
        assert status == 413, status
        auth = f"Host: localhost\r\nAuthorization: Bearer {server.token}\r\n".encode()
        head = b"POST /evaluate HTTP/1.1\r\n" + auth + b"Content-Length: 99999999999\r\n\r\n"
        assert b" 413 " in server.raw(head)
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        assert b" 413 " in server.raw(b"POST /evaluate HTTP/1.1\r\n" + auth + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 14)
        status, _, many = server.ask("POST", "/evaluate/batch", {"task": "1/1", "requests": [{"source": source()}] * 1025})
        assert status == 400 and "1024" in many["error"]["message"]
        assert server.evaluate()[0] == 200


def test_expect_continue_and_pipelines():
    with Server() as server:
        auth = f"Host: localhost\r\nAuthorization: Bearer {server.token}\r\n"
        body = json.dumps({"task": "1/1", "source": source()}).encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as connection:
            connection.sendall(f"POST /evaluate HTTP/1.1\r\n{auth}Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n".encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 100 ")
            connection.sendall(body)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        one = f"POST /evaluate HTTP/1.1\r\n{auth}Content-Length: {len(body)}\r\n\r\n".encode() + body
        last = f"GET /health HTTP/1.1\r\n{auth}Connection: close\r\n\r\n".encode()
        answers = server.raw(one + one + last)
        assert answers.count(b"HTTP/1.1 200 OK") == 3, answers[:200]
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        for _ in range(20):
            connection.request("GET", "/health")
            assert connection.getresponse().read()
        assert server.metric("cudal1_http_connections") >= 1


def test_200_clients_at_a_time():
    with Server("--queue", "500") as server:
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(lambda i: server.evaluate(source=source("wrong" if i % 2 else "", i)), range(200)))
        assert all(status == 200 for status, _, _ in answers), {status for status, _, _ in answers}
        assert [one["reward"] for _, _, one in answers] == [0 if i % 2 else 2.11 for i in range(200)]
        assert len({one["evaluation"] for _, _, one in answers}) == 200 and len(server.asked()) == 200
        # 200 that want the same are judged once.
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            same = list(pool.map(lambda i: server.evaluate(source=source("half a second", 1))[2]["evaluation"], range(200)))
        assert len(server.asked()) - 200 == len(set(same)) < 20, len(set(same))
        assert server.metric("cudal1_shared_requests_total") == 200 - len(set(same))
        assert server.metric("cudal1_open_requests") == 0


def test_batch():
    with Server() as server:
        status, _, answer = server.ask("POST", "/evaluate/batch", {"task": "1/1", "preset": "quick", "samples": False, "requests": [
            {"source": source()}, {"source": source("wrong")}, {"source": ""}, {"source": source(), "task": "9/9"}, 7]})
        results = answer["results"]
        assert status == 200 and [one.get("reward") for one in results] == [2.11, 0, None, None, None], results
        assert "pairs" not in results[0] and "empty" in results[2]["error"]["message"] and results[3]["error"]["code"] == "not_found"


def test_stored_answers():
    with Server() as server:
        first = server.evaluate(seed=5)[2]
        assert not first["cached"]
        again = server.evaluate()[2]
        assert again["evaluation"] != first["evaluation"] and not again["cached"], "judged anew unless asked"
        cached = server.evaluate(cached=True)[2]
        assert cached["cached"] and cached["evaluation"] == again["evaluation"] and cached["variant"] == first["variant"]
        assert server.evaluate(cached=True, seed=5)[2]["evaluation"] == first["evaluation"]
        assert not server.evaluate(cached=True, seed=6)[2]["cached"], "another seed is another evaluation"
        assert not server.evaluate(cached=True, preset="standard")[2]["cached"]
        assert len(server.asked()) == 4


def test_a_client_that_goes_is_not_judged_for():
    with Server() as server:
        def leave(word, number):
            body = json.dumps({"task": "1/1", "source": source(word, number)}).encode()
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(f"POST /evaluate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
                               f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            return connection
        left = [leave("hang", number) for number in range(5)]
        until(lambda: server.metric("cudal1_open_requests") == 5, "five are open")
        until(lambda: len(server.asked()) >= 1, "the first is judged")
        for connection in left:
            connection.close()
        until(lambda: server.metric("cudal1_open_requests") == 0, "none is open")
        assert server.evaluate()[2]["reward"] == 2.11, "the judge is free again"
        assert server.ask("GET", "/metrics")[2].count("cudal1_evaluations_total{") == 1
        # Two that share one judging: one goes, the other is answered.
        gone = leave("half a second", 1)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            until(lambda: server.metric("cudal1_open_requests") == 1, "one is open")
            stays = pool.submit(server.evaluate, source=source("half a second", 1), preset="standard")
            until(lambda: server.metric("cudal1_shared_requests_total") == 1, "shared")
            gone.close()
            assert stays.result(DEADLINE)[2]["reward"] == 2.11
        # A whole batch goes.
        body = json.dumps({"task": "1/1", "requests": [{"source": source("hang", 20 + i)} for i in range(30)]}).encode()
        batch = socket.create_connection(("127.0.0.1", server.port))
        batch.sendall(f"POST /evaluate/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
                      f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        until(lambda: server.metric("cudal1_open_requests") == 30, "a batch is open")
        batch.close()
        until(lambda: server.metric("cudal1_open_requests") == 0, "the batch is gone")


def test_a_full_queue():
    with Server("--queue", "3") as server:
        ids = []
        for number in range(3):
            status, headers, answer = server.evaluate(source=source("hang", number), **{"async": True})
            assert status == 202 and headers["Location"] == answer["url"] == "/evaluations/" + answer["id"], answer
            ids.append(answer["id"])
        status, headers, answer = server.evaluate()
        assert status == 429 and 1 <= int(headers["Retry-After"]) <= 600 and answer["error"]["code"] == "limit_reached", answer
        status, headers, answer = server.ask("POST", "/evaluate/batch", {"task": "1/1", "requests": [{"source": source()}]})
        assert status == 429 and headers["Retry-After"]
        assert server.ask("POST", "/rewards", {"task": "1/1", "sources": [source()]})[0] == 429
        assert "cudal1_refused_requests_total{code=\"limit_reached\"} 3" in server.ask("GET", "/metrics")[2]
        assert server.ask("DELETE", "/evaluations/" + ids[1])[2] == {"id": ids[1], "state": "withdrawn"}
        assert server.ask("GET", "/evaluations/" + ids[1])[2]["state"] == "withdrawn"
        assert server.ask("DELETE", "/evaluations/" + ids[1])[0] == 409
        positions = [server.ask("GET", "/evaluations/" + one)[2]["position"] for one in (ids[0], ids[2])]
        assert positions == [0, 1], positions
        for one in (ids[0], ids[2]):
            assert server.ask("DELETE", "/evaluations/" + one)[0] == 200
        assert server.evaluate()[0] == 200


def test_asked_about_later():
    with Server() as server:
        status, _, accepted = server.ask("POST", "/evaluate/batch", {"task": "1/1", "async": True, "preset": "quick", "requests": [
            {"source": source("half a second", 1)}, {"source": source("wrong")}, {"source": source("refused")}]})
        assert status == 202 and len(accepted["accepted"]) == 3, accepted
        one, two, three = (entry["url"] for entry in accepted["accepted"])
        done = server.ask("GET", one + "?wait=30")[2]
        assert done["state"] == "done" and done["result"]["reward"] == 2.11 and "position" not in done, done
        assert "pairs" not in server.ask("GET", one + "?samples=false")[2]["result"]
        assert server.ask("GET", two + "?wait=30")[2]["result"]["reward"] == 0
        failed = server.ask("GET", three + "?wait=30")[2]
        assert failed["state"] == "failed" and "cannot be judged" in failed["error"]["message"], failed
        assert server.ask("GET", one + "?wait=soon")[0] == 400
        assert server.ask("GET", one[:-1] + ("0" if one[-1] != "0" else "1"))[0] == 404, "an id has a part that nobody guesses"
        waiting = server.evaluate(source=source("hang"), **{"async": True})[2]
        until(lambda: server.ask("GET", waiting["url"])[2]["position"] == 0, "at the judge")
        assert server.ask("GET", waiting["url"] + "?wait=1")[2]["state"] in ("waiting", "judging")
        prefer = server.ask("POST", "/evaluate", {"task": "1/1", "source": source()}, headers={"Prefer": "respond-async"})
        assert prefer[0] == 202


def test_the_schema_of_an_evaluation_holds():
    try:
        import jsonschema
    except ImportError:
        print("left out: the Python package jsonschema is not installed")
        return
    import servetest
    schema = json.loads((servetest.HERE.parent.parent / "docs" / "evaluation.schema.json").read_text())
    with Server() as server:
        for word in ("", "wrong"):
            jsonschema.validate(server.evaluate(source=source(word))[2], schema)


def test_metrics_are_prometheus_text():
    with Server() as server:
        server.evaluate()
        status, headers, text = server.ask("GET", "/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
        known = set()
        for line in text.splitlines():
            if line.startswith("# TYPE"):
                known.add(line.split()[2])
            elif not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                float(value)
                base = name.split("{")[0]
                for suffix in ("_bucket", "_sum", "_count"):
                    if base.removesuffix(suffix) in known:
                        base = base.removesuffix(suffix)
                assert base in known, line
        assert "cudal1_evaluations_total{verdict=\"correct\"} 1" in text
        assert "cudal1_evaluation_seconds_bucket{le=\"+Inf\"} 1" in text


def test_evaluators_that_are_lost():
    with Server() as server:
        # No evaluator starts without its recording.
        recording = server.folder / "recording.jsonl"
        rules = recording.read_text()
        recording.unlink()
        status, headers, answer = server.evaluate(source=source("crash"))
        assert status == 503 and headers["Retry-After"] and answer["error"]["message"], (status, answer)
        accepted = server.evaluate(**{"async": True})
        assert accepted[0] == 202
        assert server.ask("GET", "/health")[0] == 200
        assert server.ask("GET", accepted[2]["url"])[2]["state"] == "waiting"
        recording.write_text(rules)
        until(lambda: server.evaluate(source=source("", 1))[0] == 200, "the evaluator is back")
        # What was accepted did not get lost with the evaluator.
        done = server.ask("GET", accepted[2]["url"] + "?wait=30")[2]
        assert done["state"] == "done" and done["result"]["reward"] == 2.11, done["state"]


run(globals())
