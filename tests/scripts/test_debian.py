# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/debian.py with apt sources that the tests write."""

from __future__ import annotations

from pathlib import Path

import debian
import pytest


def use(
    listed: str, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pretend that the host has this release and these apt sources."""
    (tmp_path / "sources.list").write_text(listed)
    config = tmp_path / "apt.conf"
    config.write_text(
        f'Dir::Etc::SourceList "{tmp_path}/sources.list";\n'
        f'Dir::Etc::SourceParts "/dev/null";\nDir::State "{tmp_path}";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(config))
    monkeypatch.setattr(debian, "host", lambda: host)


def test_other_release_uses_host_mirror(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(
        "deb http://near/debian trixie main\ndeb http://near/other trixie-security main"
        "\ndeb http://far/tools any main\n",
        "trixie",
        tmp_path,
        monkeypatch,
    )
    assert debian.sources("bookworm") == [
        "deb http://near/debian bookworm main",
        "deb http://near/debian bookworm-updates main",
        "deb http://near/other bookworm-security main",
    ]
    backports = debian.sources("trixie-backports")
    assert backports[:3] == debian.sources("trixie")
    assert backports[3:] == ["deb http://near/debian trixie-backports main"]
    assert debian.sources("sid") == [
        "deb [check-valid-until=no] http://near/debian sid main"
    ]


def test_missing_suite_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("deb http://near/debian trixie main\n", "trixie", tmp_path, monkeypatch)
    with pytest.raises(debian.ReleaseError, match="trixie-security"):
        debian.sources("bookworm")
