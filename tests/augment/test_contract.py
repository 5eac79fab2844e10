"""What every augmentation of the registry must keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg

TINY_MATCHER = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
OF_MATCHER = {f"matcher.{name}": value for name, value in TINY_MATCHER.items()}
SMALL = {"s-mixup": OF_MATCHER, "s-cut": OF_MATCHER}
"""Settings by method, where its defaults would take long on seven graphs."""

AUGMENTATIONS: dict[str, Callable[[int], Augmentation]] = {
    name: lambda seed, name=name: make_method(name, seed, SMALL.get(name, {}))
    for name in METHODS
    if name not in SAME_NODES
}
"""Each method from a seed: all its randomness must come from there."""
AUGMENTATIONS |= {
    f"{name}, adaptive, {some} partners": lambda seed, name=name, some=some: make_method(
        name, seed, SMALL[name] | {"adaptive": "true", "partners": some}
    )
    for name in SMALL
    for some in ("2", "none")
}

SIZES = [4, 1, 6, 3, 9, 5, 2]
CHOICES = {
    "all": list(range(7)),
    "one graph": [4],
    "one node": [1],
    "no edges": [2, 5],
    "twice the same": [0, 0],
}


@pytest.fixture
def graphs(graphs: Graphs, device: torch.device) -> Graphs:
    return graphs.to(device)


@pytest.fixture(params=AUGMENTATIONS)
def factory(request: pytest.FixtureRequest) -> Callable[[int], Augmentation]:
    return AUGMENTATIONS[request.param]


def tensors(graphs: Graphs) -> Iterator[Tensor]:
    """Everything a set or batch consists of."""
    yield from (graphs.x, graphs.y, graphs.ptr, graphs.adj.to_dense())
    if isinstance(graphs, Graphs):
        yield graphs.ids
    if graphs.motif is not None:
        yield graphs.motif


def copies(graphs: Graphs) -> list[Tensor]:
    return [tensor.clone() for tensor in tensors(graphs)]


def check_contract(found: Graphs, num_features: int, num_classes: int) -> None:
    """Assert the data contract of `Graphs`."""
    n, B = found.x.size(0), len(found)
    assert found.x.shape == (n, num_features)
    assert found.y.shape == (B, num_classes)
    assert found.y.dtype == torch.float32
    assert (found.y >= 0).all()
    torch.testing.assert_close(found.y.sum(1), found.y.new_ones(B))
    assert found.ptr.numel() == B + 1
    assert found.ptr[0] == 0
    assert found.ptr[-1] == n
    assert (found.sizes > 0).all(), "a graph lost all its nodes"
    check_adjacency(found)
    assert found.motif is None or found.motif.shape == (n,)


def check_adjacency(found: Graphs) -> None:
    """Assert that edges are finite, stay within graphs, and that the operator is what it says."""
    n = found.x.size(0)
    assert found.adj.shape == (n, n)
    dense = found.adj.to_dense()
    graph = torch.arange(len(found), device=found.device).repeat_interleave(found.sizes)
    assert dense.isfinite().all()
    assert not dense[graph.unsqueeze(0) != graph.unsqueeze(1)].any(), "an edge crosses graphs"
    torch.testing.assert_close(found.adj.to_sparse().to_dense(), dense)
    torch.testing.assert_close(found.adj.T.to_dense(), dense.T)


def prepared(factory: Callable[[int], Augmentation], graphs: Graphs, seed: int) -> Augmentation:
    torch.manual_seed(99)
    augmentation = factory(seed)
    augmentation.fit_extend(graphs)
    return augmentation


def test_dataset_keeps_the_contract(factory: Callable[[int], Augmentation], graphs: Graphs) -> None:
    before = copies(graphs)
    found = factory(0).fit_extend(graphs)
    check_contract(found, graphs.num_features, graphs.num_classes)
    torch.testing.assert_close(copies(graphs), before, msg="the training split was changed")


@pytest.mark.parametrize("num_classes", [2, 3])
def test_batches_keep_the_contract(  # type: ignore[no-untyped-def]
    factory: Callable[[int], Augmentation], make_graphs, device: torch.device, num_classes: int
) -> None:
    graphs: Graphs = make_graphs(SIZES, num_classes=num_classes).to(device)
    augmentation = prepared(factory, graphs, seed=0)
    rounds = 3 if device.type == "cpu" else 1  # what a device refuses, it refuses at once
    for choice in rounds * list(CHOICES.values()):
        batch = graphs[choice]
        before = copies(batch)
        found = augmentation.on_batch(batch)
        check_contract(found, graphs.num_features, num_classes)
        assert found.x.dtype == torch.float32
        assert found.ids.shape == (len(found),)
        assert set(found.ids.tolist()) <= set(choice)
        torch.testing.assert_close(copies(batch), before, msg="the batch was changed")


def test_embeddings_keep_shape_targets_and_gradient(
    factory: Callable[[int], Augmentation], graphs: Graphs
) -> None:
    augmentation, y = prepared(factory, graphs, seed=0), graphs.y
    h = torch.randn(7, 5, device=graphs.device, requires_grad=True)
    before = [h.detach().clone(), y.clone()]
    found, targets = augmentation.on_embedding(h, y)
    assert found.shape == (targets.size(0), 5)
    assert (targets >= 0).all()
    torch.testing.assert_close(targets.sum(1), targets.new_ones(targets.size(0)))
    (gradient,) = torch.autograd.grad(found.sum(), h)
    assert gradient.any(), "no gradient reaches the classifier"
    torch.testing.assert_close([h.detach(), y], before, msg="the embeddings were changed")


def test_one_embedding_alone(factory: Callable[[int], Augmentation], graphs: Graphs) -> None:
    h = torch.randn(1, 5, device=graphs.device)
    found, targets = prepared(factory, graphs, seed=0).on_embedding(h, graphs.y[:1])
    assert found.shape == (1, 5)
    assert targets.shape == (1, 2)


def everything(augmentation: Augmentation, graphs: Graphs) -> list[Tensor]:
    """All that a method makes: of a dataset, of batches here and in PyG, of embeddings."""
    train, batch = augmentation.fit_extend(graphs), graphs[[0, 4, 5, 2]]
    made = [train, augmentation.on_batch(batch), augmentation.on_batch(batch)]
    pyg = augmentation(to_pyg(batch))
    h = torch.ones(7, 2, device=graphs.device).cumsum(0)
    return [
        *(tensor for each in made for tensor in copies(each)),
        *(pyg.x, pyg.edge_index, pyg.edge_weight, pyg.y, pyg.batch),
        *augmentation.on_embedding(h, graphs.y),
    ]


def test_the_same_seed_gives_the_same_graphs(
    factory: Callable[[int], Augmentation], graphs: Graphs
) -> None:
    torch.manual_seed(0)
    first = everything(factory(3), graphs)
    torch.manual_seed(1)
    torch.testing.assert_close(
        everything(factory(3), graphs),
        first,
        rtol=0,
        atol=0,
        msg="randomness from elsewhere than the seed",
    )


def test_a_device_gives_the_graphs_of_another(
    factory: Callable[[int], Augmentation], graphs: Graphs
) -> None:
    found = everything(factory(3), graphs)
    assert {each.device for each in found} == {graphs.device}
    expected = everything(factory(3), graphs.to("cpu"))
    torch.testing.assert_close([each.cpu() for each in found], expected, rtol=1e-4, atol=1e-4)
