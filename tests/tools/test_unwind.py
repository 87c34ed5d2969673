# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare unwind tables with binutils' output, and with rules that are right."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from readelf_frames import Offsets, differences
from stopped_programs import compiled
from unwind_table import AARCH64, NONE, X86_64, Compiler, Fp, Kind, Ra, Rule, Table

CALL = Rule(Kind.REG, 7, Ra.CFA, Fp.SAME, 8, -8)
PUSHED = Rule(Kind.REG, 7, Ra.CFA, Fp.SAME, 16, -8)
LINKED = Rule(Kind.REG, 31, Ra.REG, Fp.SAME, 0, 30)
BAD = Rule(Kind.BAD)
# Without this option, even a small file for arm64 exceeds 64 KiB.
SMALL_PAGES = "-Wl,-z,max-page-size=4096"
# The positions of e_shoff, and of e_shnum and e_shstrndx, in the ELF header.
SECTIONS, NR_SECTIONS = slice(40, 48), slice(60, 64)
TOO_MUCH = "has too much unwind information: File too large"
ROOT = Path(__file__).resolve().parents[2]
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover")
DEBIAN = (
    *("/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libcrypto.so.3"),
    *("/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib64/ld-linux-x86-64.so.2"),
    *("/bin/gzip", "/bin/bash", "/usr/bin/python3"),
    *("/lib/aarch64-linux-gnu/libc.so.6", "/usr/aarch64-linux-gnu/lib/libc.so.6"),
    "/usr/aarch64-linux-gnu/lib/libstdc++.so.6",
)
GCC = {X86_64: "x86_64-linux-gnu-gcc", AARCH64: "aarch64-linux-gnu-gcc"}
FUNCTION = """
    .text
    .balign 64
    .globl function
function:
    .cfi_startproc
{body}
    .cfi_endproc
"""
SIZE = 1024  # of the function and the examined code after it


@pytest.fixture(name="compiler")
def fixture_compiler(programs: Path) -> Compiler:
    return Compiler(programs / "unwind_compiler")


def gcc_for(machine: int) -> str:
    """Return the name of a machine's compiler, which may end with gcc's version."""
    version = subprocess.check_output(["gcc", "-dumpversion"], text=True).strip()
    for name in GCC[machine], f"{GCC[machine]}-{version}":
        if shutil.which(name):
            return name
    pytest.skip(f"{GCC[machine]} is not installed")


class Assembled:
    """A shared library with a function, and the library's unwind table."""

    def __init__(self, compiler: Compiler, directory: Path) -> None:
        self._compiler = compiler
        self._directory = directory
        self.path = directory / "function.so"

    def link(self, text: str, *options: str, machine: int = X86_64) -> None:
        """Assemble and link the library."""
        source = self._directory / "function.s"
        source.write_text(text)
        command = [gcc_for(machine), "-shared", "-nostdlib", *options]
        subprocess.run([*command, "-o", self.path, source], check=True)

    def build(self, text: str, *options: str, machine: int = X86_64) -> Table:
        """Assemble and link the library; return its table."""
        self.link(text, *options, machine=machine)
        return self.table()

    def table(self) -> Table:
        """Return the unwind table of the library as it is now."""
        return self._compiler(self.path)

    def start(self, name: str = "function") -> int:
        """Return the file offset of a function."""
        listing = subprocess.check_output(["nm", "-D", self.path], text=True)
        (line,) = [line for line in listing.splitlines() if line.endswith(f" {name}")]
        return Offsets(self.path)(int(line.split()[0], 16))

    def rules(self, table: Table) -> list[Rule]:
        """Return the rules of the function and of the code after it."""
        return table.between(self.start(), self.start() + SIZE)

    def __call__(
        self, body: str, *options: str, machine: int = X86_64, text: str = FUNCTION
    ) -> list[Rule]:
        """Build a function with this body; return its rules and those after its end."""
        return self.rules(self.build(text.format(body=body), *options, machine=machine))


@pytest.fixture(name="assembled")
def fixture_assembled(compiler: Compiler, tmp_path: Path) -> Assembled:
    return Assembled(compiler, tmp_path)


@pytest.mark.parametrize("path", DEBIAN)
def test_unwind_table_agrees_with_readelf(compiler: Compiler, path: str) -> None:
    file = Path(path)
    if not file.exists():
        pytest.skip(f"there is no {path}")
    table = compiler(file)
    count, found = differences(file, table)
    assert count > len(table.starts) / 2
    # See test_unwind_context_has_no_caller_before_it_is_pushed().
    if table.machine == X86_64 and file.name == "libc.so.6":
        assert len(found) == 3, found
    else:
        assert found == []


def test_unwind_rules_follow_push_and_pop(assembled: Assembled) -> None:
    assert (
        assembled(
            """
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register rbp
    pop %rbp
    .cfi_def_cfa rsp, 8
    .cfi_restore rbp
    ret"""
        )
        == [
            CALL,
            Rule(Kind.REG, 7, Ra.CFA, Fp.CFA, 16, -8, -16),
            Rule(Kind.REG, 6, Ra.CFA, Fp.CFA, 16, -8, -16),
            CALL,
            NONE,
        ]
    )


def test_unwind_state_is_remembered(assembled: Assembled) -> None:
    assert (
        assembled(
            """
    push %rax
    .cfi_adjust_cfa_offset 8
    nop
    .cfi_remember_state
    pop %rax
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_restore_state
    nop"""
        )
        == [CALL, PUSHED, CALL, PUSHED, NONE]
    )


@pytest.mark.parametrize("size", [1, 63, 64, 255, 256, 65535, 65536, 70000])
def test_unwind_advance_of_any_size_is_exact(assembled: Assembled, size: int) -> None:
    body = f"""
    .cfi_adjust_cfa_offset 8
    .fill {size}, 1, 0x90
    .cfi_adjust_cfa_offset -8
    ret"""
    table = assembled.build(FUNCTION.format(body=body))
    start = assembled.start()
    assert [table.rule(start + at) for at in (-1, 0, size - 1, size, size + 1)] == [
        *(NONE, PUSHED, PUSHED, CALL, NONE)
    ]


ENTRY = """
    .globl entry
entry:
    call function
    nop
    .fill {gap}, 1, 0x90
    .globl next
next:
    .cfi_startproc
    ret
    .cfi_endproc
"""


# The code at the entry point has 6 bytes more than the gap, and may have at most 256.
@pytest.mark.parametrize(
    ("gap", "kind"), [(0, Kind.END), (250, Kind.END), (251, Kind.NONE)]
)
def test_unwind_entry_point_is_outermost(
    assembled: Assembled, gap: int, kind: Kind
) -> None:
    text = FUNCTION.format(body="ret") + ENTRY.format(gap=gap)
    table = assembled.build(text, "-Wl,-e,entry")
    at = assembled.start("entry")
    assert [table.rule(at), table.rule(at + 5)] == [Rule(kind), Rule(kind)]
    assert table.rule(assembled.start("next")) == CALL


def test_unwind_start_of_section_is_no_entry(assembled: Assembled) -> None:
    before = FUNCTION.replace(".text", '.section .init,"ax"').replace(
        "function", "init"
    )
    text = before.format(body="ret") + ".text" + ENTRY.format(gap=64)
    table = assembled.build(text.replace("call function", "nop"), "-Wl,-e,entry")
    assert table.rule(assembled.start("entry")) == NONE


# The instructions of a main() that realigns its stack.
REALIGNED = """
    lea 8(%rsp), %r10
    .cfi_def_cfa r10, 0
    and $-32, %rsp
    push -8(%r10)
    push %rbp
    mov %rsp, %rbp
    .cfi_escape 0x10,0x6,0x2,0x76,0	# rbp at breg6 0
    push %r10
    .cfi_escape 0xf,0x3,0x76,0x78,0x6	# CFA: breg6 -8, deref
    nop"""


def test_unwind_realigned_stack_is_followed(assembled: Assembled) -> None:
    assert assembled(REALIGNED) == [
        CALL,
        Rule(Kind.REG, 10, Ra.CFA, Fp.SAME, 0, -8),
        Rule(Kind.REG, 10, Ra.CFA, Fp.FP, 0, -8),
        Rule(Kind.MEM, 6, Ra.CFA, Fp.FP, -8, -8),
        NONE,
    ]


def test_unwind_frame_in_memory_is_followed(assembled: Assembled) -> None:
    # OpenSSL has this expression for a CFA: breg7 152, deref, plus_uconst 8
    assert (
        assembled(
            """
    .cfi_offset rbp, -16
    .cfi_escape 0x0f,0x06,0x77,0x98,0x01,0x06,0x23,0x08
    nop"""
        )
        == [Rule(Kind.MEM, 7, Ra.CFA, Fp.CFA, 152, 0, -16), NONE]
    )


def test_unwind_offset_is_kept_by_expression(assembled: Assembled) -> None:
    # The expression for the CFA is: breg6 -8, deref
    assert (
        assembled(
            """
    .cfi_def_cfa_offset 48
    .cfi_escape 0x0f,0x03,0x76,0x78,0x06
    nop
    .cfi_def_cfa_register rbp
    nop"""
        )
        == [
            Rule(Kind.MEM, 6, Ra.CFA, Fp.SAME, -8, -8),
            Rule(Kind.REG, 6, Ra.CFA, Fp.SAME, 48, -8),
            NONE,
        ]
    )


def test_unwind_saved_rbx_is_noted(assembled: Assembled) -> None:
    assert (
        assembled(
            """
    push %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    mov %rsp, %rbx
    .cfi_def_cfa_register rbx
    pop %rbx
    .cfi_def_cfa rsp, 8
    .cfi_restore rbx
    ret"""
        )
        == [
            CALL,
            Rule(Kind.REG, 7, Ra.RBX, Fp.SAME, 16, -16),
            Rule(Kind.REG, 3, Ra.RBX, Fp.SAME, 16, -16),
            CALL,
            NONE,
        ]
    )


def test_unwind_saved_fp_below_sp_is_relative(assembled: Assembled) -> None:
    # The expression for rbp is: drop, breg7 16
    assert (
        assembled(
            """
    .cfi_def_cfa_offset 48
    .cfi_escape 0x10,0x06,0x03,0x13,0x77,0x10
    nop"""
        )
        == [Rule(Kind.REG, 7, Ra.CFA, Fp.CFA, 48, -8, -32), NONE]
    )


def test_unwind_plt_has_its_own_rule(assembled: Assembled) -> None:
    text = FUNCTION.format(body="jmp other@PLT")
    table = assembled.build(text, "-Wl,-z,lazy")
    assert Rule(Kind.PLT, 0, cfa_offset=8, ra_offset=11) in table.rules


# Functions that crti.o and crtbegin*.o add to each file, without unwind information.
STARTUP = (
    *("_init", "_fini", "deregister_tm_clones", "register_tm_clones"),
    *("__do_global_dtors_aux", "frame_dummy"),
)
LINKED_AS = ("-shared", "-pie", "-no-pie", "-static", "-static-pie")
SAVED = Rule(Kind.REG, 7, Ra.CFA, Fp.CFA, 16, -8, -16)
# The rules after these instructions.
RULE_AFTER = {
    **{"push   %rbp": SAVED, "sub    $0x8,%rsp": PUSHED},
    **{"pop    %rbp": CALL, "add    $0x8,%rsp": CALL},
}


@pytest.fixture(name="startup")
def fixture_startup(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that links an empty program, with a given option."""
    source = tmp_path / "empty.c"
    source.write_text("int main(void) { return 0; }\n")

    def link(option: str) -> Path:
        linked = source.with_suffix(".linked")
        command = [gcc_for(X86_64), "-fPIC", option, "-o", str(linked), str(source)]
        subprocess.run(command, check=True)
        return linked

    return link


def instructions(file: Path, *options: str) -> list[tuple[int, str]]:
    """Return the address and the text of each disassembled instruction."""
    command = ["objdump", "-d", "--no-show-raw-insn", *options, str(file)]
    listing = subprocess.check_output(command, text=True)
    found = re.findall(r"^ +(\w+):\t(.*?) *$", listing, re.MULTILINE)
    return [(int(address, 16), code) for address, code in found]


def followed(code: list[tuple[int, str]]) -> list[Rule]:
    """Return the rule that each instruction of a function needs.

    Code after a jump or a return is reached by jumps from code that has pushed nothing.
    """
    rules, rule = [], CALL
    for _, text in code:
        rules.append(rule)
        rule = CALL if text.startswith(("jmp", "ret")) else RULE_AFTER.get(text, rule)
    return rules


@pytest.mark.parametrize("option", LINKED_AS)
@pytest.mark.parametrize("name", STARTUP)
def test_unwind_code_before_main_is_followed(
    compiler: Compiler, startup: Callable[[str], Path], option: str, name: str
) -> None:
    file = startup(option)
    code, table = instructions(file, f"--disassemble={name}"), compiler(file)
    place = Offsets(file)
    assert len(code) > 2 or name == "frame_dummy"
    assert [table.rule(place(address)) for address, _ in code] == followed(code)


@pytest.mark.parametrize("option", LINKED_AS)
@pytest.mark.parametrize("name", ["_init", "frame_dummy"])
def test_unwind_unknown_code_before_main_has_no_rule(
    compiler: Compiler, startup: Callable[[str], Path], option: str, name: str
) -> None:
    file = startup(option)
    start = Offsets(file)(instructions(file, f"--disassemble={name}")[0][0])
    data = bytearray(file.read_bytes())
    data[start] ^= 1
    file.write_bytes(data)
    assert compiler(file).rule(start) == NONE


def test_unwind_plt_of_static_program_is_followed(
    compiler: Compiler, startup: Callable[[str], Path]
) -> None:
    file = startup("-static")
    code, table = instructions(file, "--section=.plt"), compiler(file)
    place = Offsets(file)
    assert len(code) > 2
    assert {table.rule(place(address)) for address, _ in code} == {CALL}
    data = bytearray(file.read_bytes())
    data[place(code[2][0])] ^= 1
    file.write_bytes(data)
    table = compiler(file)
    assert [table.rule(place(code[number][0])) for number in (0, 2)] == [CALL, NONE]


# The rule during a jump into another frame: that frame's rsp is in r8, and the address
# of the code to continue at is in rdx.
JUMPS = Rule(Kind.REG, 8, Ra.REG, Fp.LOST, 0, 1)
LONGJMP = ".cfi_def_cfa rdi, 0\n.cfi_register rsp, r8\n.cfi_register rbp, r9"
CONTEXTS = """
#include <setjmp.h>
#include <ucontext.h>
int main(void)
{
    static jmp_buf buffer;
    static ucontext_t context;
    setcontext(&context);
    swapcontext(&context, &context);
    longjmp(buffer, 1);
}
"""


@pytest.fixture(name="contexts", params=["-static", "-static-pie"])
def fixture_contexts(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a static program that has longjmp() and setcontext()."""
    return compiled(tmp_path, ".c", CONTEXTS, request.param, "-D_FORTIFY_SOURCE=2")


@pytest.mark.parametrize("name", ["__longjmp", "____longjmp_chk"])
def test_unwind_longjmp_is_in_the_frame_of_setjmp(
    compiler: Compiler, contexts: Path, name: str
) -> None:
    code, table = instructions(contexts, f"--disassemble={name}"), compiler(contexts)
    place = Offsets(contexts)
    rules = [table.rule(place(address)) for address, _ in code]
    # From this instruction on, the target's rsp, rbp and address are in r8, r9 and rdx,
    # so the rule does not need the buffer.
    first = [text for _, text in code].index("mov    (%rdi),%rbx")
    assert code[-1][1] == "jmp    *%rdx"
    assert rules[first:] == [JUMPS] * 9
    assert JUMPS not in rules[:first]


def context_code(file: Path, name: str) -> tuple[list[int], list[str]]:
    """Return the file offsets and texts of the instructions of a function of glibc."""
    listing = subprocess.check_output(["nm", file], text=True)
    (start,) = re.findall(rf"^(\w+) . {name}$", listing, re.MULTILINE)
    address = int(start, 16)
    bounds = (f"--start-address={address}", f"--stop-address={address + 300}")
    code, place = instructions(file, *bounds), Offsets(file)
    # The function ends with its second ret, which is reached if its system call fails.
    rets = [at for at, (_, text) in enumerate(code) if text == "ret"]
    found = code[: rets[1] + 1]
    return [place(address) for address, _ in found], [text for _, text in found]


@pytest.mark.parametrize("name", ["setcontext", "swapcontext"])
def test_unwind_context_has_no_caller_before_it_is_pushed(
    compiler: Compiler, contexts: Path, name: str
) -> None:
    places, texts = context_code(contexts, name)
    rules = list(map(compiler(contexts).rule, places))
    after = {"push   %rdi": PUSHED, "mov    0xa0(%rdx),%rsp": BAD}
    after |= {"pop    %rdx": CALL, "push   %rcx": CALL}
    expected = [CALL]
    for text in texts[:-1]:
        expected.append(after.get(text, expected[-1]))
    assert expected.count(BAD) == 8
    assert rules == expected


def test_unwind_unknown_context_switch_uses_libcs_rules(
    compiler: Compiler, contexts: Path
) -> None:
    places, texts = context_code(contexts, "swapcontext")
    data = bytearray(contexts.read_bytes())
    data[places[texts.index("push   %rcx")]] ^= 1
    contexts.write_bytes(data)
    assert {*map(compiler(contexts).rule, places)} == {CALL}


SIGNAL = """
    .cfi_signal_frame
    .cfi_escape 0x0f,0x04,0x77,0xa0,0x01,0x06	# CFA: breg7 160, deref
    .cfi_escape 0x10,0x10,0x03,0x77,0xa8,0x01	# rip: breg7 168
    .cfi_escape 0x10,0x06,0x03,0x77,0xf8,0x00	# rbp: breg7 120
    nop"""
TRAMPOLINE = Rule(Kind.SIGNAL, cfa_offset=160, ra_offset=168, fp_offset=120)


def test_unwind_signal_frame_is_followed(assembled: Assembled) -> None:
    assert assembled(SIGNAL) == [TRAMPOLINE, NONE]


def test_unwind_signal_frame_of_libc_is_known(compiler: Compiler) -> None:
    libc = Path("/lib/x86_64-linux-gnu/libc.so.6")
    if not libc.exists():
        pytest.skip(f"there is no {libc}")
    assert TRAMPOLINE in compiler(libc).rules


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (".cfi_undefined rip", Rule(Kind.END)),
        (".cfi_register rip, rdi", Rule(Kind.REG, 7, Ra.REG, Fp.SAME, 8, 5)),
        (".cfi_undefined rbp", Rule(Kind.REG, 7, Ra.CFA, Fp.LOST, 8, -8)),
        (".cfi_register rbp, rdi", Rule(Kind.REG, 7, Ra.CFA, Fp.LOST, 8, -8)),
        (".cfi_val_offset rbp, 0", Rule(Kind.REG, 7, Ra.CFA, Fp.LOST, 8, -8)),
        (".cfi_offset rbx, -16", Rule(Kind.REG, 7, Ra.RBX, Fp.SAME, 8, -16)),
        (".cfi_offset r12, -16", CALL),
        (".cfi_escape 0x2e, 0x10", CALL),  # DW_CFA_GNU_args_size
        (".cfi_same_value rip", BAD),
        (".cfi_val_offset rip, 0", BAD),
        (".cfi_register rsp, rdi", BAD),
        (".cfi_def_cfa rsi, 0\n.cfi_register rsp, rdi", BAD),
        (f"{LONGJMP}\n.cfi_register rip, rdx", JUMPS),
        (f"{LONGJMP}\n.cfi_register rip, xmm0", BAD),
        (f"{LONGJMP}\n.cfi_offset rip, 8", BAD),
        (f"{LONGJMP}\n.cfi_register rip, rdx\n.cfi_signal_frame", BAD),
        (".cfi_def_cfa rdi, 0\n.cfi_register rip, rdx\n.cfi_register rsp, xmm0", BAD),
        (".cfi_def_cfa 16, 0", BAD),  # rip is not a general-purpose register
        (".cfi_escape 0x3f", BAD),  # unknown instruction
        (".cfi_escape 0x0b", BAD),  # restores a state that was not remembered
        (".cfi_escape 0x0f,0x7f,0x77,0x08", BAD),  # expression beyond the end
        (".cfi_escape 0x0f,0x02,0x77,0x80", BAD),  # number beyond the end
        # breg7 8, breg9 0, lit8, mul, plus, deref
        (".cfi_escape 0x0f,0x08,0x77,0x08,0x79,0x00,0x38,0x1e,0x22,0x06", BAD),
        (".cfi_signal_frame", BAD),  # an interrupted frame has not called anything
    ],
)
def test_unwind_row_has_rule(assembled: Assembled, body: str, rule: Rule) -> None:
    assert assembled(f"{body}\nnop") == [rule, NONE]


def test_unwind_states_remembered_without_end_are_bad(assembled: Assembled) -> None:
    assert assembled(".cfi_remember_state\n" * 1000 + "nop") == [BAD, NONE]


def test_unwind_personality_is_skipped(assembled: Assembled) -> None:
    assert (
        assembled(
            """
    .cfi_personality 0x1b, .Lhere
    .cfi_lsda 0x1b, .Lhere
.Lhere:
    nop"""
        )
        == [CALL, NONE]
    )


def test_unwind_link_register_of_arm64_is_used(assembled: Assembled) -> None:
    assert (
        assembled(
            """
    paciasp
    .cfi_negate_ra_state
    stp x29, x30, [sp, -32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    mov x29, sp
    .cfi_def_cfa_register x29
    nop""",
            machine=AARCH64,
        )
        == [
            Rule(Kind.REG, 31, Ra.REG, Fp.SAME, 0, 30),
            Rule(Kind.REG, 31, Ra.CFA, Fp.CFA, 32, -24, -32),
            Rule(Kind.REG, 29, Ra.CFA, Fp.CFA, 32, -24, -32),
            NONE,
        ]
    )


# The unwind information of longjmp() and setcontext() in glibc for arm64 does not say
# where in the buffer sp is, only where the other registers are.
@pytest.mark.parametrize("saved", [".cfi_offset x30, 88", ".cfi_same_value x30"])
def test_unwind_buffer_is_no_frame_of_arm64(assembled: Assembled, saved: str) -> None:
    body = f".cfi_def_cfa x0, 0\n{saved}\nnop"
    assert assembled(body, machine=AARCH64) == [BAD, NONE]


@pytest.mark.parametrize(("option", "before"), [("", 0), ("-Wl,-z,force-bti", 4)])
def test_unwind_plt_of_arm64_is_followed(
    assembled: Assembled, option: str, before: int
) -> None:
    options = ["-Wl,-z,lazy", *filter(None, [option])]
    table = assembled.build(FUNCTION.format(body="bl other"), *options, machine=AARCH64)
    assert table.rules[:3] == [
        LINKED,
        Rule(Kind.REG, 31, Ra.CFA, Fp.SAME, 16, -8),
        LINKED,
    ]
    plt = table.starts[0]
    assert [start - plt for start in table.starts[:3]] == [0, before + 4, 32]


# Because of erratum 843419 of the Cortex-A53, the linker moves the load `ldr x2` to a
# place after the function, and puts a branch in its place.
MOVED = """
    .text
    .balign 4096
    .globl function, next
function: .cfi_startproc
    stp x29, x30, [sp, -16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    .fill 1021, 4, 0xd503201f
    adrp x0, data
    ldr x1, [x1]
    ldr x2, [x0, :lo12:data]
    ldp x29, x30, [sp], 16
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .section .text.next, "ax"
next: .cfi_startproc
    ret
    .cfi_endproc
    .data
data: .quad 0
"""


@pytest.mark.parametrize("is_known", [True, False])
def test_unwind_instruction_moved_by_linker_has_its_rule(
    assembled: Assembled, is_known: bool
) -> None:
    assembled.link(MOVED, "-Wl,--fix-cortex-a53-843419=adrp", machine=AARCH64)
    data = bytearray(assembled.path.read_bytes())
    moved = assembled.start() + 4096
    (branch,) = struct.unpack_from("<I", data, moved)
    assert branch >> 26 == 0x05
    veneer = moved + 4 * (branch & 0x3FFFFFF)
    if not is_known:
        data[moved] ^= 1
        assembled.path.write_bytes(data)
    table = assembled.table()
    pushed = Rule(Kind.REG, 31, Ra.CFA, Fp.CFA, 16, -8, -16)
    expected = pushed if is_known else NONE
    assert moved + 12 < veneer < assembled.start("next")
    assert [table.rule(veneer + at) for at in range(-4, 12, 4)] == [
        *(NONE, expected, expected, NONE)
    ]
    assert table.rule(assembled.start("next")) == LINKED


# This code resembles the kernel's vDSO for arm64, which has no unwind information.
VDSO = """
    .text
    .globl __kernel_clock_gettime, __kernel_getrandom, __kernel_rt_sigreturn
    .type __kernel_clock_gettime, %function
__kernel_clock_gettime:
    nop
    ret
    .size __kernel_clock_gettime, . - __kernel_clock_gettime
    .fill 16, 4, 0xd503201f
    .type __kernel_getrandom, %function
__kernel_getrandom:
    {push}
    ret
    .size __kernel_getrandom, . - __kernel_getrandom
    .fill 16, 4, 0xd503201f
__kernel_rt_sigreturn:
    mov x8, 139
    svc 0
    .size __kernel_rt_sigreturn, . - __kernel_rt_sigreturn
"""


@pytest.mark.parametrize(
    "push", ["stp x29, x30, [sp, -16]!", "str x30, [sp, -16]!", "sub sp, sp, 32"]
)
def test_unwind_vdso_of_arm64_is_followed(assembled: Assembled, push: str) -> None:
    table = assembled.build(VDSO.format(push=push), SMALL_PAGES, machine=AARCH64)
    trampoline = assembled.start("__kernel_rt_sigreturn")
    assert table.rules == [
        LINKED,
        NONE,
        Rule(Kind.SIGNAL, cfa_offset=560, ra_offset=568, fp_offset=544),
        NONE,
    ]
    assert table.starts[0] == assembled.start("__kernel_clock_gettime")
    # A signal handler returns to the start of the trampoline. The rule begins one
    # instruction earlier, because the unwinder looks up a return address minus 1.
    assert table.starts[2:] == [trampoline - 4, trampoline + 8]


# The compiler examines only functions of at most 4,096 bytes, and only in files of at
# most 64 KiB, which is more than a vDSO has.
@pytest.mark.parametrize(("nops", "rule"), [(1023, LINKED), (1024, NONE)])
def test_unwind_size_of_vdso_function_is_limited(
    assembled: Assembled, nops: int, rule: Rule
) -> None:
    push = f".fill {nops}, 4, 0xd503201f"
    table = assembled.build(VDSO.format(push=push), SMALL_PAGES, machine=AARCH64)
    assert table.rule(assembled.start("__kernel_clock_gettime")) == LINKED
    assert table.rule(assembled.start("__kernel_getrandom")) == rule


def test_unwind_size_of_vdso_is_limited(
    assembled: Assembled, compiler: Compiler
) -> None:
    assembled.link(VDSO.format(push="nop"), SMALL_PAGES, machine=AARCH64)
    os.truncate(assembled.path, 1 << 16)
    assert assembled.table().rule(assembled.start("__kernel_getrandom")) == LINKED
    os.truncate(assembled.path, (1 << 16) + 1)
    reason = "has no unwind information: No data available"
    assert compiler.complaint(assembled.path) == reason


# Four Go functions of 16 units of code each. A unit is 1 byte on x86_64, and 4 bytes on
# arm64. Only .gopclntab describes the functions. The comments in it say how many bytes
# a function has pushed, and for how many units of code.
GO = """
    .text
    .balign 64
    .globl function
function:
.Lstart:
    .fill 64 * {unit}, 1, 0x90
    .section .gopclntab,"a{writable}"
    .balign 32
.Ltable:
    .long {magic}
    .byte 0, 0, {unit}, 8
    .quad 4, 0, {start}, 0, 0, 0, .Lsp - .Ltable, .Lfunctions - .Ltable
.Lfunctions:
    .long 0, .Lplain - .Lfunctions
    .long 16 * {unit}, .Ltop - .Lfunctions
    .long 32 * {unit}, .Lwrites - .Lfunctions
    .long 48 * {unit}, .Lother - .Lfunctions
    .long 64 * {unit}
.Lplain: .long 0, 0, 0, 0, 1, 0, 0, 0, 0 {more}
    .byte 0, 0, 0, 0
.Ltop: .long 0, 0, 0, 0, 1, 0, 0, 0, 0 {more}
    .byte 0, 1, 0, 0
.Lwrites: .long 0, 0, 0, 0, 1, 0, 0, 0, 0 {more}
    .byte 0, 2, 0, 0
.Lother: .long 0, 0, 0, 0, .Llarge - .Lsp, 0, 0, 0, 0 {more}
    .byte 0, 4, 0, 0
.Lsp:
    .byte 0
    .byte 2, 3	/* 0 for 3 units */
    .byte 32, 9	/* 16 for 9 */
    .byte 31, 2	/* 0 for 2 */
    .byte 0
.Llarge:
    .byte 2, 1	/* 0 for 1 unit */
    .byte 0x80, 0x80, 1, 15	/* 8192 for 15 */
    .byte 0
"""
# Variants of .gopclntab: with the header of Go 1.18 or 1.20, and for a program that can
# be loaded at any address or for one that cannot.
GO_OLD = {"magic": "0xfffffff0", "more": ""}
GO_NEW = {"magic": "0xfffffff1", "more": ", 0"}
TEXT = 0x10000
GO_LOADED = {"start": ".Lstart", "writable": "w"}
GO_FIXED = {"start": f"{TEXT:#x}", "writable": ""}


@pytest.mark.parametrize("version", [GO_OLD, GO_NEW])
@pytest.mark.parametrize("place", [GO_LOADED, GO_FIXED])
@pytest.mark.parametrize("machine", [X86_64, AARCH64])
def test_unwind_go_function_has_rules(
    assembled: Assembled, machine: int, place: dict[str, str], version: dict[str, str]
) -> None:
    unit = 1 if machine == X86_64 else 4
    text = GO.format(unit=unit, **version, **place)
    table = assembled.build(text, f"-Wl,-Ttext={TEXT:#x}", machine=machine)
    start = assembled.start()
    if machine == X86_64:
        called = CALL
        pushed = Rule(Kind.REG, 7, Ra.CFA, Fp.CFA, 24, -8, -16)
        large = Rule(Kind.REG, 7, Ra.CFA, Fp.CFA, 8200, -8, -16)
    else:
        called = LINKED
        pushed = Rule(Kind.REG, 31, Ra.CFA, Fp.LOST, 16, -16)
        large = Rule(Kind.REG, 31, Ra.CFA, Fp.LOST, 8192, -8192)
    rows = {
        **{0: called, 3: pushed, 12: called, 16: Rule(Kind.END), 32: BAD},
        **{48: called, 49: large, 64: NONE},
    }
    found = {at: table.rule(start + unit * at) for at in rows}
    assert found == rows
    assert [at - start for at in table.starts] == [unit * at for at in rows]


# Since Go 1.26, only .go.module contains the start of the code.
@pytest.mark.parametrize("place", [GO_LOADED, GO_FIXED])
def test_unwind_start_of_go_code_is_found_in_module(
    assembled: Assembled, place: dict[str, str]
) -> None:
    text = GO.format(unit=1, **GO_NEW, start=0, writable="")
    text += f"""
    .section .go.module,"aw"
    .fill 22, 8, 1
    .quad {place["start"]}, -1
"""
    table = assembled.build(text, f"-Wl,-Ttext={TEXT:#x}")
    assert table.rule(assembled.start()) == CALL
    assert table.rule(assembled.start() + 16) == Rule(Kind.END)


def test_unwind_go_table_in_relro_section_is_found(assembled: Assembled) -> None:
    text = GO.format(unit=1, **GO_NEW, **GO_LOADED)
    assembled.link(text, f"-Wl,-Ttext={TEXT:#x}")
    renamed = "--rename-section=.gopclntab=.data.rel.ro.gopclntab"
    subprocess.run(["objcopy", renamed, assembled.path], check=True)
    assert assembled.table().rule(assembled.start()) == CALL


# If cgo is used, the C linker merges the table of a position-independent program with
# other data.
@pytest.mark.parametrize(("buildinfo", "rule"), [("go.buildinfo", CALL), ("c", NONE)])
def test_unwind_go_table_among_other_data_is_found(
    assembled: Assembled, buildinfo: str, rule: Rule
) -> None:
    merged = f"""
    .section .{buildinfo},"aw"
    .quad 0
    .section .data.rel.ro,"aw"
    .fill 40, 1, 0xff
"""
    text = GO.format(unit=1, **GO_NEW, **GO_LOADED)
    text = text.replace('    .section .gopclntab,"aw"\n', merged)
    text += FUNCTION.format(body="ret").replace("function", "described")
    table = assembled.build(text, f"-Wl,-Ttext={TEXT:#x}")
    assert table.rule(assembled.start()) == rule
    assert table.rule(assembled.start("described")) == CALL


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0xfffffff1", "0xfffffffa"),
        (".byte 0, 0, 1, 8", ".byte 0, 1, 1, 8"),
        (", 8\n", ", 4\n"),
        ("    .byte 2, 3", "    .byte 2, 0"),
    ],
)
def test_unwind_unknown_go_table_has_no_rules(
    assembled: Assembled, old: str, new: str
) -> None:
    text = GO.format(unit=1, **GO_NEW, **GO_FIXED).replace(old, new)
    assert old not in text
    text += FUNCTION.format(body="ret").replace("function", "described")
    table = assembled.build(text, f"-Wl,-Ttext={TEXT:#x}")
    assert table.rule(assembled.start() + 3) == NONE
    assert table.rule(assembled.start("described")) == CALL


# Some functions of the C library, such as __memcpy_chk(), run through the padding after
# them into the next function. If the code between two functions is padding, the table
# has no row for it, so that the rule of the function before it applies. Otherwise, the
# rule is NONE. Any code of fewer than 16 bytes is padding. Code of 16 to 63 bytes is
# padding if it does nothing.
@pytest.mark.parametrize(
    ("machine", "padding", "is_known"),
    [
        (X86_64, ".fill 15, 1, 0x50", True),
        (X86_64, ".fill 16, 1, 0x50", False),
        *(
            (X86_64, f".nops {size}, {most}", True)
            for size in (16, 63)
            for most in (1, 11)
        ),
        *(
            (X86_64, f".fill {most}, 1, 0x90\n.nops 54, {most}", True)
            for most in (2, 9)
        ),
        (X86_64, ".nops 60\npush %rax", False),
        (X86_64, ".nops 64", False),
        (AARCH64, ".fill 15, 4, 0xd503201f", True),
        (AARCH64, ".fill 14, 4, 0xd503201f\nret", False),
        (AARCH64, ".fill 16, 4, 0xd503201f", False),
    ],
)
def test_unwind_padding_has_no_row(
    assembled: Assembled, machine: int, padding: str, is_known: bool
) -> None:
    text = """
    .text
    .globl function, padding, next
    function: .cfi_startproc
    ret
    .cfi_endproc
    padding: {padding}
    next: .cfi_startproc
    ret
    .cfi_endproc
"""
    table = assembled.build(text.format(padding=padding), machine=machine)
    start, gap, after = map(assembled.start, ("function", "padding", "next"))
    call = CALL if machine == X86_64 else LINKED
    expected = call if is_known else NONE
    assert [table.rule(at) for at in (start, gap, after - 1, after, after + 4)] == [
        *(call, expected, expected, call, NONE)
    ]


def test_unwind_debug_frame_fills_gaps(assembled: Assembled, tmp_path: Path) -> None:
    debug = tmp_path / "debug.s"
    debug.write_text(
        """
    .cfi_sections .debug_frame
    .text
    .globl function
    function: .cfi_startproc
    push %rax
    .cfi_adjust_cfa_offset 8
    nop
    .cfi_endproc
"""
    )
    table = assembled.build(
        ".text\n.globl other\nother: .cfi_startproc\nnop\n.cfi_endproc\n", str(debug)
    )
    start = assembled.start()
    assert table.between(start, start + 2) == [CALL, PUSHED]
    assert table.rule(assembled.start("other")) == CALL


def test_unwind_without_section_headers_works(assembled: Assembled) -> None:
    rules = assembled(REALIGNED)
    table = assembled.table()
    data = bytearray(assembled.path.read_bytes())
    data[SECTIONS] = bytes(8)
    data[NR_SECTIONS] = bytes(4)
    assembled.path.write_bytes(data)
    assert assembled.table() == table
    assert len(rules) > 1


def test_unwind_vdso_has_a_table(compiler: Compiler) -> None:
    assert CALL in compiler("--vdso").rules or LINKED in compiler("--vdso").rules


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (slice(0, 1), b"x", "is not an ELF file: Exec format error"),
        (slice(4, 5), b"\1", "is not a 64-bit ELF file: Exec format error"),
        (slice(5, 6), b"\2", "is big-endian: Exec format error"),
        (
            slice(18, 19),
            b"\3",
            "is neither for x86_64 nor for arm64: Exec format error",
        ),
        (slice(16, 17), b"\1", "is neither a program nor a shared library: "),
        (slice(56, 58), bytes(2), "has no program headers: Exec format error"),
        (slice(56, 58), b"\1\1", "has too many program headers: Exec format error"),
        (slice(32, 40), b"\xff" * 8, "has damaged program headers: Bad message"),
        (slice(64, None), b"", "has damaged program headers: Bad message"),
    ],
)
def test_unwind_refusal_says_why(
    assembled: Assembled, compiler: Compiler, place: slice, value: bytes, reason: str
) -> None:
    assembled("nop")
    data = bytearray(assembled.path.read_bytes())
    data[place] = value
    assembled.path.write_bytes(data)
    assert compiler.complaint(assembled.path).startswith(reason)


def test_unwind_of_non_file_is_refused(compiler: Compiler, tmp_path: Path) -> None:
    assert compiler.complaint(tmp_path) == "is not a regular file: Invalid argument"


def test_unwind_without_information_is_refused(
    assembled: Assembled, compiler: Compiler
) -> None:
    assembled("nop")
    subprocess.run(["objcopy", "-R", ".eh_frame", assembled.path], check=True)
    reason = "has no unwind information: No data available"
    assert compiler.complaint(assembled.path) == reason


# The compiler refuses a file if too many of its rules have the same hash: it would have
# to compare each of these rules with all others. For a file of 64 MB this would take
# minutes.
def test_unwind_rules_of_one_hash_are_refused(
    assembled: Assembled, compiler: Compiler
) -> None:
    lines = [
        f".cfi_def_cfa_offset {cfa << 25}\n.cfi_offset rbp, -{fp << 25}\nnop\n"
        for cfa in range(32)
        for fp in range(32)
    ]
    assembled.link(FUNCTION.format(body="".join(lines)))
    assert compiler.complaint(assembled.path) == TOO_MUCH


# The kernel accepts at most 65,536 rules (PFM_UNWIND_MAX_RULES). The last rule is that
# of the code after the function.
@pytest.mark.parametrize("count", [65535, 65536])
def test_unwind_number_of_rules_is_limited(
    assembled: Assembled, compiler: Compiler, count: int
) -> None:
    lines = [f".cfi_def_cfa_offset {8 * cfa}\nnop\n" for cfa in range(1, 1 + count)]
    assembled.link(FUNCTION.format(body="".join(lines)))
    if count == 65535:
        assert assembled.table().described == 65536
    else:
        assert compiler.complaint(assembled.path) == TOO_MUCH


# The compiler reads at most 64 MiB of a section, and at most 2^18 CIEs. A CIE of
# .debug_frame has at least 8 bytes.
@pytest.mark.parametrize(
    ("entry", "count"), [(bytes(4), 1 << 24), (b"\4\0\0\0" + 4 * b"\xff", 1 << 18)]
)
def test_unwind_size_of_section_is_limited(
    assembled: Assembled, compiler: Compiler, tmp_path: Path, entry: bytes, count: int
) -> None:
    section = tmp_path / "section"
    for more in 0, 1:
        assembled.link(FUNCTION.format(body="nop"))
        section.write_bytes(entry * (count + more))
        add = f"--add-section=.debug_frame={section}"
        subprocess.run(["objcopy", add, assembled.path], check=True)
        if more:
            assert compiler.complaint(assembled.path) == TOO_MUCH
        else:
            assert assembled.table().rule(assembled.start()) == CALL


@pytest.fixture(name="fuzzer", scope="session")
def fixture_fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return unwind_fuzzer, built with sanitizers."""
    program = tmp_path_factory.mktemp("fuzzer") / "unwind_fuzzer"
    sources = [ROOT / "tests/tools/unwind_fuzzer.c"]
    sources += sorted((ROOT / "tools/pfmon/unwind").glob("*.c"))
    includes = [f"-I{ROOT}/sdk/include", f"-I{ROOT}/tools/pfmon"]
    subprocess.run(
        ["gcc", "-O1", *SANITIZED, *includes, "-o", program, *sources], check=True
    )
    return program


def compile_damaged(fuzzer: Path, path: Path) -> None:
    """Compile tables for damaged copies of a file; some copies must have a table."""
    if not path.exists():
        pytest.skip(f"there is no {path}")
    compiled = int(subprocess.check_output([fuzzer, path, "2000", "1"], timeout=300))
    assert 500 < compiled < 1900


@pytest.mark.parametrize(
    "path", ["/bin/gzip", "/usr/aarch64-linux-gnu/lib/libnsl.so.1"]
)
def test_unwind_of_damaged_files_is_safe(fuzzer: Path, path: str) -> None:
    compile_damaged(fuzzer, Path(path))


def test_unwind_of_damaged_go_table_is_safe(fuzzer: Path, assembled: Assembled) -> None:
    text = GO.format(unit=1, **GO_NEW, **GO_LOADED)
    assembled.build(text, f"-Wl,-Ttext={TEXT:#x}", SMALL_PAGES)
    compile_damaged(fuzzer, assembled.path)


def test_unwind_of_damaged_vdso_is_safe(fuzzer: Path, assembled: Assembled) -> None:
    assembled.build(VDSO.format(push="nop"), SMALL_PAGES, machine=AARCH64)
    compile_damaged(fuzzer, assembled.path)
