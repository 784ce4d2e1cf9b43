"""Write reference values of the options that ``torch.optim`` does not have.

Scalar loops, one number at a time, from the formulas of the papers and of Optax; nothing here
imports the library or torch. Run from the root of the repository:

    python tests/reference/make_reference.py > tests/reference/reference.json
"""

import json
import math
import random

COMMAND = "python tests/reference/make_reference.py > tests/reference/reference.json"
STEPS = 100
SHAPES = {"w": (2, 3), "b": (1,), "s": ()}


def elements(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def adam_root(
    theta, grads, *, lr, b1, b2, eps, eps_root, l2=0.0, decoupled=0.0, amsgrad=False, sign=1.0
):
    """Kingma and Ba, algorithm 1, with eps_root inside the root (Optax, ``scale_by_adam``)."""
    m = v = largest = 0.0
    for t, g in enumerate(grads, start=1):
        g = sign * g + l2 * theta
        m = b1 * m + (1.0 - b1) * g
        v = b2 * v + (1.0 - b2) * g * g
        largest = max(largest, v)
        m_hat = m / (1.0 - b1**t)
        v_hat = (largest if amsgrad else v) / (1.0 - b2**t)
        step = m_hat / (math.sqrt(v_hat + eps_root) + eps)
        theta = theta - lr * (step + decoupled * theta)
    return theta


def rmsprop(
    theta,
    grads,
    *,
    lr,
    alpha,
    eps,
    initial_scale,
    momentum=0.0,
    centered=False,
    nesterov=False,
    l2=0.0,
    sign=1.0,
):
    """Tieleman and Hinton; centered as Graves 2013; momentum after the division (Optax)."""
    nu, mean, buffer = initial_scale, 0.0, 0.0
    for g in grads:
        g = sign * g + l2 * theta
        nu = alpha * nu + (1.0 - alpha) * g * g
        mean = alpha * mean + (1.0 - alpha) * g
        variance = nu - mean * mean if centered else nu
        u = g / (math.sqrt(variance) + eps)
        if momentum:
            buffer = momentum * buffer + u
            u = u + momentum * buffer if nesterov else buffer
        theta = theta - lr * u
    return theta


def main():
    rng = random.Random(20230901)

    def draw():
        return rng.choice((-1.0, 1.0)) * rng.uniform(0.2, 2.0)

    params = {name: [draw() for _ in range(elements(s))] for name, s in SHAPES.items()}
    grads = [
        {name: [draw() for _ in range(elements(s))] for name, s in SHAPES.items()}
        for _ in range(STEPS)
    ]

    adam = {"lr": 0.03, "b1": 0.8, "b2": 0.95, "eps": 1e-6, "eps_root": 1e-3}
    rms = {"lr": 0.02, "alpha": 0.9, "eps": 1e-6, "initial_scale": 1.5}
    cases = {
        "adam-eps_root": (adam_root, adam, {}),
        "adam-eps_root-l2": (adam_root, {**adam, "l2": 0.1}, {}),
        "adam-eps_root-amsgrad-maximize": (adam_root, {**adam, "amsgrad": True, "sign": -1.0}, {}),
        "adamw-eps_root": (adam_root, {**adam, "decoupled": 0.1}, {}),
        "adamw-mask": (adam_root, {**adam, "eps_root": 0.0, "decoupled": 0.1}, {"b", "s"}),
        "rmsprop-initial_scale": (rmsprop, rms, {}),
        "rmsprop-initial_scale-centered": (rmsprop, {**rms, "centered": True}, {}),
        "rmsprop-nesterov": (rmsprop, {**rms, "momentum": 0.7, "nesterov": True, "l2": 0.1}, {}),
        "rmsprop-nesterov-centered-maximize": (
            rmsprop,
            {**rms, "momentum": 0.7, "nesterov": True, "centered": True, "sign": -1.0},
            {},
        ),
    }
    results = {}
    for case, (formula, hyper, undecayed) in cases.items():
        results[case] = {}
        for name in SHAPES:
            settings = {**hyper, "decoupled": 0.0} if name in undecayed else hyper
            results[case][name] = [
                formula(theta, [g[name][i] for g in grads], **settings)
                for i, theta in enumerate(params[name])
            ]
    print(
        json.dumps(
            {
                "command": COMMAND,
                "shapes": {name: list(s) for name, s in SHAPES.items()},
                "params": params,
                "grads": grads,
                "results": results,
            }
        )
    )


if __name__ == "__main__":
    main()
