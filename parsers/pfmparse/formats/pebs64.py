# SPDX-License-Identifier: MIT OR GPL-2.0
"""The 64-bit PEBS sampling format: its record layouts, up to that of Skylake."""

from __future__ import annotations

from functools import partial
from typing import Mapping, Optional

import numpy as np

from ..layout import struct_dtype
from . import pebs
from .decoding import Format
from .pebs import REGISTERS, Decoder, Layout

RECORD_SHIFT, RECORD_MASK = 4, 0x30  # kind of record in the argument's flags

# pfm_pebs64_smpl_arg_t
ARG = struct_dtype(
    56,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("intr_thres", "<u8", 8),  # records
        ("flags", "<u4", 16),
        ("pad1", "<u4", 20),
        ("cnt_reset", "<u8", 24),  # events
        ("reserved1", "<u4", 32),
        ("pad2", "<u4", 36),
        ("reserved2", "2<u8", 40),
    ],
)

# pfm_pebs64_ds_area_t; offsets in bytes from the start of the buffer
AREA = struct_dtype(
    72,
    [
        ("bts_buf_base", "<u8", 0),
        ("bts_index", "<u8", 8),
        ("bts_abs_max", "<u8", 16),
        ("bts_intr_thres", "<u8", 24),
        ("pebs_buf_base", "<u8", 32),
        ("pebs_index", "<u8", 40),
        ("pebs_abs_max", "<u8", 48),
        ("pebs_intr_thres", "<u8", 56),
        ("pebs_cnt_reset", "<u8", 64),  # events
    ],
)

# pfm_pebs64_smpl_hdr_t
HDR = struct_dtype(
    128,
    [
        ("hdr_overflows", "<u8", 0),  # times the threshold was reached
        ("hdr_buf_size", "<u8", 8),  # bytes
        ("hdr_start_offs", "<u8", 16),  # bytes from the end of the header
        ("hdr_version", "<u4", 24),  # major << 16 | minor
        ("hdr_pad", "<u4", 28),
        ("hdr_flags", "<u4", 32),
        ("hdr_entry_size", "<u4", 36),  # bytes
        ("hdr_dropped", "<u8", 40),  # records
        ("hdr_lost", "<u8", 48),  # records
        ("hdr_ds", AREA, 56),
    ],
)


def _entry(size: int, *names: str) -> np.dtype[np.void]:
    """Returns the dtype of a record, whose fields all have 8 bytes."""
    return struct_dtype(size, [(name, "<u8", 8 * i) for i, name in enumerate(names)])


_BASE = ("eflags", "ip", *REGISTERS)
_NEHALEM = (*_BASE, "status", "dla", "dse", "lat")
_HASWELL = (*_NEHALEM, "real_ip", "tsx_tuning")

ENTRY = _entry(144, *_BASE)  # pfm_pebs64_smpl_entry_t
NEHALEM = _entry(176, *_NEHALEM)  # pfm_pebs64_nhm_entry_t
HASWELL = _entry(192, *_HASWELL)  # pfm_pebs64_hsw_entry_t
SKYLAKE = _entry(200, *_HASWELL, "tsc")  # pfm_pebs64_skl_entry_t
RECORDS = (ENTRY, NEHALEM, HASWELL, SKYLAKE)  # by kind in the argument's flags


def _describe_arg(arg: bytes) -> Optional[Mapping[str, object]]:
    values = pebs.describe_arg(arg, ARG)
    if values is None:
        return None
    flags = values["flags"]
    assert isinstance(flags, int)
    record = RECORDS[(flags & RECORD_MASK) >> RECORD_SHIFT]
    return {**values, "record_size": record.itemsize}


FORMATS = (
    Format(
        name="64-bit PEBS",
        uuid="36be9794-1fbf-41df-b463-1062eb729bad",
        decoder=partial(
            Decoder, Layout(HDR, AREA, {entry.itemsize: entry for entry in RECORDS})
        ),
        describe_arg=_describe_arg,
        dtypes={
            "argument": ARG,
            "area": AREA,
            "header": HDR,
            "entry": ENTRY,
            "nehalem entry": NEHALEM,
            "haswell entry": HASWELL,
            "skylake entry": SKYLAKE,
        },
        joined=True,
    ),
)
