# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that error messages name the file."""

from __future__ import annotations

import pytest
from pfmparse.commands.outcome import BadInput, blaming
from pfmparse.errors import PfmParseError


def test_errors_name_the_file() -> None:
    with pytest.raises(BadInput, match="^x.pfm: offset 0x5: odd$"), blaming("x.pfm"):
        raise PfmParseError("odd", 5)
    with pytest.raises(BadInput, match="^x.pfm: No space$"), blaming("x.pfm"):
        raise OSError(28, "No space")
    with pytest.raises(BadInput, match="^/other: Is gone$"), blaming("x.pfm"):
        raise OSError(2, "Is gone", "/other")


def test_broken_pipe_is_not_blamed_on_the_file() -> None:
    with pytest.raises(BrokenPipeError), blaming("x.pfm"):
        raise BrokenPipeError(32, "Broken pipe")
