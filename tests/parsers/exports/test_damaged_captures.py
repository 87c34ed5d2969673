# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that each export of a damaged capture agrees with the report or fails."""

from __future__ import annotations

from functools import partial

import pytest
from helpers import damaged
from helpers.exporting import EXPORTS, damaged_export


@pytest.mark.parametrize("to", EXPORTS)
def test_damaged_export_agrees_with_report(to: str) -> None:
    damaged.check(*(partial(damaged_export, to, weight) for weight in ("count", None)))
