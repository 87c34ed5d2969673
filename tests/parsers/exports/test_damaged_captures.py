# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that each export of a damaged capture agrees with the report or fails."""

from __future__ import annotations

from functools import partial

import pytest
from helpers import damaged
from helpers.exporting import damaged_export
from pfmparse.exports import registry


@pytest.mark.parametrize("to", sorted(registry.OURS))
def test_damaged_export_agrees_with_report(to: str) -> None:
    damaged.check(partial(damaged_export, to))
