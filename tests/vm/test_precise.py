# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record samples with data addresses and branches in each format that records PMDs.

The guest uses the NMI PMU (tests/guest/pmu_nmi), whose samples have known data
addresses and branches. pfmon measures a CPU, and pfmparse reads the captures.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import boot
import pytest
from boot import ROOT
from reading import pfmparse, plugin, told

TARGET = boot.Target("x86_64", "6.12")
# The formats that record process, thread and CPU. Tests add an example format.
FORMATS = ("default", "nway", "callstack", "flight")
EXAMPLE = "mini"
OPTIONS = {"flight": "--smpl-notify=0"}  # save all samples at the end
MODULES = (
    "tests/guest/pmu_nmi/pfm_nmi",
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    "unwind/pfm_unwind",
    *(f"formats/{name}/pfm_fmt_{name}" for name in FORMATS),
    f"examples/format_{EXAMPLE}/pfm_fmt_{EXAMPLE}",
)
PARSER = ROOT / f"examples/format_{EXAMPLE}/parser"
RIG = "/sys/kernel/debug/pfm_nmi"
SAMPLES, PERIOD, BRANCHES = 40, 2, 8
# The values of the first sample. The address and latency of each later sample are one
# more than those of the sample before.
ADDRESS, LATENCY, SOURCE = 0x7F0000000000, 100, 0x2 | 0x0A << 5 | 0x1A << 26
FROM, FLAGS = 0x401000, 2 | 1 << 20  # of the newest branch, whose target is a function
TARGET_SYMBOL = "schedule"
ADDR, LAT, SRC, BRANCH = 260, 261, 264, 272  # PFM_PMD_* of perfmon.h


def _script() -> str:
    """Return the guest's script."""
    extra = "/lib/modules/$(uname -r)/extra"
    measure = (
        f"taskset -c 0 pfmon --system-wide -e cycles:kp --long-smpl-periods={PERIOD}"
        " --smpl-pmds=addr,latency,source,branches"
    )
    fire = f"echo $$ >/out/firing; echo -1 {PERIOD * SAMPLES} >{RIG}/fire"
    values = {
        "addr": f"{ADDRESS:#x}",
        "latency": LATENCY,
        "source": f"{SOURCE:#x}",
        "branches": BRANCHES + 4,
        "branch_from": f"{FROM:#x}",
        "branch_to": "$to",
        "branch_flags": FLAGS,
    }
    return "\n".join(
        [
            "set -e",
            *(f"insmod {extra}/{module}.ko" for module in MODULES),
            f"to=0x$(grep ' T {TARGET_SYMBOL}$' /proc/kallsyms | cut -d ' ' -f 1)",
            "echo $to >/out/target",
            *(f"echo {value} >{RIG}/{name}" for name, value in values.items()),
            *(
                f"{measure} --smpl-module={name} {OPTIONS.get(name, '')}"
                f" -o /out/{name}.cap sh -c '{fire}'\n"
                f"mv /out/firing /out/{name}.pid"
                for name in (*FORMATS, EXAMPLE)
            ),
            f"echo 0 >{RIG}/branches",
            f"! {measure} -o /out/no.cap true",
        ]
    )


@pytest.fixture(scope="module", name="out")
def fixture_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the captures, with pfmon's output in "output"."""
    out = tmp_path_factory.mktemp("precise")
    boot.run_script(TARGET, _script(), out, "--no-modules")
    plugin(out, EXAMPLE)
    return out


def _rows(out: Path, name: str) -> list[dict[str, str]]:
    """Return the samples of a capture as rows of pfmparse's CSV output."""
    capture = out / f"{name}.cap"
    options = ("--to", "csv", "-o", "-")
    data = pfmparse("export", capture, *options, plugins=(out, PARSER))
    return list(csv.DictReader(io.StringIO(data)))


def _told(out: Path, *arguments: str | Path) -> Any:
    return told(*arguments, plugins=(out, PARSER))["rows"]


def _to(out: Path) -> int:
    return int((out / "target").read_text(), 16)


def _pid(out: Path, name: str) -> int:
    return int((out / f"{name}.pid").read_text())


@pytest.mark.parametrize("name", (*FORMATS, EXAMPLE))
def test_samples_have_their_data(out: Path, name: str) -> None:
    rows = _rows(out, name)
    assert len(rows) == SAMPLES
    for number, row in enumerate(rows):
        found = {pmd: int(row[f"pmd{pmd}"]) for pmd in (ADDR, LAT, SRC)}
        assert found == {ADDR: ADDRESS + number, LAT: LATENCY + number, SRC: SOURCE}


@pytest.mark.parametrize("name", (*FORMATS, EXAMPLE))
def test_samples_have_their_branches(out: Path, name: str) -> None:
    to = _to(out)
    for number, row in enumerate(_rows(out, name)):
        numbers = [int(row[f"pmd{BRANCH + at}"]) for at in range(3 * BRANCHES)]
        ages = range(BRANCHES)
        assert numbers == [
            *(FROM + 64 * age + number for age in ages),
            *(to + 64 * age + number for age in ages),
            *(FLAGS + (age << 4) for age in ages),
        ]


@pytest.mark.parametrize("name", FORMATS)
def test_samples_have_process_thread_and_cpu(out: Path, name: str) -> None:
    pid = _pid(out, name)
    for row in _rows(out, name):
        assert (int(row["pid"]), int(row["tid"]), int(row["cpu"])) == (pid, pid, 0)


def test_samples_of_the_example_have_their_thread(out: Path) -> None:
    pid = _pid(out, EXAMPLE)
    assert {int(row["tid"]) for row in _rows(out, EXAMPLE)} == {pid}


@pytest.mark.parametrize("name", (*FORMATS, EXAMPLE))
def test_reports_know_roles_of_data_and_branches(out: Path, name: str) -> None:
    capture = out / f"{name}.cap"
    (level,) = _told(out, "mem", "--view", "level", capture)
    assert level["count"] == SAMPLES and level["key"] == "L1 hit"
    targets = _told(out, "report", "--by", "branch-to", capture)
    assert {row["address"] for row in targets} == {
        _to(out) + number for number in range(SAMPLES)
    }
    assert {row["symbol"] for row in targets} == {TARGET_SYMBOL}
    (branch,) = _told(out, "report", "--by", "branch-flags", capture)
    assert (branch["key"], branch["count"]) == ("cond, predicted", SAMPLES)


def test_branches_that_a_pmu_lacks_are_explained(out: Path) -> None:
    said = (out / "output").read_text()
    assert "an event does not provide the branches that --smpl-pmds requests" in said
