# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test roles and their usual column names."""

from __future__ import annotations

import pytest
from helpers.cli import ROOT
from pfmparse import Role
from pfmparse.formats.roles import AGGREGATES


def test_usual_names_of_roles_are_unique() -> None:
    names = [name for role in Role for name in role.usual]
    assert len(set(names)) == len(names)
    assert tuple(role for role in Role if not role.usual) == AGGREGATES
    assert Role("data-address") is Role.DATA_ADDRESS


@pytest.mark.parametrize("role", Role)
def test_role_and_its_names_are_documented(role: Role) -> None:
    page = (ROOT / "docs/writing_a_parser.md").read_text()
    usual = ", ".join(f"`{name}`" for name in role.usual)
    key = f"`{role.value}`" if role not in AGGREGATES else ""
    assert f"| `{role.name}` | {key} | {usual} |".replace("|  ", "| ") in page
