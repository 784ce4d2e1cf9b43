"""The command of each example: what it prints and draws, what it resumes, what it refuses."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from killing import check_killed_run_goes_on_as_if_uninterrupted
from results import check_is_one_sentence, check_is_picture

from examples import PROGRAMS
from examples.tools import letters
from examples.tools.report import Report


class Command(NamedTuple):
    """A run of seconds.

    Attributes:
        options: Its options.
        texts: What it prints, separated by bars.
        files: What it writes: pictures, or other files that are not empty.
        result: Where the result begins that the command prints again if it is resumed.
    """

    options: str
    texts: str
    files: str = ""
    result: str = ""


COMMANDS = {
    "attribution": Command(
        "--width=1 --steps=10 --batch=20 --images=40 --targets=2 --subsets=2",
        "metagradient|influence, 0.01|20% left out",
        "images.png",
    ),
    "attribution_gpt": Command(
        "--width=4 --heads=2 --length=8 --lines=12 --batch=6 --steps=5 --queries=2 --retrainings=3",
        "metagradient|influence functions|gradient products|worst query",
        "sources.png",
    ),
    "darts": Command(
        "--batch=20 --images=40 --channels=2 --steps=20 --warmup=2 --final-steps=1",
        "mixture -> weights|found|pool|s left",
        "mixture.png",
        "architectures, trained alone",
    ),
    "data_selection": Command(
        "--images=40 --clean=10 --width=4 --steps=5 --batch=20 --rounds=2 --seeds=2",
        "loss filtering|metagradient descent|the clean images alone|50% chosen|s left",
        "losses.png",
    ),
    "deq": Command(
        "--channels=2 --epochs=1 --batch=600",
        "exact (GMRES)|Jacobian-free|unrolled|MiB|s left|%",
        "training_and_memory.png predictions.png",
    ),
    "distill": Command(
        "--inner-steps=3 --steps=9 --batch=128 --width=8 --networks=2 --validate-every=3",
        "teacher -> student|learned|average|s left|%",
        "images.png",
    ),
    "es_maml": Command(
        "--iterations=2 --meta-batch=2 --outer-pairs=2 --pairs=2 --width=4 --test-tasks=7",
        "standing still|evolution strategy|ES-MAML|±|s left",
        "adaptation.png",
    ),
    "factorization": Command(
        "--side=2 --images=6 --grid=2 --steps=2",
        "best of the grid|hypergradient|held-out error|of 4",
        "parts.png penalties.png",
    ),
    "hpo": Command(
        "--preset=quick --features=6 --relevant=2 --examples=30 --steps=5 --grid=3",
        "best of the grid|hypergradient|s left",
        "penalties.png",
    ),
    "hpo_multilevel": Command(
        "--unroll-steps=2 --steps=12 --final-steps=6 --width=8 --validate-every=4",
        "tuning -> network|the start|learned|s left|%",
        "hyperparameters.png",
    ),
    "imaml": Command(
        "--ways=3 --queries=2 --test-queries=3 --channels=4 --inner-steps=1 --warmup=2"
        " --meta-batch=2 --iterations=2 --test-tasks=2",
        "chance|their start|implicit MAML|±|s left",
        "learning_curves.png predictions.png",
    ),
    "imbalance": Command(
        "--steps=20 --batch=10 --width=8 --seeds=1",
        "resampled, 50% rare|reweighted|weight of",
        "imbalance.png",
    ),
    "lasso": Command(
        "--features=2 --relevant=1 --examples=20 --grid=2 --steps=2",
        "best of the grid|hypergradient|validation",
        "lasso.png",
    ),
    "learned_optimizer": Command(
        "--steps=5 --truncation=5 --tasks=2 --episodes=1 --hidden=4 --test-tasks=2",
        "Adam|decaying|learned|other networks|±|s left",
        "curves.png",
    ),
    "learned_schedule": Command(
        "--images=40 --held=20 --width=4 --steps=5 --batch=20 --rounds=2 --seeds=2",
        "cosine, tuned|learned|test, another start|cost of 6 trainings|s left",
        "rates.png",
    ),
    "lola": Command(
        "--executor=local --iterations=2 --batch=8 --rounds=4 --seeds=2",
        "independent|LOLA",
        "rewards.png",
    ),
    "maml": Command(
        "--ways=3 --queries=2 --test-queries=3 --channels=4 --inner-lr=0.05 --inner-steps=2"
        " --meta-batch=2 --iterations=2 --scratch-steps=2 --test-tasks=3",
        "meta-training|s left|training from scratch|MAML|±|predictions.png|learn 2|read ",
        "predictions.png",
    ),
    "maml_multilevel": Command(
        "--shots=5 --queries=5 --width=8 --meta-batch=3 --iterations=8 --save-every=3 --test-tasks=20",
        "two levels|the learned start|predicting zero|±",
        "learning_curve.png plan.svg",
        "squared error",
    ),
    "maml_rl": Command(
        "--steps=3 --tasks=3 --trajectories=4 --horizon=10 --width=8 --test-goals=4",
        "MAML|pretrained|random",
        "maml_rl.png",
    ),
    "maml_sinusoid": Command(
        "--shots=5 --queries=4 --test-queries=6 --width=6 --meta-batch=2 --iterations=2"
        " --scratch-steps=2 --test-tasks=3",
        "meta-training|s left|training from scratch|MAML|±|predictions.png",
        "predictions.png",
    ),
    "maml_variants": Command(
        "--ways=3 --queries=2 --test-queries=3 --channels=4 --meta-batch=2 --iterations=2"
        " --test-tasks=3 --reptile-steps=2",
        "accuracy on 3 tasks|MAML|first-order MAML|ANIL|Meta-SGD|Reptile|±",
    ),
    "mezo": Command(
        "--width=8 --layers=1 --heads=2 --length=4 --batch=4 --pretraining=2 --steps=2"
        " --backprop-steps=2 --memory-batch=4",
        "MeZO|backpropagation|Adam|inference|MiB|s left|%",
        "loss.png memory.png",
    ),
    "mgrl": Command(
        "--state-steps=20 --board=4 --games=8 --steps=25 --seeds=1",
        "closed form|fixed, 0.99|reward",
        "mgrl.png",
    ),
    "nac": Command(
        "--strategies=8 --large=12 --growth=2 --iterations=2 --pairs=1 --meta-batch=2 --test-games=4",
        "PSRO|uniform|neural auto-curricula|games of 12 strategies|s left",
        "exploitability.png",
    ),
    "portfolio": Command(
        "--assets=3 --signals=2 --days=20 --steps=3",
        "least squares|end to end|true expected returns|±",
        "frontier.png",
    ),
    "reweight": Command(
        "--width=8 --unroll-steps=2 --steps=12 --validate-every=4",
        "weights -> classifier|noisy labels, with weights|stopped early|s left",
        "weights.png plan.svg",
        "accuracy on",
    ),
    "sudoku": Command(
        "--puzzles=50 --test=10 --rows=8 --steps=3 --batch=4",
        "OptNet|perceptron|of held-out boards|%",
        "sudoku.png",
    ),
    "svm": Command(
        "--examples=12 --grid=2 --steps=3",
        "best of the grid|hypergradient|test accuracy",
        "svm.png",
    ),
    "trilevel": Command(
        "--source=60 --width=6 --steps=28 --warmup=2 --final-steps=2",
        "pretrain [|equal|learned|known|nearness|s left|%",
        "weights.png",
        "accuracy,",
    ),
    "ttt": Command(
        "--words=3 --chunk=4 --chunks=2 --window=8 --width=4 --heads=2 --batch=2 --steps=2",
        "frozen|first order|through the steps|last chunk|±|s left",
        "loss_by_position.png",
    ),
    "upgrad": Command(
        "--tasks=4 --features=9 --examples=2 --steps=3", "UPGrad|mean|4 tasks|%", "upgrad.png"
    ),
}
SLOW = (
    *("attribution", "attribution_gpt", "darts", "deq", "factorization", "imaml"),
    *("learned_optimizer", "trilevel"),
)


@pytest.fixture
def shorter(images: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    """Make short what no option makes short."""
    monkeypatch.setattr(letters, "load", lambda *_: images)
    monkeypatch.setattr("examples.deq.STEPS", (10, 100))
    factorization = import_module("examples.factorization")
    fit = factorization.fit
    monkeypatch.setattr(factorization, "fit", lambda *args, **_: fit(*args, rtol=1e-2))
    learned = import_module("examples.learned_optimizer")
    monkeypatch.setattr(learned, "RATES", [0.01, 0.03])
    tests = {name: (digits, networks[:1]) for name, (digits, networks) in learned.TESTS.items()}
    monkeypatch.setattr(learned, "TESTS", tests)


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # of one step
@pytest.mark.usefixtures("few_threads", "shorter")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in COMMANDS]
)
def test_command_prints_tables_and_draws_pictures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    main, row = import_module(f"examples.{name}").main, COMMANDS[name]
    command = [f"--runs={tmp_path}", "--name=it", "--threads=1", *row.options.split()]
    assert main(command) == 0
    first = capsys.readouterr().out
    for text in row.texts.split("|"):
        assert text in first
    for file in row.files.split():
        if file.endswith(".png"):
            check_is_picture(tmp_path / "it" / file)
        assert (tmp_path / "it" / file).stat().st_size
    if row.result:
        assert main([*command, "--resume", "--seed=5"]) == 1
        assert "`seed` 0, not 5" in capsys.readouterr().err
        monkeypatch.setattr(Report, "picture", lambda *_: None)
        assert main([*command, "--resume"]) == 0
        again = capsys.readouterr().out
        assert first[first.index(row.result) :] == again[again.index(row.result) :]


# A global step in which a run is killed, and its settings.
KILLED = {
    "reweight": (47, "width=16 unroll_steps=5 steps=60 validate_every=20"),
    "trilevel": (27, "source=60 width=6 steps=28 warmup=2 final_steps=4"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("few_threads")
@pytest.mark.processes
@pytest.mark.parametrize("name", KILLED)
def test_killed_run_goes_on_as_if_uninterrupted(name: str, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    at, settings = KILLED[name]
    numbers = (word.split("=") for word in settings.split())
    config = import_module(f"examples.{name}").Config(**{k: int(n) for k, n in numbers})
    check_killed_run_goes_on_as_if_uninterrupted(name, config, tmp_path, at=at)


REFUSED = """
    attribution --width=0: `width` is 0
    attribution --images=1790: `images` is 1790
    attribution --batch=1001: whole batches
    attribution_gpt --heads=3: a multiple of `heads`, 3
    attribution_gpt --batch=23: whole batches of 23
    darts --mix-lr=0: `mix_lr` is 0.0
    data_selection --images=1400: `images` and `clean` are 1400 and 100
    deq --contraction=1.5: below one
    deq --channels=0: `channels` is 0
    deq --batch=1500: `batch` is 1500
    distill --rate=0: `rate` is 0
    distill --networks=0: `networks` is 0
    es_maml --outer-sigma=0: use a positive number
    es_maml --test-tasks=-1: use a positive number
    factorization --observed=1: `observed` is 1
    factorization --lr=0: `lr` is 0
    hpo --relevant=100: `features` is 60
    hpo --start=0: `start` is 0
    hpo_multilevel --lr=0: `lr` is 0
    imaml --penalty=-1: `penalty` is -1.0
    imaml --ways=0: `ways` is 0
    imaml --warmup=0: `warmup`
    imbalance --clean=7: `clean` <= `rare`
    imbalance --common=160: at most 150
    imbalance --lr=0: `lr` is 0
    lasso --relevant=70: `features` is 60
    lasso --lr=0: `lr` is 0
    learned_optimizer --episodes=0: use a positive number
    learned_optimizer --sigma=-1: use a positive number
    learned_schedule --images=1200: `images` and `held` are 1200 and 400
    lola --discount=1: `discount` is 1
    lola --lookaheads=0: `lookaheads` is 0
    maml --omniglot=nowhere: images_background
    maml --ways=0: `ways` is 0
    maml --inner-lr=-1: `inner_lr` is -1.0
    maml_distributed --workers=0: `workers` is 0: use a positive number.
    maml_distributed --compile: `--compile` is for one process: use the example `maml_sinusoid`.
    maml_multilevel --inner-lr=0: `inner_lr` is 0.0
    maml_rl --horizon=0: `horizon` is 0
    mezo --heads=3: a multiple of `heads`, 3
    mezo --lr=0: `lr` is 0
    mgrl --games=0: `games` is 0
    nac --growth=0: `growth` is 0
    nac --skill=-1: `skill` is -1
    portfolio --aversion=0: `aversion` is 0
    reweight --width=0: `width` is 0
    reweight --unroll-steps=7: `unroll_steps` must divide
    sudoku --held-out=288: some of 288 boards
    sudoku --lr=0: `lr` is 0
    svm --lr=0: `lr` is 0
    trilevel --tune-lr=0: `tune_lr` is 0.0
    ttt --heads=5: a multiple of `heads`
    ttt --window=24: of `window`
    ttt --rate=0: `rate` is 0
    upgrad --tasks=0: `tasks` is 0
"""
RESUMABLE = """
    darts distill hpo_multilevel learned_optimizer maml maml_multilevel reweight trilevel
"""
ROWS = [
    *REFUSED.strip().splitlines(),
    *(f"{name} --resume: start without --resume" for name in RESUMABLE.split()),
]


@pytest.mark.usefixtures("few_threads")
@pytest.mark.parametrize("row", ROWS)
def test_bad_settings_are_one_sentence(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, _, message = row.strip().partition(": ")
    name, option = command.split()
    assert import_module(f"examples.{name}").main([f"--runs={tmp_path}", option]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_default_preset_is_what_a_program_does_by_itself(name: str) -> None:
    module: Any = import_module(f"examples.{name}")
    assert {"quick", "default"} <= set(module.PRESETS) <= {"quick", "default", "full"}
    if name != "maml_distributed":  # whose settings are those of another program
        assert module.PRESETS["default"] == module.Config()
