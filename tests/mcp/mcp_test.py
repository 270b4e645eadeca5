#!/usr/bin/env python3
"""`burin mcp` with a client that speaks the protocol over pipes: what it answers, and what it survives.

    mcp_test.py BURIN
"""

import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BURIN = sys.argv.pop(1)
TRANSPOSE = {
    "file": "examples/transpose.sm_90.cubin",
    "kernel": "transpose",
    "grid": [64, 64],
    "block": "32,8",
    "args": ["buf:16M:f32", "buf:16M:undef", "i32:2048"],
    "machine": "h200",
}


class Client:
    """A server, and what goes to and fro."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [BURIN, "mcp", *options], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.last_id = 0
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self, seconds=120):
        limit = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, limit - time.monotonic()))
            if not ready:
                raise AssertionError("no answer")
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                raise AssertionError(f"the server ended: {self.process.stderr.read()}")
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def send(self, method, params=None):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send_bytes(json.dumps(message).encode() + b"\n")
        return self.last_id

    def ask(self, method, params=None):
        number = self.send(method, params)
        answer = self.receive()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == number, answer
        return answer

    def call(self, tool, arguments):
        """The text of a tool's answer, and whether it is an error."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        content = answer["result"]["content"]
        assert len(content) == 1 and content[0]["type"] == "text", answer
        return content[0]["text"], answer["result"]["isError"]


class Handshakes(unittest.TestCase):
    def test_the_handshake_of_2025(self):
        with Client() as client:
            for version, answered in (("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")):
                asked = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
                result = client.ask("initialize", asked)["result"]
                self.assertEqual(result["protocolVersion"], answered)
                self.assertEqual(result["serverInfo"]["name"], "burin")
                self.assertIn("tools", result["capabilities"])
            client.send_bytes(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            self.assertEqual(client.ask("ping")["result"], {})

    def test_requests_of_2026_need_no_handshake(self):
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        with Client() as client:
            found = client.ask("server/discover", {"_meta": meta})["result"]
            self.assertEqual(found["supportedVersions"][0], "2026-07-28")
            listed = client.ask("tools/list", {"_meta": meta})["result"]
            for result in (found, listed):
                self.assertEqual(result["resultType"], "complete")
                self.assertEqual(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "burin")
                self.assertGreater(result["ttlMs"], 0)
            meta["io.modelcontextprotocol/protocolVersion"] = "2031-01-01"
            error = client.ask("tools/list", {"_meta": meta})["error"]
            self.assertEqual(error["code"], -32022)
            self.assertIn("2026-07-28", error["data"]["supported"])


class Tools(unittest.TestCase):
    def test_six_tools_are_listed_with_their_schemas(self):
        with Client() as client:
            result = client.ask("tools/list")["result"]
        self.assertEqual(
            [tool["name"] for tool in result["tools"]], ["inspect", "predict", "explain", "advise", "run", "diff"]
        )
        for tool in result["tools"]:
            schema = tool["inputSchema"]
            self.assertEqual((schema["type"], schema["additionalProperties"]), ("object", False))
            self.assertTrue(all(field["description"] for field in schema["properties"].values()), tool["name"])
        # The list itself must not fill the model's context.
        self.assertLess(len(json.dumps(result)), 16000)

    def test_every_tool_answers_as_the_command_does(self):
        launch = ["--kernel", "transpose", "--grid", "64,64", "--block", "32,8", "--machine", "h200"]
        for argument in TRANSPOSE["args"]:
            launch += ["--arg", argument]
        file = TRANSPOSE["file"]
        run = {key: value for key, value in TRANSPOSE.items() if key != "machine"}
        run.update(grid=2, block=[32, 8], args=["buf:16K:f32", "buf:16K:undef", "i32:64"])
        run_options = "--kernel transpose --grid 2 --block 32,8 --arg buf:16K:f32 --arg buf:16K:undef --arg i32:64"
        diff = {"before": file, "after": "examples/transpose.sm_80.cubin"}
        with Client() as client:
            for tool, arguments, words in (
                ("inspect", {"file": file}, [file]),
                ("inspect", {"file": file, "view": "loops"}, [file, "--loops"]),
                ("predict", TRANSPOSE, [file, *launch]),
                ("explain", TRANSPOSE, [file, *launch]),
                ("advise", TRANSPOSE, [file, *launch]),
                ("run", run, [file, *run_options.split()]),
                ("diff", diff, [diff["before"], diff["after"]]),
            ):
                done = subprocess.run([BURIN, tool, *words], cwd=ROOT, text=True, capture_output=True, check=False)
                text, is_error = client.call(tool, {**arguments, "max_tokens": 100000})
                self.assertEqual((text, is_error), (done.stdout + done.stderr, False), tool)
            text, _ = client.call("predict", {**TRANSPOSE, "format": "json", "max_tokens": 100000})
            self.assertEqual(json.loads(text)["schema"], "burin.predict/1")

    def test_refusals_are_those_of_the_command_line(self):
        with Client() as client:
            for tool, arguments in (
                ("inspect", {"file": "nothing.cubin"}),
                ("predict", {**TRANSPOSE, "machine": "h2000"}),
                ("predict", {**TRANSPOSE, "grid": "0"}),
                ("advise", {**TRANSPOSE, "rules": ["no-such-rule"]}),
            ):
                text, is_error = client.call(tool, arguments)
                self.assertTrue(is_error, text)
                self.assertRegex(text, r"^burin: .+\n$")

    def test_wrong_fields_are_a_sentence(self):
        with Client() as client:
            for arguments, sentence in (
                ({}, "predict needs the field 'file'"),
                ({**TRANSPOSE, "blok": 4}, "predict has no field 'blok'; did you mean block?"),
                ({**TRANSPOSE, "grid": 1.5}, 'grid: must be a string like "32,8", an integer or up to three'),
                ({**TRANSPOSE, "grid": [1, 2, 3, 4]}, "grid: must be"),
                ({**TRANSPOSE, "args": "i32:1"}, "args: must be a list of strings"),
                ({**TRANSPOSE, "warm": "yes"}, "warm: must be true or false"),
                ({**TRANSPOSE, "file": 7}, "file: must be a path"),
                ({**TRANSPOSE, "format": "xml"}, 'format: must be "text" or "json"'),
                ({**TRANSPOSE, "max_tokens": 1}, "max_tokens: must be from 100 to 100000"),
                ({"more": "7@1"}, "more: '7@1' is gone"),
                ({"more": "x"}, "more: 'x' is not a handle"),
                ({"more": "x" * 100_000}, "more: '" + "x" * 80 + "' is not a handle"),
                ({**TRANSPOSE, "kernel": "a\0b"}, "kernel: must be free of NUL characters"),
                ({**TRANSPOSE, "file": "a\0b"}, "file: must be free of NUL characters"),
                ({**TRANSPOSE, "nvcc_flags": ["-o", "x"]}, "nvcc_flags: '-o' is not allowed"),
            ):
                text, is_error = client.call("predict", arguments)
                self.assertTrue(is_error)
                self.assertTrue(text.startswith(sentence), text)
                self.assertEqual(text.count("\n"), 1)

    def test_no_field_is_taken_for_an_option(self):
        with Client() as client, tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            text, is_error = client.call("inspect", {"file": f"--html={page}"})
            self.assertTrue(is_error, text)
            client.call("predict", {**TRANSPOSE, "kernel": f"transpose --html={page}"})
            self.assertFalse(page.exists())


class Length(unittest.TestCase):
    def test_a_long_answer_comes_in_parts(self):
        listing = {"file": "examples/transpose.sm_90.cubin", "view": "sass"}
        whole = subprocess.run(
            [BURIN, "inspect", listing["file"], "--sass"], cwd=ROOT, text=True, capture_output=True, check=True
        ).stdout
        with Client() as client:
            parts, more = [], None
            while len(parts) < 100:
                text, is_error = client.call("inspect", {"more": more, "max_tokens": 500} if more else {**listing, "max_tokens": 500})
                self.assertFalse(is_error)
                body, mark, rest = text.rpartition("[")
                if not mark or "more characters" not in rest:
                    parts.append(text)
                    break
                parts.append(body)
                more = json.loads(rest.partition("with ")[2].rstrip("]\n"))["more"]
        self.assertGreater(len(parts), 3)
        self.assertEqual("".join(parts), whole)

    def test_examples_fit_into_4000_tokens_and_come_within_a_second(self):
        sizes, seconds = {}, {}
        with Client() as client:
            for tool in ("inspect", "predict", "advise"):
                arguments = {"file": TRANSPOSE["file"]} if tool == "inspect" else TRANSPOSE
                start = time.monotonic()
                text, _ = client.call(tool, arguments)
                seconds[tool] = time.monotonic() - start
                sizes[tool] = len(text)
        print("seconds:", {tool: round(value, 3) for tool, value in seconds.items()}, "characters:", sizes)
        self.assertLess(max(sizes.values()), 16000)


class Hostile(unittest.TestCase):
    def check_alive(self, client):
        self.assertEqual(client.ask("ping")["result"], {})

    def test_lines_that_are_no_messages(self):
        with Client() as client:
            for line, code in (
                (b"{", -32700),
                (b"\xff\xfe\x00\x01binary\x80", -32700),
                (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
                (b"[" * 100000, -32700),
                (b"[]", -32600),
                (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
                (b"17", -32600),
                (b"null", -32600),
                (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                (b'{"id":1,"method":"ping"}', -32600),
                (b'{"jsonrpc":"2.0","id":1}', -32600),
                (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
                (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
                (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":3}}', -32602),
                (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601),
                (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":3}}', -32602),
                (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
                (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
                (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["run"]}}', -32602),
            ):
                client.send_bytes(line + b"\n")
                error = client.receive()["error"]
                self.assertEqual(error["code"], code, line[:80])
                self.assertTrue(error["message"])
                self.check_alive(client)

    def test_a_huge_line_is_refused_and_forgotten(self):
        with Client() as client:
            for _ in range(20):
                client.send_bytes(b"x" * (1 << 20))
            client.send_bytes(b"\n")
            self.assertIn("longer than 4 MiB", client.receive()["error"]["message"])
            self.check_alive(client)

    def test_notifications_and_answers_are_not_answered(self):
        with Client() as client:
            client.send_bytes(b'{"jsonrpc":"2.0","method":"notifications/whatever"}\n\n  \n')
            client.send_bytes(b'{"jsonrpc":"2.0","id":9,"result":{}}\n')
            self.check_alive(client)

    def test_wrong_types_of_arguments(self):
        with Client() as client:
            for arguments in ([], "x", 3, None):
                text, is_error = client.call("run", arguments)
                self.assertEqual((text, is_error), ("arguments: must be an object\n", True))
            text, is_error = client.call("run", {"file": "a\x00b\n\u2028", "grid": "\ud83d\ude00"})
            self.assertTrue(is_error, text)

    def test_a_call_that_takes_too_long_is_ended(self):
        slow = {**TRANSPOSE, "grid": [512, 512], "args": ["buf:1G:f32", "buf:1G:undef", "i32:16384"]}
        del slow["machine"]
        with Client("--limit", "1") as client:
            start = time.monotonic()
            text, is_error = client.call("run", slow)
            self.assertTrue(is_error)
            self.assertIn("took longer than 1 s", text)
            self.assertLess(time.monotonic() - start, 60)
            self.check_alive(client)

    def test_a_call_can_be_cancelled_and_pings_are_answered_meanwhile(self):
        slow = {**TRANSPOSE, "grid": [512, 512], "args": ["buf:1G:f32", "buf:1G:undef", "i32:16384"]}
        del slow["machine"]
        with Client() as client:
            number = client.send("tools/call", {"name": "run", "arguments": slow})
            self.check_alive(client)
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            client.send_bytes(json.dumps(cancelled).encode() + b"\n")
            text, is_error = client.call("inspect", {"file": TRANSPOSE["file"]})
            self.assertIn("transpose.cu", text)

    def test_everything_that_was_asked_is_answered_before_the_end(self):
        lines = [
            {"jsonrpc": "2.0", "id": k, "method": "tools/call", "params": {"name": "inspect", "arguments": {"file": TRANSPOSE["file"]}}}
            for k in range(3)
        ]
        text = "\n".join(json.dumps(line) for line in lines)  # the last without a line end
        done = subprocess.run([BURIN, "mcp"], cwd=ROOT, input=text, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([json.loads(line)["id"] for line in done.stdout.splitlines()], [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
