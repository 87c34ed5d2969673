# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes intervals between samples of a thread (perfmon_intervals_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_intervals_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_intervals_smpl_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_intervals_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples; all records have the same size."""
    return pfm.Samples.of_records(records.fixed(RECORD))


FORMAT = pfm.Format(
    name="intervals",
    uuid="9ababbda-1513-4616-8a9c-cf115c83fa0f",
    decoder=pfm.sink_decoder(read, version=1 << 16),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
