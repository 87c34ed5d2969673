# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/module_sources.py with a fake kbuild."""

from __future__ import annotations

from pathlib import Path

import kernels
import module_sources
import pytest

KERNEL = kernels.Kernel("x86_64", "6.1", "6.1.0-9-cloud-amd64", "1", "bookworm")


@pytest.fixture(name="asked")
def fixture_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of arguments of all builds, each of which makes one module."""
    asked: list[str] = []

    def make(kernel: kernels.Kernel, arguments: list[str]) -> list[str]:
        (work,) = (word[2:] for word in arguments if word.startswith("M="))
        assert (Path(work) / "core/main.c").is_file() or work == "/folder"
        asked.extend(arguments)
        return [
            "sh",
            "-c",
            f"cd {work} && mkdir -p core && touch core/a.ko Module.symvers",
        ]

    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path))
    monkeypatch.setattr(kernels, "make", make)
    return asked


def test_modules_are_built_once_for_each_content(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = module_sources.built(KERNEL)
    assert {path.name for path in first.iterdir()} == {"a.ko", "Module.symvers"}
    once = list(asked)
    assert module_sources.built(KERNEL) == first and asked == once
    monkeypatch.setattr(module_sources, "PATHS", ("Kbuild", "core"))
    assert module_sources.built(KERNEL) != first and len(asked) == 2 * len(once)


def test_failed_module_build_is_not_kept(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "make", lambda *_: ["false"])
    with pytest.raises(
        module_sources.BuildError, match="perfmon's modules cannot be built for 6.1.0-9"
    ):
        module_sources.built(KERNEL)
    assert list((tmp_path / "modules").glob("*")) == []
    assert list(tmp_path.glob(".build*")) == []


def test_kernel_without_package_uses_its_own_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = kernels.Kernel("x86_64", "6.6.1", "6.6.1", "", "")
    monkeypatch.setattr(module_sources, "KDIR", f"{tmp_path}/{{}}/build")
    with pytest.raises(module_sources.BuildError, match="headers are missing"):
        module_sources.build(own, tmp_path, "a format")
    headers = tmp_path / "6.6.1/build"
    headers.mkdir(parents=True)
    (headers / "Makefile").write_text("modules:\n\ttouch $(M)/made\n")
    module_sources.build(own, tmp_path, "a format")
    assert (tmp_path / "made").exists()
