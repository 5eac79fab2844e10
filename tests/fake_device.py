"""A device that does not exist, to find on any machine what would fail on a GPU.

Tensors on `FAKE` compute on the CPU, but say that they are on another device, and refuse what
tensors on a GPU refuse: to be mixed with tensors on the CPU, to become NumPy arrays, to be drawn
by a generator of the CPU. What CUDA allows is allowed: numbers without dimensions from the CPU,
copies from one side to the other, and indices from the CPU between brackets.

    with FakeDevice():
        x = torch.ones(3, device=FAKE)
        x + torch.ones(3)  # RuntimeError: Expected all tensors to be on the same device

The device is `lazy`: torch knows the name, needs no driver for it, and runs its backward passes
in the calling thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

FAKE, CPU = torch.device("lazy:0"), torch.device("cpu")
NESTED = (list, tuple)

aten = torch.ops.aten
COPY = {aten.copy_, aten.copy, aten._to_copy}
# `x[index]` and `x[index] = values`: the indices are the second argument.
INDEX = {aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_, aten._unsafe_index}
# Not elementwise by torch's own list, and take a number from the CPU as if they were.
TAKE_NUMBERS = {aten.fill_, aten.masked_fill, aten.masked_fill_, aten.floor_divide} | INDEX


class FakeDeviceTensor(Tensor):
    """A tensor on `FAKE`.

    Attributes:
        here: its numbers, on the CPU; views of a fake tensor share them as views do.
    """

    here: Tensor
    is_cuda = True  # PyG asks before it puts the parts of a batch where their numbers are
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, here: Tensor) -> FakeDeviceTensor:
        fake = Tensor._make_wrapper_subclass(
            cls,
            here.size(),
            strides=here.stride(),
            storage_offset=here.storage_offset(),
            dtype=here.dtype,
            device=FAKE,
        )
        fake.here = here
        return fake

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None) -> Any:  # type: ignore[no-untyped-def]
        return run(func, args, kwargs or {})

    @property
    def data(self) -> Tensor:
        return FakeDeviceTensor(self.here)

    @data.setter
    def data(self, new: FakeDeviceTensor) -> None:  # as modules do that change their type
        Tensor.data.__set__(self, new)
        self.here = new.here

    def __repr__(self) -> str:
        return f"{self.here!r} on {FAKE}"

    def tolist(self) -> Any:
        return self.here.tolist()

    def untyped_storage(self) -> torch.UntypedStorage:
        return self.here.untyped_storage()  # by which files tell which tensors are the same

    def numpy(self, *, force: bool = False) -> Any:
        if force:
            return self.here.numpy(force=True)
        raise TypeError(f"can't convert {FAKE} device type tensor to numpy. Use Tensor.cpu() first")


class FakeDevice(TorchDispatchMode):
    """While it is entered, tensors can be made on `FAKE` and moved there."""

    def __enter__(self) -> FakeDevice:
        self.before = torch._C._only_lift_cpu_tensors()
        torch._C._set_only_lift_cpu_tensors(True)  # lets `torch.tensor(..., device=FAKE)` come by
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        torch._C._set_only_lift_cpu_tensors(self.before)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None) -> Any:  # type: ignore[no-untyped-def]
        return run(func, args, kwargs or {})


def run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Check the devices of one operation, and do it on the CPU. All operations of a test come by
    here, so that it looks at every argument once.
    """
    values = leaves([*args, *kwargs.values()] if kwargs else args)
    tensors = [each for each in values if isinstance(each, Tensor)]
    others = [each for each in tensors if not isinstance(each, FakeDeviceTensor)]
    fake = len(others) < len(tensors)
    device = kwargs.get("device") or (FAKE if fake else CPU)
    if fake:
        assert keeps_shape(func), f"{func} would change the numbers' shape alone"
        if others:
            refuse_mixed(func, args, kwargs, others)
    elif device.type != FAKE.type:
        return func(*args, **kwargs)
    args, kwargs = here(args), {name: here(value) for name, value in kwargs.items()}
    if device.type != FAKE.type:
        return func(*args, **kwargs)
    if kwargs.get("generator") is not None:
        raise RuntimeError(f"Expected a '{FAKE.type}' device type for generator but found 'cpu'")
    if "device" in kwargs:
        kwargs["device"] = CPU
    return there(func(*args, **kwargs), {id(here(each)): each for each in tensors})


@cache
def keeps_shape(func: Any) -> bool:
    return torch.Tag.inplace_view not in func.tags


def refuse_mixed(func: Any, args: Any, kwargs: dict[str, Any], others: list[Tensor]) -> None:
    """Raise what CUDA raises where an operation finds tensors on two devices; `others` are those
    on the CPU.
    """
    kind = func.overloadpacket
    if kind in INDEX and isinstance(args[0], FakeDeviceTensor):
        others = [each for each in leaves(args[2:]) if is_ordinary(each)]
    if not others or kind in COPY:
        return
    takes_numbers = torch.Tag.pointwise in func.tags or kind in TAKE_NUMBERS
    written = func._schema.is_mutable and any(map(is_ordinary, (args[0], kwargs.get("out"))))
    if written or not takes_numbers or any(each.dim() for each in others):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{FAKE} and cpu! ({func})"
        )


def is_ordinary(value: Any) -> bool:
    return isinstance(value, Tensor) and not isinstance(value, FakeDeviceTensor)


def leaves(values: Iterable[Any]) -> list[Any]:
    """Return all that arguments consist of; torch nests nothing but lists and tuples."""
    found: list[Any] = []
    for each in values:
        if isinstance(each, NESTED):
            found += leaves(each)
        else:
            found.append(each)
    return found


def here(value: Any) -> Any:
    """Return arguments with the numbers of fake tensors in their place."""
    if isinstance(value, FakeDeviceTensor):
        return value.here
    return type(value)([here(each) for each in value]) if isinstance(value, NESTED) else value


def there(value: Any, arguments: dict[int, Any]) -> Any:
    """Return results as fake tensors; an operation in place returns its own argument."""
    if isinstance(value, Tensor):
        return arguments[id(value)] if id(value) in arguments else FakeDeviceTensor(value)
    if isinstance(value, NESTED):
        return type(value)([there(each, arguments) for each in value])
    return value
