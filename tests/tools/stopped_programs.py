# SPDX-License-Identifier: MIT OR GPL-2.0
"""Make programs whose stacks are unwound with unwind tables and by elfutils."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
# While libgcc jumps to an exception handler, libgcc's frame already has the handler's
# address as its return address, but the stack pointer is not yet the handler's. A call
# chain from this point lacks the frames of deep(). Stops at this point must be rare, so
# the program spends most of its time in the loop and in sort().
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
# One signal handler runs on the interrupted stack, another one on an alternate stack.
# Both call the vDSO.
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
# In longjmp(), the caller's frame pointer is in a place that unwind rules cannot
# express, for example in r9 on x86_64.
JUMPS = """
#include <setjmp.h>
static jmp_buf buffer;
__attribute__((noinline)) static void deep(int n)
{
    if (!n)
        longjmp(buffer, 1);
    deep(n - 1);
    __asm__ volatile("");
}
__attribute__((noinline)) static void jump(void)
{
    if (!setjmp(buffer))
        deep(2);
    __asm__ volatile("");
}
int main(void)
{
    for (;;)
        jump();
}
"""
LOADING = """
__attribute__((noinline)) static int work(int n)
{
    volatile int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}
static int twice(int n) { return 2 * n; }
static int (*resolve(void))(int) { work(10000); return twice; }
int indirect(int n) __attribute__((ifunc("resolve")));
__attribute__((constructor)) static void construct(void) { work(20000); }
int main(void) { return indirect(0); }
"""


def compiled(directory: Path, suffix: str, text: str, *options: str) -> Path:
    """Compile a program in a directory; return its path."""
    source = directory / f"program{suffix}"
    source.write_text(text)
    program = source.with_suffix("")
    compiler = "gcc" if suffix == ".c" else "g++"
    command = [compiler, "-O2", "-o", str(program), str(source), *options]
    subprocess.run(command, check=True)
    return program


def compressible(directory: Path, copies: int) -> Path:
    """Write a text of about 2 MB * ``copies`` for compressors; return its path."""
    text = directory / "text"
    lines = "".join(f"{number * 7919 % 100003} line\n" for number in range(200000))
    text.write_text(lines * copies)
    return text


def commands(directory: Path) -> dict[str, list[str]]:
    """Return commands that run programs of several kinds, by name."""
    text = str(compressible(directory, 10))
    return {
        "gzip": ["gzip", "-9", "-c", text],
        "xz": ["xz", "-9", "-T1", "-c", text],
        "python3": [sys.executable, "-c", PYTHON],
        "perl": ["perl", "-e", PERL],
        "bash": ["bash", "-c", SHELL],
        "openssl": ["openssl", "speed", "-seconds", "60", "rsa2048"],
        "exceptions": [str(compiled(directory, ".cpp", THROWS))],
        "signals": [str(compiled(directory, ".c", SIGNALS))],
    }
