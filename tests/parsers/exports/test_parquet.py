# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to Parquet without pyarrow. tests/viewers exports with pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest
from helpers.exporting import called
from pfmparse.exports import parquet


def missing(name: str) -> NoReturn:
    """Raise the error that importing a package raises if it is not installed."""
    raise ImportError(f"No module named {name!r}")


def test_missing_pyarrow_is_an_error_that_names_it(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "import_module", missing)
    out = tmp_path / "out"
    out.write_text("before")
    status, printed, err = called("export", file, "--to", "parquet", "-o", str(out))
    assert (status, printed) == (1, "")
    assert err.startswith("pfmparse: export parquet: needs pyarrow: install it, or ")
    assert out.read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"out", Path(file).name}
