"""Programs written for Betty: its names, numbers and scales, and what takes the place of the rest."""

from __future__ import annotations

import functools
import importlib
import re
from dataclasses import replace
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import torch
from compat_program import F64, all_programs, linear, values
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from torchopt import multilevel
from torchopt.diff import Implicit
from torchopt.errors import TorchOptWarning
from torchopt.multilevel.compat import hypergradient, utils
from torchopt.multilevel.compat.configs import Config, EngineConfig
from torchopt.multilevel.compat.engine import Engine
from torchopt.multilevel.compat.envs import Env
from torchopt.multilevel.compat.logging import TensorBoardLogger, logger
from torchopt.multilevel.compat.misc import EarlyStopping
from torchopt.multilevel.compat.patch import (
    DistributedBatchSampler,
    get_distributed_data_loader,
    patch_scheduler,
)
from torchopt.multilevel.compat.problems import (
    HigherIterativeProblem,
    ImplicitProblem,
    IterativeProblem,
    Problem,
)

PAGE = (Path(__file__).parents[2] / "docs/coming-from/betty.md").read_text(encoding="utf-8")
#: What Betty 0.2.1 prints for the programs of `compat_program.py`.
PRINTED = {
    "darts": [
        -1.943317906977, -0.432301701061, 1.053181442164, 2.262672615099, -0.096240705851,
        -0.094156181864, -0.231160596784, 0.730538984288, 12, 6, 12,
    ],
    "detached": [
        -3.273286225484, -1.632282287722, 2.14111953058, 3.352665278139, -0.110806867262,
        -0.104383046798, -0.229311724528, 0.744004595026, 12, 6, 12,
    ],
    "sama": [
        -2.882720704002, -1.397745466669, 1.807349574782, 3.004701143514, -0.107961837933,
        -0.10777365281, -0.234143593934, 0.741648474101, 12, 6, 12,
    ],
    "neumann": [
        -2.548855135763, 0.04966509805, 1.785835419988, 3.455854116833, -0.112247258394,
        -0.070442633739, -0.213271674668, 0.752834066484, 12, 12, 12,
    ],
    "cg": [
        -1.196174241011, -0.807222723977, 0.079286025747, 1.236116660119, -0.042304055921,
        -0.13086861142, -0.285228516954, 0.664880771433, 12, 4, 12,
    ],
    "accumulated, clipped, scheduled": [
        -0.440953891236, -0.981839647315, -0.626766036818, 0.232068942767, -0.073011885457,
        -0.031659576176, -0.168448203309, 0.698464764265, 24, 12, 24,
    ],
    "a lower problem accumulates": [
        -1.23536416815, -0.390088415894, 0.486520988491, 1.550193675643, 0.191051704547,
        -0.086348118602, -0.460692840511, 0.311244829505, 16, 4, 16,
    ],
    "rolled back": [
        -2.00902324475, -0.392846039776, 1.123151053663, 2.407996067929, 0.054486226294,
        -0.178193948572, -0.428187373472, 0.616579494756, 12, 6, 12,
    ],
    "warmed up": [
        -1.443401170002, -0.611115095091, 0.444644793068, 1.563040559781, -0.035353029352,
        -0.140351011191, -0.299100588238, 0.655191177446, 12, 7, 12,
    ],
    "trilevel": [
        -1.166857812677, -0.529250307143, 0.496075144476, 0.620446130165, -0.158402349034,
        -0.218067621284, -0.439034775063, 0.568809328183, 0.100161430609, -0.157679756507,
        -0.446793876332, 0.531946665682,
    ],
    "implicit_maml": [
        -0.417025710915, -0.807486027742, -0.621178158569, 0.269733026951, 36, 12, 36,
    ],
    "configured": [
        -0.322551540519, 0.464476516924, 0.36664497566, -0.02907495175, -0.204345648056,
        0.087445081578, 0.063526773269, 0.266033679326, 10, 5, 5, 5,
    ],
    "configured, rolled back": [
        -0.317450858191, 0.455766980763, 0.373299437117, -0.018358240079, -0.218270764091,
        0.082828447676, 0.024756055569, 0.270626355878, 10, 5, 5, 5,
    ],
}  # fmt: skip
#: The public names of Betty 0.2.1: of its modules, and the methods and attributes of classes.
MODULES = {
    "configs.engine_dataclass": "EngineConfig",
    "configs.problem_dataclass": "Config",
    "engine": "Engine",
    "envs.env_base": "Env",
    "hypergradient": "jvp_fn_mapping get_grads",
    "hypergradient.cg": "cg",
    "hypergradient.darts": "darts",
    "hypergradient.neumann": "neumann approx_inverse_hvp",
    "hypergradient.reinforce": "reinforce",
    "hypergradient.sama": "sama",
    "hypergradient.utils": """
        grad get_optimzer_type precondition_sgd precondition_adam precondition_rmsprop
        precondition_adagrad precondition_adadelta precondition_fn_mapping precondition
    """,
    "logging": "logger_mapping type_check logger",
    "logging.logger_base": "get_logger LoggerBase",
    "logging.logger_tensorboard": "TensorBoardLogger",
    "logging.logger_wandb": "WandBLogger",
    "misc.early_stopping": "EarlyStopping",
    "optim": "optimizer_mapping patch_optimizer patch_scheduler",
    "optim.adam": "DifferentiableAdam",
    "optim.adamw": "DifferentiableAdamW",
    "optim.optimizer": "DifferentiableOptimizerBase",
    "optim.sgd": "DifferentiableSGD",
    "patch.data_loader": """
        DistributedBatchSampler DistributedDataLoader get_distributed_data_loader
    """,
    "patch.optimizer": "patch_optimizer",
    "patch.scheduler": "patch_scheduler",
    "problems.implicit_problem": "ImplicitProblem",
    "problems.iterative_problem": "IterativeProblem",
    "problems.iterative_problem_higher": "HigherIterativeProblem",
    "problems.problem": "Problem",
    "utils": """
        convert_tensor get_dtype get_grad_norm get_weight_norm flatten_list get_param_index
        get_multiplier log_from_loss_dict to_vec count_parameters neg_with_none
        replace_none_with_zero
    """,
}
MEMBERS = {
    "engine.Engine": """
        check_leaf cleanup config configure_systems dependencies device dfs do_validation
        early_stopping env eval find_paths global_step initialize is_implemented is_rank_zero
        leaves logger logger_type parse_config parse_dependency problems run set_dependency
        set_problem_attr train train_iters train_step valid_step
    """,
    "problems.Problem": """
        accelerator add_child add_env add_logger add_parent add_paths backward cache_states cfg
        check_ready children clear_dependencies clip_grad config configure_device
        configure_distributed_training configure_roll_back count cur_batch device dtype env
        epoch_callback_exec epoch_counter eval forward gas get_batch get_batch_single_loader
        get_loss get_opt_param_group_for_param get_opt_state_for_param
        gradient_accumulation_boundary gradient_clipping initial_dynamic_scale initialize
        is_implemented is_rank_zero leaf load_state_dict log log_local_step log_step logger
        meta_trainable_parameters module name one_step_descent optimizer optimizer_step parameters
        parents patch_data_loader patch_everything patch_module patch_optimizer patch_scheduler
        paths precision ready recover_states scale_factor scaler scheduler set_grads set_module
        set_optimizer set_scheduler set_train_data_loader state_dict step step_after_roll_back
        step_normal synchronize_params train train_data_iterator train_data_loader
        trainable_parameters training_step training_step_exec warmup_steps zero_grad
    """,
    "problems.ImplicitProblem": """
        cache_states eval module_state_dict_cache opitmizer_state_dict_cache optimizer_step
        parameters recover_states train trainable_parameters
    """,
    "problems.IterativeProblem": """
        buffers buffers_cache cache_states fmodule initialize initialize_optimizer_state
        opitmizer_state_dict_cache optimizer optimizer_step parameters params params_cache
        patch_modules patch_optimizer patch_scheduler recover_states scheduler
        trainable_parameters
    """,
    "problems.HigherIterativeProblem": """
        cache_states cur_batch eval functional_one_step_descent module module_orig
        module_state_dict_cache one_step_descent opitmizer_state_dict_cache optimizer
        optimizer_orig optimizer_state_dict_cache optimizer_step parameters patch_module
        patch_optimizer ready recover_states step_normal train trainable_parameters
    """,
    "configs.Config": """
        allow_unused cg_alpha cg_iterations darts_alpha darts_multitask first_order
        gradient_accumulation gradient_clipping initial_dynamic_scale log_local_step log_step
        neumann_alpha neumann_iterations precision retain_graph sama_adam_alpha sama_multitask
        scale_factor type unroll_steps warmup_steps
    """,
    "configs.EngineConfig": """
        backend early_stopping early_stopping_metric early_stopping_mode early_stopping_tolerance
        logger_type roll_back strategy train_iters valid_step
    """,
    "envs.Env": """
        accelerator configure_device configure_distributed_training device env initialize
        patch_data_loader patch_module train_data_loader
    """,
    "misc.EarlyStopping": "best_score counter metric mode tolerance",
    "logging.LoggerBase": "debug error info log warning",
}


def close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    torch.testing.assert_close(
        torch.as_tensor(found, dtype=F64),
        torch.as_tensor(expected, dtype=F64),
        rtol=tolerance,
        atol=tolerance,
    )


class Low(ImplicitProblem):
    """``(y - 2 x)^2 / 2``, whose response to ``x`` is 2."""

    def training_step(self, batch: Any) -> Any:
        return (self.module.weight - 2 * self.top.module.weight).square().sum() / 2


class Top(ImplicitProblem):
    """``(y - 3)^2 / 2``."""

    def training_step(self, batch: Any) -> Any:
        return (self.low.module.weight - 3).square().sum() / 2


def scalar(value: float) -> nn.Linear:
    net = nn.Linear(1, 1, bias=False, dtype=F64)
    nn.init.constant_(net.weight, value)
    return net


def pair(
    config: multilevel.Config | None = None,
    *,
    low: type[Problem] = Low,
    top: type[Problem] = Top,
    engine: type[Engine] = Engine,
    run: EngineConfig | None = None,
    upper: multilevel.Config | None = None,
    optimizer: Any = torch.optim.SGD,
    env: Any = None,
) -> Engine:
    """Return the engine of ``Top`` over ``Low``, at ``x = 0.5`` and ``y = 0``."""
    y, x = scalar(0.0), scalar(0.5)
    lower = low("low", config, y, optimizer(y.parameters(), lr=0.1), None, [None])
    above = top("top", upper, x, torch.optim.SGD(x.parameters(), lr=0.5), None, [None])
    edges = {"u2l": {above: [lower]}, "l2u": {lower: [above]}}
    return engine([above, lower], run or EngineConfig(train_iters=2), edges, env)


# Numbers


@pytest.mark.filterwarnings("ignore:a central difference with a given step")
def test_programs_print_what_betty_prints() -> None:
    found = all_programs()
    assert list(found) == list(PRINTED)
    for name, numbers in found.items():
        close(numbers, PRINTED[name])


def test_our_own_config_is_exact_and_betty_s_takes_either_scale() -> None:
    for config, factor in (
        (multilevel.Config(), 0.1),
        (Config(scale="exact"), 0.1),
        (Config(scale="betty"), 1.0),
    ):
        engine = pair(config)
        # dL/dy is -3, and the cross derivative of the lower loss is -2.
        (gradient,), _ = engine.hypergradient("top")
        assert gradient is not None
        close(gradient, [[-3 * 2 * factor]], 1e-6)


@pytest.mark.parametrize("kind", ["darts", "sama", "neumann", "cg", "f2sa"])
def test_the_products_of_hypergradient_equal_closed_forms(kind: str) -> None:
    engine = pair(Config(type=kind, neumann_alpha=0.25, neumann_iterations=3))  # type: ignore[arg-type]
    engine.run()
    low, top = engine.low, engine.top
    vector = [torch.tensor([[0.7]], dtype=F64)]
    # The Hessian is 1 and the cross derivative -2: one step of size one, the series, the solution,
    # and ten steps of size 0.1.
    factor = {"neumann": 1 - 0.75**4, "f2sa": 1 - 0.9**10}.get(kind, 1.0)
    expected = 0.7 * 2 * factor
    (product,) = hypergradient.jvp_fn_mapping[kind](vector, low, top)
    close(product, [[expected]], 1e-6)
    assert hypergradient.jvp_fn_mapping[kind](vector, low, top, True) is None
    close(top.module.weight.grad, [[expected]], 1e-6)
    loss = top.training_step(None)
    (path,) = top.paths
    (gradient,) = hypergradient.get_grads(loss, path, retain_graph=False)
    close(gradient, (low.module.weight.detach() - 3) * 2 * factor, 1e-6)
    with pytest.raises(NotImplementedError, match="zero_order"):
        hypergradient.reinforce(vector, low, top)


@pytest.mark.parametrize("cls", [IterativeProblem, HigherIterativeProblem])
def test_an_iterative_problem_is_differentiated_through_its_steps(cls: type[Problem]) -> None:
    class Iterative(cls):  # type: ignore[misc, valid-type]
        training_step = Low.training_step

        def on_inner_loop_start(self) -> None:
            self.module.weight.data.zero_()

    engine = pair(Config(unroll_steps=3), low=Iterative, run=EngineConfig(train_iters=3))
    engine.run()
    # From zero, three steps of 0.1: y = 2 x (1 - 0.9^3).
    rate = 2 * (1 - 0.9**3)
    close(engine.low.module.weight, [[0.5 * rate]])
    close(engine.top.module.weight, [[0.5 - 0.5 * rate * (0.5 * rate - 3)]])


# Names


def on_the_page(name: str) -> bool:
    """Whether a name of Betty's is in the page's section, alone or after what it belongs to."""
    return re.search(rf"`(\w+\.)*{re.escape(name)}`", PAGE) is not None


def here(name: str) -> Any:
    return importlib.import_module(f"torchopt.multilevel.compat{name}")


@pytest.mark.parametrize("module", MODULES)
def test_each_module_and_its_names_are_here_or_on_the_page(module: str) -> None:
    if on_the_page(module):
        return
    names = MODULES[module].split()
    missing = [name for name in names if not hasattr(here(f".{module}"), name)]
    assert [name for name in missing if not on_the_page(name)] == []


@pytest.mark.parametrize("cls", MEMBERS)
def test_each_member_of_a_class_is_here_or_on_the_page(cls: str) -> None:
    engine = pair(env=Env())
    engine.run()
    thing: Any = {
        "engine.Engine": engine,
        "configs.Config": Config(),
        "configs.EngineConfig": EngineConfig(),
        "envs.Env": engine.env,
        "misc.EarlyStopping": EarlyStopping(),
        "logging.LoggerBase": engine.logger,
    }.get(cls, engine.low)
    module, _, name = cls.partition(".")
    assert isinstance(thing, getattr(here(f".{module}"), name)) or "Iterative" in cls
    missing = [name for name in MEMBERS[cls].split() if not hasattr(thing, name)]
    assert [name for name in missing if not on_the_page(name)] == []


def test_the_page_shows_no_name_as_missing_that_is_here() -> None:
    engine = pair()
    names = {*here(".problems").INSTEAD, *here(".engine").INSTEAD}
    assert [name for name in names if not on_the_page(name)] == []
    for thing in (engine.low, engine):
        instead = here(".problems" if thing is engine.low else ".engine").INSTEAD
        for name, text in instead.items():
            with pytest.raises(AttributeError, match=re.escape(f"`{name}` is not here: {text}")):
                getattr(thing, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = engine.low.nonsense


def halve(tensor: torch.Tensor) -> None:
    tensor.detach().mul_(0.5)


# Betty's hooks, each with something that it does to a problem.
HOOKS: dict[str, Any] = {
    "grad_callback": lambda self: halve(self.module.weight.grad),
    "clip_grad": lambda self: halve(self.module.weight.grad),
    "training_step": lambda self, batch: 0.5 * Low.training_step(self, batch),
    "forward": lambda self: 0.5 * self.module.weight,
    **dict.fromkeys(
        [
            "param_callback", "on_inner_loop_start", "epoch_callback", "on_epoch_end",
            "optimizer_step", "custom_optimizer_step", "zero_grad", "get_batch",
        ],
        lambda self: halve(self.module.weight),
    ),
}  # fmt: skip


class Calling(Top):
    def training_step(self, batch: Any) -> Any:
        return (self.low() - 3).square().sum() / 2


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_may_be_set_on_a_problem(name: str) -> None:
    class Whole(Low):
        def forward(self) -> Any:
            return self.module.weight

    def run(low: type[Problem], hook: Any = None) -> list[float]:
        engine = pair(Config(gradient_clipping=0.2), low=low, top=Calling)
        if hook is not None:
            setattr(engine.low, name, functools.partial(hook, engine.low))
            assert engine.low.is_implemented(name)
        engine.run()
        return values(*engine.problems)

    of_class = type("OfClass", (Whole,), {name: HOOKS[name]})
    assert run(Whole, HOOKS[name]) == run(of_class) != run(Whole)


@pytest.mark.parametrize("type_", ["unroll", "zero_order"])
@pytest.mark.parametrize(
    "name",
    ["grad_callback", "param_callback", "optimizer_step", "custom_optimizer_step", "clip_grad"],
)
def test_a_hook_that_a_mode_cannot_repeat_is_refused_whenever_it_is_set(
    name: str, type_: str
) -> None:
    engine = pair(Config(type=type_, gradient_clipping=1.0))
    setattr(engine.low, name, functools.partial(HOOKS[name], engine.low))
    with pytest.raises(ValueError, match=f"'low' is unrolled and defines `{name}`"):
        engine.run()


def test_what_nothing_calls_is_warned_of_when_it_is_set() -> None:
    engine = pair()
    with pytest.warns(TorchOptWarning, match="problem 'low' defines `get_loss`, which nothing"):
        engine.low.get_loss = lambda batch: None
    with pytest.warns(TorchOptWarning, match="the engine defines `cleanup`, which nothing calls"):
        engine.cleanup = lambda: None
    with pytest.warns(TorchOptWarning, match="the engine defines `dfs`, which nothing calls"):
        pair(engine=type("Searching", (Engine,), {"dfs": lambda self: None}))


@pytest.mark.parametrize("library", [Engine, multilevel.Engine])
def test_what_an_engine_does_may_be_set_on_it(library: Any) -> None:
    run = EngineConfig(train_iters=6, valid_step=2, early_stopping=True, early_stopping_tolerance=1)
    engine = pair(run=run, engine=library)
    with pytest.raises(ValueError, match="`early_stopping` needs metrics"):
        engine.run()
    calls = []
    engine.validation = lambda: calls.append("validation") or {"loss": 1.0}

    def train_step() -> None:
        calls.append("step")
        library.train_step(engine)

    engine.train_step = train_step
    engine.run()
    assert calls == ["step", "step", "validation"] * 2  # which is no better, and ends the run


def test_an_engine_stops_as_the_function_says_that_is_set_on_it() -> None:
    engine = pair(run=EngineConfig(train_iters=9, valid_step=1))
    engine.validation = lambda: {"loss": engine.global_step}
    assert engine.early_stopping is None
    engine.early_stopping = stop = lambda metrics: metrics["loss"] == 3
    engine.run()
    assert (engine.early_stopping, engine.global_step) == (stop, 3)
    engine.early_stopping = EarlyStopping("loss", tolerance=2)
    engine.run()
    assert engine.global_step == 6  # of 3, 4, 5, 6: the first is the best, and two more
    engine.early_stopping = None
    engine.run()
    assert engine.global_step == 9


# The engine


def test_edges_that_do_not_fit_are_a_warning_and_constants() -> None:
    class Warming(Low):
        def training_step(self, batch: Any) -> Any:
            assert self._count == self.count
            assert self._global_step == self.count
            loss = super().training_step(batch)
            return self.module.weight.square().sum() if self.count < 3 else loss

    engine = pair(low=Warming, run=EngineConfig(train_iters=3, check=True))
    with pytest.warns(TorchOptWarning, match="autograd finds no way"):
        engine.run()
    # The first two hypergradients are zero; y is 0 until the third step, which is 0.1 * 2 * 0.5.
    close(engine.low.module.weight, [[0.1]])
    close(engine.top.module.weight, [[0.5 - 0.5 * 2 * (0.1 - 3)]], 1e-6)


def test_a_train_step_of_the_users_own_steps_the_leaves() -> None:
    seen: list[tuple[int, int]] = []

    class Own(Engine):
        def train_step(self) -> None:
            for leaf in self.leaves:
                leaf.step(global_step=self.global_step)
            self.top.step(global_step=self.global_step)  # not its turn: does nothing
            seen.append((self.global_step, self.top.count))

    pair(Config(unroll_steps=2), engine=Own, run=EngineConfig(train_iters=4)).run()
    assert seen == [(1, 0), (2, 1), (3, 1), (4, 2)]


def test_the_same_text_runs_on_our_own_engine() -> None:
    class Own(multilevel.Engine):
        def train_step(self) -> None:
            for leaf in self.leaves:
                leaf.step()

    y, x = (torch.zeros((), requires_grad=True) for _ in range(2))

    class Below(multilevel.Problem):
        def training_step(self, batch: Any) -> Any:
            return (self.params - self.above.params).square()

    class Above(multilevel.Problem):
        def training_step(self, batch: Any) -> Any:
            return (self.below.params - 3).square()

    sgd = torch.optim.SGD
    below = Below("below", multilevel.Config(diff=Implicit()), params=y, optimizer=sgd([y], 0.4))
    above = Above("above", params=x, optimizer=sgd([x], 0.2))
    edges = {"u2l": {above: [below]}, "l2u": {below: [above]}}
    engine = Own([above, below], multilevel.EngineConfig(train_iters=60), edges)
    with pytest.raises(RuntimeError, match="has no engine"):
        Below("alone", params=y, optimizer=sgd([y], 0.4)).step()
    engine.run()
    assert engine.global_step == below.count == above.count == 60
    close(x.detach(), 3.0, 1e-4)
    assert engine.device == below.device == torch.get_default_device()
    assert above.cur_batch is None


def test_validation_may_take_gradients_and_lines_are_betty_s(capfd: Any) -> None:
    class Validating(Engine):
        def validation(self) -> Any:
            assert not self.top.module.training
            x = torch.ones((), requires_grad=True)
            (x**2).backward()
            return {"acc": float(x.grad), "device": 0}  # type: ignore[arg-type]

    run = EngineConfig(train_iters=4, valid_step=2)
    engine = pair(engine=Validating, run=run, upper=Config(log_step=3))
    engine.run()
    assert engine.do_validation()
    assert not pair().do_validation()
    assert engine.top.module.training
    out = capfd.readouterr().out
    assert "[Validation] [Global Step 2] acc: 2.0 || device: 0" in out
    assert re.search(r'\[Problem "top"\] \[Global Step 3\] \[Local Step 3\] loss: \d', out)


class Memory:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, dict[str, Any]]] = []

    def log(self, metrics: Any, step: int) -> None:
        self.kept.append((step, dict(metrics)))

    def resume(self, step: int) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("library", ["betty", "ours"])
def test_metrics_have_the_number_of_the_global_or_the_local_step(local: bool, library: str) -> None:
    sink = Memory()
    upper = Config(log_step=1, log_local_step=local)
    run = EngineConfig(train_iters=4, logger_type=sink)
    engine = pair(Config(unroll_steps=2), upper=upper, run=run)
    if library == "ours":
        engine._log_step = multilevel.Engine._log_step.__get__(engine)  # type: ignore[method-assign]
    engine.run()
    assert [step for step, _ in sink.kept] == ([1, 2] if local else [2, 4])
    assert all(list(metrics) == ["top/loss"] for _, metrics in sink.kept)


def test_loggers_write_to_sinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = Memory()
    logger(sink).log({"loss": 1.0, "parts": [2.0, 3.0]}, tag="inner", step=4)
    assert sink.kept == [(4, {"inner/loss": 1.0, "inner/parts_0": 2.0, "inner/parts_1": 3.0})]

    def missing(name: Any, folder: Any = None) -> None:
        raise ImportError("It is not installed.")

    monkeypatch.setattr("torchopt.multilevel.compat.logging.make_sink", missing)
    with pytest.warns(TorchOptWarning, match="console only"):
        logger("wandb").log({"loss": 1.0})
    with pytest.raises(ImportError):
        TensorBoardLogger()


def test_attributes_of_a_run_are_betty_s() -> None:
    run = EngineConfig(train_iters=3, early_stopping=False)
    engine = pair(Config(unroll_steps=2), run=run)
    assert engine.low.ready == []
    assert engine.low.check_ready()
    assert engine.top.ready == [False]
    engine.train_step()
    assert engine.top.ready == [False]
    assert engine.global_step == 0  # counted by `run` only, as in Betty
    assert (engine.train_iters, engine.valid_step, engine.early_stopping) == (3, 500, None)
    assert engine.check_leaf(engine.low)
    assert not engine.check_leaf(engine.top)
    assert engine.find_paths(engine.low, engine.top) == engine.top.paths
    assert engine.is_implemented("run")
    assert not engine.is_implemented("validation")
    assert engine.low.is_implemented("training_step")
    assert not engine.low.is_implemented("param_callback")
    assert not engine.low.is_implemented("custom_optimizer_step")
    assert engine.low.epoch_counter == [0]
    assert engine.low.is_rank_zero()


# Problems


def test_the_state_of_a_problem_goes_to_a_file_and_back(tmp_path: Path) -> None:
    engine = pair(optimizer=torch.optim.Adam)
    engine.run()
    low = engine.low
    torch.save(low.state_dict(), tmp_path / "low.pt")
    before = values(low)
    low.cache_states()
    with torch.no_grad():
        low.module.weight.add_(1.0)
    low.optimizer.state.clear()
    low.recover_states()
    assert values(low) == before
    assert low.get_opt_state_for_param(low.module.weight)["step"] == 2
    assert low.get_opt_param_group_for_param(low.module.weight)["lr"] == 0.1
    assert low.get_opt_param_group_for_param(torch.ones(1)) is None
    other = pair(optimizer=torch.optim.Adam)
    other.low.load_state_dict(torch.load(tmp_path / "low.pt"))
    assert values(other.low) == before
    assert other.low.optimizer.state[other.low.module.weight]["step"] == 2


def test_groups_and_parameters_of_the_class_have_the_optimizer() -> None:
    class Grouped(ImplicitProblem):
        def training_step(self, batch: Any) -> Any:
            return self.module(torch.ones(1, 3, dtype=F64)).sum()

        def param_groups(self) -> Any:
            return [{"params": [self.module.weight], "lr": 0.5}, {"params": [self.module.bias]}]

    net = linear(0.0)
    sgd = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    one = Grouped("one", Config(), net, sgd, scheduler, [None])
    start = values(one)
    Engine([one], EngineConfig(train_iters=2)).run()
    close(values(one), [*(v - 0.75 for v in start[:3]), start[3] - 0.15])

    class Bias(ImplicitProblem):
        training_step = Grouped.training_step

        def trainable_parameters(self) -> Any:
            return [self.module.bias]

    net = linear(0.0)
    two = Bias("two", Config(), net, torch.optim.SGD(net.parameters(), 0.1), None, [None])
    Engine([two], EngineConfig(train_iters=2)).run()
    close(values(two), [*start[:3], start[3] - 0.2])


def test_optimizers_modules_schedulers_and_loaders_are_replaced_amid_a_run() -> None:
    engine = pair(run=EngineConfig(train_iters=1))
    engine.run()
    net = scalar(0.0)
    engine.low.set_module(net)
    engine.low.set_optimizer(torch.optim.SGD(net.parameters(), 0.2))
    engine.low.set_scheduler(torch.optim.lr_scheduler.StepLR(engine.low.optimizer, 1, 0.5))
    engine.low.set_train_data_loader(["new"])
    (x,) = values(engine.top)
    engine.train_step()
    close(net.weight, [[0.2 * 2 * x]])
    assert engine.low.cur_batch == "new"
    assert engine.low.optimizer.param_groups[0]["lr"] == 0.1


# Accumulation


def test_an_upper_problem_accumulates_over_the_solutions_of_its_turns() -> None:
    class Task(multilevel.Problem):
        def training_step(self, batch: Any) -> Any:
            return (self.params - batch * self.up.params).square() / 2

    class Meta(multilevel.Problem):
        def training_step(self, batch: Any) -> Any:
            return (self.task.params - 1).square() / 2

    tasks = [1.0, 2.0, 4.0]
    y = torch.zeros((), dtype=F64, requires_grad=True)
    x = torch.tensor(0.5, dtype=F64, requires_grad=True)
    task = Task(
        "task",
        multilevel.Config(diff=Implicit()),
        params=y,
        optimizer=torch.optim.SGD([y], 1.0),  # one step solves it
        train_data_loader=tasks,
    )
    config = multilevel.Config(gradient_accumulation=3, accumulate="turns")
    sgd = torch.optim.SGD([x], 0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(sgd, 3, 0.5)
    up = Meta("up", config, params=x, optimizer=sgd, scheduler=scheduler)
    edges = {"u2l": {up: [task]}, "l2u": {task: [up]}}
    engine = multilevel.Engine([up, task], multilevel.EngineConfig(train_iters=5), edges)
    engine.run()
    gradient = sum(a * (a * 0.5 - 1) for a in tasks) / 3
    close(x.detach(), 0.5 - 0.1 * gradient)  # after five turns, one step
    assert (up.count, sgd.param_groups[0]["lr"]) == (5, 0.05)


def test_a_run_resumes_amid_the_turns_of_a_step(tmp_path: Path) -> None:
    upper = Config(gradient_accumulation=3)
    runs = [pair(upper=upper, run=EngineConfig(train_iters=5)) for _ in range(2)]
    for engine in runs:
        engine.config.train_iters = 2
        engine.run()
        engine.save(tmp_path / "run.pt")
        engine.resume(tmp_path / "run.pt")
        engine.config.train_iters = 5
    straight = pair(upper=upper, run=EngineConfig(train_iters=5))
    for engine in (*runs, straight):
        engine.run()
    assert values(*runs[1].problems) == values(*straight.problems)
    assert values(straight.top) != [0.5]


# Growing series


class Quadratic(Low):
    """``a y^2 / 2 - x y``, whose response is ``1 / a``."""

    def training_step(self, batch: Any) -> Any:
        y, x = self.module.weight, self.top.module.weight
        return (self.curvature * y**2 / 2 - x * y).sum()


def response(curvature: float, dtype: torch.dtype = F64, **settings: Any) -> float:
    """Return the response that a mode finds, which the derivative of ``y`` is multiplied by."""

    class Linear(Top):
        def training_step(self, batch: Any) -> Any:
            return self.low.module.weight.sum()

    low = type("Low", (Quadratic,), {"curvature": curvature})
    engine = pair(Config(**settings), low=low, top=Linear)
    for problem in engine.problems:
        problem.module.to(dtype)
    engine.train_step()
    return float(engine.hypergradient("top")[0][0])


@pytest.mark.parametrize("dtype", [F64, torch.float32])
@pytest.mark.parametrize(
    ("curvature", "terms"), [(0.5, 30), (0.5, 1), (3.0, 57), (-2.0, 36), (30.0, 12)]
)
def test_a_neumann_series_has_all_its_terms(
    curvature: float, terms: int, dtype: torch.dtype
) -> None:
    """Also where it grows far beyond the rounding error of its first term."""
    found = response(curvature, dtype, type="neumann", neumann_iterations=terms)
    expected = sum((1 - Fraction(curvature)) ** k for k in range(terms + 1))
    assert found == pytest.approx(float(expected), rel=1e-5 if dtype == torch.float32 else 1e-12)


# Settings


def test_defaults_and_fields_are_betty_s() -> None:
    config, run = Config(), EngineConfig()
    assert (config.type, config.darts_alpha, config.scale) == ("darts", 0.01, "betty")
    assert (config.sama_adam_alpha, config.log_local_step) == (1.0, False)
    assert run.backend == ("nccl" if torch.cuda.is_available() else "gloo")
    assert Config(diff=Implicit()).type is None
    config.type = "cg"
    config.cg_iterations = 4
    run.train_iters = 7
    assert (config.type, config.cg_iterations, run.train_iters) == ("cg", 4, 7)
    with pytest.raises(ValueError, match="cg_iterations"):
        config.cg_iterations = 0
    with pytest.raises(ValueError, match="valid_step"):
        run.valid_step = 0


# The fields of Betty 0.2.1 in their order, each with another value than its default.
FIELDS: dict[Any, dict[str, Any]] = {
    Config: {
        "type": "cg", "unroll_steps": 2, "first_order": False, "retain_graph": True,
        "allow_unused": False, "gradient_accumulation": 3, "gradient_clipping": 0.5,
        "precision": "bf16", "initial_dynamic_scale": 2.0, "scale_factor": 4.0, "warmup_steps": 5,
        "log_step": 6, "log_local_step": True, "darts_alpha": 0.7, "darts_multitask": False,
        "sama_adam_alpha": 0.8, "sama_multitask": False, "neumann_iterations": 9,
        "neumann_alpha": 0.1, "cg_iterations": 11, "cg_alpha": 1.2,
    },
    EngineConfig: {
        "train_iters": 1, "valid_step": 2, "logger_type": "console", "roll_back": True,
        "backend": "gloo", "strategy": "distributed", "early_stopping": True,
        "early_stopping_mode": "max", "early_stopping_tolerance": 3, "early_stopping_metric": "acc",
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_may_be_passed_by_position_as_to_betty(kind: Any) -> None:
    config = kind(*FIELDS[kind].values())
    assert {name: getattr(config, name) for name in FIELDS[kind]} == FIELDS[kind]
    assert kind(**FIELDS[kind]) == config == replace(config) == eval(repr(config))
    assert list(signature(kind).parameters)[: len(FIELDS[kind])] == list(FIELDS[kind])
    with pytest.raises(TypeError, match="too many positional"):
        kind(*FIELDS[kind].values(), None)
    with pytest.raises(TypeError, match="positional"):  # here by name only
        getattr(multilevel, kind.__name__)(*FIELDS[kind].values())


@pytest.mark.parametrize(
    ("field", "value", "instead"),
    [
        ("darts_multitask", True, "on_inner_loop_start"),
        ("sama_multitask", True, "on_inner_loop_start"),
        ("fp16", True, 'precision="fp16"'),
    ],
)
def test_a_field_that_means_nothing_is_one_warning(field: str, value: Any, instead: str) -> None:
    with pytest.warns(TorchOptWarning, match=field) as caught:
        config = Config(**{field: value})
    (warning,) = caught
    assert instead in str(warning.message)
    assert config.precision == ("fp16" if field == "fp16" else "fp32")


@pytest.mark.parametrize(
    ("setting", "strategy", "instead"),
    [
        ({"strategy": "zero"}, "distributed", "fsdp"),
        ({"strategy": "accelerate"}, "default", "torchrun"),
        ({"distributed": True}, "default", "torchrun"),
    ],
)
def test_a_strategy_that_is_not_here_is_one_warning(
    setting: dict[str, Any], strategy: str, instead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.warns(TorchOptWarning, match=instead) as caught:
        config = EngineConfig(**setting)
    assert len(caught) == 1
    assert (config.strategy, config.distributed) == (strategy, False)


@pytest.mark.parametrize(
    "settings", [{"scale": "old"}, {"accumulate": "steps"}, {"type": "reinforce"}]
)
def test_an_unknown_word_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Config(**settings)


def test_both_ways_to_name_a_mode_are_refused() -> None:
    with pytest.raises(ValueError, match=r"both `type` \('cg'\) and `diff` name a differ"):
        Config(type="cg", diff=Implicit())
    with pytest.raises(TypeError, match="`diff` is a int: pass a differentiation mode"):
        Config(diff=3)  # type: ignore[arg-type]


# Helpers


def test_helpers_are_betty_s() -> None:
    p = nn.Parameter(torch.tensor([3.0, 4.0]))
    assert utils.get_weight_norm([p]) == utils.get_weight_norm(p) == 25.0
    assert utils.get_grad_norm([p]) == 0.0
    p.grad = torch.tensor([1.0, float("nan")])
    assert utils.get_grad_norm([p]) == -1.0
    assert utils.flatten_list([[1], [2, 3]]) == [1, 2, 3]
    assert utils.get_param_index(p, [torch.ones(2), p]) == 1
    assert utils.get_param_index(p, []) is None
    assert utils.count_parameters([p, p]) == 4
    assert utils.to_vec([p, p], alpha=2.0).tolist() == [6.0, 8.0, 6.0, 8.0]
    assert utils.log_from_loss_dict({"a": torch.tensor(1.5), "b": [2, 3]}) == (
        "a: 1.5 || b_0: 2 || b_1: 3"
    )
    assert utils.neg_with_none(None) is None
    assert torch.equal(utils.neg_with_none(p), -p)
    (zero,) = utils.replace_none_with_zero([None], [p])
    assert torch.equal(zero, torch.zeros(2))
    assert utils.convert_tensor("text") == "text"
    assert utils.convert_tensor(p, p.device) is p
    assert utils.get_dtype("bf16") is torch.bfloat16


@pytest.mark.parametrize("weighted", [False, True])
def test_loaders_of_processes_divide_the_batches(weighted: bool) -> None:
    data = TensorDataset(torch.arange(22.0))
    sampler = WeightedRandomSampler(torch.ones(22).tolist(), 22) if weighted else None
    torch.manual_seed(0)
    whole = DataLoader(data, batch_size=4, shuffle=None if weighted else True, sampler=sampler)
    for epoch in range(2):
        parts = []
        for rank in range(2):
            mine = get_distributed_data_loader(whole, world_size=2, rank=rank)
            assert len(mine) == 3
            mine.batch_sampler.set_epoch(epoch)
            parts.append([batch[0].tolist() for batch in mine])
        assert len(parts[0]) == len(parts[1]) == 3
        seen = [v for part in parts for batch in part for v in batch]
        assert weighted or len(seen) == len(set(seen))
        assert isinstance(mine.batch_sampler, DistributedBatchSampler)
    listed = [1, 2]
    assert get_distributed_data_loader(listed, 2, 0) is listed


def test_a_scheduler_is_made_again_for_another_optimizer() -> None:
    p = nn.Parameter(torch.ones(1))
    one, two = torch.optim.SGD([p], 0.4), torch.optim.SGD([p], 0.8)
    scheduler = torch.optim.lr_scheduler.LambdaLR(one, lambda k: 0.5**k)
    again = patch_scheduler(scheduler, two)
    two.step()
    again.step()
    assert (one.param_groups[0]["lr"], two.param_groups[0]["lr"]) == (0.4, 0.4)


def test_an_environment_makes_its_loader_and_moves_modules() -> None:
    class Loading(Env):
        train_data_loader = [1, 2]  # noqa: RUF012

    env = Loading()
    pair(env=env)
    assert env.train_data_loader == [1, 2]
    net = scalar(1.0)
    assert env.patch_module(net) is net
