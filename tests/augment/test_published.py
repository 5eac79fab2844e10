"""The paper's way to mix: in place of the originals, along its own transport, at one ratio."""

from __future__ import annotations

import pytest
import torch
from paper import source

from smixup.augment import SMixup
from smixup.augment.mixing import transform
from smixup.augment.published import PUBLISHED_METHOD
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Uniform


def test_the_paper_s_method_is_one_word_away(graphs: Graphs) -> None:
    method = SMixup.as_published(alpha=0.5, seed=3)
    assert isinstance(method.matcher, GraphMatcher)
    assert (method.matcher.similarity, str(method.matcher.normalization)) == ("cosine", "columns")
    assert (str(method.transport), method.amount, method.partners) == ("paper", None, None)
    assert (method.alpha, method.per_pair, method.norm_from_originals) == (0.5, False, False)
    left, right = graphs[[0, 4]], graphs[[5, 1]]
    M = Uniform()(left, right)
    expected = transform(M, left, right)
    found = SMixup.as_published(Uniform())._carry(M, left, right).graphs
    torch.testing.assert_close(found.x, expected.x)
    torch.testing.assert_close(found.adj.to_dense(), expected.adj.to_dense())


def test_a_batch_is_mixed_with_itself_at_one_ratio(graphs: Graphs) -> None:
    """App. C: graphs of a batch are mixed by random shuffling, and mixes are what is trained on."""
    one_hot = graphs.replace(y=torch.eye(7)).renumbered()
    batch = one_hot[[0, 2, 3, 4]]
    found = SMixup.as_published(Uniform(), alpha=1.0, seed=0).fit(one_hot).on_batch(batch)
    assert torch.equal(found.ids, batch.ids), "a mix in the place of every graph"
    assert torch.equal(found.sizes, batch.sizes)
    assert set((found.y.sum(0) > 0).nonzero().flatten().tolist()) <= {0, 2, 3, 4}
    shares = found.y.max(1).values
    mixed = shares[shares < 1]
    assert len(mixed) > 1
    torch.testing.assert_close(mixed, mixed[:1].expand_as(mixed))


def test_all_but_alpha_differs_from_our_defaults_and_nothing_can_be_changed() -> None:
    ours = SMixup(Uniform())
    equal = [name for name, value in PUBLISHED_METHOD.items() if getattr(ours, name) == value]
    assert equal == ["alpha"]
    with pytest.raises(TypeError):
        PUBLISHED_METHOD["amount"] = 1.0  # type: ignore[index]


def test_alpha_is_one_that_the_paper_tries() -> None:
    tried = source().split(r"select the hyperparameter $\alpha$ from $\{")[1].split(r"\}$")[0]
    assert PUBLISHED_METHOD["alpha"] in [float(each) for each in tried.split(",")]
