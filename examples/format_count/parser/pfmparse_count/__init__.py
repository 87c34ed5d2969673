# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the buffers of an example format (perfmon_count_smpl.h)."""

from pathlib import Path

import numpy as np
import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_count_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_count_smpl_arg_t")
COUNT = pfm.struct_dtype(8, [("count", "<u8", 0)])
HDR = pfm.header_struct(HEADER, "pfm_count_smpl_hdr_t")


class Decoder:
    """Decodes the buffers of one context. The counts in them never decrease."""

    def __init__(self, session: pfm.Session) -> None:
        self._before = np.zeros(0, np.uint64)

    def __call__(self, data: pfm.Data) -> pfm.Decoded:
        """Returns the increase of each count since the previous buffer."""
        header = pfm.integers(data, HDR, 0, "the header")
        if header["hdr_version"] != 1 << 16:
            raise pfm.bad_field(HDR, "hdr_version", "not 1.0")
        number = header["hdr_num_events"]
        rows = pfm.structures(data, COUNT, number, HDR.itemsize, "the counts")
        counts = rows["count"].copy()
        new = counts - self._before if self._before.size == number else counts
        self._before = counts
        columns = {"event": np.arange(number), "count": new}
        samples = pfm.Samples(number, columns, roles={pfm.Role.WEIGHT: "count"})
        lost = pfm.Lost({"others": header["hdr_others"]})
        return pfm.Decoded((pfm.Region(0, samples),), lost=lost)


FORMAT = pfm.Format(
    name="count",
    uuid="ab3b0f7e-5f0c-4d6f-9d4a-5b9d8e0c4a11",
    decoder=Decoder,
    dtypes={"argument": ARGUMENT, "header": HDR, "count": COUNT},
)
