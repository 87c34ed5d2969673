# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test how pfm-conform follows its guests, with a program in place of the guest."""

from __future__ import annotations

from pathlib import Path

import guests
import pytest
from fmt_modules import Format
from ktap import Outcome, Result

# A check that never ends, but always prints a line before the time is over.
HANGING = """
import time

print("@begin 0 full", flush=True)
while True:
    # Sleep because the time must pass.
    time.sleep(0.1)
    print("@file 0 part AAAA", flush=True)
"""


def test_timeout_limits_the_whole_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("guest", "pfm_fmt_tried.ko", "pfm_conform.ko")
    guest, module, kit = (tmp_path / name for name in names)
    guest.write_text(HANGING)
    module.touch()
    kit.touch()
    monkeypatch.setattr(guests, "VM", guest)
    monkeypatch.setattr(guests, "ENDING", 0)
    options = guests.Options("6.12", "x86_64", None, "", True, 1, 1)
    tried = guests.Guests([Format(module, "")], kit, options, [tmp_path])
    text = "the check does not finish within 1 s"
    assert next(tried.run(["full"])) == (0, Result("full", Outcome.FAILED, text))
