# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the records of newfmt (perfmon_newfmt_smpl.h).

Copyright YEAR AUTHOR
"""

from pathlib import Path

import pfmparse as pfm

VERSION = 1 << 16
HEADER = Path(__file__).with_name("perfmon_newfmt_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_newfmt_record_t")


class Decoder:
    """Decodes complete records, and keeps no state between calls."""

    def __init__(self, session: pfm.Session) -> None:
        """Ignores the session: all sessions are decoded in the same way."""

    def __call__(self, data: pfm.Data) -> pfm.Decoded:
        """Returns the samples of records; a record begins at the first byte."""
        number, rest = divmod(len(data), RECORD.itemsize)
        records = pfm.structures(data, RECORD, number, 0, "the records")
        others = (records["version"] >> 16 != VERSION >> 16).nonzero()[0]
        if others.size:
            at = int(others[0])
            text = f"{records['version'][at]:#x} is not {VERSION:#x}"
            raise pfm.bad_field(RECORD, "version", text, at * RECORD.itemsize)
        problems = []
        if rest:
            text = f"the data end within a record of {RECORD.itemsize} bytes"
            problems.append(pfm.PfmParseError(text, len(data), truncated=True))
        samples = pfm.Samples(number, pfm.record_columns(records, "version"))
        return pfm.Decoded((pfm.Region(0, samples),), tuple(problems))


FORMAT = pfm.Format(
    name="newfmt",
    uuid="00000000-0000-0000-0000-000000000000",
    decoder=Decoder,
    dtypes={"record": RECORD},
    stream=True,
)
