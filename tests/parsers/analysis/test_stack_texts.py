# SPDX-License-Identifier: MIT OR GPL-2.0
"""Texts of stacks."""

from __future__ import annotations

from collections import Counter

from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from pfmparse.analysis.stack_texts import StackTexts


def test_stack_texts_begin_with_the_outermost() -> None:
    source = opened(stack_capture())
    (batch,) = source.batches()
    texts = StackTexts(source, "<{}>".format)
    found = Counter(texts.texts(source.stacks.ids(batch)))
    assert found == {"<main;hot>": 6, "<main;warm>": 3, "<main;warm;schedule>": 1}
