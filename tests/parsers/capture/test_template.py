# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build a template of the session description for raw buffers."""

from __future__ import annotations

import json

from helpers.writers import UUID_2_2, pmd, session
from pfmparse import parse_session, session_template


def test_template_is_a_session_of_one_sampling_pmd() -> None:
    parsed = parse_session(session_template(UUID_2_2, "default", b"\1\2"), 0)
    assert parsed.format.uuid == UUID_2_2 and parsed.format.name == "default"
    assert parsed.format.arg == b"\1\2"
    assert [context.id for context in parsed.contexts] == [0]
    ((event_set,), (only,)) = parsed.sets, parsed.sets[0].pmds
    assert (event_set.id, only.num, only.sampling, only.smpl_pmds) == (0, 0, True, ())


def test_template_has_all_mandatory_members() -> None:
    template, written = json.loads(session_template(UUID_2_2)), session()
    for name in ("host", "boot_id", "processors"):
        del written["machine"][name]
    del written["contexts"][0]["tgid"]
    assert set(template) == set(written)
    for name in ("machine", "format"):
        assert set(template[name]) == set(written[name])
    assert set(template["contexts"][0]) == set(written["contexts"][0])
    assert set(template["sets"][0]) == set(written["sets"][0])
    assert set(template["sets"][0]["pmds"][0]) == set(pmd(0))
