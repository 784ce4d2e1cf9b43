"""Write what other libraries compute for the programs of `docs/coming-from`, and their names.

Nothing here imports the library. Each library is asked in an environment that has it:

    python tests/reference/make_other_libraries.py higher        # higher 0.2.1, PyTorch 2.13
    python tests/reference/make_other_libraries.py functorch     # that of PyTorch 2.13
    python tests/reference/make_other_libraries.py learn2learn SOURCE
    python tests/reference/make_other_libraries.py torchmeta SOURCE
    python tests/reference/make_other_libraries.py jax           # JAXopt 0.8.5, Optax 0.2.8

learn2learn 0.2.0 and Torchmeta 1.8.0 do not install beside a current PyTorch. SOURCE is the unpacked
package, of which the files that matter are imported without the package's `__init__`. Each call
replaces its libraries' entries in `other_libraries.json`.
"""

import importlib
import json
import sys
import types
from collections import OrderedDict
from pathlib import Path

FILE = Path(__file__).with_name("other_libraries.json")
sys.path.insert(0, str(Path(__file__).parents[1]))


def public(module):
    return sorted(
        name
        for name in dir(module)
        if not name.startswith("_") and name not in ("warnings", "torch")
    )


def flat(tensors):
    return [t.detach().double().flatten().tolist() for t in tensors]


def package(name, path):
    """Put a package into `sys.modules` without running its `__init__`."""
    module = types.ModuleType(name)
    module.__path__ = [str(path)]
    sys.modules[name] = module
    return module


def higher_values():
    import higher
    import torch

    from _few_shot import loss_fn, network, tasks

    def run(make, *, trained=0, step=lambda diffopt, loss, t: diffopt.step(loss), **options):
        net = network()
        optimizer = make(net.parameters())
        for _ in range(trained):
            optimizer.zero_grad()
            loss_fn(net, *tasks()[0][0]).backward()
            optimizer.step()
        optimizer.zero_grad()
        losses, starts, middles = [], [], []
        for support, query in tasks():
            with higher.innerloop_ctx(net, optimizer, **options) as (fnet, diffopt):
                for t in range(3):
                    step(diffopt, loss_fn(fnet, *support), t)
                loss = loss_fn(fnet, *query)
                losses.append(loss.item())
                if options["copy_initial_weights"]:
                    initial = list(fnet.parameters(time=0))
                    starts.append(flat(torch.autograd.grad(loss, initial, retain_graph=True)))
                    middles.append(flat(fnet.parameters(time=1)))
                else:
                    loss.backward()
        gradients = [p.grad for p in net.parameters() if p.grad is not None]
        values = {"losses": losses, "gradients": flat(gradients)}
        return {**values, "time=0": starts, "time=1": middles} if starts else values

    def momentum(params):
        return torch.optim.SGD(params, lr=0.1, momentum=0.9)

    def adam(params):
        return torch.optim.Adam(params, lr=0.05)

    def clip(gradients):
        norm = torch.cat([g.flatten() for g in gradients]).norm()
        return [g * (0.5 / (norm + 1e-6)).clamp(max=1.0) for g in gradients]

    own = {"copy_initial_weights": False}
    rates = torch.tensor([0.1, 0.2, 0.05], dtype=torch.float64, requires_grad=True)
    scheduled = run(
        momentum, step=lambda d, loss, t: d.step(loss, override={"lr": [rates[t]]}), **own
    )
    return {
        "higher": {
            "names": [
                *(name for name in public(higher) if name not in ("optim", "patch", "utils")),
                *(f"optim.{name}" for name in public(higher.optim)),
                *(f"patch.{name}" for name in public(higher.patch)),
                *(f"utils.{name}" for name in public(higher.utils)),
                *(
                    f"fnet.{name}"
                    for name in public(higher.patch._MonkeyPatchBase)
                    if not hasattr(torch.nn.Module, name)
                ),
                *("fnet.parameters", "fnet.update_params", "diffopt.step"),
            ],
            "momentum": run(momentum, **own),
            "trained": run(momentum, trained=2, **own),
            "adam": run(adam, **own),
            "override": {**scheduled, "rates": flat([rates.grad])[0]},
            "grad_callback": run(
                momentum, step=lambda d, loss, t: d.step(loss, grad_callback=clip), **own
            ),
            "copied": run(momentum, copy_initial_weights=True),
        }
    }


def learn2learn_values(source):
    from _few_shot import loss_fn, network, tasks

    sys.modules["pytorch_lightning"] = types.SimpleNamespace(LightningDataModule=object)
    sys.modules.setdefault("tqdm", types.ModuleType("tqdm"))
    l2l = package("learn2learn", source)
    package("learn2learn.algorithms", f"{source}/algorithms")
    l2l.nn = package("learn2learn.nn", f"{source}/nn")
    utils = importlib.import_module("learn2learn.utils")
    for name in ("clone_module", "update_module"):
        setattr(l2l, name, getattr(utils, name))
    l2l.nn.KroneckerLinear = None
    l2l.optim = importlib.import_module("learn2learn.optim")
    maml, meta_sgd, gbml = (
        importlib.import_module(f"learn2learn.algorithms.{name}")
        for name in ("maml", "meta_sgd", "gbml")
    )
    scale = importlib.import_module("learn2learn.nn.misc").Scale

    def run(algorithm):
        losses = []
        for support, query in tasks():
            learner = algorithm.clone()
            for _ in range(3):
                learner.adapt(loss_fn(learner, *support))
            loss = loss_fn(learner, *query)
            loss.backward()
            losses.append(loss.item())
        net = algorithm.module
        values = {
            "losses": losses,
            "gradients": flat(p.grad for p in net.parameters()),
            "buffers": flat(net.buffers()),
        }
        own = {id(p) for p in net.parameters()}
        learned = [p.grad for p in algorithm.parameters() if id(p) not in own]
        return {**values, "learned": flat(learned)} if learned else values

    def general(**options):
        return gbml.GBML(network(), lambda p: scale(p.shape, alpha=0.5).double(), lr=0.2, **options)

    return {
        "learn2learn": {
            "names": [
                *(f"algorithms.{n}" for n in ("MAML", "maml_update", "MetaSGD", "meta_sgd_update")),
                *(
                    "algorithms.GBML",
                    "algorithms.BaseLearner",
                    "algorithms.LightningEpisodicModule",
                ),
                *("algorithms.LightningMAML", "algorithms.LightningANIL"),
                *("algorithms.LightningPrototypicalNetworks", "algorithms.LightningMetaOptNet"),
                *(
                    f"optim.{name}"
                    for name in public(l2l.optim)
                    if isinstance(getattr(l2l.optim, name), type)
                ),
                *(
                    name
                    for name in public(utils)
                    if getattr(getattr(utils, name), "__module__", "") == "learn2learn.utils"
                ),
                *("data", "gym", "nn", "text", "vision"),
            ],
            "MAML": run(maml.MAML(network(), lr=0.1)),
            "first_order": run(maml.MAML(network(), lr=0.1, first_order=True)),
            "MetaSGD": run(meta_sgd.MetaSGD(network(), lr=0.1)),
            "GBML": run(general()),
            "GBML adapted": run(general(adapt_transform=True)),
        }
    }


def torchmeta_values(source):
    import torch
    from torch import nn

    from _few_shot import network, tasks

    package("torchmeta", source)
    package("torchmeta.utils", f"{source}/utils")
    modules = importlib.import_module("torchmeta.modules")
    based = importlib.import_module("torchmeta.utils.gradient_based")
    plain = network()
    model = modules.MetaSequential(
        modules.MetaLinear(2, 4, bias=False),
        modules.MetaBatchNorm1d(4),
        nn.Tanh(),
        modules.MetaLinear(4, 1),
    ).double()
    model.load_state_dict(plain.state_dict())
    step_size = OrderedDict(
        (name, torch.full_like(p, 0.1, requires_grad=True)) for name, p in model.named_parameters()
    )
    losses = []
    for (x, y), (query_x, query_y) in tasks():
        params = None
        for _ in range(3):
            loss = nn.functional.mse_loss(model(x, params=params), y)
            params = based.gradient_update_parameters(model, loss, params, step_size)
        loss = nn.functional.mse_loss(model(query_x, params=params), query_y)
        loss.backward()
        losses.append(loss.item())
    return {
        "torchmeta": {
            "names": [
                *(f"modules.{name}" for name in modules.__all__),
                *("utils.gradient_update_parameters", "utils.data", "utils.hardness_metric"),
                *("utils.get_num_samples", "utils.get_prototypes", "utils.prototypical_loss"),
                *("utils.pairwise_cosine_similarity", "utils.matching_log_probas"),
                *("utils.matching_probas", "utils.matching_loss", "utils.ridge_regression"),
                *("datasets", "toy", "transforms"),
            ],
            "gradient_update_parameters": {
                "losses": losses,
                "gradients": flat(p.grad for p in model.parameters()),
                "step_size": flat(rate.grad for rate in step_size.values()),
                "buffers": flat(model.buffers()),
            },
        }
    }


def functorch_values():
    import functorch

    return {"functorch": {"names": public(functorch)}}


def jax_values():
    import jax
    import jaxopt
    import optax

    jax.config.update("jax_enable_x64", True)
    schedule = optax.cosine_decay_schedule(0.1, decay_steps=10)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
    params = {"w": jax.numpy.array([1.0, -2.0]), "b": jax.numpy.array(3.0)}
    state = tx.init(params)
    for _ in range(3):
        grads = jax.grad(lambda params: (params["w"] ** 4).sum() + params["b"] ** 2)(params)
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)

    def inside(*modules):
        return [f"{m}.{name}" for m in modules for name in public(getattr(jaxopt, m))]

    parts = ("implicit_diff", "linear_solve", "tree_util")
    top = [name for name in public(jaxopt) if name not in parts]
    names = [name for name in inside(*parts) if not name.endswith((".jax", ".jnp"))]
    trained = {name: p.tolist() for name, p in params.items()}
    return {"jaxopt": {"names": top + names}, "optax": {"names": public(optax), "chain": trained}}


if __name__ == "__main__":
    which, *source = sys.argv[1:]
    found = json.loads(FILE.read_text()) if FILE.exists() else {}
    found.update(globals()[f"{which}_values"](*source))
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
