# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the numpy dtypes with the structures of the C headers, by field."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from helpers.cli import ROOT
from pfmparse.formats import (
    callstack,
    cgroup_counts,
    default,
    flight,
    histogram,
    nway,
    pebs32,
    pebs64,
    sink,
    stacks,
)

HERE = Path(__file__).parent
SDK = ROOT / "sdk" / "include"
ROW = struct.Struct("<32s32sIIII")

DTYPES = {
    "pfm_default_smpl_arg_t": default.ARG,
    "pfm_default_smpl_hdr_t": default.HDR,
    "pfm_default_smpl_entry_t": default.ENTRY,
    "pfm_nway_smpl_arg_t": nway.ARG,
    "pfm_nway_smpl_hdr_t": nway.HDR,
    "pfm_nway_smpl_rgn_t": nway.RGN,
    "pfm_pebs32_smpl_arg_t": pebs32.ARG,
    "pfm_pebs32_ds_area_t": pebs32.AREA,
    "pfm_pebs32_smpl_hdr_t": pebs32.HDR,
    "pfm_pebs32_smpl_entry_t": pebs32.ENTRY,
    "pfm_pebs64_smpl_arg_t": pebs64.ARG,
    "pfm_pebs64_ds_area_t": pebs64.AREA,
    "pfm_pebs64_smpl_hdr_t": pebs64.HDR,
    "pfm_pebs64_smpl_entry_t": pebs64.ENTRY,
    "pfm_pebs64_nhm_entry_t": pebs64.NEHALEM,
    "pfm_pebs64_hsw_entry_t": pebs64.HASWELL,
    "pfm_pebs64_skl_entry_t": pebs64.SKYLAKE,
    "pfm_callstack_smpl_arg_t": callstack.ARG,
    "pfm_callstack_record_t": callstack.RECORD,
    "pfm_flight_smpl_arg_t": flight.ARG,
    "pfm_flight_record_t": flight.RECORD,
    "pfm_histogram_record_t": histogram.RECORD,
    "pfm_stacks_smpl_arg_t": stacks.ARG,
    "pfm_stacks_record_t": stacks.RECORD,
    "pfm_cgroup_counts_smpl_arg_t": cgroup_counts.ARG,
    "pfm_cgroup_counts_record_t": cgroup_counts.RECORD,
    "pfm_sink_arg_t": sink.SINK_ARGUMENT,
    "pfm_sink_hdr_t": sink.HDR,
    "pfm_sink_rgn_t": sink.RGN,
    "pfm_sink_more_t": sink.MORE,
}


class Field(NamedTuple):
    """A field: offset, size and element size in bytes, and signedness."""

    offset: int
    size: int
    element: int
    signed: bool


def fields_in_c(machine: str, tmp: Path) -> dict[tuple[str, str], Field]:
    """Return the fields as the compiler lays them out, by structure and name."""
    obj, table = tmp / "layout.o", tmp / "layout.bin"
    # gcc -m32 finds the kernel headers only in this directory.
    multiarch = f"-I/usr/include/{compiler_says('-print-multiarch')}"
    source = HERE / "layout_dump.c"
    compiled = subprocess.run(
        ["gcc", machine, "-Wall", "-Werror", multiarch, f"-I{SDK}"]
        + ["-c", str(source), "-o", str(obj)],
        capture_output=True,
        text=True,
    )
    if compiled.returncode != 0 and machine == "-m32":
        pytest.skip(f"gcc -m32 does not work: {compiled.stderr.strip()}")
    assert compiled.returncode == 0, compiled.stderr
    subprocess.run(
        ["objcopy", "-O", "binary", "--only-section=layout"]
        + ["--set-section-flags", "layout=alloc", obj, table],
        check=True,
    )
    return {
        # Some C structures contain others, but the numpy dtypes are flat. Therefore,
        # use only the last part of a name such as "base.ip".
        (c_string(kind), c_string(name).rpartition(".")[2]): Field(
            offset, size, element, bool(signed)
        )
        for kind, name, offset, size, element, signed in ROW.iter_unpack(
            table.read_bytes()
        )
    }


def compiler_says(option: str) -> str:
    return subprocess.check_output(["gcc", option], text=True).strip()


def c_string(field: bytes) -> str:
    return field.rstrip(b"\0").decode()


def fields_in_numpy(name: str, dtype: np.dtype[np.void]) -> dict[str, Field]:
    """Return the fields of a dtype; the empty name stands for the whole dtype."""
    assert dtype.fields is not None
    fields = {"": Field(0, dtype.itemsize, 0, False)}
    for field, (kind, offset, *_) in dtype.fields.items():
        base = kind.base
        assert base.byteorder in "<|="
        signed = bool(np.issubdtype(base, np.signedinteger))
        fields[field] = Field(offset, kind.itemsize, base.itemsize, signed)
    return fields


# Proves 3.6.3-11, 3.6.4-01
@pytest.mark.parametrize("machine", ["-m64", "-m32"])
def test_numpy_dtypes_match_the_c_headers(machine: str, tmp_path: Path) -> None:
    in_c = fields_in_c(machine, tmp_path)
    in_numpy = {
        (name, field): value
        for name, dtype in DTYPES.items()
        for field, value in fields_in_numpy(name, dtype).items()
    }
    assert in_numpy == in_c
