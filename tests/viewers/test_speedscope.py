# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that exports to speedscope are valid according to its schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import]
import pytest
from helpers.exporting import NAMES, exported
from viewers import NODE_MODULES

SCHEMA = NODE_MODULES / "speedscope/dist/release/file-format-schema.json"


@pytest.mark.parametrize("name", NAMES)
def test_speedscope_export_fits_schema(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    schema = json.loads(SCHEMA.read_text())
    schema["$ref"] = "#/definitions/FileFormat.File"
    document = json.loads(
        exported(captures[name], "speedscope", tmp_path / "s").read_text()
    )
    jsonschema.validate(document, schema)
    document["profiles"][0]["weights"] = None
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
