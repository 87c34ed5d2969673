# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test raw time stamps over an hour and across suspends, in guests of their own.

The guests' time is counted in instructions, so the hour passes at once.
"""

from collections.abc import Iterator

import pytest
from boot import Boot, Target, check_test, names_of
from commands import TIMEOUT
from programs import RAW_TIME

# A TSC rate above 1 GHz. To convert the TSC to ns, the kernel first computes a shift of
# 32 and a multiplier, which is odd for this rate. Then it reduces the shift to 31 and
# drops the multiplier's lowest bit. The rate is not the real one, so the kernel must
# not compare the TSC with another clock.
FAST_TSC = "tsc=reliable tsc_early_khz=1234567"
OPTIONS = {
    Target("x86_64", "6.12"): ("--icount", f"--append={FAST_TSC}"),
    Target("arm64", "6.12"): (),
}
# A test counts as hung after this many seconds of the guest's time. While the arm64
# guest is suspended and waits for the host's clock, hours of its own time pass.
SETTINGS = "export CHECK_TIMEOUT=1000000000"
CASES = [(program, test) for program in RAW_TIME for test in names_of(program)]


@pytest.fixture(scope="module", name="boot", params=OPTIONS, ids=str)
def boot_fixture(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Boot]:
    """Boot the guest."""
    out = tmp_path_factory.mktemp("raw_time")
    options = (f"--timeout={TIMEOUT}", *OPTIONS[request.param])
    commands = {"settings": SETTINGS} | {name: name for name in RAW_TIME}
    # A suspended arm64 guest waits for the host's clock.
    keep = request.param.arch == "x86_64"
    boot = Boot(request.param, commands, out, options, keep)
    yield boot
    boot.close()


@pytest.mark.parametrize(("program", "test"), CASES)
def test_raw_time_is_exact(program: str, test: str, boot: Boot) -> None:
    check_test(boot, program, test)


def test_the_kernel_is_content(boot: Boot) -> None:
    assert boot.status() == 0, boot.errors()
