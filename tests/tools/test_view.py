# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the view that a capture records, and the viewer that pfmon starts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from pfmon import ERROR, Pfmon, complaint_of
from sessions import EVENTS, Printer

DEAR_HIST = (*EVENTS, "--smpl-module=dear-hist")
SHOWS = "#!/bin/sh\necho shown by {} as: $*\n"
NONE, NOTHING = 3, 4


@pytest.mark.parametrize(
    ("options", "view"),
    [
        ((), {"view": "inst"}),
        (("--smpl-inst-view",), {"view": "inst"}),
        (("--smpl-show-func",), {"view": "inst", "per": "function"}),
        (("--smpl-show-top=10",), {"view": "inst", "top": "10"}),
        (("--smpl-data-view", "--smpl-show-top=1"), {"view": "data", "top": "1"}),
        (("--smpl-data-view", "--smpl-show-func"), {"view": "data", "per": "symbol"}),
        (("--smpl-level-view", "--smpl-show-func"), {"view": "level"}),
    ],
)
def test_session_has_the_view(
    printer: Printer, options: tuple[str, ...], view: dict[str, str]
) -> None:
    session = printer.session(*DEAR_HIST, *options)
    assert session["view"] == {"command": "mem", "options": view}


def test_session_of_other_format_has_no_view(printer: Printer) -> None:
    assert "view" not in printer.session(*EVENTS, "--smpl-module=pebs64")


@pytest.mark.parametrize(
    "options", [(), ("--smpl-periods-random=0xff:5", "--smpl-entries=9")]
)
def test_dear_hist_samples_like_default_with_precise_data(
    printer: Printer, options: tuple[str, ...]
) -> None:
    of_view = printer.session(*DEAR_HIST, "--smpl-pmds=tid", *options)
    precise = ("-e", "cycles:p,instructions", *EVENTS[2:])
    pmds = "--smpl-pmds=tid,addr,latency,source"
    plain = printer.session(*precise, pmds, *options)
    plain["sets"][0]["pmds"][0]["event"] = "cycles"
    assert of_view["format"]["arg"] == plain["format"]["arg"]
    assert of_view["format"]["uuid"] == plain["format"]["uuid"]
    assert of_view["sets"] == plain["sets"]


@pytest.mark.parametrize(
    "option",
    ["--smpl-show-func", "--smpl-show-top=1", "--smpl-inst-view", "--smpl-data-view"]
    + ["--smpl-level-view"],
)
def test_formats_without_a_view_refuse_its_options(
    printer: Printer, option: str
) -> None:
    run = printer.run(*EVENTS, "--smpl-module=pebs64", option)
    name = option.partition("=")[0]
    expected = f"pebs64 does not take {name}; these do: dear-hist\n"
    assert run.returncode == ERROR and run.stderr.endswith(expected)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--smpl-show-top=0",), "'0' is not a number from 1"),
        (("--smpl-show-top=all",), "'all' is not a number from 1"),
        (("--smpl-inst-view", "--smpl-level-view"), "mutually exclusive"),
    ],
)
def test_view_usage_errors(
    pfmon: Pfmon, options: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, (*DEAR_HIST, *options, "true"))


class Shower:
    """Run a copy of view_shower in its own directory."""

    def __init__(self, programs: Path, tmp_path: Path) -> None:
        self.beside, self.path = tmp_path / "beside", tmp_path / "path"
        for directory in (self.beside, self.path):
            directory.mkdir()
        self._program = shutil.copy(programs / "view_shower", self.beside)

    def has(self, directory: Path, script: str = SHOWS) -> None:
        """Install a script as pfmparse in a directory."""
        program = directory / "pfmparse"
        program.write_text(script.format(directory.name))
        program.chmod(0o755)

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._program, "-o", "-x.cap", *arguments, "true"],
            env={"PATH": f"/nonexistent:{self.path}"},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(name="shower")
def fixture_shower(programs: Path, tmp_path: Path) -> Shower:
    return Shower(programs, tmp_path)


def test_viewer_beside_pfmon_precedes_path(shower: Shower) -> None:
    shower.has(shower.path)
    assert shower(*DEAR_HIST).stdout == "shown by path as: show -- -x.cap\n"
    shower.has(shower.beside)
    assert shower(*DEAR_HIST).stdout == "shown by beside as: show -- -x.cap\n"


def test_missing_viewer_is_reported(shower: Shower) -> None:
    run = shower(*DEAR_HIST)
    assert run.returncode == NONE
    assert "pfmparse is neither in pfmon's directory nor in PATH" in run.stderr


def test_nonexecutable_viewer_is_skipped(shower: Shower) -> None:
    (shower.path / "pfmparse").write_text("just text")
    assert shower(*DEAR_HIST).returncode == NONE


def test_formats_without_view_need_no_viewer(shower: Shower) -> None:
    run = shower(*EVENTS, "--smpl-module=pebs64")
    assert (run.returncode, run.stdout, run.stderr) == (NOTHING, "", "")
    assert shower("-e", "cycles").returncode == NOTHING


def test_viewer_failure_is_reported(shower: Shower) -> None:
    shower.has(shower.path, "#!/bin/sh\nexit 1\n")
    run = shower(*DEAR_HIST)
    assert run.returncode == ERROR
    assert run.stderr.endswith("path/pfmparse show -x.cap failed\n")


def test_missing_viewer_prevents_measuring(programs: Path, tmp_path: Path) -> None:
    program = shutil.copy(programs / "pfmon", tmp_path)
    trace = tmp_path / "has-run"
    run = subprocess.run(
        [program, *DEAR_HIST, "-o", str(tmp_path / "x.cap"), "/bin/touch", trace],
        env={"PATH": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == ERROR
    assert "dear-hist needs pfmparse to show its view" in run.stderr
    advice = "replace --smpl-module=dear-hist by --smpl-pmds=addr,latency,source"
    assert f"{advice} and view the capture with pfmparse mem on" in run.stderr
    assert not trace.exists() and not (tmp_path / "x.cap").exists()
