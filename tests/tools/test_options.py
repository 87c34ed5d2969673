# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report usage errors in combinations of options."""

from __future__ import annotations

import pytest
from pfmon import ERROR, SAMPLING, Pfmon, complaint_of


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "nothing to measure"),
        (("--long-smpl-periods=1000", "true"), "--long-smpl-periods has more elements"),
        (("--repeat=2", "--system-wide"), "--repeat needs a command"),
        (("--append", "true"), "needs a file"),
        (("--json", "--csv", "true"), "mutually exclusive"),
        (("--table", "--csv", "true"), "mutually exclusive"),
        (("-r", "2", "--print-interval=9", "true"), "mutually exclusive"),
        (
            ("--print-interval=9", "--snapshot=1", "true"),
            "--print-interval and --snapshot are mutually exclusive",
        ),
        ((*SAMPLING, "--json", "true"), "are for counting"),
        (("-e", "cpu-clock"), "nothing to measure"),
        (("-e", "a", "--switch-timeout=4", "true"), "several -e"),
        ((*SAMPLING, "--switch-overflow=4", "true"), "several -e"),
        (("-e", "a", "--excl-idle", "true"), "needs --system-wide"),
        (("--no-such-option",), "unrecognized option"),
        (("--smpl-perods-random=1:1",), "did you mean --smpl-periods-random?"),
        (("-p", "1"), "perf's option: in pfmon, it is --attach-process=PID"),
        (("-a", "true"), "perf's option: in pfmon, it is --system-wide"),
        (("-ux;", "true"), "perf's option: in pfmon, it is --csv=SEP"),
        (("-b", "true"), "perf's option: in pfmon, it is --smpl-pmds=branches"),
        (("-d", "true"), "perf's option: in pfmon, it is --smpl-pmds=addr"),
        (("-M", "ipc", "true"), "perf's option: in pfmon, it is -e EVENT"),
        (("-s", "true"), "or pfmparse report --by=KEY"),
        (("-t", "1"), "perf's -t is --attach-task=TID in pfmon"),
        (("-g", "--smpl-module=nway", "true"), "omit --smpl-module=nway"),
        (("--call-graph=dwarf", "true"), "argument 'dwarf': give --call-graph=fp"),
        (("-g", "-e", "page-faults", "true"), "need a sampling period"),
        (("--off-cpu", "-e", "cycles", "true"), "omit -e and --priv-levels"),
        (("--off-cpu", "-F", "99", "true"), "omit sampling periods and -F"),
        (("--off-cpu", "--system-wide", "true"), "instead of --system-wide"),
        (("--off-cpu", "--smpl-module=nway", "true"), "omit --smpl-module=nway"),
        (("--off-cpu=all", "true"), "unknown argument 'all': give --off-cpu=sum"),
        (
            ("--off-cpu=sum", "--smpl-module=callstack", "true"),
            "uses the sampling format stacks",
        ),
        (("--off-cpu", "--reset-non-smpl-periods", "true"), "total CPU time"),
        (("--off-cpu", "--json", "true"), "are for counting"),
        (("--wall-clock", "--off-cpu=sum", "true"), "omit --off-cpu"),
        (("top", "--wall-clock"), "--wall-clock measures threads"),
        (("--wall-clock", "--system-wide", "true"), "--wall-clock measures threads"),
        (("--wall-clock", "-F", "99,7", "true"), "not apply to event task-clock"),
        (
            ("--wall-clock", "--long-smpl-periods=5000,,7", "true"),
            "does not apply to event context-switches",
        ),
        (
            ("--off-cpu=sum", "--smpl-periods-random=0:0", "true"),
            "--smpl-periods-random does not apply to event context-switches",
        ),
        (("--pid=1",), "perf's option: in pfmon, it is --attach-process=PID"),
        ((*SAMPLING, "--smpl-no-hdr", "--smpl-ip-only", "true"), "mutually exclusive"),
        ((*SAMPLING, "--smpl-no-hdr", "--smpl-raw-time", "true"), "omit the time"),
        (
            ("-e", "cpu-clock", "--smpl-imprecise", "true"),
            "need a sampling period",
        ),
        (("-e", "cpu-clock", "--smpl-entries=5", "true"), "need a sampling period"),
        (("-e", "cpu-clock", "--smpl-arg=a=1", "true"), "need a sampling period"),
        (("-e", "cpu-clock", "--overflow-block", "true"), "need a sampling period"),
        (("-e", "cpu-clock", "--attach-task=1", "true"), "does not take a command"),
        (("-e", "cpu-clock", "--attach-task=1", "--system-wide"), "mutually exclusive"),
        ((*SAMPLING, "--system-wide", "--overflow-block"), "blocks threads"),
        (("-e", "cpu-clock", "--cpu-list=0", "true"), "need --system-wide"),
        (("-e", "cs", "--system-wide", "--pin-command", "true"), "needs --cpu-list"),
    ],
)
def test_option_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)


def test_options_after_command_belong_to_it(pfmon: Pfmon) -> None:
    assert pfmon("-e", "no-such-event", "true", "--help").returncode == ERROR


def test_missing_argument_suggests_no_option(pfmon: Pfmon) -> None:
    said = complaint_of(pfmon, ("--smpl-modul",))
    assert "'--smpl-module' requires an argument" in said
    assert "did you mean" not in said


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("stat", "ls"), "instead of perf stat, use pfmon (for a program"),
        (("record", "ls"), "instead of perf record, use pfmon -F HZ -o FILE"),
        (("report",), "instead of perf report, use pfmparse report FILE"),
        (("--", "stat", "ls"), None),
        (("-e", "no-such-event", "stat", "ls"), None),
    ],
)
def test_command_of_perf_as_first_word_gets_a_hint(
    pfmon: Pfmon, arguments: tuple[str, ...], hint: str | None
) -> None:
    said = pfmon(*arguments).stderr
    assert ("instead of perf" in said) == (hint is not None)
    assert (hint or "") in said
