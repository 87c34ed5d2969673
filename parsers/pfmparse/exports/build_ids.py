# SPDX-License-Identifier: MIT OR GPL-2.0
"""Collect the build IDs of files in captures."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..analysis.inputs import Input
from ..recording import Recording


def build_ids_of(inputs: Sequence[Input]) -> dict[str, bytes]:
    """Returns the build IDs by path; omits paths that have several build IDs."""
    found: dict[str, set[bytes]] = {}
    for source in inputs:
        for path, build_id in _known(source.recording):
            found.setdefault(path, set()).add(build_id)
    return {path: ids.pop() for path, ids in found.items() if len(ids) == 1}


def _known(recording: Recording) -> Iterator[tuple[str, bytes]]:
    for _, process in recording.source.maps.all():
        for mapping in process.mappings:
            if mapping.build_id:
                yield mapping.path, mapping.build_id
    for file in recording.source.cookies.values():
        if file.build_id:
            yield file.path, file.build_id
