# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read counters in user space, in a guest with a hardware PMU and two CPUs.

Needs `make modules`, `make user-arm64` and tests/guest/guest.mk for arm64.
"""

from collections.abc import Iterator

import pytest
from boot import Boot, check_test, names_of
from commands import TIMEOUT
from programs import ARM64, LIVE

CASES = [(program, test) for program in LIVE for test in names_of(program)]


@pytest.fixture(scope="module", name="boot", params=ARM64, ids=str)
def boot_fixture(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Boot]:
    """Boot the guest."""
    out = tmp_path_factory.mktemp("live")
    options = (f"--timeout={TIMEOUT}", "--smp=2")
    boot = Boot(request.param, {name: name for name in LIVE}, out, options, True)
    yield boot
    boot.close()


@pytest.mark.parametrize(("program", "test"), CASES)
def test_counters_are_read_at_user_level(program: str, test: str, boot: Boot) -> None:
    check_test(boot, program, test)


def test_the_kernel_is_content(boot: Boot) -> None:
    assert boot.status() == 0, boot.errors()
