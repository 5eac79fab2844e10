"""The learned matcher: settings, fitting, assignments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from smixup.errors import SmixupError, UsageError
from smixup.graphs import BlockOperator, Codes, Graphs, SparseOperator
from smixup.matching import RRWM, GraphMatcher, Identity, Uniform
from smixup.matching.quality import column_perplexity
from smixup.progress import Progress

LEFT, RIGHT = [0, 4, 3, 1], [5, 2, 4, 4]


def assigned(matcher: GraphMatcher, graphs: Graphs) -> torch.Tensor:
    return matcher(graphs[LEFT], graphs[RIGHT]).to_dense()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"similarity": "cosin"}, "Did you mean 'cosine'"),
        ({"normalization": "column"}, "Did you mean 'columns'"),
        ({"encode": "obg"}, "unknown encoding 'obg'. Did you mean 'ogb'"),
        ({"triplets": False, "correspondences": False}, "both are off"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        GraphMatcher(**settings)


def test_a_matcher_must_be_fitted_first(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match="has not learnt anything yet"):
        GraphMatcher()(graphs[[0]], graphs[[1]])


def test_another_width_is_an_error(
    tiny: Callable[..., GraphMatcher], graphs: Graphs, make_graphs: Callable[..., Graphs]
) -> None:
    matcher, other = tiny().fit(graphs), make_graphs([3, 4], num_features=2)
    with pytest.raises(
        SmixupError, match=r"the graphs have 2 node features.*fitted on graphs with 3"
    ):
        matcher(graphs[[0]], other[[1]])


def test_the_random_state_of_torch_is_left_alone(
    tiny: Callable[..., GraphMatcher], graphs: Graphs
) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one = assigned(tiny().fit(graphs), graphs)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(6)
    assert torch.equal(assigned(tiny().fit(graphs), graphs), one)
    assert not torch.equal(assigned(tiny(seed=1).fit(graphs), graphs), one)


def test_a_fit_forgets_the_one_before(
    tiny: Callable[..., GraphMatcher], graphs: Graphs, make_graphs: Callable[..., Graphs]
) -> None:
    matcher = tiny().fit(make_graphs([5, 6, 7, 4], num_features=4, num_classes=3, seed=3))
    assert matcher.num_classes == 3
    assert torch.equal(assigned(matcher.fit(graphs), graphs), assigned(tiny().fit(graphs), graphs))


def test_epochs_decide_the_steps(tiny: Callable[..., GraphMatcher], graphs: Graphs) -> None:
    seen: list[Progress] = []
    tiny(epochs=3, batch_size=4, evaluate_every=1, patience=100).fit(graphs, seen.append)
    assert [(progress.done, progress.total) for progress in seen][-1] == (6, 6), (
        "three times two steps of four"
    )


def test_one_class_teaches_copies_and_nothing_else(
    tiny: Callable[..., GraphMatcher], graphs: Graphs
) -> None:
    same = graphs.replace(y=torch.tensor([[1.0, 0.0]]).expand(7, 2))
    assert set(tiny().fit(same).fit_scores) == {"copies found"}
    with pytest.raises(SmixupError, match="two classes at least; teach correspondences"):
        tiny(correspondences=False).fit(same)


@pytest.mark.parametrize("labels", [[0, 0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 5, 6]])
def test_classes_of_one_graph(
    tiny: Callable[..., GraphMatcher], graphs: Graphs, labels: list[int]
) -> None:
    y = torch.nn.functional.one_hot(torch.tensor(labels)).float()
    matcher = tiny(correspondences=False).fit(graphs.replace(y=y))
    assert matcher.num_classes == max(labels) + 1
    assert set(matcher.fit_scores) == {"triplet accuracy"}


@pytest.mark.parametrize("normalization", ["columns", "sinkhorn"])
def test_the_temperature_is_calibrated(
    tiny: Callable[..., GraphMatcher],
    make_graphs: Callable[..., Graphs],
    device: torch.device,
    normalization: str,
) -> None:
    graphs = make_graphs([8, 9, 7, 10, 8, 12]).to(device)
    matcher = tiny(perplexity=3.0, normalization=normalization).fit(graphs)
    everything = torch.cartesian_prod(torch.arange(6), torch.arange(6))
    M = matcher(graphs[everything[:, 0]], graphs[everything[:, 1]])
    assert column_perplexity(M) == pytest.approx(3.0, rel=0.15)


def test_top_k_is_sparse(tiny: Callable[..., GraphMatcher], graphs: Graphs) -> None:
    dense, sparse = (
        tiny(normalization="columns", top_k=k).fit(graphs)(graphs[LEFT], graphs[RIGHT])
        for k in (None, 2)
    )
    assert isinstance(dense, BlockOperator)
    assert isinstance(sparse, SparseOperator)
    assert int((sparse.to_dense() > 0).sum(0).max()) == 2


def test_rows_sum_to_one_where_asked(tiny: Callable[..., GraphMatcher], graphs: Graphs) -> None:
    M = assigned(tiny(normalization="rows").fit(graphs), graphs)
    torch.testing.assert_close(M.sum(1), torch.ones(M.size(0)))


def test_an_interrupted_fit_continues_to_the_same_assignments(
    tiny: Callable[..., GraphMatcher], graphs: Graphs, device: torch.device, tmp_path: Path
) -> None:
    graphs = graphs.to(device)

    def interrupt(progress: Progress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    seen: list[Progress] = []
    file = tmp_path / "fit.safetensors"
    with pytest.raises(KeyboardInterrupt):
        tiny(normalization="columns", perplexity=2.0).fit(graphs, interrupt, file)
    resumed, whole = (
        tiny(normalization="columns", perplexity=2.0).fit(graphs, seen.append, file),
        tiny(normalization="columns", perplexity=2.0).fit(graphs),
    )
    assert torch.equal(assigned(resumed, graphs), assigned(whole, graphs))
    assert resumed == whole
    assert [progress.done for progress in seen] == [0, 3, 4]
    sharper = tiny(temperature=0.1).fit(graphs, checkpoint=file)
    assert sharper.fit_scores == whole.fit_scores, (
        "what acts after training does not make it another training"
    )
    with pytest.raises(SmixupError, match="other settings"):
        tiny(seed=1).fit(graphs, checkpoint=file)
    with pytest.raises(SmixupError, match="other settings"):
        tiny().fit(graphs[:4], checkpoint=file)


def test_pyg_graphs_without_features(tiny: Callable[..., GraphMatcher]) -> None:
    graphs = [nx.cycle_graph(4), nx.path_graph(5), nx.cycle_graph(6), nx.path_graph(3)]
    data = [
        Data(
            edge_index=torch.tensor(list(g.to_directed().edges)).T,
            num_nodes=len(g),
            y=torch.tensor([place % 2]),
        )
        for place, g in enumerate(graphs)
    ]
    matcher = tiny().fit(data)
    assert matcher.num_classes == 2
    assert matcher.inputs is not None
    assert matcher.inputs.num_features == 0


def test_pyg_graphs_of_codes(tiny: Callable[..., GraphMatcher]) -> None:
    def ring(n: int) -> Data:
        edges = torch.stack([torch.arange(n), torch.arange(n).roll(1)])
        return Data(torch.arange(n), torch.cat([edges, edges.flip(0)], 1), y=torch.tensor([n % 2]))

    data = [ring(n) for n in (4, 5, 6, 7)]
    with pytest.raises(SmixupError, match="'x' holds integers from 0 to 6, as codes"):
        tiny().fit(data)
    unfitted = tiny(encode="one-hot")
    with pytest.raises(SmixupError, match="learns from the training graphs how many values"):
        unfitted.match(data[0], data[1])
    matcher = unfitted.fit(each for each in data)
    assert matcher.codes == Codes(nodes=(7,))
    assert (str(matcher.encode), matcher.settings["encode"]) == ("one-hot", "one-hot")
    as_features = [each.clone() for each in data]
    for each in as_features:
        each.x = torch.nn.functional.one_hot(each.x, 7).float()
    reference = tiny().fit(as_features)
    wanted = reference.match(as_features[0], as_features[3])
    assert torch.equal(matcher.match(data[0], data[3]), wanted)
    with pytest.raises(SmixupError, match="'x' holds 7 in column 0"):
        matcher.match(data[0], ring(8))
    assert matcher.fit(data[:2]).codes == Codes(nodes=(5,)), "a fit forgets the one before"


def test_matchers_that_look_at_no_features_take_codes_as_they_are() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    first, second = Data(torch.tensor([5, 7]), edges), Data(torch.tensor([9, 2]), edges)
    for matcher in (Identity(), Uniform()):
        assert matcher.match(first, second).shape == (2, 2)
    with pytest.raises(SmixupError, match="'x' holds integers from 5 to 7"):
        RRWM().match(first, second)
    assert RRWM(encode=Codes(nodes=(10,))).match(first, second).shape == (2, 2)


def test_fit_changes_no_setting(tiny: Callable[..., GraphMatcher], graphs: Graphs) -> None:
    matcher = tiny(normalization="columns", perplexity=2.0, temperature=3.0)
    before = (repr(matcher), matcher.settings)
    matcher.fit(graphs)
    assert (repr(matcher), matcher.settings) == before
    assert matcher.calibrated_temperature not in (None, 3.0)


def test_labels_are_needed_for_triplets_alone(
    tiny: Callable[..., GraphMatcher], graphs: Graphs
) -> None:
    unlabelled = graphs.replace(y=torch.zeros(7, 0))
    matcher = tiny(triplets=False).fit(unlabelled)
    assert set(matcher.fit_scores) == {"copies found"}
    assert matcher.num_classes is None
    with pytest.raises(SmixupError, match="the graphs have no labels"):
        tiny().fit(unlabelled)


def test_it_says_whether_its_scores_are_of_graphs_kept_apart(
    tiny: Callable[..., GraphMatcher], make_graphs: Callable[..., Graphs]
) -> None:
    assert tiny().fit(make_graphs([3, 4, 5, 2] * 15)).held_out
    assert not tiny().fit(make_graphs([3, 4, 5, 6])).held_out


def test_it_knows_what_it_was_fitted_on(tiny: Callable[..., GraphMatcher], graphs: Graphs) -> None:
    matcher = tiny()
    assert not matcher.fitted
    assert matcher.fit(graphs).fitted
    assert matcher.train_fingerprint == graphs.fingerprint()
