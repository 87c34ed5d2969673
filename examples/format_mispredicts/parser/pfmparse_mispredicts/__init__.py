# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of mispredicted branches (perfmon_mispredicts_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_mispredicts_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_mispredicts_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table."""
    roles = {pfm.Role.WEIGHT: "count"}
    return pfm.Samples.of_records(records.fixed(RECORD), roles=roles)


FORMAT = pfm.Format(
    name="mispredicts",
    uuid="e24d53e7-ebac-4f5b-9033-928582fba7bc",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": pfm.SINK_ARGUMENT, "record": RECORD},
)
