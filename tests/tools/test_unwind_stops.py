# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare call chains from unwind tables with those of elfutils, in live programs.

elfutils reads .eh_frame itself. With CHECK_ALL=1, each program is stopped more often.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from stopped_programs import (
    JUMPS,
    LOADING,
    PERL,
    PYTHON,
    SHELL,
    SIGNALS,
    THROWS,
    compiled,
    compressible,
)

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = """
int function%(n)d(int *a, int n)
{
    int sum = %(n)d;
    for (int i = 0; i < n; i++)
        if (a[i] > sum)
            sum += a[i] * %(n)d;
        else
            sum ^= a[n - i];
    return sum;
}
"""
STOPS = 2000 if os.environ.get("CHECK_ALL") else 200


class Stops:
    """Run unwind_stops."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def check(
        self,
        *command: str | Path,
        start: bool = False,
        stops: int = STOPS,
        least: float = 0.99,
    ) -> None:
        """Compare the call chains of a command; check that nearly all are complete.

        ``least`` is the share of stops and of frames that must agree.
        """
        run = subprocess.run(
            [self.program, *(["--start"] if start else []), str(stops), *command],
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(run.stdout)
        print(command[0], found)
        assert found["stops"] == stops
        assert found["frames"] > 3 * stops
        # elfutils has no rules for some instructions, such as those of the PLT of a
        # static program.
        assert found["given_up"] < 0.1 * stops
        assert found["equal"] >= least * found["frames"]
        assert found["whole"] >= least * stops


@pytest.fixture(name="stops")
def fixture_stops(programs: Path) -> Stops:
    return Stops(programs / "unwind_stops")


@pytest.mark.parametrize("command", ["gzip -9 -c", "xz -9 -T1 -c"])
def test_unwind_chains_of_compressor_are_whole(
    stops: Stops, tmp_path: Path, command: str
) -> None:
    text = compressible(tmp_path, 1 + STOPS // 20)
    stops.check(*command.split(), text)


def test_unwind_chains_of_python_are_whole(stops: Stops) -> None:
    stops.check(sys.executable, "-c", PYTHON)


def test_unwind_chains_of_perl_are_whole(stops: Stops) -> None:
    stops.check("perl", "-e", PERL)


@pytest.mark.parametrize("what", ["-evp sha512", "rsa2048"])
def test_unwind_chains_of_openssl_are_whole(stops: Stops, what: str) -> None:
    stops.check("openssl", "speed", "-seconds", "60", *what.split())


# The rules of a table cannot describe some of the assembler code for P-256.
def test_unwind_chains_of_elliptic_curves_are_whole(stops: Stops) -> None:
    stops.check("openssl", "speed", "-seconds", "60", "ecdsap256", least=0.95)


def test_unwind_chains_of_compiler_are_whole(stops: Stops, tmp_path: Path) -> None:
    source = tmp_path / "functions.c"
    source.write_text("".join(FUNCTION % {"n": n} for n in range(2 * STOPS)))
    name = ["gcc", "-print-prog-name=cc1"]
    cc1 = subprocess.check_output(name, text=True).strip()
    stops.check(cc1, "-quiet", "-O2", "-o", "/dev/null", source)


def test_unwind_chains_of_git_are_whole(stops: Stops, tmp_path: Path) -> None:
    count = 2000 * STOPS
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("".join(f"{n}\n" for n in range(count)))
    new.write_text("".join(f"{n * 7919 % count}\n" for n in range(count)))
    stops.check("git", "diff", "--no-index", old, new)


def test_unwind_chains_of_bash_are_whole(stops: Stops) -> None:
    stops.check("bash", "-c", SHELL)


# The dynamic linker binds a function at its first call.
def test_unwind_chains_of_lazy_binding_are_whole(stops: Stops, tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(3000)]
    bodies = "".join(f"void {name}(void) {{}}\n" for name in names)
    library = compiled(tmp_path, ".c", bodies, "-shared", "-fPIC")
    library = library.rename(tmp_path / "library.so")
    calls = "".join(f"void {name}(void);\n" for name in names)
    calls += "int main(void)\n{\n"
    calls += "".join(f"    {name}();\n" for name in names) + "}\n"
    bound = (f"-Wl,-z,lazy,-rpath={tmp_path}", str(library))
    stops.check(compiled(tmp_path, ".c", calls, "-fplt", *bound), start=True)


# The dynamic linker calls the resolver of an indirect function, and the C library calls
# the constructor.
def test_unwind_chains_during_loading_are_whole(stops: Stops, tmp_path: Path) -> None:
    stops.check(compiled(tmp_path, ".c", LOADING), start=True)


def test_unwind_chains_with_exceptions_are_whole(stops: Stops, tmp_path: Path) -> None:
    stops.check(compiled(tmp_path, ".cpp", THROWS), stops=4 * STOPS)


@pytest.mark.parametrize("option", ["-pie", "-static"])
def test_unwind_chains_with_longjmp_are_whole(
    stops: Stops, tmp_path: Path, option: str
) -> None:
    stops.check(compiled(tmp_path, ".c", JUMPS, option, "-fomit-frame-pointer"))


@pytest.mark.parametrize("option", ["-pie", "-no-pie", "-static", "-static-pie"])
def test_unwind_chains_with_signals_are_whole(
    stops: Stops, tmp_path: Path, option: str
) -> None:
    stops.check(compiled(tmp_path, ".c", SIGNALS, option))


def outline(header: Path) -> list[str]:
    """Return those lines of a header that contain no data."""
    lines = header.read_text().splitlines()
    return [line for line in lines if not re.search(r"\d,|0x|\}", line)]


# Compare without the numbers, which differ each time. If this fails, run
# tests/kunit/store_stacks.
def test_stored_stacks_are_up_to_date(programs: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.h"
    subprocess.run([ROOT / "tests/kunit/store_stacks", made], check=True)
    assert outline(made) == outline(ROOT / "tests/kunit/unwind_stored.h")
