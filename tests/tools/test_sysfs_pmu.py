# SPDX-License-Identifier: MIT OR GPL-2.0
"""Encode events of PMUs in sysfs, in perf's syntax."""

from __future__ import annotations

import pytest
from encoder import Encoder

RAW = 1 << 63
EXCL_USER = 1 << 48
EXCL_KERNEL = 1 << 49
PRECISE_SHIFT = 52
# The sysfs files of the PMUs that the tests use: of the CPU and of memory controllers.
CPU = {
    "format/event": "config:0-7",
    "format/umask": "config:8-15",
    "format/edge": "config:18",
    "format/far": "config:60-63",
    "format/split": "config:0-3,32-35",
    "format/ldlat": "config1:0-15",
    "format/offcore_rsp": "config1:0-63",
    "format/second": "config2:8-11",
    "format/third": "config3:0-7",
    "events/mem-loads": "event=0xcd,umask=0x1,ldlat=3",
    "events/cache-loads": "event=0x2e,umask=?",
    "events/mem-loads.unit": "loads",
    "events/mem-loads.scale": "1",
}
UNCORE = {
    "cpumask": "0,14",
    "format/event": "config:0-7",
    "format/umask": "config:8-15",
    "format/filter": "config2:0-31",
    "events/cas_count_read": "event=0x04,umask=0x03",
    "events/cas_count_read.scale": "6.103515625e-5",
    "events/cas_count_read.unit": "MiB",
}


@pytest.fixture(autouse=True)
def fixture_pmus(encoder: Encoder) -> None:
    encoder.add_pmu("cpu", 4, CPU)
    encoder.add_pmu("uncore_imc_0", 12, UNCORE)
    encoder.add_pmu("uncore_imc_1", 13, UNCORE)
    encoder.add_pmu("soft", 9, {"format/flag": "config:0"})


@pytest.mark.parametrize(
    ("name", "config", "config1", "config2"),
    [
        ("cpu//", 0, 0, 0),
        ("cpu/event=0xcd/", 0xCD, 0, 0),
        ("cpu/event=205,umask=1/", 0x1CD, 0, 0),
        ("cpu/event=0xc2,edge/", 0x400C2, 0, 0),
        ("cpu/event=0xc2,edge=0/", 0xC2, 0, 0),
        # The low bits of a value go to the lowest range of bits.
        ("cpu/split=0xa5/", 0xA00000005, 0, 0),
        ("cpu/event=0xcd,umask=1,ldlat=3/", 0x1CD, 3, 0),
        ("cpu/offcore_rsp=0xffffffffffffffff/", 0, 2**64 - 1, 0),
        ("cpu/second=0xf,ldlat=0xffff/", 0, 0xFFFF, 0xF00),
        ("cpu/config=0x1b7,config1=0x10001,config2=7/", 0x1B7, 0x10001, 7),
        # Later parameters override earlier ones. Parameters before or after an event's
        # name override those that the name stands for.
        ("cpu/event=1,event=2/", 2, 0, 0),
        ("cpu/mem-loads/", 0x1CD, 3, 0),
        ("cpu/mem-loads,ldlat=30/", 0x1CD, 30, 0),
        ("cpu/ldlat=30,mem-loads/", 0x1CD, 30, 0),
        ("cpu/cache-loads,umask=0x41/", 0x412E, 0, 0),
        ("mem-loads", 0x1CD, 3, 0),
        ("mem-loads:ldlat=30", 0x1CD, 30, 0),
        ("mem-loads:ldlat=30:edge", 0x401CD, 30, 0),
    ],
)
def test_sysfs_format_places_parameters(
    encoder: Encoder, name: str, config: int, config1: int, config2: int
) -> None:
    encoded = encoder(name)
    assert encoded.pmc == RAW | EXCL_KERNEL | config
    assert (encoded.config1, encoded.config2) == (config1, config2)
    assert encoded.per_thread
    assert encoded.cpus == "-"


@pytest.mark.parametrize(
    ("suffix", "excluded", "precise"),
    [
        ("", EXCL_KERNEL, 0),
        ("u", EXCL_KERNEL, 0),
        ("k", EXCL_USER, 0),
        (":uk", 0, 0),
        ("pp", EXCL_KERNEL, 2),
        (":kp", EXCL_USER, 1),
    ],
)
def test_levels_follow_the_last_slash(
    encoder: Encoder, suffix: str, excluded: int, precise: int
) -> None:
    pmc = encoder(f"cpu/event=0xcd/{suffix}").pmc
    assert pmc == RAW | excluded | precise << PRECISE_SHIFT | 0xCD


def test_alias_accepts_levels_after_parameters(encoder: Encoder) -> None:
    encoded = encoder("mem-loads:ldlat=30:kpp")
    assert encoded.pmc == RAW | EXCL_USER | 2 << PRECISE_SHIFT | 0x1CD
    assert encoded.config1 == 30


def test_shared_pmu_has_no_thread_events_or_levels(encoder: Encoder) -> None:
    for levels in ("-", "u-", "k-"):
        encoded = encoder("uncore_imc_1/cas_count_read,filter=9/", levels)
        assert encoded.pmc == 13 << 56 | 0x304
        assert (encoded.config1, encoded.config2) == (0, 9)
        assert encoded.cpus == "0,14"
        assert not encoded.per_thread


def test_other_pmus_count_at_all_levels_by_default(encoder: Encoder) -> None:
    assert encoder("soft/flag/").pmc == 9 << 56 | 1
    assert encoder("soft/flag/", "u-").pmc == 9 << 56 | EXCL_KERNEL | 1
    assert encoder("soft/flag/").per_thread


def test_hybrid_pmu_event_lists_its_cpus(encoder: Encoder) -> None:
    encoder.add_pmu("cpu_atom", 10, {"cpus": "4-7", "format/event": "config:0-7"})
    encoded = encoder("cpu_atom/event=0x3c/")
    assert encoded.pmc == 10 << 56 | EXCL_KERNEL | 0x3C
    assert encoded.cpus == "4-7"
    assert encoded.per_thread


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("imc/x/", "the PMUs are: cpu, soft, uncore_imc_0, uncore_imc_1"),
        ("uprobe/retprobe/", "in /sys/kernel/tracing/uprobe_events and count its"),
        ("kprobe//", "count its tracepoint, kprobes:NAME"),
        ("../x/", "no PMU ..;"),
        ("cpu/event=1", "the / after the parameters of cpu is missing"),
        ("cpu/event=1/x", "'x' is not a privilege level (u, k, uk) or a precise level"),
        ("cpu/nothing=1/", "neither a parameter nor an event nothing"),
        ("cpu/nothing/", "event, far, ldlat, offcore_rsp, second, split, third, umask"),
        ("cpu/nothing/", "its events: cache-loads, mem-loads\n"),
        ("cpu/mem-loads.unit/", "neither a parameter nor an event mem-loads.unit"),
        ("cpu/../type/", "neither a parameter nor an event ../type"),
        ("cpu/mem-loads=1/", "neither a parameter nor an event mem-loads"),
        ("cpu/event=/", "'' is not a number; event takes"),
        ("cpu/event=-1/", "'-1' is not a number; event takes"),
        ("cpu/event=0x100/", "event has 8 bits and must be at most 0xff"),
        ("cpu/edge=2/", "edge has 1 bits and must be at most 0x1"),
        ("mem-loads:ldlat=65536", "ldlat has 16 bits and must be at most 0xffff"),
        ("cpu/far=1/", "exceeds the 48 bits of a PMC value"),
        ("cpu/third=1/", "third of cpu as 'config3:0-7'"),
        ("cpu/cache-loads/", "cache-loads of cpu also needs umask=NUMBER"),
        ("cas_count_read", "several PMUs have an event cas_count_read: uncore_imc_0, "),
        ("uncore_imc_0/cas_count_read/u", "(on CPUs 0,14) is always counted at all pr"),
    ],
)
def test_sysfs_errors_list_alternatives(
    encoder: Encoder, name: str, complaint: str
) -> None:
    assert complaint in encoder.complaint(name)


def test_long_name_list_is_shortened(encoder: Encoder) -> None:
    for number in range(20):
        encoder.add_pmu(f"cbox_{number:02}", 20 + number, {})
    complaint = encoder.complaint("cha/x/")
    assert "cbox_00, cbox_01" in complaint
    assert "cbox_16" not in complaint
    assert "and 8 more" in complaint


def test_pmu_type_too_large_is_refused(encoder: Encoder) -> None:
    encoder.add_pmu("far", 127, {})
    assert "its PMU has number 127" in encoder.complaint("far/config=1/")


def test_machine_without_pmus_is_reported(encoder: Encoder) -> None:
    encoder.root /= "empty"
    assert "there is no PMU cpu; the PMUs are: none" in encoder.complaint("cpu/x/")


def test_events_are_listed_with_their_pmus(encoder: Encoder) -> None:
    assert encoder.listed("^(cpu|uncore).*/") == [
        "cpu/cache-loads/",
        "cpu/mem-loads/",
        "uncore_imc_0/cas_count_read/",
        "uncore_imc_1/cas_count_read/",
    ]
