# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the functions of a compilation unit in programs that the tests compile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.programs import Program, compiled
from pfmparse.symbols import functions
from pfmparse.symbols.elf_file import ElfFile
from pfmparse.symbols.functions import NONE, Functions

# deep() has nested blocks. nested() contains a nested function that is not inlined. The
# code of two_places() is in two address ranges.
SOURCE = """
#define INLINE static inline __attribute__((always_inline))
#define LABEL(name) __asm__ volatile(name ": nop")
volatile int sink;
INLINE void leaf(void) { LABEL("in_leaf"); }
__attribute__((noinline)) void deep(void)
{
\t{ int a = sink; { int b = sink; { int c = sink; leaf(); sink = c; } sink = b; }
\tsink = a; }
}
__attribute__((noinline)) int nested(int by)
{
\t__attribute__((noinline)) int within(int x) { LABEL("in_within"); return x + by; }
\treturn within(sink);
}
INLINE void unlikely(void) { LABEL("in_cold"); sink = 2; __builtin_trap(); }
__attribute__((noinline)) void two_places(void)
{
\tif (__builtin_expect(sink, 0)) unlikely();
\tsink = 3;
}
int main(void) { deep(); two_places(); return nested(3); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    where = tmp_path_factory.mktemp("bin")
    source = where / "x.c"
    source.write_text(SOURCE)
    return compiled(where / "x", "-O2", "-no-pie", source=source)


def names_at(elf: ElfFile, program: Program, label: str) -> list[str]:
    """Return the functions at a label, innermost first."""
    address = program.offset_of(label) - program.shift
    read = functions_of(elf)
    number = int(read.innermost(np.array([address], np.uint64))[0])
    names = []
    while number != NONE:
        names.append(str(read.name(number)))
        number = read.parent(number)
    return names


def functions_of(elf: ElfFile) -> Functions:
    """Return the functions of SOURCE's compilation unit."""
    assert elf._debug_info is not None
    (unit,) = (u for u in elf._debug_info._units if u._functions._dies)
    return unit._functions


@pytest.mark.parametrize(
    "label,names",
    [
        ("in_leaf", ["leaf", "deep"]),
        ("in_within", ["within"]),
        ("in_cold", ["unlikely", "two_places"]),
        ("main", ["main"]),
    ],
)
def test_unit_functions_match_the_source(
    label: str, names: list[str], program: Program
) -> None:
    with ElfFile(str(program.path)) as elf:
        found = [name.split(".")[0] for name in names_at(elf, program, label)]
    assert found == names


def test_inlined_functions_are_read_on_demand(program: Program) -> None:
    with ElfFile(str(program.path)) as elf:
        read = functions_of(elf)
        before = len(read._dies)
        assert names_at(elf, program, "main") == ["main"]
        assert len(read._dies) == before
        for _ in range(2):
            assert names_at(elf, program, "in_leaf")[0] == "leaf"
            assert len(read._dies) == before + 1


def test_depth_of_inlined_functions_is_limited(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions, "DEEPEST", 3)
    with ElfFile(str(program.path)) as elf:
        assert names_at(elf, program, "in_leaf") == ["deep"]


def test_addresses_outside_functions_have_no_function(program: Program) -> None:
    with ElfFile(str(program.path)) as elf:
        outside = np.array([0, 1 << 40, 2**64 - 1], np.uint64)
        assert functions_of(elf).innermost(outside).tolist() == [NONE] * 3


def test_file_without_functions_has_no_inlines(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main = 0xc3;")
    made = compiled(tmp_path / "x", "-w", source=source)
    with ElfFile(str(made.path)) as elf:
        assert elf.inlines(np.array([made.shift], np.uint64)) == [()]


SCOPES = """
#define ALWAYS __attribute__((always_inline))
#define INLINE inline ALWAYS
#define LABEL(name) __asm__ volatile(name ": nop")
volatile int sink;
namespace physics { namespace { struct A {
    INLINE void step(int n) { sink += n; LABEL("in_physics"); }
}; } }
namespace render { namespace { struct B {
    INLINE void step(int n) { sink -= n; LABEL("in_render"); }
}; INLINE void free_one(void) { LABEL("in_free"); } } }
INLINE static void plain(void) { LABEL("in_plain"); }
int main(int argc, char **)
{
    physics::A().step(argc); render::B().step(argc); render::free_one(); plain();
    auto one = [&](int k) ALWAYS { sink += k; LABEL("in_one"); };
    auto two = [&](int k) ALWAYS { sink += k; LABEL("in_two"); };
    one(1); two(2);
    struct Local { INLINE void go(int n) { sink ^= n; LABEL("in_local"); } } local;
    local.go(argc);
    return 0;
}
"""


def test_inlined_functions_have_their_scopes(tmp_path: Path) -> None:
    source = tmp_path / "x.cpp"
    source.write_text(SCOPES)
    made = compiled(tmp_path / "x", "-O2", "-std=c++17", source=source)
    with ElfFile(str(made.path)) as elf:
        names = {
            where: names_at(elf, made, f"in_{where}")[0]
            for where in ("physics", "render", "free", "plain", "one", "two", "local")
        }
    one, two = names.pop("one"), names.pop("two")
    assert names == {
        "physics": "physics::(anonymous namespace)::A::step",
        "render": "render::(anonymous namespace)::B::step",
        "free": "render::(anonymous namespace)::free_one",
        "plain": "plain",
        "local": "main::Local::go",
    }
    line = SCOPES.splitlines().index("    one(1); two(2);") - 1
    assert one.startswith(f"main::{{unnamed at x.cpp:{line}")
    assert two.startswith(f"main::{{unnamed at x.cpp:{line + 1}")
    assert one.endswith("}::operator()") and two.endswith("}::operator()")
