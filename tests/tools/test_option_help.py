# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare --help with the option table."""

from __future__ import annotations

import re
from pathlib import Path

from pfmon import Pfmon


def test_help_names_every_long_option(pfmon: Pfmon) -> None:
    run = pfmon("--help")
    assert run.returncode == 0
    assert run.stderr == ""
    root = Path(__file__).resolve().parents[2]
    source = root / "tools/pfmon/options/option_table.c"
    options = re.findall(r'\.name = "([a-z-]+)"', source.read_text("utf-8"))
    assert len(options) > 20
    assert [name for name in options if f"--{name}" not in run.stdout] == []


def test_underscore_in_bold_text_is_literal(pfmon: Pfmon) -> None:
    assert "argument of the format: buf_size=64k,... or hex" in pfmon("--help").stdout
