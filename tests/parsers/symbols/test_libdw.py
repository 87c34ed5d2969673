# SPDX-License-Identifier: MIT OR GPL-2.0
"""Load the libraries of elfutils."""

from __future__ import annotations

import ctypes

import pytest
from pfmparse.symbols import libdw


def test_missing_libdw_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(name)

    assert libdw.available()
    libdw.libraries.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert not libdw.available()
