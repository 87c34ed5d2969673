# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the page of a damaged capture agrees with the report or fails."""

from __future__ import annotations

from pathlib import Path

from helpers import damaged
from helpers.damaged import Counted
from helpers.served import answered, session_of
from pfmparse.errors import PfmParseError
from pfmparse.web.session import Session


def served(file: Path) -> Counted:
    """Read a capture that may be damaged, and request each view of it."""
    try:
        session: Session = session_of(file)
    except PfmParseError as error:
        return Counted(None, str(error))
    with session:
        total = answered(session, "session")["total"]
        for name in ("flame", "steps", "heat"):
            answered(session, name)
        answered(session, "around", function=0)
        rows = answered(session, "table", by="function", top=10000)["rows"]
        assert sum(row["own"] for row in rows) == total
        places = answered(session, "table", by="ip", top=10000)["rows"]
        assert sum(row["own"] for row in places) == total
    return Counted(total, "")


def test_damaged_page_agrees_with_report() -> None:
    damaged.check(served)
