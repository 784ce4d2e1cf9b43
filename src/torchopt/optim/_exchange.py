"""Optimizers of ``torch.optim`` as transformations with their states, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from torchopt import checks
from torchopt.optim._joined import OptimizerPart, join, joined_by
from torchopt.optim._slots import SHARED, Slots, as_in_torch, read_state
from torchopt.optim._torch_classes import recognized
from torchopt.optim.as_transformation import as_transformation, write_state
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.checking import check_transformation


def from_torch(
    optimizer: torch.optim.Optimizer | Mapping[str, Any],
    params: TensorTree = None,
    *,
    tx: GradientTransformation | None = None,
) -> tuple[GradientTransformation, Any]:
    """Return the transformation and the state of an optimizer of ``torch.optim``, at any time.

    Further steps of the transformation equal further steps of the optimizer, which is not changed. To
    start a problem from this state, pass ``minimize`` the solver
    ``torchopt.transform.GradientTransformation(lambda params: state, tx.update)``.

    Args:
        optimizer: One of ``torch.optim``'s SGD, Adam, AdamW, RAdam, NAdam, Adamax, Adadelta, Adagrad,
            RMSprop, Adafactor, Muon, Rprop and ASGD, or a :class:`torchopt.Optimizer`, with any
            options and parameter groups. With ``tx``, also a dictionary of its state by the names of
            parameters, as ``state_dict()`` has of an optimizer made of ``named_parameters()``.
        params: A tree of the optimizer's parameters, such as ``dict(module.named_parameters())``; the
            transformation takes trees like it. By default, a list of the parameters that require
            grad, in the order of the groups.
        tx: A transformation that continues with these moments, such as
            ``torchopt.adamw(torchopt.schedule.table_schedule(rates))``; by default, the optimizer's.
            A schedule continues at the optimizer's step (SGD and Muon count none).

    Returns:
        The transformation, with the current options of each group, and a copy of the state.

    Raises:
        TypeError: If the optimizer is none of these, or a subclass that steps in its own way.
        ValueError: If it has hooks on its step, an option that is not known here, or a parameter
            twice; if ``params`` are not its parameters; if it is an ASGD with another learning rate
            than at its last step; or if ``tx`` has a state that the optimizer lacks, such as the
            average of ``ema``.

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
    if tx is not None:
        return tx, _state_of(optimizer, params, tx)
    if isinstance(optimizer, Mapping):
        raise TypeError(
            "`optimizer` is a dictionary, which does not say what a step is: pass a transformation, "
            "too, such as `tx=torchopt.adamw(0.1)`."
        )
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


def _state_of(optimizer: Any, params: Any, tx: GradientTransformation) -> Any:
    """Return the state of a transformation that has the moments of an optimizer."""
    leaves, spec = pytree.flatten(params)
    checks.check_not_empty(spec, "params")
    checks.check_floating(leaves, spec, "params")
    keys: list[Any]
    entries: dict[Any, Any]
    if isinstance(optimizer, Mapping):
        checks.check("`params` for a state by name", params, _BY_NAME)
        checks.check("optimizer", optimizer, _SAVED)
        keys, entries = _keys(params), {}
        for group in optimizer["param_groups"]:
            names = group.get("param_names", group["params"])
            for name, key in zip(names, group["params"], strict=True):
                entries[name] = optimizer["state"].get(key, {})
    else:
        _check_rates(optimizer)
        keys = [id(leaf) for leaf in leaves]
        entries = {id(p): entry for p, entry in optimizer.state.items() if p is not SHARED}
    if lost := [key for key, entry in entries.items() if entry and key not in {*keys}]:
        what = f"of {lost[0]!r}" if isinstance(optimizer, Mapping) else "of a parameter"
        raise ValueError(
            f"the optimizer has a state {what} that is not in `params`: pass all its parameters, such "
            f"as `dict(module.named_parameters())`, and name them where the optimizer is made."
        )
    held = [entries.get(key, {}) for key in keys]
    # Of SGD and Muon, which count no steps, a schedule begins.
    held = [{"schedule_step": 0, **mine} if mine and "step" not in mine else mine for mine in held]
    state = read_state(tx, params, held, owner="the transformation", complete=True)
    return pytree.map_leaves(torch.clone, state)


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


def to_torch(
    tx: GradientTransformation, params: TensorTree, state: Any = None
) -> torch.optim.Optimizer:
    """Return the optimizer of ``torch.optim`` that takes the same steps as a transformation.

    Args:
        tx: What a function such as :func:`torchopt.adam` returned, or :func:`torchopt.from_torch`.
        params: The tree of parameters, leaves of the graph. The optimizer steps in place.
        state: The transformation's state, which is copied; by default, that before the first step.

    Returns:
        The optimizer, with a group for each group that :func:`torchopt.from_torch` found. If ``params``
        is a dictionary, its keys are the ``param_names`` of the groups, in its order.

    Raises:
        ValueError: If no optimizer of ``torch.optim`` takes these steps: for schedules, masks, other
            chains, or options that ``torch.optim`` lacks. Or if ``state`` lacks a moment of ``tx``; it
            may come from another transformation with these moments, such as one with a schedule.

    Example:
        >>> import torch, torchopt
        >>> w, tx = torch.tensor([1.0], requires_grad=True), torchopt.adamw(0.5)
        >>> optimizer = torchopt.to_torch(tx, [w], tx.init([w]))
        >>> type(optimizer).__name__, optimizer.param_groups[0]["weight_decay"]
        ('AdamW', 0.01)
    """
    check_transformation(tx, "tx")
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
        several = ", ".join(sorted(cls.__name__ for cls in classes))
        raise ValueError(f"the groups are of different optimizers ({several}): make one of each.")
    (cls,) = classes
    remaining = iter(members)
    mine = [[next(remaining) for _ in range(sum(part.kept))] for part in parts]
    listed: list[Any] = mine
    if _is_by_name(params):
        names = {id(leaf): name for name, leaf in params.items()}
        listed = [[(names[id(leaf)], leaf) for leaf in group] for group in mine]
        if joined is None:  # as they would be in an optimizer of `named_parameters()`
            listed = [[(name, leaf) for name, leaf in params.items() if leaf is not None]]
    groups = [
        {"params": group, **options} for group, (_, options) in zip(listed, kinds, strict=True)
    ]
    if cls is torch.optim.Adam and all(
        options.get("decoupled_weight_decay") for _, options in kinds
    ):
        cls = torch.optim.AdamW
    defaults = {k: x for k, x in kinds[0][1].items() if k == "initial_accumulator_value"}
    optimizer = cls(groups, **defaults)
    if states is not None:
        for index, (part, inner) in enumerate(zip(parts, states, strict=True)):
            _check_moments(part, mine[index], inner)
            write_state(optimizer, index, mine[index], part, inner)
    return optimizer


def _is_by_name(params: Any) -> bool:
    """Whether parameters are a flat dictionary, such as ``dict(module.named_parameters())``."""
    return isinstance(params, Mapping) and all(
        isinstance(name, str) and (p is None or isinstance(p, torch.Tensor))
        for name, p in params.items()
    )


_BY_NAME = checks.Word(
    "pass them by name, `dict(module.named_parameters())`", Mapping, _is_by_name, TypeError
)
_SAVED = checks.Word(
    "pass what `state_dict()` or `get_optimizer_state_dict()` returned, not flattened",
    Mapping,
    lambda saved: {"state", "param_groups"} <= saved.keys(),
)


def _keys(params: Mapping[str, Any]) -> list[str]:
    """Return the names of a flat dictionary, in the order of its leaves."""
    return list(pytree.leaves({name: name for name in params}))


def _check_moments(part: OptimizerPart, params: list[torch.Tensor], state: Any) -> None:
    """Raise if a state, which may be that of another transformation, lacks what one needs."""
    spec = part.structure(params)
    first = part.tx.init(part.tree(iter(params)))
    needed, held = (
        {column.key for column in Slots(x, spec).columns if not column.counter}
        for x in (first, state)
    )
    if lacking := sorted(needed - held):
        raise ValueError(
            f"the state is without `{lacking[0]}`, which the transformation needs: pass the state of "
            f"this transformation, or of one with the same moments."
        )
