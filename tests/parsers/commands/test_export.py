# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the export command with export formats that the tests define."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import pytest
from helpers.cli import program, run
from helpers.exporting import EXPORTS
from pfmparse.errors import PfmParseError
from pfmparse.exports import registry
from pfmparse.exports.interface import Export, Job

Capsys = pytest.CaptureFixture[str]


def count(job: Job) -> None:
    """Export the number of samples."""
    total = sum(
        batch.samples.count for source in job.inputs for batch in job.batches(source)
    )
    job.path.write_text(f"{total}\n")


def lacking(job: Job) -> None:
    """Export the number of samples, and note that call chains are not supported."""
    count(job)
    job.lack("call chains")
    job.lack("call chains")


def failing(job: Job) -> None:
    """Fail after writing half of the file."""
    job.path.write_text("half")
    raise PfmParseError("no room for it", 7)


def broken(job: Job) -> None:
    """Raise an error that a faulty export of another package might raise."""
    raise ZeroDivisionError("oh")


def two_files(job: Job) -> None:
    """Export to two files."""
    assert job.beside is not None
    job.beside(".more").write_text("more")
    count(job)


def failing_with_two(job: Job) -> None:
    """Export to two files, then fail."""
    two_files(job)
    raise PfmParseError("no room for it", 7)


@pytest.fixture
def export(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Job], None]], None]:
    """Return a function that registers its argument as the only export."""

    def use(write: Callable[[Job], None]) -> None:
        made = Export("test", "a test", write)
        monkeypatch.setattr(registry, "find", lambda name: made)

    return use


Use = Callable[[Callable[[Job], None]], None]


def test_export_replaces_the_file_atomically(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    export(count)
    out = tmp_path / "out"
    out.write_text("before")
    assert run(capsys, "export", file, "--to", "test", "-o", str(out)) == (
        0,
        f"{out}: 3 samples\n",
        "",
    )
    assert out.read_text() == "3\n"
    assert {path.name for path in tmp_path.iterdir()} == {"out", Path(file).name}


def test_selected_samples_are_exported(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    export(count)
    out = tmp_path / "out"
    argv = ["export", file, "--to", "test", "-o", str(out), "--tid", "101", "--json"]
    status, printed, _ = run(capsys, *argv)
    assert status == 0 and json.loads(printed)["samples"] == 2
    assert out.read_text() == "2\n"


def test_failed_export_leaves_no_second_file(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    argv = ["export", file, "--to", "test", "-o", str(tmp_path / "out")]
    export(failing_with_two)
    assert run(capsys, *argv)[0] == 1
    assert {path.name for path in tmp_path.iterdir()} == {Path(file).name}
    export(two_files)
    assert run(capsys, *argv)[0] == 0
    assert (tmp_path / "out").read_text() == "3\n"
    assert (tmp_path / "out.more").read_text() == "more"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("write,why", [(failing, "no room"), (broken, "Division")])
def test_failed_export_keeps_the_old_file(
    write: Callable[[Job], None],
    why: str,
    export: Use,
    file: str,
    tmp_path: Path,
    capsys: Capsys,
) -> None:
    export(write)
    out = tmp_path / "out"
    out.write_text("before")
    status, printed, err = run(capsys, "export", file, "--to", "test", "-o", str(out))
    assert (status, printed) == (1, "")
    assert err.startswith("pfmparse: export test: ") and why in err
    assert out.read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"out", Path(file).name}


def cut(file: str, size: int) -> str:
    """Truncate a copy of a capture, and return its path."""
    short = Path(file).with_name("cut.pfm")
    short.write_bytes(Path(file).read_bytes()[:size])
    return str(short)


@pytest.mark.parametrize("to", EXPORTS)
@pytest.mark.parametrize("damaged", [False, True])
def test_export_without_readable_sample_keeps_the_old(
    to: str, damaged: bool, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    out = tmp_path / "out"
    assert run(capsys, "export", file, "--to", to, "-o", str(out))[0] == 0
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    data = Path(file).read_bytes()
    bad = cut(file, data.index(b"BUFR") + 40)
    if damaged:
        at = data.index(b"BUFR") + 24
        Path(bad).write_bytes(data[:at] + b"\xff" * 200 + data[at + 200 :])
    # The SQL database already contains the good capture, so the export would refuse it.
    for files in ([bad],) if to == "sql" else ([bad], [file, bad]):
        status, printed, err = run(capsys, "export", *files, "--to", to, "-o", str(out))
        assert (status, printed) == (1, "")
        assert "offset" in err and "not written: " in err
        after = {p.name: p.read_bytes() for p in tmp_path.iterdir() if str(p) != bad}
        assert after == before


def test_sql_adds_no_run_of_an_unreadable_capture(
    file: str, tmp_path: Path, capsys: Capsys
) -> None:
    bad = cut(file, Path(file).read_bytes().index(b"BUFR") + 40)
    argv = ["--to", "sql", "-o", str(tmp_path / "out")]
    assert run(capsys, "export", file, bad, *argv)[0] == 1
    assert not (tmp_path / "out").exists()
    assert run(capsys, "export", file, *argv)[0] == 0


def test_export_names_lacking_data_once(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    export(lacking)
    out = tmp_path / "out"
    argv = ["export", file, "--to", "test", "-o", str(out), "--json"]
    status, printed, err = run(capsys, *argv)
    assert (status, err) == (0, "pfmparse: test does not store call chains\n")
    assert json.loads(printed)["not_carried"] == ["call chains"]


def test_strict_export_refuses_to_lose_data(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    export(lacking)
    out = tmp_path / "out"
    argv = ["export", file, "--to", "test", "-o", str(out), "--strict"]
    status, printed, err = run(capsys, *argv)
    assert (status, printed) == (1, "")
    assert "not written: the format does not store call chains" in err
    assert {path.name for path in tmp_path.iterdir()} == {Path(file).name}


def test_export_names_a_missing_directory(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    export(count)
    out = tmp_path / "none" / "out"
    status, _, err = run(capsys, "export", file, "--to", "test", "-o", str(out))
    assert status == 1 and "none" in err and "No such file" in err


def test_export_needs_an_output_file(export: Use, file: str, capsys: Capsys) -> None:
    export(count)
    status, _, err = run(capsys, "export", file, "--to", "test")
    assert (status, err) == (1, "pfmparse: no output file: use -o FILE\n")


def test_unknown_export_is_named(file: str, capsys: Capsys) -> None:
    status, _, err = run(capsys, "export", file, "--to", "stone", "-o", "x")
    assert status == 1 and "unknown export 'stone': use one of" in err


def test_capture_is_not_replaced_by_its_export(
    export: Use, file: str, capsys: Capsys
) -> None:
    export(count)
    before = Path(file).read_bytes()
    status, _, err = run(capsys, "export", file, "--to", "test", "-o", file)
    assert status == 1 and "is also an input" in err
    assert Path(file).read_bytes() == before


def test_export_refuses_sql_options_for_other_formats(
    export: Use, file: str, tmp_path: Path, capsys: Capsys
) -> None:
    export(count)
    argv = ["export", file, "--to", "test", "-o", str(tmp_path / "x")]
    for option in (["--dsn", "host=db"], ["--rows", "sample"]):
        status, _, err = run(capsys, *argv, *option)
        assert status == 1 and "--dsn and --rows need --to sql" in err


def test_export_to_stdout_prints_messages_to_stderr(file: str) -> None:
    done = program("export", file, "--to", "folded", "-o", "-")
    assert done.returncode == 0
    assert sum(int(line.split()[-1]) for line in done.stdout.splitlines()) == 3
    assert "3 samples" in done.stderr
