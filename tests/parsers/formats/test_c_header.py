# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read dtypes from C headers, and refuse declarations that are not supported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.cli import ROOT
from pfmparse import SINK_ARGUMENT, header_struct
from pfmparse.formats import callstack, default, flight, histogram, nway, sink

HEADERS = ROOT / "sdk/include/perfmon"


def header(folder: Path, members: str, rest: str = "") -> Path:
    """Return the path of a header that declares mine_t; its members begin on line 4."""
    path = folder / "mine.h"
    path.write_text(f"{rest}\n/* a\n*/ typedef struct {{\n{members}\n}} mine_t;\n")
    return path


def test_dtype_has_each_member(tmp_path: Path) -> None:
    rest = "#define CALLERS\t3\ntypedef struct { __u64 no; } other_t;"
    members = """
        __u64 ip; /* typedef struct { __u8 no; } mine_t; */
        __s64 chain[CALLERS];  // innermost
        pfm_sink_arg_t sink;
        __u32 tid;
        __s16 delta;
        __s8 state;
        __u8 one[1];
        char comm[16];
    """
    assert header_struct(header(tmp_path, members, rest), "mine_t") == np.dtype(
        [
            ("ip", "<u8"),
            ("chain", "<i8", (3,)),
            *((name, SINK_ARGUMENT[name]) for name in SINK_ARGUMENT.names or ()),
            ("tid", "<u4"),
            ("delta", "<i2"),
            ("state", "i1"),
            ("one", "u1", (1,)),
            ("comm", "S16"),
        ]
    )


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("int x;", "mine.h:4: mine_t: unknown type 'int'; use one of char, __u8, "),
        ("char x;", "'x' is a single char: use __u8 or __s8 for a number"),
        ("__u32 a,\nb;", "mine.h:4: mine_t: '__u32 a, b' is not a member such as"),
        ("__u64 x", "mine.h:4: mine_t: '__u64 x' is not a member such as"),
        ("__u64 x:3;", "'__u64 x:3' is not a member"),
        ("#ifdef A\n__u64 x;\n#endif", "'#ifdef A __u64 x' is not a member"),
        ("__u64 a[N];", "array length 'N' is not a number from 1 to 99999; a macro"),
        ("__u64 a[0];", "mine.h:4: mine_t: array length '0' is not"),
        ("__u64 a[010];", "array length '010' is not"),
        ("char a[4294967296];", "mine.h:4: mine_t: array length '4294967296' is not"),
        ("__u64 a;\n__s8 a;", "mine.h:5: mine_t: there are two fields 'a': rename one"),
        ("__u64 flags;\npfm_sink_arg_t b;", "mine.h:5: mine_t: there are two fields"),
        ("__u32 a;\n__u64 b;", "mine.h:5: mine_t: 4 bytes of padding before 'b'"),
        ("__u64 a;\n__u16 b;", "6 bytes of padding at the end: declare them, for "),
        ("__u32 a;\npfm_sink_arg_t b;", "4 bytes of padding before 'b'"),
        ("struct { __u64 a; } b;", "mine.h has no 'typedef struct { ... } mine_t;'"),
    ],
)
def test_unusable_declaration_is_refused(
    tmp_path: Path, member: str, said: str
) -> None:
    with pytest.raises(ValueError) as error:
        header_struct(header(tmp_path, member), "mine_t")
    assert said in str(error.value)


@pytest.mark.parametrize(
    "value", ["4 + 4", "4 \\\n* 2", "010", "0x8", "(8)", "8\n#define N 9", "TWO"]
)
def test_macro_that_is_not_one_number_is_refused(tmp_path: Path, value: str) -> None:
    path = header(tmp_path, "__u64 a[N];", f"#define N {value}\n#define TWO 2")
    with pytest.raises(ValueError, match="array length 'N' is not a number"):
        header_struct(path, "mine_t")


def test_missing_declaration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mine.h has no 'typedef struct .* other_t;'"):
        header_struct(header(tmp_path, "__u64 a;"), "other_t")


# test_layout_agrees_with_c.py compares these dtypes with the compiler's layout.
@pytest.mark.parametrize(
    ("file", "name", "dtype"),
    [
        ("perfmon_default_smpl.h", "pfm_default_smpl_entry_t", default.ENTRY),
        ("perfmon_default_smpl.h", "pfm_default_smpl_hdr_t", default.HDR),
        ("perfmon_nway_smpl.h", "pfm_nway_smpl_rgn_t", nway.RGN),
        ("perfmon_callstack_smpl.h", "pfm_callstack_record_t", callstack.RECORD),
        ("perfmon_flight_smpl.h", "pfm_flight_record_t", flight.RECORD),
        ("perfmon_histogram_smpl.h", "pfm_histogram_record_t", histogram.RECORD),
        ("perfmon_sink.h", "pfm_sink_arg_t", sink.SINK_ARGUMENT),
        ("perfmon_sink.h", "pfm_sink_rgn_t", sink.RGN),
    ],
)
def test_sdk_headers_give_compilers_layout(
    file: str, name: str, dtype: np.dtype[np.void]
) -> None:
    assert header_struct(HEADERS / file, name) == dtype
