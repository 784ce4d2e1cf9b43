"""Programs that differentiate through optimization, and what is known about each.

A program says when a phase has ended, for which ``torch.autograd.grad`` is watched, too; `Marks` turns
that into the true phase of each node by the numbers that PyTorch gives to nodes.
"""

import contextlib
import itertools
from unittest import mock

import torch
from torch import nn
from torch.func import functional_call

import torchopt

F = nn.functional


class Marks:
    """What was being done when a node was made."""

    def __init__(self):
        self.ends = []  # (first number after it, step, phase)
        self.step = 1

    def __call__(self, phase, step=None):
        now = torch._C._autograd._get_sequence_nr()
        self.ends.append((now, self.step if step is None else step, phase))

    def end_step(self):
        self("update")
        self.step += 1

    @contextlib.contextmanager
    def watching(self):
        original = torch.autograd.grad

        def grad(*args, **kwargs):
            self("loss")
            try:
                return original(*args, **kwargs)
            finally:
                self("gradient")

        with mock.patch("torch.autograd.grad", grad):
            yield self

    def of(self, number):
        for end, step, phase in self.ends:
            if number < end:
                return step, phase
        return None, "outer"


def mlp(width=8, act=nn.Tanh, sizes=(3, 8, 8, 2)):
    torch.manual_seed(0)
    layers = []
    for a, b in itertools.pairwise(sizes):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers[:-1]).double()


def data(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.q, self.k, self.v, self.o = (nn.Linear(4, 4) for _ in range(5))
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        h = self.embed(x)
        for _ in range(2):
            n = self.norm(h)
            weights = torch.softmax(self.q(n) @ self.k(n).transpose(-1, -2) / 2, -1)
            h = h + self.o(weights @ self.v(n))
        return h.mean(1)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(torch.sigmoid(self.a(x)))


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, 3, 3), nn.Conv2d(3, 2, 3)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(F.max_pool2d(F.relu(self.b(F.relu(self.a(x)))), 1).flatten(1))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.out = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x):
        h = x + torch.relu(self.a(x))
        h = h + torch.relu(self.b(h))
        return self.out(h)


def _task(kind):
    torch.manual_seed(0)
    labels = torch.tensor([0, 1, 1, 0, 1])
    if kind == "mlp":
        return mlp(), data(5, 3), data(5, 2, seed=2), F.mse_loss
    if kind == "relu":
        return mlp(act=nn.ReLU), data(5, 3), labels, F.cross_entropy
    if kind == "nobias":
        net = nn.Linear(3, 2, bias=False).double()
        return net, data(5, 3), data(5, 2, seed=2), lambda p, y: ((p - y) ** 2).mean()
    if kind == "logits":
        return mlp(), data(5, 3), labels, F.cross_entropy
    if kind == "nll":
        return mlp(), data(5, 3), labels, lambda p, y: -torch.log_softmax(p, 1)[range(5), y].mean()
    if kind == "bce":
        sizes = (3, 4, 1)
        target = labels[:, None].double()
        return mlp(sizes=sizes), data(5, 3), target, F.binary_cross_entropy_with_logits
    if kind == "conv":
        return Conv().double(), data(4, 1, 6, 6), torch.tensor([0, 2, 1, 0]), F.cross_entropy
    if kind == "gru":
        torch.manual_seed(0)
        return _Gru().double(), data(4, 3, 2), data(4, 2, seed=2), F.mse_loss
    if kind == "attention":
        return Attention().double(), data(3, 4, 4), data(3, 4, seed=2), F.mse_loss
    if kind == "transformer":
        layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True)
        return layer.double(), data(3, 4, 4), data(3, 4, 4, seed=2), F.mse_loss
    if kind == "tied":
        return Tied().double(), data(5, 3), data(5, 3, seed=2), F.mse_loss
    if kind == "residual":
        return Residual().double(), data(5, 3), data(5, 2, seed=2), F.mse_loss
    raise ValueError(kind)


class _Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRUCell(2, 4), nn.Linear(4, 2)

    def forward(self, x):
        h = torch.zeros(x.shape[0], 4, dtype=x.dtype)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return self.out(h)


NETS = [
    *("mlp", "relu", "nobias", "logits", "nll", "bce", "conv"),
    *("gru", "attention", "transformer", "tied", "residual"),
]


def sgd(p, g, state, t):
    return {k: p[k] - 0.1 * g[k] for k in p}, state


def sgd_decay(p, g, state, t):
    return {k: p[k] - 0.1 * (g[k] + 0.01 * p[k]) for k in p}, state


def momentum(p, g, state, t):
    state = {k: g[k] if state is None else 0.9 * state[k] + g[k] for k in p}
    return {k: p[k] - 0.1 * state[k] for k in p}, state


def adam(p, g, state, t):
    m, v = state or ({k: torch.zeros_like(w) for k, w in p.items()},) * 2
    m = {k: 0.9 * m[k] + 0.1 * g[k] for k in p}
    v = {k: 0.999 * v[k] + 0.001 * g[k] * g[k] for k in p}
    new = {
        k: p[k] - 0.01 * (m[k] / (1 - 0.9**t)) / ((v[k] / (1 - 0.999**t) + 1e-12).sqrt() + 1e-8)
        for k in p
    }
    return new, (m, v)


def adam_each(p, g, state, t):
    """Parameter by parameter, as a loop is usually written."""
    state, new = dict(state or {}), {}
    for k in p:
        m, v = state.get(k, (0.0, 0.0))
        m = 0.9 * m + 0.1 * g[k]
        v = 0.999 * v + 0.001 * g[k].square()
        state[k] = m, v
        new[k] = p[k] - 0.01 * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t) + 1e-12).sqrt() + 1e-8)
    return new, state


def clipped(p, g, state, t):
    norm = torch.stack([q.square().sum() for q in g.values()]).sum().sqrt()
    return {k: p[k] - 0.1 * (g[k] / (norm + 1e-6)) for k in p}, state


OPTIMIZERS = {f.__name__: f for f in (sgd, sgd_decay, momentum, adam, adam_each, clipped)}


def maml(mark, net="mlp", optimizer="sgd", steps=2, keep_loss=False, outer=True):
    """MAML, written by hand."""
    module, x, y, criterion = _task(net)
    p = dict(module.named_parameters())
    state, losses = None, []
    for t in range(steps):
        loss = criterion(functional_call(module, p, x), y)
        g = dict(
            zip(p, torch.autograd.grad(loss, list(p.values()), create_graph=True), strict=True)
        )
        p, state = OPTIMIZERS[optimizer](p, g, state, t + 1)
        mark.end_step()
        losses.append(loss)
    if not outer:
        return list(p.values())
    query = criterion(functional_call(module, p, x + 0.5), y)
    return query + sum(losses) if keep_loss else query


def learned_rates(mark, net="mlp", steps=3):
    """MetaSGD of Li et al.: a learning rate for each tensor, learned in logarithms."""
    module, x, y, criterion = _task(net)
    p = dict(module.named_parameters())
    rates = {k: torch.tensor(-2.0, dtype=torch.float64, requires_grad=True) for k in p}
    for _ in range(steps):
        loss = criterion(functional_call(module, p, x), y)
        g = torch.autograd.grad(loss, list(p.values()), create_graph=True)
        p = {k: p[k] - rates[k].exp() * q for k, q in zip(p, g, strict=True)}
        mark.end_step()
    return criterion(functional_call(module, p, x + 0.5), y)


def meta_optimizer(mark, which="MetaSGD", net="mlp", steps=2, **options):
    module, x, y, criterion = _task(net)
    opt = getattr(torchopt.optim, which)(module, lr=0.1, **options)
    for _ in range(steps):
        opt.step(criterion(module(x), y))
        mark.end_step()
    return criterion(module(x + 0.5), y)


def functional(mark, net="mlp", steps=3):
    """The functional Adam with ``apply_updates``."""
    module, x, y, criterion = _task(net)
    opt = torchopt.adam(lr=0.1)
    p = dict(module.named_parameters())
    state = opt.init(p)
    for _ in range(steps):
        loss = criterion(functional_call(module, p, x), y)
        g = torch.autograd.grad(loss, list(p.values()), create_graph=True)
        updates, state = opt.update(dict(zip(p, g, strict=True)), state, inplace=False)
        p = torchopt.apply_updates(p, updates, inplace=False)
        mark.end_step()
    return criterion(functional_call(module, p, x + 0.5), y)


def minimize(mark, net="mlp", steps=3, memory="graph"):
    module, x, y, criterion = _task(net)
    scale = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)

    def objective(p):
        return criterion(functional_call(module, p, x), y) * scale

    start = dict(module.named_parameters())
    diff = torchopt.diff.Explicit(memory=memory)
    p = torchopt.minimize(
        objective, start, solver=torchopt.adam(0.1), steps=steps, diff=diff
    ).params
    return criterion(functional_call(module, p, x + 0.5), y)


def reweighting(mark, steps=2):
    """Ren et al.: a weight for each example, one step at a time."""
    net = mlp()
    x, y = data(5, 3), data(5, 2, seed=2)
    weights = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    p = dict(net.named_parameters())
    normal = torch.softmax(weights, 0)
    for _ in range(steps):
        each = (functional_call(net, p, x) - y).square().sum(1)
        loss = (normal * each).sum()
        g = torch.autograd.grad(loss, list(p.values()), create_graph=True)
        p = {k: w - 0.1 * q for (k, w), q in zip(p.items(), g, strict=True)}
        mark.end_step()
    return F.mse_loss(functional_call(net, p, x + 0.5), y)


def quadratic(mark, steps=3, rate=0.1):
    """The least there can be: one parameter, elementwise throughout."""
    phi = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    for _ in range(steps):
        loss = 0.5 * ((w - phi) ** 2).sum()
        (g,) = torch.autograd.grad(loss, w, create_graph=True)
        w = w - rate * g
        mark.end_step()
    return (w**2).sum()


def power(mark, steps=3, rate=0.01):
    """Of the loss nothing is read: the gradient is a power of the parameter."""
    w = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    rate = torch.tensor(rate, dtype=torch.float64, requires_grad=True)
    for _ in range(steps):
        (g,) = torch.autograd.grad((w**4).sum(), w, create_graph=True)
        w = w - rate * g
        mark.end_step()
    return (w**2).sum()


def players(mark, steps=2, alternating=True):
    """Two players of different sizes, in turns or at once."""
    a, b = mlp(sizes=(2, 3, 2)), mlp(sizes=(2, 1))
    x, z = data(6, 2), data(6, 2, seed=2)
    p, q = dict(a.named_parameters()), dict(b.named_parameters())
    for _ in range(steps):
        fake = functional_call(a, p, z)
        loss = F.softplus(-functional_call(b, q, x)).mean()
        loss = loss + F.softplus(functional_call(b, q, fake)).mean()
        g = torch.autograd.grad(loss, list(q.values()), create_graph=True)
        new = {k: w - 0.1 * d for (k, w), d in zip(q.items(), g, strict=True)}
        critic = new if alternating else q
        loss = F.softplus(-functional_call(b, critic, functional_call(a, p, z))).mean()
        g = torch.autograd.grad(loss, list(p.values()), create_graph=True)
        p = {k: w - 0.1 * d for (k, w), d in zip(p.items(), g, strict=True)}
        q = new
    return functional_call(b, q, functional_call(a, p, z)).mean()


def batched(mark, steps=2):
    """A batch of tasks by ``torch.func``, from one start."""
    net = mlp()
    start = dict(net.named_parameters())

    def task(x, y):
        p = start
        for _ in range(steps):
            g = torch.func.grad(lambda p: F.mse_loss(functional_call(net, p, x), y))(p)
            p = {k: p[k] - 0.1 * g[k] for k in p}
        return F.mse_loss(functional_call(net, p, x + 0.5), y)

    return torch.func.vmap(task)(data(4, 5, 3), data(4, 5, 2, seed=2)).mean()


def levels(mark):
    """Three levels by calls of ``minimize``."""
    from examples.graph import trilevel

    torch.manual_seed(0)
    return trilevel().loss


def from_constants(mark, steps=4):
    """A start that requires no gradient."""
    phi = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    done = torchopt.minimize(
        lambda w, phi: ((w - phi.sin()) ** 4).sum(),
        torch.zeros(2, dtype=torch.float64),
        (phi,),
        solver=torchopt.adam(0.1),
        steps=steps,
    )
    return (done.params**2).sum()


def tasks(mark, count=2, steps=2, lockstep=False, gathered=False):
    """Several inner problems from one start."""
    net = mlp()
    start = dict(net.named_parameters())
    xs = [data(5, 3, seed=s) for s in range(count)]
    ys = [data(5, 2, seed=10 + s) for s in range(count)]
    ps = [start] * count

    def step(i):
        loss = F.mse_loss(functional_call(net, ps[i], xs[i]), ys[i])
        g = torch.autograd.grad(loss, list(ps[i].values()), create_graph=True)
        ps[i] = {k: w - 0.1 * q for (k, w), q in zip(ps[i].items(), g, strict=True)}
        mark.end_step()

    outer = []
    order = [(i, t) for i in range(count) for t in range(steps)]
    if lockstep:
        order = [(i, t) for t in range(steps) for i in range(count)]
    for i, t in order:
        mark.step = t + 1
        step(i)
        if t == steps - 1 and not gathered:
            outer.append(F.mse_loss(functional_call(net, ps[i], xs[i] + 0.5), ys[i]))
            mark("outer", None)
    if gathered:
        outer = [
            F.mse_loss(functional_call(net, p, x + 0.5), y)
            for p, x, y in zip(ps, xs, ys, strict=True)
        ]
    return torch.stack(outer).mean()


def implicit(mark):
    """A solution differentiated by its conditions: there are no steps."""
    phi = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)

    @torchopt.compat.custom_root(lambda w, phi: w - phi.sin())
    def solve(w, phi):
        return phi.detach().sin()

    return (solve(torch.zeros(2, dtype=torch.float64), phi) ** 2).sum()


def implicit_mode(mark):
    phi = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    done = torchopt.minimize(
        lambda w, phi: ((w - phi.sin()) ** 2).sum(),
        torch.zeros(2, dtype=torch.float64),
        args=(phi,),
        solver=torchopt.sgd(0.25),
        steps=20,
        diff=torchopt.diff.Implicit(),
    )
    return (done.params**2).sum()


def trilevel(mark, outer_steps=2, inner_steps=3):
    """Steps inside the loss of steps."""
    phi = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    u = torch.tensor([0.5, -0.5], dtype=torch.float64, requires_grad=True)
    start = torch.tensor([0.2, 0.1], dtype=torch.float64, requires_grad=True)
    for _ in range(outer_steps):
        w = start.clone()
        for _ in range(inner_steps):
            inner = ((w - u) ** 2).sum() + 0.1 * (w**4).sum()
            (g,) = torch.autograd.grad(inner, w, create_graph=True)
            w = w - 0.1 * g
        middle = ((w - phi) ** 2).sum() + 0.1 * (u**2).sum()
        (h,) = torch.autograd.grad(middle, u, create_graph=True)
        u = u - 0.1 * h
    return (u**2).sum() + (w * phi).sum()


def plain(mark, net="mlp"):
    """No optimization at all."""
    module, x, y, criterion = _task(net)
    return criterion(module(x), y)


def functorch(mark, net="mlp", steps=2):
    """Inner gradients by ``torch.func.grad``."""
    module, x, y, criterion = _task(net)
    p = dict(module.named_parameters())
    for _ in range(steps):
        g = torch.func.grad(lambda p: criterion(functional_call(module, p, x), y))(p)
        p = {k: p[k] - 0.1 * g[k] for k in p}
        mark.end_step()
    return criterion(functional_call(module, p, x + 0.5), y)


def hypernetwork(mark, steps=2):
    """The start is computed."""
    z = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
    make = nn.Linear(2, 6).double()
    x, y = data(5, 3), data(5, 2, seed=2)
    w = torch.tanh(make(z)).view(2, 3)
    for _ in range(steps):
        loss = F.mse_loss(torch.sigmoid(x @ w.T), y)
        (g,) = torch.autograd.grad(loss, w, create_graph=True)
        w = w - 0.1 * g
        mark.end_step()
    return F.mse_loss(torch.sigmoid(x.flip(0) @ w.T), y)
