# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that pmu/perf's part of an overflow cannot be traced.

pmu/perf can count the calls of traced functions. If its overflow handlers, or the
operations that the core calls in an overflow (see docs/writing_a_pmu.md), were traced,
they could themselves cause an overflow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pages import ROOT, expect_none

_OPERATION = re.compile(r"\.(?:read_pmds_ovfl|reset_pmd)\s*=\s*(\w+)")
_HANDLER = re.compile(r"(\w+)\(struct perf_event \*\w+,\s*struct perf_sample_data ")
# The beginning of a function's definition: it ends with a brace, not a semicolon.
_DEFINITION = r"^(\w[^;{{}}()]*)\b{}\([^;{{}}]*\)\n\{{"


def traceable(text: str) -> Iterator[str]:
    """Yield the functions of an overflow that are defined without notrace."""
    names = {*_OPERATION.findall(text), *_HANDLER.findall(text)}
    for name in sorted(names):
        found = re.search(_DEFINITION.format(name), text, re.MULTILINE)
        if not found or "notrace" not in found[1].split():
            yield f"{name}() is not notrace"


def test_overflows_cannot_be_traced() -> None:
    files = sorted((ROOT / "pmu/perf").glob("*.c"))
    expect_none(traceable("".join(file.read_text() for file in files)))


def test_traceable_functions_are_found() -> None:
    handler = (
        "over(struct perf_event *event,\n\t struct perf_sample_data *data)\n{\n}\n"
    )
    assert [*traceable(f"static void {handler}")] == ["over() is not notrace"]
    assert not [*traceable(f"static void notrace {handler}")]
    table = ".reset_pmd\t= reset,\n"
    assert [*traceable(f"{table}void reset(int n)\n{{\n}}\n")]
    assert not [*traceable(f"{table}void notrace reset(int n)\n{{\n}}\n")]
