# SPDX-License-Identifier: MIT OR GPL-2.0
"""Validate formats and the results of decoders."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from pfmparse import Decoded, Format, Lost, Region, Samples, struct_dtype

UUID = "ab3b0f7e-5f0c-4d6f-9d4a-5b9d8e0c4a11"


def decoder(session: object) -> Any:
    """Do nothing; used in place of a function that makes a decoder."""


@pytest.mark.parametrize("uuid", [UUID.upper(), f"{{{UUID}}}", UUID.replace("-", "")])
def test_format_accepts_all_uuid_forms(uuid: str) -> None:
    assert Format("mine", uuid, decoder).uuid == UUID


@pytest.mark.parametrize("uuid", ["", "mine", UUID[1:], None, 5, UUID.encode()])
def test_format_refuses_invalid_uuid(uuid: Any) -> None:
    with pytest.raises(ValueError, match="of format 'mine' is not a UUID"):
        Format("mine", uuid, decoder)


def test_format_refuses_uncallable_decoder() -> None:
    wrong: Any = "decode"
    with pytest.raises(ValueError, match="the decoder of format 'mine' is not"):
        Format("mine", UUID, wrong)


def test_format_argument_is_described_by_its_dtype() -> None:
    argument = struct_dtype(8, [("depth", "<u4", 0), ("reserved", "<u4", 4)])
    form = Format("mine", UUID, decoder, dtypes={"argument": argument})
    assert form.describe_arg(b"\5\0\0\0\0\0\0\0") == {"depth": 5}
    assert form.describe_arg(b"\5") is None
    assert Format("mine", UUID, decoder).describe_arg(b"\5") is None
    own = Format("m", UUID, decoder, lambda arg: {"n": 1}, {"argument": argument})
    assert own.describe_arg(b"\5") == {"n": 1}


def test_lost_counts_become_python_integers() -> None:
    number: Any = np.uint64((1 << 64) - 1)
    lost = Lost({"full": number}, ({"full": number},))
    assert json.dumps(lost.total) == '{"full": 18446744073709551615}'
    assert json.dumps(lost.regions[0]) == json.dumps(lost.total)


def test_decoded_checks_regions_and_problems() -> None:
    samples, text = Samples(0, {}), "bad"
    wrong: Any = (samples,)
    with pytest.raises(TypeError, match="in regions is not a Region"):
        Decoded(wrong)
    wrong = (text,)
    with pytest.raises(TypeError, match="'bad' in problems is not a PfmParseError"):
        Decoded((Region(0, samples),), wrong)
