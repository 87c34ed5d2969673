# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that each export of a damaged capture agrees with the report or fails."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from helpers import damaged
from helpers.exporting import damaged_export
from pfmparse.exports import registry


@pytest.mark.parametrize("to", sorted(registry.OURS))
def test_damaged_export_agrees_with_report(to: str, tmp_path: Path) -> None:
    damaged.check(partial(damaged_export, to, tmp_path))
