"""What was sealed and has changed is found, whatever it is that changed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from smixup.sealed import is_whole, parsed, seal

ABOUT: dict[str, Any] = {"kind": "matcher", "version": 4, "settings": {"alpha": 0.5, "b": None}}


def tensors() -> dict[str, torch.Tensor]:
    return {
        "w": torch.arange(6.0).reshape(2, 3),
        "scale": torch.tensor(2.5),
        "half": torch.ones(3, dtype=torch.bfloat16),
        "none": torch.zeros(0, 4),
        "yes": torch.tensor([True, False]),
    }


def test_what_was_sealed_is_whole() -> None:
    for given in (None, {}, tensors()):
        sealed = seal(ABOUT, given)
        assert is_whole(sealed, given)
        assert {key: sealed[key] for key in ABOUT} == ABOUT
        assert is_whole(seal(sealed, given), given)
    assert seal(ABOUT) == seal(dict(reversed(ABOUT.items())))


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 3},
        {"settings": {"alpha": 0.5}},
        {"settings": {"alpha": 0.50000001, "b": None}},
        {"more": 1},
        {"digest": "0" * 64},
        {"digest": None},
    ],
)
def test_changed_values_are_found(changed: dict[str, Any]) -> None:
    assert not is_whole({**seal(ABOUT, tensors()), **changed}, tensors())


def test_a_missing_digest_is_found() -> None:
    assert not is_whole(ABOUT)


@pytest.mark.parametrize(
    "changed",
    [
        {"w": torch.arange(6.0).reshape(3, 2)},
        {"w": torch.arange(6.0).reshape(2, 3).nextafter(torch.tensor(9.0))},
        {"w": torch.arange(6.0).reshape(2, 3).view(torch.int32)},
        {"scale": torch.tensor([2.5])},
        {"half": torch.ones(3, dtype=torch.float16)},
        {"none": torch.zeros(0, 5)},
        {"yes": torch.tensor([True, True])},
        {"more": torch.zeros(0)},
    ],
)
def test_changed_tensors_are_found(changed: dict[str, torch.Tensor]) -> None:
    assert not is_whole(seal(ABOUT, tensors()), tensors() | changed)


def test_tensors_need_not_lie_in_order() -> None:
    turned = {"w": torch.arange(6.0).reshape(2, 3).T}
    assert is_whole(seal(ABOUT, turned), {"w": turned["w"].contiguous()})


def test_what_is_no_json_is_a_value_error() -> None:
    assert parsed(b'{"a": [1]}') == {"a": [1]}
    for wrong in (b"", b"{", b"\xff\xfe\x00", "[" * 100_000, '{"a":' * 100_000):
        with pytest.raises(ValueError, match=r"."):
            parsed(wrong)
