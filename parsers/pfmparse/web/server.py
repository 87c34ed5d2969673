# SPDX-License-Identifier: MIT OR GPL-2.0
"""Serve a page and answer its requests, only for browsers on this machine."""

from __future__ import annotations

import hmac
import re
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import PurePath
from threading import BoundedSemaphore
from typing import Any, Optional

from ..errors import PfmParseError, blamed
from ..text import json_text, message
from .api import Api

ADDRESS = "127.0.0.1"
# Only the host is checked: the port may differ if the page is used through ssh.
HOSTS = (ADDRESS, "localhost")
PORT = re.compile(":[0-9]+$")
FILES = "static"
PAGE = "index.html"
API = "api/"
# The types are listed here because the host's table of types may lack some, and
# browsers refuse scripts with other types.
KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}
# Connections are limited, because all users of the machine can connect. A browser needs
# at most six.
CONNECTIONS = 64
IDLE = 30  # seconds until a silent connection is closed
# With these headers, other sites can neither read nor show the page, and names in
# captures cannot make the browser load anything.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; "
    "style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Server(ThreadingHTTPServer):
    """A server of one page, on a free port, with a secret in the page's path."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = CONNECTIONS

    def __init__(self, api: Api) -> None:
        super().__init__((ADDRESS, 0), _Handler)
        self.api = api
        self.token = secrets.token_urlsafe(24)
        self._free = BoundedSemaphore(CONNECTIONS)

    @property
    def url(self) -> str:
        """The URL of the page."""
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answers in a new thread; if there are too many, closes the connection."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answers the requests of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints an error, unless the browser closed the connection."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError):
            message(f"a request failed: {blamed(error)}")


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = IDLE
    # With Nagle's algorithm, the body would wait until the headers are acknowledged.
    disable_nagle_algorithm = True
    server_version, sys_version = "pfmparse", ""

    def do_GET(self) -> None:
        """Answers a request."""
        refusal = self._refusal()
        if refusal is not None:
            self._refuse(HTTPStatus.FORBIDDEN, refusal)
            return
        path, _, query = self.path.partition("?")
        token, slash, name = path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(
            token.encode(), self.server.token.encode()
        ):
            self._refuse(HTTPStatus.FORBIDDEN, "use the URL that pfmparse printed")
        elif name.startswith(API):
            self._answer(name.removeprefix(API), query)
        else:
            self._file(name or PAGE)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing: requests are not logged."""

    def _refusal(self) -> Optional[str]:
        """Returns why the request is refused, None if it is accepted."""
        host = self.headers.get("Host", "")
        if PORT.sub("", host) not in HOSTS:
            text = "is not this machine: use the URL that pfmparse printed"
            return f"host {host!r} {text}"
        origin = self.headers.get("Origin", f"http://{host}")
        site = self.headers.get("Sec-Fetch-Site", "none")
        # Allow links from other sites to the page: they must contain the secret, too.
        opens = self.headers.get("Sec-Fetch-Dest") == "document"
        if origin != f"http://{host}":
            return "requests of other pages are refused"
        if site not in ("none", "same-origin") and not opens:
            return "requests of other pages are refused"
        return None

    def _answer(self, name: str, query: str) -> None:
        """Answers a request for JSON."""
        if not self.server.api.knows(name):
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no request {name!r}")
            return
        try:
            answer = self.server.api.answer(name, query)
        except PfmParseError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except OSError as error:
            text = f"{error.filename}: {error.strerror}"
            self._refuse(HTTPStatus.BAD_REQUEST, text)
        # A format of another package may raise any exception.
        except Exception as error:  # pylint: disable=broad-except
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, blamed(error))
        else:
            self._send(HTTPStatus.OK, "application/json", json_text(answer).encode())

    def _file(self, name: str) -> None:
        """Sends a file of the page."""
        found = {
            path.name: path
            for path in resources.files(__package__).joinpath(FILES).iterdir()
        }
        if name not in found:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no file {name!r}")
            return
        kind = KINDS[PurePath(name).suffix]
        self._send(HTTPStatus.OK, f"{kind}; charset=utf-8", found[name].read_bytes())

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        self._send(status, "application/json", json_text({"error": text}).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
