"""Optimizers of ``torch.optim`` as transformations with their states, and the way back."""

from __future__ import annotations

from typing import Any

import torch

from torchopt import checks
from torchopt.optim._joined import OptimizerPart, join, joined_by
from torchopt.optim._slots import as_in_torch
from torchopt.optim._torch_classes import recognized
from torchopt.optim.as_transformation import as_transformation, write_state
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation


def from_torch(optimizer: Any, params: Any = None) -> tuple[GradientTransformation, Any]:
    """Return the transformation and the state of an optimizer of ``torch.optim``, at any time.

    Further steps of the transformation have the numbers of further steps of the optimizer, which is
    left as it is.

    Args:
        optimizer: One of ``torch.optim``'s SGD, Adam, AdamW, RAdam, NAdam, Adamax, Adadelta, Adagrad,
            RMSprop, Adafactor, Muon, Rprop and ASGD, or a :class:`torchopt.Optimizer`, with any
            options and parameter groups.
        params: A tree of the optimizer's parameters, such as ``dict(module.named_parameters())``.
            The transformation takes trees like it. By default, it takes lists of the parameters that
            require grad, in the order of the groups.

    Returns:
        The transformation, with the present options of each group, and a copy of the state.

    Raises:
        TypeError: If the optimizer is none of these, or a subclass that steps in its own way.
        ValueError: If it has hooks on its step, an option that is not known here, or a parameter
            twice; if ``params`` are not its parameters; or if it is an ASGD with another learning rate
            than at its last step.

    Example:
        >>> import torch, torchopt
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)
        >>> w.grad = torch.tensor([1.0])
        >>> optimizer.step()
        >>> tx, state = torchopt.from_torch(optimizer, {"w": w})
        >>> tx.update({"w": torch.tensor([1.0])}, state, params={"w": w})[0]
        {'w': tensor([-0.7500])}
    """
    function = as_transformation(optimizer, unrolled=False)
    _check_rates(optimizer)
    tx = function.transformation()
    state = pytree.map_leaves(torch.clone, function.state())
    if params is None:
        return tx, state
    leaves, spec = pytree.flatten(params)
    checks.check_floating(leaves, spec, "params")
    places = {id(leaf): index for index, leaf in enumerate(leaves)}
    if missing := [k for k, p in enumerate(function.params) if id(p) not in places]:
        raise ValueError(
            f"parameter {missing[0]} of the optimizer is not in `params`: pass all its parameters."
        )
    held = {id(p) for p in function.params}
    for index, leaf in enumerate(leaves):
        if id(leaf) not in held and leaf is not None and leaf.requires_grad:
            raise ValueError(
                f"`{checks.leaf_path(spec, index, 'params')}` is no parameter of the optimizer: pass "
                f"its parameters only."
            )
    order = [places[id(p)] for p in function.params]
    return join(function.parts(), order), state if function.is_tuple else (state,)


def _check_rates(optimizer: torch.optim.Optimizer) -> None:
    """Refuse an ASGD whose next step still has the learning rate of the last one."""
    for group in optimizer.param_groups:
        for p in group["params"]:
            entry = optimizer.state.get(p, {})
            if "eta" in entry and not torch.isclose(
                entry["eta"], as_in_torch(entry, group)["eta"].to(entry["eta"]), rtol=1e-5
            ):
                raise ValueError(
                    f"the learning rate or the decay of {type(optimizer).__name__} was changed since "
                    f"its last step, and its next step does not have that yet: take it over after "
                    f"another step, or change the transformation."
                )


def to_torch(tx: GradientTransformation, params: Any, state: Any = None) -> torch.optim.Optimizer:
    """Return the optimizer of ``torch.optim`` that does the steps of a transformation.

    Args:
        tx: What a function such as :func:`torchopt.adam` returned, or :func:`torchopt.from_torch`.
        params: The tree of parameters, leaves of the graph. The optimizer steps in place.
        state: The transformation's state, which is copied; by default, that before the first step.

    Returns:
        The optimizer, with a group for each group that :func:`torchopt.from_torch` found.

    Raises:
        ValueError: If no optimizer of ``torch.optim`` does these steps: for schedules, masks, other
            chains, or options that ``torch.optim`` has not.

    Example:
        >>> import torch, torchopt
        >>> w, tx = torch.tensor([1.0], requires_grad=True), torchopt.adamw(0.5)
        >>> optimizer = torchopt.to_torch(tx, [w], tx.init([w]))
        >>> type(optimizer).__name__, optimizer.param_groups[0]["weight_decay"]
        ('AdamW', 0.01)
    """
    leaves, spec = pytree.flatten(params)
    joined = joined_by(tx)
    if joined is None:
        kept = tuple(leaf is not None for leaf in leaves)
        parts, states = [OptimizerPart(tx, kept, spec)], None if state is None else (state,)
        members = [leaf for leaf in leaves if leaf is not None]
    else:
        parts, states = [*joined.parts], state
        members = leaves if joined.order is None else [leaves[k] for k in joined.order]
    kinds = [recognized(part.tx) for part in parts]
    classes = {cls for cls, _ in kinds}
    if len(classes) > 1:
        names = ", ".join(sorted(cls.__name__ for cls in classes))
        raise ValueError(f"the groups are of different optimizers ({names}): make one of each.")
    (cls,) = classes
    groups, remaining = [], iter(members)
    for (_, options), part in zip(kinds, parts, strict=True):
        groups.append({"params": [next(remaining) for _ in range(sum(part.kept))], **options})
    if cls is torch.optim.Adam and all(
        options.get("decoupled_weight_decay") for _, options in kinds
    ):
        cls = torch.optim.AdamW
    defaults = {k: x for k, x in kinds[0][1].items() if k == "initial_accumulator_value"}
    optimizer = cls(groups, **defaults)
    if states is not None:
        for index, (part, inner) in enumerate(zip(parts, states, strict=True)):
            write_state(optimizer, index, optimizer.param_groups[index]["params"], part, inner)
    return optimizer
