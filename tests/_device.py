"""The suite on another device: a GPU, or one that is emulated.

``TORCHOPT_TEST_DEVICE=cuda`` makes tensors and generators that say nothing of theirs on that device.
``TORCHOPT_TEST_DEVICE=emulated`` leaves tensors where they are and takes them for those of a GPU: steps
of optimizers run in its kernels, thread by thread, and read no scalar.
``TORCHOPT_TEST_DEVICE=pretend`` runs them on a device that is a GPU to PyTorch (``pretend.cpp``):
backward passes run in its thread, tensors and generators of two devices do not mix, and waits for it
are counted.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.utils import cpp_extension

#: For tests of what is told by the numbers of nodes, which are each thread's own.
in_this_thread = pytest.mark.skipif(
    os.environ.get("TORCHOPT_TEST_DEVICE") == "pretend",
    reason="the backward pass runs in another thread, where this cannot be told, or is not measured",
)


#: Tests that cannot pass on a device that is not the CPU, by the reason.
ON_A_CPU_ONLY = {
    "numbers on a device are not read, so that nothing waits for it: none is warned of": """
        test_a_learned_rate_that_has_become_negative_is_warned_of
        test_rates_of_elements_and_leaves_are_warned_of
        test_negative_rates_are_warned_of_in_transforms_and_schedules
        test_meta_optimizers_warn_of_a_negative_rate
        test_totals_that_differ_are_refused_with_both""",
    "a tensor of the device is handed to NumPy, pickled for another process, or kept where it is": """
        test_a_simulator_gets_copies_of_its_arguments test_a_solver_gets_copies_of_its_arguments
        test_a_function_as_solver_gets_copies_of_its_arguments
        test_searches_and_truncations_give_copies
        test_hypergradients_are_those_of_reverse_mode_or_refused
        test_products_with_the_hessian_are_those_of_autograd
        test_parameters_are_the_same_bit_for_bit_afterwards_also_when_the_function_raises
        test_the_derivative_of_a_count_is_the_density_of_what_is_counted
        test_functions_of_numpy_and_of_numbers
        test_a_function_may_return_the_same_buffer_each_time
        test_every_use_of_a_matrix_sees_it_moved
        test_a_log_of_seeds_and_projections_repeats_a_training_bit_for_bit
        test_a_solution_of_constants_can_be_copied_sent_and_read_by_numpy
        test_data_that_changed_before_the_backward_pass_is_an_error
        test_what_is_put_away_and_then_changed_is_refused
        test_a_solver_may_write_to_its_result_again test_wrong_backward_of_a_function_is_named
        test_what_makes_a_gradient_wrong_is_named_with_its_line
        test_a_function_that_autograd_does_not_see_is_differenced_as_it_is""",
    "workers of loaders make their batches on the CPU, and so do their samplers": """
        test_batches.py""",
    "it makes tensors without a device in another thread, or draws them by a CPU's generator": """
        test_many_threads_step_different_optimizers
        test_modules_of_other_threads_are_left_alone
        test_a_module_is_called_with_parameters_of_others
        test_a_solution_is_batched_by_its_parameters test_the_mean_on_a_quadratic_is_its_gradient
        test_the_mean_on_a_sine_is_the_gradient_of_the_smoothed_sine
        test_the_variance_is_that_of_the_formula
        test_central_differences_on_a_sine_are_closed_form
        test_an_auxiliary_output_that_changes_is_an_error
        test_quasi_monte_carlo_converges_faster_than_monte_carlo
        test_an_objective_that_changes_is_an_error
        test_an_objective_that_changes_is_an_error_inside_torch_func""",
    "the thread of a device may hold a backward pass a moment longer than its caller": """
        test_no_cycle_keeps_a_solution_alive""",
    "a default device is a mode, which the test does not expect": """
        test_an_objective_that_raises_in_the_backward_pass_leaves_the_world_as_it_was
        test_context_is_reentrant_and_of_one_thread
        test_each_function_that_solves_has_the_door test_it_ends_where_an_operation_fails
        test_a_level_is_named test_functions_without_frames_and_of_pytorch""",
    "small products are loops on a CPU": """
        test_small_products_are_loops_with_the_same_values
        test_products_in_the_steps_of_a_loop_are_loops_too""",
    "the device draws all numbers of a batch at once, which are others than those of a loop": """
        test_random_numbers_are_different_or_the_same""",
}
#: Those that cannot pass on the pretended device, but may on a GPU, with the reason.
NOT_WHEN_PRETENDED = {
    "a derivative of PyTorch's, into a tensor that is given, resizes it on this device and warns": """
        test_a_loss_has_the_hypergradient_of_reverse_mode[target-smooth_l1-mean]
        test_a_loss_has_the_hypergradient_of_reverse_mode[both-smooth_l1-sum]""",
    "autocast of the CPU, its kernels for bfloat16, and its layouts are not those of the device": """
        test_autocast_is_that_of_the_call test_dtypes_are_pytorchs test_channels_last_is_kept
        test_attention_without_second_derivative_is_named""",
    "the device has no sparse tensors": """
        test_sparse.py test_gradients_of_an_embedding_may_be_sparse
        test_a_constant_sparse_matrix_is_refused
        test_sparse_gradients_are_dense_ones
        test_sparse_gradients_run_in_operations
        test_meta_optimizers_refuse_sparse_products_outside_of_higher_order[coo]
        test_meta_optimizers_refuse_sparse_products_outside_of_higher_order[csr]""",
    "the library has no kernels for it": """
        test_fused.py test_the_formula_is_a_kernel_if_it_is_asked_for""",
    "its numbers without dimensions are added otherwise by PyTorch's own average": """
        test_average_of_parameters_is_that_of_torch[None]""",
    "there is one thread for the backward passes of a device, and they wait for one another": """
        test_what_another_thread_adds_to_a_gradient_meanwhile_stays
        test_the_backward_pass_may_be_in_another_thread""",
}


def skip_what_needs_a_cpu(items: list[pytest.Item], device: str) -> None:
    """Skip the tests that cannot pass on a device: by name, up to the first ``-`` of it, or file."""
    if device in ("cpu", "emulated"):
        return
    table = ON_A_CPU_ONLY | (NOT_WHEN_PRETENDED if device == "pretend" else {})
    reasons = {name: why for why, names in table.items() for name in names.split()}
    for item in items:
        names = {item.name, item.name.split("-")[0], item.name.split("[")[0], item.path.name}
        for why in {reasons[name] for name in names if name in reasons}:
            item.add_marker(pytest.mark.skip(reason=why))


def use(device: str) -> None:
    """Run the tests on a device."""
    if device == "emulated":
        _emulate()
    elif device == "pretend":
        pretend()
        _default_to("pretend")
    else:
        _default_to(device)


def _default_to(device: str) -> None:
    torch.set_default_device(device)
    theirs = torch.Generator

    class Kind(type(torch.Generator)):
        def __instancecheck__(cls, thing: Any) -> bool:
            return isinstance(thing, theirs)

    class Generator(theirs, metaclass=Kind):
        """PyTorch's, which is on the CPU by default even so."""

        def __new__(cls, device: Any = device) -> Generator:
            return super().__new__(cls, device)

    torch.Generator = Generator


def pretend() -> Any:
    """Add the device ``"pretend"`` to PyTorch; return its operators, as `waits`."""
    source = Path(__file__).with_name("pretend.cpp")
    command = [
        *("g++", "-std=c++20", "-O1", "-shared", "-fPIC", "-w", str(source)),
        *(f"-I{path}" for path in cpp_extension.include_paths("cpu")),
        *(f"-L{path}" for path in cpp_extension.library_paths("cpu")),
        *("-lc10", "-ltorch_cpu", "-ltorch"),
    ]

    def build(scratch: Path) -> Path:
        made = scratch / "pretend.so"
        subprocess.run([*command, "-o", str(made)], check=True)
        return made

    torch.ops.load_library(_built("pretend", source.read_text() + torch.__version__, build))
    torch.utils.rename_privateuse1_backend("pretend")
    module: Any = ModuleType("torch.pretend")
    module.default_generators = (torch.ops.pretend.default_generator(),)
    module.is_available = module.is_initialized = lambda: True
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.device = lambda index: nullcontext()
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    module.get_rng_state = lambda device=None: module.default_generators[0].get_state()
    module.set_rng_state = lambda state, device=None: module.default_generators[0].set_state(state)
    module._is_in_bad_fork = lambda: False
    module.manual_seed_all = lambda seed: module.default_generators[0].manual_seed(seed)
    torch._register_device_module("pretend", module)
    torch.utils.generate_methods_for_privateuse1_backend()
    return torch.ops.pretend


def _emulate() -> None:
    from torchopt.native import cuda
    from torchopt.ops import _backend
    from torchopt.transform import _step

    replaced: tuple[tuple[Any, str, Any], ...] = (
        (cuda, "fused", partial(cuda.fused, launcher=_Emulated())),
        (cuda, "unavailable", lambda: None),
        (_step, "_is_on_cpu", lambda tensor: False),
    )
    for module, name, other in replaced:
        setattr(module, name, other)
    _backend.BACKENDS["cpu"] = _backend.BACKENDS["cuda"]


class _Emulated:
    """Compiles a kernel for the emulator when it is first asked for, and keeps it for other runs."""

    device_type = "cpu"

    def __init__(self) -> None:
        self._emulators: dict[str, Any] = {}

    def kernels(self, functor: Any, dtype: torch.dtype, device: torch.device) -> Any:
        from _emulation import Emulator

        if functor.text not in self._emulators:
            self._emulators[functor.text] = Emulator(_library(functor))
        self._emulator = self._emulators[functor.text]
        return self._emulator.kernels(functor, dtype, device)

    def stream(self, device: torch.device) -> int:
        return 0

    def launch(self, *args: Any) -> None:
        self._emulator.launch(*args)


def _library(functor: Any) -> Path:
    from _emulation import build
    from torchopt.native.cuda._functor import SOURCES, program

    emulator = [(SOURCES / name).read_text() for name in ("emulate.h", "emulate.cpp")]
    text = "".join([program([functor.text]), *emulator])
    return _built("emulated", text, lambda scratch: build({functor.name: functor.text}, scratch))


def _built(name: str, text: str, build: Callable[[Path], Path]) -> Path:
    """Return a library that is kept for other runs, built if it is not there."""
    from torchopt.native._load import cache_directory

    path = cache_directory() / name / f"{hashlib.sha256(text.encode()).hexdigest()}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=path.parent))
        os.replace(build(scratch), path)
        shutil.rmtree(scratch)
    return path
