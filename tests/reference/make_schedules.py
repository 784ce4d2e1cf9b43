"""Write what Optax's schedules give, for `tests/schedule/test_schedules.py`.

Nothing here imports the library. Run it with the interpreter of the benchmarks' peers (Optax 0.2.8):

    JAX_ENABLE_X64=1 .venv-peers/bin/python tests/reference/make_schedules.py

A case is the name of a schedule and its arguments by name, which are the same in both libraries. In the
arguments of `join_schedules`, a schedule is such a pair.
"""

import json
from pathlib import Path

COUNTS = range(45)

CYCLE = {"init_value": 0.1, "peak_value": 0.9, "warmup_steps": 4, "decay_steps": 11}
CASES = {
    "constant": ("constant_schedule", {"value": 0.7}),
    "polynomial": (
        "polynomial_schedule",
        {
            "init_value": 0.3,
            "end_value": 1.1,
            "power": 2.5,
            "transition_steps": 17,
            "transition_begin": 5,
        },
    ),
    "linear": ("linear_schedule", {"init_value": 0.3, "end_value": 1.1, "transition_steps": 9}),
    "exponential": (
        "exponential_decay",
        {"init_value": 0.9, "decay_rate": 0.8, "transition_steps": 3, "transition_begin": 2},
    ),
    "exponential, staircase": (
        "exponential_decay",
        {
            "init_value": 0.9,
            "decay_rate": 1.2,
            "transition_steps": 3,
            "staircase": True,
            "end_value": 2.5,
        },
    ),
    "cosine": ("cosine_decay_schedule", {"init_value": 0.8, "decay_steps": 30}),
    "cosine, exponent": (
        "cosine_decay_schedule",
        {"init_value": 0.8, "decay_steps": 30, "alpha": 0.1, "exponent": 1.7},
    ),
    "piecewise constant": (
        "piecewise_constant_schedule",
        {"init_value": 0.8, "boundaries_and_scales": {20: 0.5, 7: 0.3, 31: 3.0}},
    ),
    "piecewise constant, no boundary": ("piecewise_constant_schedule", {"init_value": 0.8}),
    "piecewise linear": (
        "piecewise_interpolate_schedule",
        {
            "interpolate_type": "linear",
            "init_value": 0.8,
            "boundaries_and_scales": {20: 0.5, 7: 0.3, 31: 3.0},
        },
    ),
    "piecewise cosine": (
        "piecewise_interpolate_schedule",
        {
            "interpolate_type": "cosine",
            "init_value": 0.8,
            "boundaries_and_scales": {0: 2.0, 20: 0.5, 31: 3.0},
        },
    ),
    "linear one-cycle": ("linear_onecycle_schedule", {"transition_steps": 37, "peak_value": 0.9}),
    "linear one-cycle, options": (
        "linear_onecycle_schedule",
        {
            "transition_steps": 37,
            "peak_value": 0.9,
            "pct_start": 0.45,
            "pct_final": 0.7,
            "div_factor": 4.0,
            "final_div_factor": 7.0,
        },
    ),
    "cosine one-cycle": ("cosine_onecycle_schedule", {"transition_steps": 37, "peak_value": 0.9}),
    "cosine one-cycle, options": (
        "cosine_onecycle_schedule",
        {
            "transition_steps": 37,
            "peak_value": 0.9,
            "pct_start": 0.45,
            "div_factor": 4.0,
            "final_div_factor": 7.0,
        },
    ),
    "warm-up, constant": (
        "warmup_constant_schedule",
        {"init_value": 0.1, "peak_value": 0.9, "warmup_steps": 7},
    ),
    "warm-up, cosine": ("warmup_cosine_decay_schedule", CYCLE),
    "warm-up, cosine, options": (
        "warmup_cosine_decay_schedule",
        {**CYCLE, "decay_steps": 33, "end_value": 0.2, "exponent": 1.3},
    ),
    "no warm-up, cosine": ("warmup_cosine_decay_schedule", {**CYCLE, "warmup_steps": 0}),
    "warm-up, exponential": (
        "warmup_exponential_decay_schedule",
        {
            "init_value": 0.1,
            "peak_value": 0.9,
            "warmup_steps": 7,
            "transition_steps": 3,
            "decay_rate": 0.8,
        },
    ),
    "warm-up, exponential, options": (
        "warmup_exponential_decay_schedule",
        {
            "init_value": 0.1,
            "peak_value": 0.9,
            "warmup_steps": 7,
            "transition_steps": 3,
            "decay_rate": 0.8,
            "transition_begin": 4,
            "staircase": True,
            "end_value": 0.3,
        },
    ),
    "SGDR": (
        "sgdr_schedule",
        {
            "cosine_kwargs": [
                CYCLE,
                {**CYCLE, "peak_value": 0.6, "decay_steps": 20},
                {**CYCLE, "end_value": 0.3, "decay_steps": 8},
            ]
        },
    ),
    "join": (
        "join_schedules",
        {
            "schedules": [
                ("linear_schedule", {"init_value": 0.2, "end_value": 0.9, "transition_steps": 5}),
                ("cosine_decay_schedule", {"init_value": 0.9, "decay_steps": 30}),
                ("constant_schedule", {"value": 0.05}),
            ],
            "boundaries": [6, 25],
        },
    ),
}


def build(library, name, arguments):
    """Return a schedule of Optax's, or of the library's."""
    made = {
        key: [build(library, *part) for part in value] if key == "schedules" else value
        for key, value in arguments.items()
    }
    return getattr(library, name)(**made)


if __name__ == "__main__":
    import optax

    results = {}
    for case, (name, arguments) in CASES.items():
        schedule = build(optax, name, arguments)
        results[case] = [float(schedule(count)) for count in COUNTS]
    written = {"command": "make_schedules.py", "results": results}
    path = Path(__file__).with_name("schedules.json")
    path.write_text(json.dumps(written, indent=1) + "\n")
