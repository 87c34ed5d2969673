# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the records of an example filter format (perfmon_threshold_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_threshold_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_threshold_smpl_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_threshold_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples; all records have the same size."""
    return pfm.Samples.of_records(records.fixed(RECORD))


FORMAT = pfm.Format(
    name="threshold",
    uuid="0d1acb0d-1225-4ec7-94b8-64409eabb118",
    decoder=pfm.sink_decoder(read, version=1 << 16),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
