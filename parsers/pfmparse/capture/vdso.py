# SPDX-License-Identifier: MIT OR GPL-2.0
"""Images of vDSOs: the VDSO chunks (docs/capture.md)."""

from __future__ import annotations

from ..errors import PfmParseError
from ..layout import Data, struct_dtype, view

MAX_IMAGES = 16  # a kernel has one for each word size
HEADER = struct_dtype(
    72, [("id_size", "<u4", 0), ("reserved", "<u4", 4), ("build_id", "V64", 8)]
)


class VdsoImages:
    """The ELF images of vDSOs, by build ID."""

    def __init__(self) -> None:
        self._images: dict[bytes, bytes] = {}

    def __contains__(self, build_id: object) -> bool:
        return build_id in self._images

    def __getitem__(self, build_id: bytes) -> bytes:
        return self._images[build_id]

    def add(self, payload: Data, offset: int) -> None:
        """Adds the next VDSO chunk, whose payload is at byte ``offset``."""
        if len(payload) < HEADER.itemsize:
            raise PfmParseError("VDSO without a header", offset)
        header = view(payload, HEADER, 1, 0, len(payload))[0]
        size = int(header["id_size"])
        if not 0 < size <= HEADER["build_id"].itemsize:
            raise PfmParseError(f"VDSO: a build ID of {size} bytes", offset)
        if len(self._images) == MAX_IMAGES:
            raise PfmParseError(f"more than {MAX_IMAGES} VDSO chunks", offset)
        build_id = header["build_id"].tobytes()[:size]
        self._images[build_id] = bytes(payload[HEADER.itemsize :])
