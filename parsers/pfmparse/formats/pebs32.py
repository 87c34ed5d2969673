# SPDX-License-Identifier: MIT OR GPL-2.0
"""The 32-bit PEBS sampling format."""

from __future__ import annotations

from functools import partial

from ..layout import struct_dtype
from .decoding import Format
from .pebs import REGISTERS32, Decoder, Layout, describe_arg

# pfm_pebs32_smpl_arg_t
ARG = struct_dtype(
    40,
    [
        ("buf_size", "<u4", 0),  # bytes
        ("intr_thres", "<u4", 4),  # records
        ("flags", "<u4", 8),
        ("cnt_reset", "<u8", 12),  # events
        ("reserved1", "<u4", 20),
        ("reserved2", "2<u8", 24),
    ],
)

# pfm_pebs32_ds_area_t; offsets in bytes from the start of the buffer
AREA = struct_dtype(
    40,
    [
        ("bts_buf_base", "<u4", 0),
        ("bts_index", "<u4", 4),
        ("bts_abs_max", "<u4", 8),
        ("bts_intr_thres", "<u4", 12),
        ("pebs_buf_base", "<u4", 16),
        ("pebs_index", "<u4", 20),
        ("pebs_abs_max", "<u4", 24),
        ("pebs_intr_thres", "<u4", 28),
        ("pebs_cnt_reset", "<u8", 32),  # events
    ],
)

# pfm_pebs32_smpl_hdr_t
HDR = struct_dtype(
    84,
    [
        ("hdr_overflows", "<u8", 0),  # times the threshold was reached
        ("hdr_buf_size", "<u4", 8),  # bytes
        ("hdr_start_offs", "<u4", 12),  # bytes from the end of the header
        ("hdr_version", "<u4", 16),  # major << 16 | minor
        ("hdr_flags", "<u4", 20),
        ("hdr_entry_size", "<u4", 24),  # bytes
        ("hdr_dropped", "<u8", 28),  # records
        ("hdr_lost", "<u8", 36),  # records
        ("hdr_ds", AREA, 44),
    ],
)

# pfm_pebs32_smpl_entry_t
_FIELDS = ("eflags", "ip", *REGISTERS32)
ENTRY = struct_dtype(40, [(name, "<u4", 4 * i) for i, name in enumerate(_FIELDS)])

FORMATS = (
    Format(
        name="32-bit PEBS",
        uuid="0d8591e7-493f-49ae-8cfc-e8b933e4eb8b",
        decoder=partial(Decoder, Layout(HDR, AREA, {40: ENTRY})),
        describe_arg=partial(describe_arg, dtype=ARG),
        dtypes={"argument": ARG, "area": AREA, "header": HDR, "entry": ENTRY},
        joined=True,
    ),
)
