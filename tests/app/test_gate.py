"""What passes the gate, what does not, and that nothing of a stranger sizes anything."""

import tracemalloc

import pytest

from rivae.app.shell import gate
from rivae.app.shell.gate import Gate
from tests.app.asgi import HOST, JSON, ask, post
from tests.waiting import PATIENCE_S

PATH = "/rivae/api/run/strip/demo-sprites"
POINT = {"run": "demo-sprites", "z": [0, 0, 0], "k": 3, "side": 2, "seq": 1}
PART = {"key": "a", "run": "demo-sprites", "query": 1, "axes": [0], "levels": ["on"], "n_sigma": 2}


def refusal(reply, status):
    assert reply.status == status
    sentence = reply.json["error"]
    assert sentence and "\n" not in sentence
    return sentence


@pytest.fixture
def config(monkeypatch):
    """Sets options of Streamlit for one test."""
    from streamlit import config as known

    changed, usual = {}, known.get_option
    monkeypatch.setattr(
        known, "get_option", lambda name: changed[name] if name in changed else usual(name)
    )
    return changed


@pytest.mark.parametrize("host", [HOST, "localhost", "LOCALHOST:80", "[::1]:8501", "127.0.0.1."])
def test_the_app_answers_to_its_own_names(host):
    assert ask(PATH, headers=[("host", host)]).status == 200


@pytest.mark.parametrize(
    "hosts",
    [
        ["evil.example"],
        ["evil.example:8501"],
        ["127.0.0.1.evil.example"],
        ["127.0.0.1@evil.ex"],
        ["localhost/x"],
        ["localhost:x"],
        ["localhost:99999"],
        [""],
        [],
        ["localhost", "evil.ex"],
        ["[::1"],
        ["2130706433"],
        ["localhost\x00"],
        ["0.0.0.0"],
    ],
)
def test_a_name_that_a_stranger_points_here_gets_no_answer(hosts):
    reply = ask(PATH, headers=[("host", host) for host in hosts])
    assert "--host NAME" in refusal(reply, 403)


def test_other_names_are_those_of_the_one_who_starts_the_app(config):
    config["server.allowedHosts"] = ["App.example.org", "*.lab.org"]
    for host, status in (
        ("app.example.org:9", 200),
        ("a.lab.org", 200),
        ("lab.org", 403),
        ("xlab.org", 403),
        ("localhost", 403),
    ):
        assert ask(PATH, headers=[("host", host)]).status == status
    config["server.allowedHosts"] = []
    assert ask(PATH, headers=[("host", "evil.example")]).status == 403, "none named is not all"


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"origin": f"http://{HOST}"}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"origin": "http://127.0.0.1:9999"}, False),
        ({"origin": f"http://{HOST}", "sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        (
            {
                "sec-fetch-site": "cross-site",
                "sec-fetch-mode": "navigate",
                "sec-fetch-dest": "document",
            },
            False,
        ),
    ],
)
def test_another_sites_page_can_neither_read_nor_write(headers, passes):
    own = [("host", HOST), ("content-type", JSON), *headers.items()]
    for reply in (ask(PATH, headers=own), post("/rivae/api/run/topk", POINT, headers=own)):
        if passes:
            assert reply.status == 200
        else:
            assert "another site" in refusal(reply, 403)


def test_a_link_elsewhere_opens_a_page_but_no_frame_and_no_script():
    def arrives(dest, mode, method="GET"):
        headers = [
            ("host", HOST),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", mode),
            ("sec-fetch-dest", dest),
        ]
        return ask("/train", method, headers=headers).status != 403

    assert arrives("document", "navigate")
    assert not arrives("iframe", "navigate")
    assert not arrives("document", "navigate", "POST")
    assert not arrives("script", "no-cors") and not arrives("empty", "cors")


def test_an_origin_may_be_listed(config):
    config["server.corsAllowedOrigins"] = ["https://app.example.org"]
    for origin, status in (("https://app.example.org", 200), ("http://app.example.org", 403)):
        assert ask(PATH, headers=[("host", HOST), ("origin", origin)]).status == status


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "text/plain; application/json",
        "multipart/form-data",
    ],
)
def test_a_question_is_json_or_nothing(kind):
    headers = [("host", HOST)] + ([] if kind is None else [("content-type", kind)])
    assert "application/json" in refusal(post("/rivae/api/run/steer", {}, headers=headers), 415)


def test_a_body_is_counted_while_it_comes():
    big, seen = gate.MAX_BODY // 8 + 1, []

    def parts():
        for _ in range(8):
            seen.append(1)
            yield b" " * big

    reply = ask("/rivae/api/run/topk", "POST", parts())
    assert "at most 65,536 bytes" in refusal(reply, 413)
    told = [("host", HOST), ("content-type", JSON), ("content-length", "9" * 30)]
    assert refusal(ask("/rivae/api/run/topk", "POST", b"", headers=told), 413)


def test_methods_addresses_and_what_is_not_there():
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "X"):
        refusal(ask("/rivae/api/run/topk", method), 405)
    for path in (
        "/rivae/api/run/",
        "/rivae/api/run/steer",
        "/rivae/api/run/none",
        "/rivae/api/run/topk/x",
    ):
        refusal(ask(path), 404)
    refusal(post(PATH, {}), 404)
    refusal(ask("/rivae/api/run/strip/" + "x" * 5000), 414)
    for odd in ("%0Ax", "strip/demo-sprites%0A", "strip/%00", "strip/%ED%A0%80"):
        refusal(ask(f"/rivae/api/run/{odd}"), 400)
    refusal(ask("/rivae/api/run/topk?z=" + "1," * 5000), 414)
    assert ask("/_stcore/metrics").status == ask("/_stcore/metrics/").status == 404


@pytest.mark.parametrize("digits", [11, 300, 5000])
@pytest.mark.parametrize(
    "path",
    [
        "picture/0/demo-sprites/0/{}",
        "picture/0/demo-sprites/{}/0",
        "label/plan/picture/{}",
        "label/plan/texts/0/{}",
    ],
)
def test_numbers_without_end_are_refused(path, digits):
    reply = ask("/rivae/api/run/" + path.format("9" * digits))
    assert refusal(reply, 414 if digits == 5000 else 400)


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("steer", {"seq": 1, "parts": [{**PART, **changes}]})
        for changes in (
            {"axes": [30_000_000]},
            {"axes": [10**9]},
            {"axes": [[0]]},
            {"axes": [10**400]},
            {"n_sigma": 10**400},
            {"levels": [10**400]},
            {"query": 10**400},
            {"axes": [9000]},
            {"axes": [0] * 20_000},
            {"run": "\ud800"},
            {"levels": ["\ud800"]},
        )
    ]
    + [
        ("steer", {"seq": 1, "parts": [{**PART, "key": "\ud800"}]}),
        ("steer", {"seq": 10**400, "parts": [PART]}),
        ("steer", {"seq": 1, "parts": [{}] * 15_000}),
        ("topk", {**POINT, "k": 10**9}),
        ("topk", {**POINT, "z": [0] * 20_000}),
        ("topk", {**POINT, "have": [10**400]}),
        ("topk", {**POINT, "have": list(range(9000))}),
        ("topk", {**POINT, "seq": 10**400}),
        ("topk", {**POINT, "runs": [{}] * 15_000}),
        ("topk", {**POINT, "run": "\ud800"}),
        ("topk", {**POINT, "side": 10**400}),
        ("topk", b'{"k":' + b"9" * 5000 + b"}"),
        ("topk", b"[" * 60_000),
    ],
    ids=range(24),
)
def test_no_number_of_a_stranger_sizes_anything(path, question):
    post("/rivae/api/run/topk", POINT)  # what opening the run takes is not counted
    tracemalloc.start()
    reply = post(f"/rivae/api/run/{path}", question)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    said = reply.json if reply.status == 200 else {"error": refusal(reply, 400)}
    assert all("error" in part for part in said.get("parts", [said]))
    assert peak < 8 * 2**20, "the question itself has up to 64 KB"


@pytest.mark.parametrize(
    "page",
    ["explore", "steer", "traverse", "words", "compare", "label", "metrics", "train", "data"],
)
def test_an_address_without_end_is_said_in_a_sentence(app, page):
    long, number = "x" * 5000, "9" * 5000
    shown = app(
        page,
        run=long,
        runs=f"{long},{long}",
        plan=long,
        clone=long,
        view=long,
        sort=long,
        show="run",
        q=number,
        z=number,
        k=number,
        cell=number,
        axes=number,
    )
    assert len(shown.words) < 20_000 and long not in shown.words


def test_what_fails_unexpectedly_is_one_sentence_here_and_a_traceback_in_the_log(caplog):
    async def broken(scope, receive, send):
        raise RuntimeError("/srv/somebody/secret")

    for path in (PATH, "/train"):
        reply = ask(path, to=Gate(broken))
        assert reply.status == 500 and b"secret" not in reply.body and b"log says" in reply.body
        assert "nosniff" in reply.headers["x-content-type-options"]
    assert caplog.text.count("RuntimeError: /srv/somebody/secret") == 2


def test_every_answer_forbids_frames_sniffing_and_other_sites():
    for reply in (
        ask(PATH),
        ask("/nowhere"),
        post("/rivae/api/run/topk", POINT),
        ask(PATH, headers=[("host", "evil.example")]),
    ):
        assert "frame-ancestors 'self'" in reply.headers["content-security-policy"]
        assert "unsafe-eval" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert reply.headers["referrer-policy"] == "same-origin"


def test_the_real_apps_pages_files_and_websocket_stand_behind_the_gate(server):
    """Over a real connection, where Streamlit serves what is not ours."""
    import http.client

    def status(path, **headers):
        connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers=named)
        reply = connection.getresponse()
        connection.close()
        return reply.status, reply.headers

    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "x3JJHMbDL1EzLkh9GBhXDw==",
    }
    for path, more in (
        ("/train", {}),
        ("/_stcore/health", {}),
        ("/_stcore/host-config", {}),
        ("/static/js/none.js", {}),
        ("/_stcore/stream", upgrade),
    ):
        fine, headers = status(path, **more)
        assert fine in (200, 101)
        if not more:
            assert "frame-ancestors" in headers["content-security-policy"]
        assert status(path, Host="evil.example", Origin="http://evil.example", **more)[0] == 403
        assert status(path, Origin="http://evil.example", **more)[0] == 403
    assert status("/_stcore/metrics")[0] == 404
