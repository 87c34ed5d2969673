# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build backend of pyproject.toml: run setuptools in a copy of this directory.

Otherwise setuptools would leave build directories and metadata in this directory.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Iterator, Mapping, Optional

from setuptools import build_meta  # type: ignore

HERE = Path(__file__).resolve().parent
SOURCES = ("pfmparse", "pyproject.toml", "MANIFEST.in", Path(__file__).name)
NOT_COPIED = shutil.ignore_patterns("__pycache__")

Settings = Optional[Mapping[str, object]]


@contextlib.contextmanager
def _in_a_copy() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="pfmparse-") as directory:
        for name in SOURCES:
            source, copy = HERE / name, Path(directory, name)
            if source.is_dir():
                shutil.copytree(source, copy, ignore=NOT_COPIED)
            else:
                shutil.copy(source, copy)
        with contextlib.chdir(directory):
            yield


def build_wheel(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """Builds a wheel in ``wheel_directory``; returns its name."""
    into = str(Path(wheel_directory).resolve())
    with _in_a_copy():
        return str(build_meta.build_wheel(into, config_settings))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Builds a source distribution in ``sdist_directory``; returns its name."""
    into = str(Path(sdist_directory).resolve())
    with _in_a_copy():
        return str(build_meta.build_sdist(into, config_settings))
