# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare chains by unwind tables with elfutils on live programs.

elfutils reads.eh_frame itself. With CHECK_ALL=1, each program is stopped more often.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

STOPS = 2000 if os.environ.get("CHECK_ALL") else 200
PYTHON = """
import json, re
while True:
    json.loads(json.dumps([{"a": i, "b": str(i)} for i in range(500)]))
    re.sub("[a-c]+", "x", "abcd" * 200)
    sorted(str(i) for i in range(3000))
"""
PERL = """
while (1) {
    my %h = map { $_ x 2 => [$_, "a$_"] } 1 .. 3000;
    my $s = join ",", sort { $h{$a}[0] <=> $h{$b}[0] } keys %h;
    $s =~ s/(\\d+),/<$1>/g;
}
"""
SHELL = 'while :; do x=$((x + 1)); y="${x//1/2}"; case $y in *5*) z=1 ;; esac; done'
# While libgcc enters a handler, its frame already has the new return address but not
# yet the new stack pointer. A stop at that moment loses the frames of deep(). So the
# program spends most of its time in other code, and is stopped more often.
THROWS = """
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>
__attribute__((noinline)) static int deep(int n, std::string s)
{
    if (!n)
        throw std::runtime_error(s);
    return deep(n - 1, s + "x") + s.size();
}
int main()
{
    std::vector<double> v(10000);
    for (;;) {
        try {
            deep(10, "a");
        } catch (const std::exception &e) {
            v[0] = e.what()[0];
        }
        for (size_t i = 1; i < v.size(); i++)
            v[i] = i * 7919 % 10007;
        std::sort(v.begin(), v.end());
    }
}
"""
# One handler runs on the interrupted stack, one on an alternate stack. Both call the
# vDSO.
SIGNALS = """
#include <signal.h>
#include <stdlib.h>
#include <time.h>
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static void work(int signal)
{
    struct timespec now;
    int v[200];
    for (int i = 0; i < 200; i++)
        v[i] = i * 7919 % (211 + signal);
    qsort(v, 200, sizeof(int), compare);
    for (int i = 0; i < 200; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
}
int main(void)
{
    static char room[65536];
    stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
    struct sigaction here = { .sa_handler = work };
    struct sigaction there = { .sa_handler = work, .sa_flags = SA_ONSTACK };
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &here, NULL);
    sigaction(SIGUSR2, &there, NULL);
    for (;;) {
        raise(SIGUSR1);
        raise(SIGUSR2);
    }
}
"""


class Stops:
    """Run unwind_stops."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def check(
        self, *command: str | Path, start: bool = False, stops: int = STOPS
    ) -> None:
        """Compare the chains of a command; check that nearly all are complete."""
        # If a program is stopped from its start, elfutils ends some chains at lazy
        # binding.
        least = 0.97 if start else 0.99
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
        assert found["equal"] >= least * found["frames"]
        assert found["whole"] >= least * STOPS


@pytest.fixture(name="stops")
def fixture_stops(programs: Path) -> Stops:
    return Stops(programs / "unwind_stops")


def compiled(directory: Path, suffix: str, text: str, *options: str) -> Path:
    source = directory / f"program{suffix}"
    source.write_text(text)
    program = source.with_suffix("")
    compiler = "gcc" if suffix == ".c" else "g++"
    command = [compiler, "-O2", "-o", str(program), str(source), *options]
    subprocess.run(command, check=True)
    return program


@pytest.mark.parametrize("command", ["gzip -9 -c", "xz -9 -T1 -c"])
def test_unwind_chains_of_compressor_are_whole(
    stops: Stops, tmp_path: Path, command: str
) -> None:
    text = tmp_path / "text"
    lines = "".join(f"{number * 7919 % 100003} line\n" for number in range(200000))
    text.write_text(lines * (1 + STOPS // 20))
    stops.check(*command.split(), text)


def test_unwind_chains_of_python_are_whole(stops: Stops) -> None:
    stops.check(sys.executable, "-c", PYTHON)


def test_unwind_chains_of_perl_are_whole(stops: Stops) -> None:
    stops.check("perl", "-e", PERL)


@pytest.mark.parametrize("what", ["-evp sha512", "rsa2048"])
def test_unwind_chains_of_openssl_are_whole(stops: Stops, what: str) -> None:
    stops.check("openssl", "speed", "-seconds", "60", *what.split())


def test_unwind_chains_of_bash_are_whole(stops: Stops) -> None:
    stops.check("bash", "-c", SHELL)


# The loader binds a function at its first call.
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


def test_unwind_chains_with_exceptions_are_whole(stops: Stops, tmp_path: Path) -> None:
    stops.check(compiled(tmp_path, ".cpp", THROWS), stops=4 * STOPS)


@pytest.mark.parametrize("option", ["-pie", "-no-pie", "-static", "-static-pie"])
def test_unwind_chains_with_signals_are_whole(
    stops: Stops, tmp_path: Path, option: str
) -> None:
    stops.check(compiled(tmp_path, ".c", SIGNALS, option))
