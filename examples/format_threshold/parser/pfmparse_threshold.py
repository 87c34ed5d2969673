# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the records of an example format that filters (perfmon_threshold_smpl.h)."""

import pfmparse as pfm

ARGUMENT = pfm.struct_dtype(
    24,
    [
        ("buf_size", "<u8", 0),
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("min", "<u8", 16),
    ],
)
RECORD = pfm.struct_dtype(
    24,
    [
        ("ip", "<u8", 0),
        ("difference", "<u8", 8),
        ("tid", "<u4", 16),
        ("ovfl_pmd", "<u4", 20),
    ],
)


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples of records, which all have the same size."""
    return pfm.Samples.of_records(records.fixed(RECORD))


FORMAT = pfm.Format(
    name="threshold",
    uuid="0d1acb0d-1225-4ec7-94b8-64409eabb118",
    decoder=pfm.sink_decoder(read, version=1 << 16),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
