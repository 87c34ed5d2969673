# SPDX-License-Identifier: MIT OR GPL-2.0
"""The cgroup_counts format: counts of control groups, in a sink."""

from __future__ import annotations

from ..capture.session import Session
from ..layout import struct_dtype
from .decoding import Format
from .roles import Role
from .samples import Roles, Samples, record_columns
from .sink import Records, sink_decoder

UUID = "f970f848-ac78-4b5c-a2ff-e716da8de985"
VERSION = 1 << 16

# pfm_cgroup_counts_smpl_arg_t
ARG = struct_dtype(
    272,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("num_groups", "<u4", 16),
        ("groups", "63<i4", 20),
    ],
)

# pfm_cgroup_counts_record_t
RECORD = struct_dtype(
    272,
    [
        ("group", "<u8", 0),
        ("samples", "<u8", 8),
        ("counts", "32<u8", 16),
    ],
)


def read(records: Records, session: Session) -> Samples:
    """Returns records as samples, with a sum for each recorded PMD, such as pmd3."""
    heads = records.fixed(RECORD)
    pmds = (number for pmd in session.sets[0].pmds for number in pmd.smpl_pmds)
    sums = {f"pmd{i}": heads["counts"][:, i] for i in sorted(set(pmds)) if i < 32}
    columns = {**record_columns(heads, "counts"), **sums}
    roles: Roles = {Role.WEIGHT: "samples", Role.SUM: {name: name for name in sums}}
    return Samples(heads.size, columns, roles=roles)


FORMATS = (
    Format(
        name="cgroup_counts",
        uuid=UUID,
        decoder=sink_decoder(read, VERSION, rising=True),
        dtypes={"argument": ARG, "record": RECORD},
        joined=True,
    ),
)
