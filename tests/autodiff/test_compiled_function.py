"""A compiled function does what `torch.compile` does, without that around each call."""

import types

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchopt.autodiff.compiled_function import CompiledFunction

pytestmark = pytest.mark.compiled

FACTOR = 2.0


def times_factor(x):
    return FACTOR * x.sin()


class Compiled:
    """A compiled function, how often it was traced, and whether `torch.compile` may be asked."""

    def __init__(self, function=times_factor):
        code = function.__code__.replace()
        self.traced = 0
        self.function = CompiledFunction(
            types.FunctionType(code, globals()), fullgraph=True, dynamic=False, backend=self.backend
        )

    def backend(self, graph, inputs):
        self.traced += 1
        return graph

    def __call__(self, *args):
        return self.function(*args)

    def forbid(self, monkeypatch):
        """Let `torch.compile` be asked for nothing more."""
        monkeypatch.setattr(self.function, "_compiled", lambda *args: pytest.fail("asked"))


def test_a_version_is_called_without_torch_compile(monkeypatch):
    compiled = Compiled()
    vector, matrix = torch.linspace(0, 1, 3), torch.ones(2, 2)
    for x in (vector, matrix):
        torch.testing.assert_close(compiled(x), 2 * x.sin())
    assert compiled.traced == 2
    compiled.forbid(monkeypatch)
    for x in (matrix, vector + 1):
        torch.testing.assert_close(compiled(x), 2 * x.sin())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda x: x.double(), id="dtype"),
        pytest.param(lambda x: x.requires_grad_(), id="requires_grad"),
        pytest.param(lambda x: x[:2], id="shape"),
        pytest.param(lambda x: torch.nn.Parameter(x), id="class"),
        pytest.param(lambda x: x.repeat_interleave(2)[::2], id="strides"),
    ],
)
def test_other_inputs_need_another_version(change):
    compiled = Compiled()
    x = torch.linspace(0, 1, 3)
    compiled(x)
    y = change(x.clone())
    torch.testing.assert_close(compiled(y), 2 * y.sin())
    assert compiled.traced == 2


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(torch.no_grad, id="no_grad"),
        pytest.param(torch.inference_mode, id="inference_mode"),
        pytest.param(lambda: torch.autocast("cpu", torch.bfloat16), id="autocast"),
        pytest.param(lambda: torch.device("meta"), id="default device"),
        pytest.param(torch.overrides.BaseTorchFunctionMode, id="a mode"),
    ],
)
def test_other_settings_need_another_version(setting):
    compiled = Compiled()
    x = torch.linspace(0, 1, 3)
    compiled(x)
    with setting():
        torch.testing.assert_close(compiled(x), 2 * x.sin())
    assert compiled.traced == 2
    compiled(x)
    assert compiled.traced == 2


def test_a_change_of_what_is_read_is_noticed(monkeypatch):
    compiled = Compiled()
    x = torch.linspace(0, 1, 3)
    compiled(x)
    monkeypatch.setitem(compiled.function._globals, "FACTOR", 3.0)
    torch.testing.assert_close(compiled(x), 3 * x.sin())


def test_a_reset_forgets_the_versions():
    compiled = Compiled()
    x = torch.ones(2)
    compiled(x)
    torch.compiler.reset()
    compiled(x)
    assert compiled.traced == 2


def test_a_stance_is_kept():
    ran = []

    def function(x):
        if not torch.compiler.is_compiling():
            ran.append("eagerly")
        return x.sin()

    compiled = CompiledFunction(function, backend="eager")
    x = torch.ones(2)
    with torch.compiler.set_stance("force_eager"):
        compiled(x)
    before = len(ran)
    assert before
    compiled(x)
    with torch.compiler.set_stance("force_eager"):
        torch.testing.assert_close(compiled(x), x.sin())
    assert len(ran) == before + 1
    with torch.compiler.set_stance("default", force_backend=lambda graph, _: lambda *_: (0 * x,)):
        torch.testing.assert_close(compiled(x), 0 * x)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize(
    "trace", [lambda f, x: torch.jit.trace(f, (x,)), lambda f, x: make_fx(f)(x)], ids=["jit", "fx"]
)
def test_what_torch_compile_refuses_is_refused(trace):
    compiled = Compiled()
    x = torch.ones(2)
    compiled(x)
    with pytest.raises(RuntimeError, match="Detected that you are using FX to"):
        trace(lambda x: compiled(x), x)


def test_a_call_between_compiled_graphs_is_right():
    compiled = Compiled()

    @torch.compiler.disable(recursive=False)
    def between(x):
        return compiled(x)

    outer = torch.compile(lambda x: between(x + 1) + 1, backend="eager")
    x = torch.ones(2)
    compiled(x)
    for _ in range(3):
        torch.testing.assert_close(outer(x), 2 * (x + 1).sin() + 1)


def test_an_error_of_the_function_leaves_it_usable():
    def function(x):
        return 2 * x.sin() if len(x) > 1 else x.nothing_like_this

    compiled = Compiled(function)
    for _ in range(2):
        with pytest.raises(torch._dynamo.exc.TorchDynamoException, match="nothing_like_this"):
            compiled(torch.ones(1))
        torch.testing.assert_close(compiled(torch.ones(2)), 2 * torch.ones(2).sin())
