# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the page of a damaged capture agrees with the report or fails."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import partial, partialmethod
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Optional
from urllib.parse import urlsplit

import pytest
from helpers import damaged
from helpers.damaged import Counted
from pfmparse.__main__ import main
from pfmparse.web.server import Server

# Each case makes all of REQUESTS and one of OTHERS.
REQUESTS = ("flame", "table?by=function&top=10000")
OTHERS = ["steps", "heat", "around?function=0", "table?by=ip&top=10000", "page"]
# The server refuses these if the function does not exist.
OTHERS += ["around?function=1", "code?function=1"]


class Visitor(io.StringIO):
    """A standard output that makes requests when the page's URL is written to it.

    Then it interrupts the command. ``total``: the number of samples, or None if no
    page was served.
    """

    total: Optional[int] = None

    def __init__(self, *requests: str) -> None:
        super().__init__()
        self._requests = requests

    def write(self, text: str) -> int:
        """Make the requests when the URL is written."""
        address = urlsplit(text.split()[0])
        assert address.hostname is not None
        connection = HTTPConnection(address.hostname, address.port)
        path = f"{address.path}api/"
        self.total = _answer(connection, f"{path}session")["total"]
        for request in self._requests:
            answer = _answer(connection, path + request)
            if request.startswith("table"):
                assert sum(row["own"] for row in answer["rows"]) == self.total
        connection.close()
        raise KeyboardInterrupt


def _answer(connection: HTTPConnection, path: str) -> Any:
    """Return the answer to a request."""
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    # The server must not answer with any other error.
    assert response.status in (200, 400), body
    return json.loads(body)


def served(request: str, file: Path) -> Counted:
    """Serve a capture that may be damaged; return what the page counts."""
    visitor, err = Visitor(*REQUESTS, request), io.StringIO()
    with redirect_stdout(visitor), redirect_stderr(err):
        status = main(["serve", "--weight", "count", str(file)])
    assert status == (visitor.total is None)
    return Counted(visitor.total, err.getvalue())


def test_damaged_page_agrees_with_report(monkeypatch: pytest.MonkeyPatch) -> None:
    # Let the server check often whether it must end.
    often = partialmethod(Server.serve_forever, 0.001)
    monkeypatch.setattr(Server, "serve_forever", often)
    damaged.check(*(partial(served, request) for request in OTHERS))
