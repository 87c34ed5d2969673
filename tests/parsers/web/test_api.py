# SPDX-License-Identifier: MIT OR GPL-2.0
"""Send requests as the page does, and requests that must be refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.served import answered, session_of
from pfmparse import __version__
from pfmparse.errors import PfmParseError, RequestError
from pfmparse.web.api import OTHER_KEYS, Api
from pfmparse.web.session import Session


def test_session_describes_the_captures(session: Session) -> None:
    found = answered(session, "session")
    assert (found["total"], found["unit"]) == (10, "samples")
    assert (found["step_ns"], found["steps"]) == (10, 901)
    assert found["version"] == __version__
    assert found["captures"][0]["lost_in_buffers"]["overwritten"] == 4
    threads = found["choices"]["thread"]["rows"]
    assert [(row["name"], row["own"]) for row in threads] == [
        ("program", 9),
        ("worker", 1),
    ]


def test_weight_is_the_unit(stacks: Path) -> None:
    with session_of(stacks, weight="period") as session:
        assert answered(session, "session")["unit"] == "period"


@pytest.mark.parametrize(
    "name,text,said",
    [
        ("flame", "root=99", "parameter 'root' must be a number below 5"),
        ("flame", "find=a&find=b", "parameter 'find' is given more than once"),
        ("flame", "by=x", "unknown parameter 'by'; known: generation, event"),
        ("flame", "generation=2", "reload the page"),
        ("around", "", "parameter 'function' must be a number"),
        ("code", "function=99", "parameter 'function' must be a number below 5"),
        ("table", "by=nothing", "parameter 'by' must be one of function, thread"),
        ("table", "order=x", "must be one of own, total, name, detail"),
        ("table", "down=1", "must be one of yes, no"),
        ("table", "top=10001", "must be a number below 10001"),
        ("table", "by=latency", "latency"),
        ("heat", "by=line", "must be one of function, thread, process, event"),
        ("session", "tid=1", "unknown parameter 'tid'"),
        ("steps", "tid=1", "there are no samples of tid 1"),
    ],
)
def test_bad_request_is_refused(
    name: str, text: str, said: str, session: Session
) -> None:
    with pytest.raises(RequestError) as error:
        Api(session).answer(name, text)
    assert said in str(error.value)


def test_requests_are_known_by_name(session: Session) -> None:
    assert Api(session).knows("table")
    assert not Api(session).knows("nothing")


def test_offered_keys_work_or_say_why(session: Session) -> None:
    works = set()
    for by in OTHER_KEYS:
        try:
            works.add(by if answered(session, "table", by=by)["rows"] else "")
        except PfmParseError as error:
            assert "stacks.pfm: " in str(error)
    assert works >= {"line", "ip", "image", "caller", "comm", "cpu", "file", "host"}


def test_page_has_the_selected_samples(session: Session) -> None:
    page = answered(session, "page", tid=101)["html"]
    assert page.startswith("<!DOCTYPE html>") and "1 sample" in page
    assert "10 samples" in answered(session, "page")["html"]
