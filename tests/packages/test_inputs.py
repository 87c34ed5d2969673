# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test inputs.py, which decides which package tests a change makes necessary."""

from __future__ import annotations

from pathlib import Path

import inputs
import passed
import pytest

LINTIAN = "test_lintian_accepts_built_packages"
TUTORIAL = "test_tutorial_step_works"
MACHINE = "test_device_belongs_to_the_group"
C = b'#include <a.h>\n#  include "b.h"\nint x;\n'
PYTHON = b"from a import b\n    import c\nx = 1\n"


def repeated(name: str, before: bytes, after: bytes) -> set[str]:
    """Return the tests to repeat if a file changes from ``before`` to ``after``."""
    return {
        test
        for test in (LINTIAN, TUTORIAL, MACHINE)
        if inputs.relevant(name, before, inputs.named_by(test))
        != inputs.relevant(name, after, inputs.named_by(test))
    }


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("core/main.c", {LINTIAN}),
        ("formats/nway/pfm_fmt_nway.c", {LINTIAN}),
        ("docs/events.md", {LINTIAN}),
        ("tools/pfmon/pfmon.1", {LINTIAN}),
        ("tools/pfmon/main.c", {LINTIAN, TUTORIAL, MACHINE}),
        ("parsers/pfmparse/text.py", {LINTIAN, TUTORIAL, MACHINE}),
        ("sdk/templates/sink/pfm_fmt_newfmt.c", {LINTIAN, TUTORIAL, MACHINE}),
        ("README.md", {LINTIAN, TUTORIAL, MACHINE}),
        ("docs/install.md", {LINTIAN, TUTORIAL, MACHINE}),
        ("docs/tutorial.md", {LINTIAN, TUTORIAL, MACHINE}),
        ("core/Kbuild", {LINTIAN, TUTORIAL, MACHINE}),
        ("sdk/pfm-new-format", {LINTIAN, TUTORIAL, MACHINE}),
        ("debian/perfmon-dkms.postinst", {LINTIAN, TUTORIAL, MACHINE}),
        ("scripts/user.mk", {LINTIAN, TUTORIAL, MACHINE}),
        ("tests/packages/machine.py", {LINTIAN, TUTORIAL, MACHINE}),
    ],
)
def test_change_repeats_tests_that_depend_on_it(name: str, tests: set[str]) -> None:
    assert repeated(name, b"a", b"b") == tests


def test_change_of_dependencies_repeats_all() -> None:
    every = {LINTIAN, TUTORIAL, MACHINE}
    for line in (b"#include <a.h>", b'#  include "b.h"'):
        assert repeated("core/main.c", C, C.replace(line, b"")) == every
    for line in (b"from a import b", b"    import c"):
        name = "parsers/pfmparse/text.py"
        assert repeated(name, PYTHON, PYTHON.replace(line, b"")) == every


def test_record_depends_on_names_and_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    for module in (inputs, passed):
        monkeypatch.setattr(module, "ROOT", tmp_path / "tree")
    source = tmp_path / "tree/core/main.c"
    source.parent.mkdir(parents=True)

    def record(on: str = "machines") -> Path:
        return inputs.record(on, inputs.NAMED)

    source.write_text("a")
    first = record()
    source.write_text("b")
    assert record() == first != record("others")
    source.chmod(0o755)
    assert record() != first
    source.rename(source.with_name("other.c")).chmod(0o644)
    assert record() != first
