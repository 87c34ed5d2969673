# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the server answers requests from its page, and refuses all others."""

from __future__ import annotations

import json
import re
import socket
import threading
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers.cli import PARSERS
from pfmparse.web.api import Api
from pfmparse.web.server import CONNECTIONS, Server, _Handler
from pfmparse.web.session import Session

STATIC = PARSERS / "pfmparse/web/static"


@pytest.fixture
def server(session: Session) -> Iterator[Server]:
    """Serve a capture of call stacks."""
    with Server(Api(session)) as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.01,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def asked(
    server: Server, path: str, method: str = "GET", token: str = "", **headers: str
) -> tuple[HTTPResponse, bytes]:
    """Send a request; return the response and its body."""
    connection = HTTPConnection("127.0.0.1", server.server_port)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, f"/{token or server.token}/{path}", headers=named)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def refused(server: Server, path: str, **options: Any) -> tuple[int, str]:
    """Send a request that must be refused; return the status and the error."""
    response, body = asked(server, path, **options)
    return response.status, json.loads(body)["error"]


def test_page_and_its_files_are_served(server: Server) -> None:
    for path in STATIC.iterdir():
        response, body = asked(server, path.name)
        assert response.status == 200 and body == path.read_bytes()
    response, body = asked(server, "")
    assert body == (STATIC / "index.html").read_bytes()
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    kinds = {asked(server, "main.js")[0].headers["Content-Type"]}
    assert kinds == {"text/javascript; charset=utf-8"}


def test_page_loads_nothing_from_elsewhere(server: Server) -> None:
    response, _ = asked(server, "")
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy and "http" not in policy
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cache-Control"] == "no-store"
    for path in STATIC.iterdir():
        assert not re.search(r"https?://|innerHTML|\beval\(", path.read_text())


def test_answers_are_json(server: Server) -> None:
    response, body = asked(server, "api/table?by=function&tid=100")
    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json"
    assert json.loads(body)["total"] == 9


def test_body_does_not_wait_for_an_acknowledgement(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(handler: _Handler, _: str) -> None:
        option = socket.IPPROTO_TCP, socket.TCP_NODELAY
        handler._refuse(HTTPStatus.OK, str(handler.connection.getsockopt(*option)))

    monkeypatch.setattr(_Handler, "_file", told)
    assert refused(server, "") != (200, "0")


@pytest.mark.parametrize("token", ["x", "api", "%00"])
def test_wrong_token_is_refused(token: str, server: Server) -> None:
    status, said = refused(server, "api/session", token=token)
    assert (status, said) == (403, "use the URL that pfmparse printed")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "[::1"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "iframe"},
    ],
    ids=str,
)
def test_requests_of_others_are_refused(
    headers: dict[str, str], server: Server
) -> None:
    status, said = refused(server, "api/session", **headers)
    assert status == 403 and ("refused" in said or "is not this machine" in said)


def test_link_leads_to_the_page(server: Server) -> None:
    headers = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "document"}
    assert asked(server, "", **headers)[0].status == 200
    assert refused(server, "", token="x", **headers)[0] == 403


def test_page_works_through_a_tunnel(server: Server) -> None:
    headers = {"Host": "localhost:8000", "Origin": "http://localhost:8000"}
    response, _ = asked(server, "api/session", **headers)
    assert response.status == 200


@pytest.mark.parametrize(
    "path,status,said",
    [
        ("api/table?by=x", 400, "parameter 'by' must be one of"),
        ("api/table?top=", 200, ""),
        ("api/nothing", 404, "there is no request 'nothing'"),
        ("nothing.js", 404, "there is no file 'nothing.js'"),
        ("../server.py", 404, "there is no file '../server.py'"),
        ("api/../main.js", 404, "there is no request"),
    ],
)
def test_bad_path_or_parameter_is_an_error(
    path: str, status: int, said: str, server: Server
) -> None:
    response, body = asked(server, path)
    assert response.status == status
    assert said in body.decode() and b"Traceback" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_other_methods_are_refused(method: str, server: Server) -> None:
    assert asked(server, "api/session", method)[0].status == 501


def connected(server: Server) -> socket.socket:
    """Return a connection to the server, on which no request was sent."""
    return socket.create_connection(("127.0.0.1", server.server_port), 20)


def test_invalid_url_is_refused_quietly(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    with connected(server) as raw:
        raw.sendall(b"GET http://[x/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert raw.recv(12) == b"HTTP/1.1 403"
    assert capsys.readouterr().err == ""


def test_silent_connection_is_closed(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _Handler.timeout is not None
    monkeypatch.setattr(_Handler, "timeout", 0.05)
    with connected(server) as silent:
        silent.sendall(b"GET / HTTP/1.1\r\n")
        assert silent.recv(1) == b""


def test_connections_are_limited(server: Server) -> None:
    silent = [connected(server) for _ in range(CONNECTIONS)]
    with connected(server) as refused:
        assert refused.recv(1) == b""
    for each in silent:
        each.shutdown(socket.SHUT_WR)
        assert each.recv(1) == b""
        each.close()


def test_closed_connections_make_room(server: Server) -> None:
    for _ in range(2 * CONNECTIONS):
        with connected(server) as closed:
            closed.shutdown(socket.SHUT_WR)
            assert closed.recv(1) == b""
    assert asked(server, "")[0].status == 200


@pytest.mark.parametrize("kind", [ValueError, KeyError])
def test_faults_become_messages(
    kind: type[Exception],
    session: Session,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def faulty() -> object:
        raise kind("a fault")

    monkeypatch.setattr(session, "refresh", faulty)
    status, said = refused(server, "api/session")
    assert status == 500 and said.startswith(f"{kind.__name__}: ")
    assert capsys.readouterr().err == ""


def test_unreadable_capture_is_an_error(server: Server, stacks: Path) -> None:
    stacks.unlink()
    status, said = refused(server, "api/session")
    assert status == 400 and said == f"{stacks}: No such file or directory"
