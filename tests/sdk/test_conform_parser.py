# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test that pfm-conform finds the errors of a parser, and accepts a correct one."""

from __future__ import annotations

import struct
from pathlib import Path

import fmt_modules
import guests
import parsing
import pytest
from ktap import Outcome

UUID = "aaaaaaaa-0000-4000-8000-000000000001"
ADDRESSES = range(0x1000, 0x1000 + 20)
CHECKS = ["decoded", "layout", "prefixes", "damaged"]
# A buffer consists of one word with the number of records, and of the records. Each
# record is an address.
PARSER = """
import os

import numpy as np
import pfmparse as pfm

ARGUMENT = pfm.struct_dtype(16, [("buf_size", "<u8", 0), ("flags", "<u4", 8),
                                 ("depth", "<u4", 12)])


def decode(data):
    (count,) = np.frombuffer(data[:8], "<u8")
    rows = pfm.structures(data, np.dtype([("ip", "<u8")]), int(count), 8, "records")
    samples = pfm.Samples(rows.size, {"ip": rows["ip"]})
    return pfm.Decoded((pfm.Region(0, samples),))


def careful(data):
    if len(data) < 8:
        raise pfm.PfmParseError("no number", 0)
    return decode(data)


FORMATS = [pfm.Format("tried", "UUID", lambda session: careful,
                      dtypes={"argument": ARGUMENT})]
"""
LAYOUT = "buf_size 0 8 65536 bytes\nflags 8 4 0 flags\ndepth 12 4 8 callers\n"


def checked(tmp_path: Path, text: str, layout: str = LAYOUT) -> dict[str, str]:
    """Return what each check finds in a parser; this is "" for a check that passes."""
    plugin = tmp_path / "plugin.py"
    plugin.write_text(text.replace("UUID", UUID))
    data = struct.pack(f"<Q{len(ADDRESSES)}Q", len(ADDRESSES), *ADDRESSES)
    (tmp_path / "buffer").write_bytes(data)
    (tmp_path / "truth").write_text("\n".join(["address", *map(str, ADDRESSES)]))
    (tmp_path / "argument").write_text(layout)
    form = fmt_modules.Format(tmp_path / "pfm_fmt_tried.ko", f"{plugin}:FORMATS")
    options = guests.Options("6.12", "x86_64", None, "", True, 1, 60)
    facts = guests.Facts(UUID, 16)
    found = parsing.check(form, facts, CHECKS, options, tmp_path)
    return {
        result.check: "" if result.outcome is Outcome.PASSED else result.text
        for result in found
    }


def test_correct_parser_passes(tmp_path: Path) -> None:
    assert checked(tmp_path, PARSER) == dict.fromkeys(CHECKS, "")


def test_parser_may_be_a_package(tmp_path: Path) -> None:
    project = tmp_path / "parser/pyproject.toml"
    (tmp_path / "parser/mine").mkdir(parents=True)
    project.write_text(
        '[project.entry-points."pfmparse.formats"]\nmine = "mine:FORMAT"\n'
    )
    plugin = fmt_modules.plugin(tmp_path, Path("pfm_fmt_mine.ko"))
    assert plugin == f"{tmp_path}/parser/mine/__init__.py:FORMAT"
    (tmp_path / "parser/mine").rmdir()
    plugin = fmt_modules.plugin(tmp_path, Path("pfm_fmt_mine.ko"))
    assert plugin == f"{tmp_path}/parser/mine.py:FORMAT"


RETURN = "return pfm.Decoded((pfm.Region(0, samples),))"


def test_skipped_samples_may_be_missing(tmp_path: Path) -> None:
    text = PARSER.replace("int(count), 8", "int(count) - 3, 8")
    enough = text.replace(RETURN, f"{RETURN[:-1]}, skipped=3)")
    assert checked(tmp_path, enough)["decoded"] == ""
    few = text.replace(RETURN, f"{RETURN[:-1]}, skipped=2)")
    said = "the parser finds 17 samples, 2 skipped, but 20 were recorded"
    assert checked(tmp_path, few)["decoded"] == said


def test_parser_is_not_blamed_for_empty_buffer(tmp_path: Path) -> None:
    text = PARSER.replace(RETURN, "return pfm.Decoded((), skipped=20)")
    assert checked(tmp_path, text)["decoded"] == "no sample was recorded"


def test_sums_need_no_other_role(tmp_path: Path) -> None:
    sums = '{"sum": rows["ip"]}, roles={pfm.Role.SUM: {"sum": "sum"}}'
    text = PARSER.replace('{"ip": rows["ip"]}', sums)
    assert checked(tmp_path, text)["decoded"] == ""


# Code to replace, its replacement, the check that finds the error, and its message.
WRONG = [
    ('rows["ip"]}', 'rows["ip"] + 1}', "decoded", "sample 0 has 0x1001, but 0x1000"),
    ("int(count), 8", "int(count) - 1, 8", "decoded", "finds 19 samples, but 20 were"),
    ('{"ip"', '{"where"', "decoded", "gives no role"),
    ("return decode(data)", 'raise KeyError("x")', "decoded", "raises KeyError"),
    ("if len(data) < 8", "if False", "prefixes", "with only the first 0 bytes"),
    (
        "return decode(data)",
        "return decode(data) if len(data) > 50 else os._exit(3)",
        "prefixes",
        "the parser's process ended early",
    ),
    (
        "return decode(data)",
        "np.zeros(data[2] << 42)\n    return decode(data)",
        "damaged",
        "raises",
    ),
    ('"UUID"', '"bbbbbbbb-0000-4000-8000-000000000001"', "decoded", "another UUID"),
    ("import os", "import nothing_like_that", "decoded", "cannot be loaded"),
]


@pytest.mark.parametrize(("what", "instead", "check", "said"), WRONG)
def test_parser_error_is_found(
    tmp_path: Path, what: str, instead: str, check: str, said: str
) -> None:
    assert PARSER.count(what) == 1
    assert said in checked(tmp_path, PARSER.replace(what, instead))[check]


def test_wrong_argument_layout_is_found(tmp_path: Path) -> None:
    other = LAYOUT.replace("flags 8 4", "flags 8 2")
    assert "flags is at byte 8" in checked(tmp_path, PARSER, other)["layout"]
    other = LAYOUT.replace("depth", "width")
    assert "has a field width, which the parser's dtype lacks" in (
        checked(tmp_path, PARSER, other)["layout"]
    )
