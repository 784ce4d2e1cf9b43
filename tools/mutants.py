"""Plant small faults in the trunk, one at a time, and print which test notices each.

The faults are planted in a copy of the tree; the checkout is left alone. A test counts as noticing a
fault if it fails with the fault and passes without. Exits with 1 if a fault is noticed by nothing. Who
rewrites a line that has a fault moves the fault to the new line: ``tests/test_mutants.py`` says where
one has lost its text. Usage::

    python tools/mutants.py --quick          # only the tests that each fault names
    python tools/mutants.py --all            # then those of `make test`, if these notice nothing
    python tools/mutants.py --quick operators/ checkpoints  # faults whose file or reason has a word
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src", "torchopt")
_LIMIT = 900  # seconds, after which a fault counts as noticed: something hangs


class Mutant(NamedTuple):
    """A fault.

    Attributes:
        file: The file, in ``src/torchopt``.
        old: A text that is there once.
        new: What takes its place.
        reason: What is wrong then.
        tests: The tests to try first, in ``tests``.
    """

    file: str
    old: str
    new: str
    reason: str
    tests: str


MUTANTS = [
    # Formulas.
    Mutant(
        "formula/_math.py",
        "return decay * old + (1 - decay) * new",
        "return decay * old + (1 + decay) * new",
        "a running mean has a sign wrong",
        "formula",
    ),
    Mutant(
        "formula/optimizers.py",
        "nu_max = nu_max.maximum(nu)",
        "nu_max = nu.maximum(nu)",
        "AMSGrad forgets the largest second moment",
        "formula optimizers/test_against_torch.py",
    ),
    Mutant(
        "formula/optimizers.py",
        "return g + momentum * buffer, buffer",
        "return g - momentum * buffer, buffer",
        "Nesterov's momentum looks back",
        "formula optimizers/test_against_torch.py",
    ),
    Mutant(
        "formula/optimizers.py",
        "adaptive = r * c2**0.5 /",
        "adaptive = r * c2 /",
        "RAdam's bias correction lacks an exponent",
        "formula optimizers/test_against_torch.py",
    ),
    Mutant(
        "formula/_graph.py",
        "return share, -(share * x)",
        "return share, -share",
        "the derivative of a quotient by its denominator lacks a factor",
        "ops/test_graph.py ops/test_kernels.py",
    ),
    Mutant(
        "formula/_graph.py",
        "share = (a[0] == a[1]).select(0.5 * c, c)",
        "share = c",
        "the derivative of a maximum counts a tie twice",
        "ops/test_graph.py ops/test_kernels.py ops/test_function.py",
    ),
    Mutant(
        "formula/_graph.py",
        "sums=back.sums[count:],",
        "sums=back.sums[:count],",
        "the tangents of sums are gradients by scalars",
        "ops/test_graph.py ops/test_kernels.py ops/test_function.py",
    ),
    Mutant(
        "formula/_chain.py",
        "at += part.slots",
        "at += 1",
        "a rule of a chain reads the slots of the one before",
        "ops/test_update.py formula transform/test_fused.py",
    ),
    # Kernels as nodes of the graph.
    Mutant(
        "ops/function.py",
        "        increment_version(out)  # autograd",
        "        pass  # autograd",
        "what a kernel overwrites counts as unchanged",
        "transform/test_inplace.py ops/test_update.py ops/test_function.py",
    ),
    Mutant(
        "ops/function.py",
        "kept = how.kept if len(tensors) == how.size else how.kept_with_scalars",
        "kept = how.kept",
        "what only derivatives by scalars read is not kept",
        "ops/test_function.py transform/test_gradients.py",
    ),
    # Transformations.
    Mutant(
        "transform/hyperparameters.py",
        "if count is None or (skip and g is None):",
        "if count is None or g is None:",
        "counters of all updates skip leaves without a gradient",
        "transform/test_transforms.py",
    ),
    Mutant(
        "transform/hyperparameters.py",
        "advanced[id(count)] = count + 1",
        "advanced[id(count)] = count + 2",
        "a counter is off by one",
        "transform/test_transforms.py",
    ),
    Mutant(
        "transform/hyperparameters.py",
        'if count.device.type == "mps" else',
        'if count.device.type == "cpu" else',
        "bias corrections are computed in float32",
        "transform/test_transforms.py optimizers/test_against_torch.py "
        "transform/test_half_precision.py",
    ),
    Mutant(
        "transform/hyperparameters.py",
        "if v is not last_schedule or counts[index] is not last_count:",
        "if v is not last_schedule:",
        "a schedule's value for one counter is that of another",
        "transform/test_transforms.py transform/test_wrappers.py",
    ),
    Mutant(
        "transform/chaining.py",
        "grad = pytree.map_leaves(torch.clone, updates) if inplace else updates",
        "grad = updates",
        "the gradient that a chain hands on is overwritten",
        "transform/test_extra_args.py transform/test_inplace.py",
    ),
    Mutant(
        "transform/_prepare.py",
        "for x in leaves\n        if x.numel()",
        "for x in leaves[:1]\n        if x.numel()",
        "the unit of a sum over leaves is that of the first",
        "transform/test_transform_scales.py transform/test_own_rules.py",
    ),
    Mutant(
        "transform/_step.py",
        "if not rule.fits(state):",
        "if False:",
        "what the state of an optimizer with other hyperparameters lacks is not made",
        "optimizers/test_resuming.py",
    ),
    Mutant(
        "transform/_pass.py",
        "if inplace and len(heads) == 2:",
        "if not inplace and len(heads) == 2:",
        "parameters are constants where they are to be differentiated",
        "transform/test_gradients.py",
    ),
    # What autodiff does.
    Mutant(
        "autodiff/half.py",
        "t = torch.where(vanishes | overflows,",
        "t = torch.where(overflows,",
        "a second moment in half precision vanishes",
        "transform/test_half_precision.py",
    ),
    Mutant(
        "autodiff/loops.py",
        "select(going, advance(before), before)",
        "advance(before)",
        "a problem of a batch that has stopped moves on",
        "autodiff/test_loops.py solver/test_properties.py",
    ),
    Mutant(
        "autodiff/loops.py",
        "(1 if single else going)",
        "1",
        "the steps of a problem that has stopped are counted",
        "solver/test_properties.py",
    ),
    Mutant(
        "autodiff/loops.py",
        "self.kept[place:], self.wrong = [False], True",
        "self.kept[place:], self.wrong = [True], True",
        "a step whose guess was wrong is kept",
        "test_pretended_device.py",
    ),
    Mutant(
        "autodiff/loops.py",
        "return once(lambda: step(carry))",
        "return step(carry)",
        "a step that guessed wrong evaluates once more",
        "test_pretended_device.py",
    ),
    Mutant(
        "autodiff/line_search.py",
        "d1 = left + right - 3 * rise",
        "d1 = left + right - 2 * rise",
        "the cubic of a line search is another one",
        "solver/test_quasi_newton.py",
    ),
    Mutant(
        "autodiff/line_search.py",
        "scale = torch.where(squares > 0, divide(products[-1], squares), 1.0)",
        "scale = torch.where(squares > 0, divide(products[0], squares), 1.0)",
        "L-BFGS is scaled by its oldest pair",
        "solver/test_newton_and_lbfgs.py",
    ),
    Mutant(
        "autodiff/fingerprint.py",
        "return max((torch.finfo(d).eps for d in floating), default=0.0) ** 0.5",
        "return max((torch.finfo(d).eps for d in floating), default=0.0) ** 0.125",
        "a replay may differ by a hundredth",
        "autodiff/test_fingerprint.py diff/test_replays.py autodiff/test_remat.py",
    ),
    Mutant(
        "autodiff/fingerprint.py",
        "return (later == first) | (later.isnan() & first.isnan())",
        "return later == first",
        "a replay that is NaN as at first counts as another",
        "autodiff/test_fingerprint.py",
    ),
    Mutant(
        "autodiff/closed.py",
        "if len(ends) > 1:",
        "if False:",
        "a path through a variable that is made of another counts twice",
        "autodiff/test_graph_ends.py diff/test_ways_to_read.py",
    ),
    Mutant(
        "autodiff/edges.py",
        "self.older |= self._later",
        "self.older |= False",
        "what is older than an evaluation may come from a cache",
        "autodiff/test_graph_ends.py diff/test_replays.py",
    ),
    Mutant(
        "autodiff/closed.py",
        "read & ends.keys()",
        "read",
        "a leaf that an evaluation made has to be read again",
        "diff/test_replaced_weights.py",
    ),
    Mutant(
        "autodiff/edges.py",
        "frozen = [t for t in free if not (inside or t.requires_grad) and t.is_leaf]",
        "frozen = list[torch.Tensor]()",
        "a variable that was frozen meanwhile counts as constant",
        "autodiff/test_graph_ends.py",
    ),
    Mutant(
        "autodiff/environment.py",
        "undo.callback(generator.set_state, generator.get_state())",
        "pass",
        "random states are not restored after a replay",
        "autodiff/test_environment.py diff/test_worlds.py",
    ),
    Mutant(
        "autodiff/environment.py",
        "undo.callback(first.now().put)",
        "pass",
        "buffers are not restored after a replay",
        "autodiff/test_environment.py diff/test_worlds.py",
    ),
    Mutant(
        "autodiff/environment.py",
        'undo.callback(setattr, module, "training", module.training)',
        "pass",
        "training modes are not restored after a replay",
        "autodiff/test_environment.py diff/test_worlds.py",
    ),
    Mutant(
        "autodiff/environment.py",
        "stack.callback(torch.set_default_dtype, now.dtype)",
        "pass",
        "the default dtype is not restored after a replay",
        "autodiff/test_environment.py diff/test_worlds.py",
    ),
    Mutant(
        "autodiff/functional.py",
        "0 < level_of(value) <= self._level",
        "0 < level_of(value) < self._level",
        "a variable of the innermost transform is forgotten",
        "diff/implicit/test_orders_and_transforms.py",
    ),
    Mutant(
        "autodiff/gradients.py",
        "t - t.detach() if conditions and track else torch.zeros_like(t)",
        "torch.zeros_like(t)",
        "a leaf that the conditions do not read is anything",
        "diff/implicit/test_implicit_failures.py",
    ),
    Mutant(
        "autodiff/captured.py",
        "if func is torch.autograd.grad and self._replaced:",
        "if func is torch.autograd.grad and not self._replaced:",
        "a gradient through an older graph is not refused",
        "diff/test_replays.py diff/test_memory_policies.py",
    ),
    Mutant(
        "autodiff/closure_guard.py",
        "return old[0] is new[0] and old[1] == new[1]",
        "return old[0] is new[0]",
        "what is changed in place before a replay counts as unchanged",
        "diff/zero_order/test_changes_before_the_backward.py",
    ),
    Mutant(
        "autodiff/running_statistics.py",
        "torch.arange(n - 1, -1, -1, device=rows.device)",
        "torch.arange(n, 0, -1, device=rows.device)",
        "weights of running statistics are an exponent too small",
        "meta/test_vmap_tasks.py",
    ),
    Mutant(
        "autodiff/module_tensors.py",
        "in zip(held, tables, strict=True):",
        "in [(held[0], tables[0])]:",
        "buffers that were replaced for a time are read as they are later",
        "diff/test_replaced_weights.py",
    ),
    Mutant(
        "autodiff/tracking.py",
        "            hooks.update(was)",
        "            pass",
        "hooks are not put back after a gradient",
        "diff/test_memory_policies.py diff/test_policy_edges.py autodiff/test_remat.py",
    ),
    Mutant(
        "autodiff/second_order.py",
        "return not g.requires_grad or",
        "return",
        "a gradient that lost its graph is not refused",
        "autodiff/test_second_order.py",
    ),
    Mutant(
        "autodiff/detaching.py",
        "return tracked and bool(detached)",
        "return False",
        "a difference moves what autograd holds constant",
        "diff/test_cuts.py",
    ),
    Mutant(
        "autodiff/block.py",
        "        self.closed.environment.rewind()\n",
        "",
        "a block is computed again with other random numbers",
        "autodiff/test_remat.py",
    ),
    # Operators.
    Mutant(
        "autodiff/closed.py",
        "if id(t) in self._shown & self._replaced and id(t) not in self.used:",
        "if False:",
        "variables that are replaced need not be read again",
        "diff/implicit/test_what_is_read.py",
    ),
    Mutant(
        "operators/_equations.py",
        "            closed.compare(None)\n",
        "",
        "variables of conditions need not be read again",
        "diff/implicit/test_what_is_read.py",
    ),
    Mutant(
        "operators/implicit_function.py",
        "[-t for t in dr]",
        "[t for t in dr]",
        "the tangent of a root has its sign wrong",
        "diff/implicit/test_closed_forms.py",
    ),
    Mutant(
        "operators/implicit_function.py",
        "u = [-t for t in _linear_root(",
        "u = [t for t in _linear_root(",
        "second derivatives of a root have their sign wrong",
        "diff/implicit/test_closed_forms.py",
    ),
    Mutant(
        "operators/_equations.py",
        "self.of.product(at, inner, w, self.transposed != transposed)",
        "self.of.product(at, inner, w, self.transposed)",
        "the transpose of a derivative's operator is itself",
        "diff/implicit/test_orders_and_transforms.py::test_four_orders_of_conditions_that_are_not_symmetric",
    ),
    Mutant(
        "operators/_equations.py",
        "0.01 * (now + was)",
        "1.01 * (now + was)",
        "conditions that changed since the solve are not refused",
        "diff/implicit/test_what_is_read.py",
    ),
    Mutant(
        "operators/_equations.py",
        "torch.where(sound, 1, math.nan)",
        "torch.where(sound, 1, 1)",
        "conditions that are NaN have finite derivatives",
        "diff/implicit/test_problems_without_a_value.py diff/implicit/test_implicit_failures.py",
    ),
    Mutant(
        "operators/_pullback.py",
        "if tracking() or watched:",
        "if tracking():",
        "what a held product reads is not seen",
        "diff/implicit/test_what_is_read.py",
    ),
    Mutant(
        "operators/_pullback.py",
        "ys, cs, True, False, tuple(inputs), True",
        "ys, cs, False, False, tuple(inputs), True",
        "a held graph is freed after one product",
        "linalg diff/implicit/test_closed_forms.py",
    ),
    Mutant(
        "operators/linear.py",
        "None if self.rmatvec is None else shifted(self.rmatvec)",
        "self.rmatvec",
        "a ridge is left out of the transpose",
        "linalg/test_operator.py",
    ),
    Mutant(
        "operators/central_difference.py",
        "quotient.append((gap / (2 * h).to(values))",
        "quotient.append((gap / h.to(values))",
        "a central difference is twice too large",
        "operators/test_central_difference.py",
    ),
    # Differentiation modes.
    Mutant(
        "diff/_adjoint.py",
        "moves = index > first or begin",
        "moves = index > first",
        "the cotangent of the start is dropped",
        "diff/test_explicit.py diff/test_memory_policies.py",
    ),
    Mutant(
        "autodiff/edges.py",
        "graft(pulled, [*at, *copies], [*tensors, *moving])",
        "graft(pulled, [*at, *copies], [*at, *moving])",
        "third derivatives end at copies",
        "diff/test_memory_policies.py diff/test_explicit.py",
    ),
    Mutant(
        "autodiff/closed.py",
        "self._shown |= reads.older",
        "self._shown = set(reads.older)",
        "variables that only early steps read need not be read again",
        "diff/test_replaced_weights.py diff/test_policy_edges.py diff/test_replays.py",
    ),
    Mutant(
        "diff/_checkpoints.py",
        "return math.comb(free + 1 + repeats, repeats)",
        "return math.comb(free + repeats, repeats)",
        "checkpoints are placed for one less",
        "diff/test_checkpoints.py",
    ),
    Mutant(
        "diff/_explicit.py",
        "max(problem.steps - self.truncate, 0)",
        "max(problem.steps - self.truncate - 1, 0)",
        "one step more than asked is differentiated",
        "diff/test_explicit.py",
    ),
    Mutant(
        "diff/_steps.py",
        "self.environment.rewind(point.snapshot)",
        "self.environment.rewind()",
        "a step is computed again with the random numbers of the first",
        "diff/test_memory_policies.py",
    ),
    Mutant(
        "diff/_steps.py",
        "if index < self.unroll.indices.stop - 1:",
        "if index < self.unroll.indices.stop:",
        "auxiliary outputs that are computed again are not compared",
        "diff/test_replays.py",
    ),
    Mutant(
        "diff/_products.py",
        "*u, slope = pulled[len(wanted) :]",
        "*u, slope = *pulled[len(wanted) : -1], None",
        "the cotangent of the objective's value is dropped",
        "transform/test_extra_args.py diff/test_memory_policies.py",
    ),
    Mutant(
        "diff/kinds.py",
        "if first_order:  # in forward mode, too",
        "if first_order and not checks.transforms_active():  # in forward mode, too",
        "a gradient is not constant in torch.func",
        "diff/test_explicit.py",
    ),
    Mutant(
        "diff/problem.py",
        "lambda carry: ~carry.converged & ~carry.error.isnan()",
        "lambda carry: ~carry.error.isnan()",
        "a descent that has met its tolerance goes on",
        "solver/test_minimize.py",
    ),
    Mutant(
        "diff/one_step.py",
        "t - (moved.detach() - moved)",
        "t + (moved.detach() - moved)",
        "the derivative of a step has its sign wrong",
        "diff/test_one_step.py",
    ),
    Mutant(
        "diff/one_step.py",
        "problem.steps or 0, problem.batch(problem.steps - 1)",
        "problem.steps or 0, problem.batch(0)",
        "a further step takes the first batch",
        "diff/test_kinds_of_batches.py diff/test_one_step.py",
    ),
    Mutant(
        "diff/newton_step.py",
        "step = columns * (Vh.mT @ torch.where(known, divide(parts, S), 0.0))",
        "step = Vh.mT @ torch.where(known, divide(parts, S), 0.0)",
        "Newton's step is in other units than the unknowns",
        "solver/test_solver_scaling.py",
    ),
    Mutant(
        "diff/implicit/mode.py",
        "torch.where(error > 0, error / slope, error)",
        "torch.where(error > 0, error, error)",
        "a residual is taken for a distance from the solution",
        "diff/implicit/test_solutions_that_are_none.py",
    ),
    Mutant(
        "diff/zero_order/_antithetic.py",
        "/ (2 * self.sigma * noise.shape[0])",
        "/ (self.sigma * noise.shape[0])",
        "an estimate is twice too large",
        "diff/zero_order/test_estimators.py",
    ),
    Mutant(
        "diff/zero_order/_estimator.py",
        "return values - (mean * n - values.mean(0)) / (n - 1)",
        "return values - (mean * n - values.mean(0)) / n",
        "a leave-one-out mean counts one too many",
        "diff/zero_order/test_estimators.py",
    ),
    Mutant(
        "diff/zero_order/_function.py",
        "call(box.child(index), _moved(theta, moving, _unravel(step, vary)))",
        "call(box, _moved(theta, moving, _unravel(step, vary)))",
        "second derivatives share the directions of the first",
        "diff/zero_order/test_zero_order_mode.py",
    ),
    Mutant(
        "diff/zero_order/_guided.py",
        "((1 - self.alpha) / k) ** 0.5",
        "((1 - self.alpha) / d) ** 0.5",
        "directions prefer their subspace less than asked",
        "diff/zero_order/test_estimators.py",
    ),
    # Solvers.
    Mutant(
        "solver/_solver.py",
        "return gauge._replace(converged=error * unit <= self.atol)",
        "return gauge._replace(converged=error <= self.atol)",
        "an absolute tolerance is in the units of the solver",
        "solver/test_solver_scaling.py::test_an_absolute_tolerance_is_on_the_residual",
    ),
    Mutant(
        "solver/_newton.py",
        "curvature.T(residual), normal_operator(curvature)",
        "curvature(residual), normal_operator(curvature)",
        "the gradient of a residual's square lacks a transpose",
        "solver/test_newton_and_lbfgs.py",
    ),
    Mutant(
        "solver/_bfgs.py",
        "rho * (1 + rho * (y @ product))",
        "rho * (rho * (y @ product))",
        "the inverse of BFGS lacks a term",
        "solver/test_quasi_newton.py",
    ),
    Mutant(
        "solver/_anderson.py",
        "push(dr, residual - r)",
        "push(dr, r - residual)",
        "changes of the residual have their sign wrong",
        "solver/test_fixed_point_solvers.py",
    ),
    Mutant(
        "solver/_levenberg_marquardt.py",
        "shrink = (1 - (2 * ratio - 1) ** 3)",
        "shrink = (1 + (2 * ratio - 1) ** 3)",
        "the damping grows after a good step",
        "solver/test_least_squares_solvers.py",
    ),
    Mutant(
        "solver/_proximal_gradient.py",
        "following = (1 + (1 + 4 * momentum.square()).sqrt()) / 2",
        "following = (1 + (1 + 2 * momentum.square()).sqrt()) / 2",
        "FISTA's momentum is too small",
        "solver/test_proximal_gradient.py",
    ),
    # Levels.
    Mutant(
        "multilevel/_response.py",
        "                buffer.put()",
        "                pass",
        "running statistics count a batch of a response",
        "multilevel/test_engine_faults.py::test_batch_norm_counts_one_evaluation_per_step",
    ),
    Mutant(
        "multilevel/_response.py",
        "loss + rate / 2 * p.square().sum()",
        "loss + rate * p.square().sum()",
        "weight decay is twice too large in a response",
        "multilevel/test_limits.py multilevel/test_multilevel_engine.py",
    ),
    Mutant(
        "multilevel/_response.py",
        "nodes[name] = nodes[name].snapshot()",
        "pass",
        "a graph of unrolled steps reads the problems below as they are later",
        "multilevel/test_quadratic_programs.py multilevel/test_multilevel_engine.py",
    ),
    Mutant(
        "multilevel/_response.py",
        "with at_states(window.generators[k]):",
        "with at_states(window.generators[0]):",
        "each unrolled step has the random numbers of the first",
        "multilevel/test_multilevel_engine.py",
    ),
    Mutant(
        "multilevel/_schedule.py",
        "return self._made[upper][lower] < self.steps[lower]",
        "return self._made[upper][lower] <= self.steps[lower]",
        "a problem makes a step too many",
        "multilevel/test_schedule.py",
    ),
    # Trees.
    Mutant(
        "pytree/_arithmetic.py",
        "(x.conj() if tensors[0] else x.conjugate()) * y",
        "x * y",
        "an inner product is not conjugated where dtypes differ",
        "pytree/test_arithmetic.py",
    ),
    Mutant(
        "pytree/_operations.py",
        "part.reshape(shape).to(own) if vector.dtype == dtype else part.reshape(shape)",
        "part.reshape(shape)",
        "leaves of several dtypes come back in one",
        "pytree/test_structure.py",
    ),
    Mutant(
        "pytree/_python.py",
        "count = len(values) - before",
        "count = len(children)",
        "the engine in Python counts a container as one leaf",
        "pytree/test_engine.py pytree/test_structure.py",
    ),
    # Meta-gradients.
    Mutant(
        "meta/_differences.py",
        "weight = _RATIO ** (2 * (column + 1))",
        "weight = _RATIO ** (column + 1)",
        "an extrapolation takes errors for those of another order",
        "meta/test_check_meta_grad.py",
    ),
    Mutant(
        "meta/_batch.py",
        "joined.movedim(0, dim) if dim else joined",
        "joined",
        "tasks stand in another dimension than asked",
        "meta/test_vmap_tasks.py",
    ),
    Mutant(
        "meta/_meta_grad.py",
        "x if x is None else x.detach().requires_grad_() for x in leaves",
        "x if x is None else x.requires_grad_() for x in leaves",
        "a meta-gradient marks the tensors that it is given",
        "meta/test_meta_grad.py",
    ),
    # Modules.
    Mutant(
        "modules/functional.py",
        "original.__dict__[name] = value",
        "pass",
        "an attribute that a functional call assigns is lost",
        "nn/test_functional.py",
    ),
    Mutant(
        "modules/functional.py",
        "if tensor is not old and tensor is not self._replacements.get(id(old)):",
        "if tensor is not old:",
        "a module keeps the parameters that it was called with",
        "nn/test_functional.py nn/test_meta_module.py",
    ),
]


def planted(mutant: Mutant, text: str) -> str:
    """Return the text of a file with a fault."""
    if (count := text.count(mutant.old)) != 1:
        raise ValueError(f"{mutant.file} has {count} times {mutant.old!r}: {mutant.reason}.")
    return text.replace(mutant.old, mutant.new)


def is_change(mutant: Mutant, text: str) -> bool:
    """Whether a fault changes the program."""
    return ast.dump(ast.parse(planted(mutant, text))) != ast.dump(ast.parse(text))


def _copy(to: Path) -> None:
    """Copy the tree with the binaries that are built in it, without environments and history."""
    left_out = shutil.ignore_patterns(".*_cache", ".git", ".venv*", "_build", "runs", "build")
    shutil.copytree(ROOT, to, ignore=left_out, symlinks=True)


def _run(tree: Path, selection: list[str]) -> list[str]:
    """Run tests until one fails; return the names of those that do."""
    paths = os.pathsep.join(filter(None, (str(tree / "src"), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-m", "not slow", *selection]
    # Bytecode of a file is known by its second and size, which a fault may share with the original.
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        process = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=_LIMIT
        )
    except subprocess.TimeoutExpired:
        return ["(no end)"]
    noticed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", process.stdout, re.MULTILINE)
    if process.returncode and not noticed:
        raise RuntimeError(f"{' '.join(command)}\n{process.stdout[-2000:]}{process.stderr[-2000:]}")
    return noticed


def noticing(mutant: Mutant, tree: Path, selections: list[list[str]]) -> str | None:
    """Return the first test that notices a fault, of some selections; None if none does."""
    file = tree / SOURCE / mutant.file
    text, stat = file.read_text(), file.stat()
    for selection in selections:
        file.write_text(planted(mutant, text))
        try:
            failed = _run(tree, selection)
        finally:
            file.write_text(text)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        for test in failed:
            if test == "(no end)" or not _run(tree, [test]):
                return test
            print(f"    {test} fails without the fault, too")
    return None


def main() -> int:
    """Plant the faults, and print what notices each."""
    parser = argparse.ArgumentParser(description="Plant small faults, and see which tests fail.")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--quick", action="store_true", help="only the tests that a fault names")
    how.add_argument("--all", action="store_true", help="then those of `make test`")
    parser.add_argument(
        "words", nargs="*", help="only faults whose file or reason has one of these"
    )
    options = parser.parse_args()
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        _copy(tree := Path(folder, "torchopt"))
        for mutant in MUTANTS:
            place = f"{mutant.file}: {mutant.reason}"
            if options.words and not any(word in place for word in options.words):
                continue
            start = time.monotonic()
            selections = [[f"tests/{name}" for name in mutant.tests.split()]]
            selections += [["--numprocesses", "auto"]] if options.all else []
            test = noticing(mutant, tree, selections)
            unnoticed += test is None
            print(
                f"{time.monotonic() - start:4.0f} s  {place}\n        {test or 'NOTHING NOTICES'}"
            )
            sys.stdout.flush()
    return bool(unnoticed)


if __name__ == "__main__":
    sys.exit(main())
