# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that exported functions are documented where they are declared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBC = {"mmap", "mmap64"}
HEADERS = sorted((ROOT / "sdk/include/perfmon").glob("perfmon_*.h"))


def exported(version_script: str) -> set[str]:
    """Return the symbols that a version script makes global."""
    text = (ROOT / version_script).read_text()
    listed = re.search(r"global:(.*?)local:", text, re.DOTALL)
    assert listed
    return set(re.findall(r"\w+", listed[1])) - LIBC


def documented(header: str) -> set[str]:
    """Return the functions with a kernel-doc comment; kernel-doc checks its content."""
    text = (ROOT / header).read_text()
    return set(re.findall(r"^/\*\*\n \* (\w+)\(\) - ", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("version_script", "header"),
    [
        ("lib/libperfmon.map", "sdk/include/perfmon/perfmon.h"),
        ("lib/libpfm2x.map", "sdk/include/perfmon/perfmon2x.h"),
    ],
)
def test_calls_have_kernel_doc(version_script: str, header: str) -> None:
    assert exported(version_script) - documented(header) == set()


@pytest.mark.parametrize("header", HEADERS, ids=[path.name for path in HEADERS])
def test_sdk_functions_document_context(header: Path) -> None:
    pattern = r"^/\*\*\n \* (\w+)\(\) - (.*?)\*/\n(.)"
    docs = re.findall(pattern, header.read_text(), re.M | re.S)
    # Macros need no "Context:" section.
    bad = [it for it, doc, code in docs if "Context: " not in doc and code != "#"]
    assert bad == []
