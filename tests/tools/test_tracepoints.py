# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find tracepoints by name."""

from __future__ import annotations

import pytest
from encoder import Encoder

TRACEPOINT = 2 << 56
EXCL_USER = 1 << 48
EXCL_KERNEL = 1 << 49
DEBUGFS = "sys/kernel/debug/tracing"


@pytest.mark.parametrize("mount", ["sys/kernel/tracing", DEBUGFS])
def test_tracepoint_id_comes_from_tracefs(encoder: Encoder, mount: str) -> None:
    encoder.add_tracepoint("sched:sched_switch", 315, mount)
    assert encoder("sched:sched_switch").pmc == TRACEPOINT | 315
    assert encoder("sched:sched_switch", "k-").pmc == TRACEPOINT | EXCL_USER | 315
    assert encoder("sched:sched_switch:u").pmc == TRACEPOINT | EXCL_KERNEL | 315


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        (
            "sched:sched_swatch",
            "no tracepoint sched_swatch in sched; "
            "it has: sched_switch, sched_waking\n",
        ),
        ("shed:sched_switch", "unknown event 'shed:sched_switch'"),
        ("sched:", "unknown event 'sched:'"),
    ],
)
def test_unknown_tracepoints_are_refused(
    encoder: Encoder, name: str, complaint: str
) -> None:
    encoder.add_tracepoint("sched:sched_switch", 315)
    encoder.add_tracepoint("sched:sched_waking", 314)
    encoder.add("sys/kernel/tracing/events/sched/enable", "0")
    assert complaint in encoder.complaint(name)


def test_libpfm_names_are_not_tracepoints(encoder: Encoder) -> None:
    encoder.add_tracepoint("sched:sched_switch", 315)
    assert encoder("perf::PERF_COUNT_SW_CPU_CLOCK").pmc >> 56 == 1


def test_unreadable_tracefs_is_reported(encoder: Encoder) -> None:
    encoder.add_tracepoint("sched:sched_switch", 315)
    tracing = encoder.root / "sys/kernel/tracing"
    tracing.chmod(0)
    encoder.obey_modes()
    complaint = encoder.complaint("sched:sched_switch")
    tracing.chmod(0o755)
    assert "if it is a tracepoint, run pfmon as root: only root" in complaint
    # Without tracefs, the kernel shows no tracepoints, so root would not find any
    # either.
    (encoder.root / "sys/kernel").rename(encoder.root / "sys/kernels")
    complaint = encoder.complaint("sched:sched_switch")
    assert "only root" not in complaint


def test_tracepoints_are_listed(encoder: Encoder) -> None:
    encoder.add_tracepoint("sched:sched_switch", 315)
    encoder.add_tracepoint("irq:irq_handler_entry", 140)
    encoder.add("sys/kernel/tracing/events/enable", "0")
    encoder.add("sys/kernel/tracing/events/sched/enable", "0")
    assert encoder.listed("^[a-z]+:[a-z]") == [
        "irq:irq_handler_entry",
        "sched:sched_switch",
    ]
