# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the API reference covers the SDK's headers and pfmparse's public names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
API = ROOT / "docs/api"


def test_every_header_is_on_one_page() -> None:
    texts = [page.read_text() for page in API.glob("*.rst")]
    included = re.findall(r"^\.\. include:: .*/(.*)\.rst$", "".join(texts), re.M)
    headers = [path.name for path in (ROOT / "sdk/include/perfmon").glob("*.h")]
    assert sorted(included) == sorted(headers)


def test_every_public_name_of_pfmparse_is_on_its_page() -> None:
    module = ast.parse((ROOT / "parsers/pfmparse/__init__.py").read_text())
    (names,) = (
        ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_MODULES"
    )
    text = (API / "pfmparse.rst").read_text()
    described = re.findall(r"^\.\. (?:auto\w+|data):: (\w+)", text, re.M)
    assert sorted(described) == sorted(names)
