# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the slowest accesses with their callers (perfmon_slowest_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_slowest_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_slowest_smpl_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_slowest_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples; each record is followed by its callers."""
    heads, behind = records.walk(RECORD, lambda heads: heads["num_callers"])
    callers = pfm.Chains(*records.words(behind, heads["num_callers"]))
    columns = pfm.record_columns(heads, "num_callers")
    return pfm.Samples(heads.size, columns, chains=callers)


FORMAT = pfm.Format(
    name="slowest",
    uuid="c8ca3eb0-4f80-4474-9a61-98ebb9b14fd8",
    decoder=pfm.sink_decoder(read, version=1 << 16),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
