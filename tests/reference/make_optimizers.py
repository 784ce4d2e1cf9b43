"""Write what other libraries' optimizers compute, for `tests/optimizers/test_against_peers.py`.

Nothing here imports the library. Run it with the interpreter of the benchmarks' peers (Optax 0.2.8,
pytorch_optimizer 4.1.0, schedulefree 1.4.1, torchzero 0.4.4), for all files of
`tests/reference/cases`, or for some:

    JAX_ENABLE_X64=1 .venv-peers/bin/python tests/reference/make_optimizers.py [NAME ...]

A file `cases/NAME.py` has two functions that return dicts with the same keys. `peers()` imports the
other libraries when it is called. A value of it is

- an Optax transformation, or
- a function that makes a `torch.optim.Optimizer` of a list of tensors, or
- a function of `(params, gradients)`, two dicts of NumPy arrays and a list of them, with the
  attribute `runs = True`, that returns the parameters after each step (for what needs the loss).

`ours()` imports the library when it is called; a value is a gradient transformation, or a function of
`(params, gradients)` with the attribute `runs = True`. What they compute is stored in
`optimizers/NAME.json`.
"""

import importlib
import json
import random
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
STEPS = 30
KEPT = (0, 1, 4, STEPS - 1)
SHAPES = {"kernel": (4, 3), "bias": (3,), "scalar": ()}


def problem():
    """Return parameters, and the gradients of all steps: no zeros, both signs, one without a scale."""
    rng = random.Random(20261123)

    def draw(shape, scale=1.0):
        sizes = [
            rng.choice((-1.0, 1.0)) * rng.uniform(0.2, 2.0) for _ in range(int(np.prod(shape)))
        ]
        return scale * np.array(sizes, dtype=np.float64).reshape(shape)

    params = {name: draw(shape) for name, shape in SHAPES.items()}
    gradients = [
        {name: draw(shape, 0.1 if name == "bias" else 1.0) for name, shape in SHAPES.items()}
        for _ in range(STEPS)
    ]
    return params, gradients


def with_optax(tx, params, gradients):
    import jax.numpy as jnp
    import optax

    params = {name: jnp.asarray(p) for name, p in params.items()}
    state = tx.init(params)
    for grads in gradients:
        grads = {name: jnp.asarray(g) for name, g in grads.items()}
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        yield {name: np.asarray(p) for name, p in params.items()}


def with_torch(make, params, gradients):
    import torch

    tensors = {name: torch.tensor(p, requires_grad=True) for name, p in params.items()}
    optimizer = make(list(tensors.values()))
    for grads in gradients:
        for name, p in tensors.items():
            p.grad = torch.tensor(grads[name])
        optimizer.step()
        yield {name: p.detach().numpy().copy() for name, p in tensors.items()}


def run(peer, params, gradients):
    if getattr(peer, "runs", False):
        steps = peer(params, gradients)
    elif hasattr(peer, "init"):
        steps = with_optax(peer, params, gradients)
    else:
        steps = with_torch(peer, params, gradients)
    return {
        str(index): {name: np.asarray(p).tolist() for name, p in step.items()}
        for index, step in enumerate(steps)
        if index in KEPT
    }


def main(names):
    sys.path.insert(0, str(HERE))
    for path in sorted((HERE / "cases").glob("*.py")):
        if path.stem == "__init__" or (names and path.stem not in names):
            continue
        module = importlib.import_module(f"cases.{path.stem}")
        results = {name: run(peer, *problem()) for name, peer in module.peers().items()}
        text = json.dumps(
            {"command": f"make_optimizers.py {path.stem}", "results": results}, indent=1
        )
        (HERE / "optimizers" / f"{path.stem}.json").write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
