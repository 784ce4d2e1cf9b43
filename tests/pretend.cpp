// A device of PyTorch that pretends to be a GPU: its memory is the host's, its kernels are a CPU's.
//
// It is a device of its own to all that asks: autograd runs backward passes in the device's thread,
// tensors on it and on the CPU do not mix, it has generators of its own, and what waits for it is counted.

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/set_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

#include <atomic>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;
const c10::Device kDevice(kType, 0);
std::atomic<int64_t> waited{0};

// Memory.

struct HostAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    void* data = bytes ? c10::alloc_cpu(bytes) : nullptr;
    return {data, data, &c10::free_cpu, kDevice};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &c10::free_cpu; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};
HostAllocator allocator;
REGISTER_ALLOCATOR(kType, &allocator)

// The guard, by which autograd knows that the device has a thread and one stream.

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override { return c10::Stream(c10::Stream::DEFAULT, kDevice); }
  c10::Stream getDefaultStream(c10::Device) const override { return getStream(kDevice); }
  c10::Stream exchangeStream(c10::Stream) const override { return getStream(kDevice); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, c10::DeviceIndex) const noexcept override {}
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

// Random numbers: those of a CPU's generator within.

struct Generator final : c10::GeneratorImpl {
  explicit Generator(at::Generator within)
      : GeneratorImpl(kDevice, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        within(std::move(within)) {}
  void set_current_seed(uint64_t seed) override { within.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { within.set_offset(offset); }
  uint64_t get_offset() const override { return within.get_offset(); }
  uint64_t current_seed() const override { return within.current_seed(); }
  uint64_t seed() override { return within.seed(); }
  void set_state(const c10::TensorImpl& state) override {
    within.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return within.unsafeGetGeneratorImpl()->get_state();
  }
  GeneratorImpl* clone_impl() const override { return new Generator(within.clone()); }

  at::Generator within;
};

at::Generator new_generator() {
  return at::make_generator<Generator>(at::detail::createCPUGenerator());
}

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
  at::Device getDeviceFromPtr(void*) const override { return kDevice; }
  at::Allocator* getPinnedMemoryAllocator() const override { return at::getCPUAllocator(); }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    static const at::Generator generator = new_generator();
    return generator;
  }
  at::Generator getNewGenerator(c10::DeviceIndex) const override { return new_generator(); }
};
Hooks hooks;
const bool registered = (at::RegisterPrivateUse1HooksInterface(&hooks), true);

// Operators: a CPU's, on the same memory.

class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack* stack)
      : schema_(op.schema()), name_(op.schema().name()), stack_(stack),
        first_(stack->size() - op.schema().arguments().size()) {}

  void run(const c10::OperatorHandle& op) {
    for (size_t i = first_; i < stack_->size(); ++i) {
      take((*stack_)[i], schema_.arguments()[i - first_]);
    }
    check_devices();
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    if (name_ == "aten::_local_scalar_dense" || name_ == "aten::equal" ||
        name_ == "aten::nonzero" || name_ == "aten::masked_select" ||
        name_.rfind("aten::unique", 0) == 0 || name_.rfind("aten::_unique", 0) == 0) {
      ++waited;
    }
    const auto& returns = schema_.returns();
    const size_t start = stack_->size() - returns.size();
    for (size_t i = 0; i < returns.size(); ++i) give((*stack_)[start + i]);
    for (auto& [original, alias] : written_) update(original, alias);
  }

 private:
  void take(c10::IValue& value, const c10::Argument& argument) {
    const bool written = argument.alias_info() && argument.alias_info()->isWrite();
    if (value.isTensor()) {
      if (value.toTensor().defined()) value = on_cpu(value.toTensor(), written);
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : value.toTensorVector()) list.push_back(on_cpu(t, written));
      value = std::move(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const auto& t : value.toOptionalTensorVector()) {
        list.push_back(t && t->defined() ? std::optional(on_cpu(*t, written)) : t);
      }
      value = std::move(list);
    } else if (value.isDevice()) {
      here_ |= value.toDevice().type() == kType;
      value = c10::Device(c10::kCPU);
    } else if (argument.name() == "generator") {
      // None stands for the default one of the device.
      const at::Generator given = value.isNone() ? hooks.getDefaultGenerator(0) : value.toGenerator();
      TORCH_CHECK(
          given.device().type() == kType, "Expected a 'pretend' device type for generator but found '",
          given.device().type(), "'");
      value = static_cast<Generator*>(given.unsafeGetGeneratorImpl())->within;
    }
  }

  at::Tensor on_cpu(const at::Tensor& t, bool written) {
    if (!t.defined()) return t;
    if (t.device().type() != kType) {
      // Numbers mix with tensors of any device, and so do indices.
      strange_ |= t.device().type() == c10::kCPU && t.dim() > 0;
      lone_ |= t.device().type() == c10::kCPU && t.dim() == 0;
      return t;
    }
    here_ = true;
    if (t._is_zerotensor()) return at::zeros(t.sizes(), t.options().device(c10::kCPU));
    const c10::Storage& storage = t.storage();
    auto found = storages_.find(storage.unsafeGetStorageImpl());
    if (found == storages_.end()) {
      c10::DataPtr data(storage.mutable_data(), c10::Device(c10::kCPU));
      c10::Storage alias(
          c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(data), c10::GetCPUAllocator(), true);
      found = storages_.emplace(storage.unsafeGetStorageImpl(), std::pair(storage, alias)).first;
    }
    at::Tensor alias = viewed(t, found->second.second, c10::DispatchKey::CPU);
    if (written) written_.emplace_back(t, alias);
    return alias;
  }

  static at::Tensor viewed(const at::Tensor& t, c10::Storage storage, c10::DispatchKey key) {
    auto view = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(key), t.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(t.sizes(), t.strides(), t.storage_offset());
    view._set_conj(t.is_conj());
    view._set_neg(t.is_neg());
    if (t.unsafeGetTensorImpl()->is_wrapped_number()) {
      view.unsafeGetTensorImpl()->set_wrapped_number(true);
    }
    return view;
  }

  void check_devices() const {
    static const std::unordered_set<std::string> mixing = {
        "aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index",
        "aten::index_put", "aten::_copy_from", "aten::copy_"};
    const bool joined = lone_ && (name_ == "aten::cat" || name_ == "aten::stack");
    TORCH_CHECK(
        !here_ || !(strange_ || joined) || mixing.count(name_),
        "Expected all tensors to be on the same device, but found at least two devices, pretend:0 and "
        "cpu! (when checking the arguments of ", name_, ")");
  }

  void give(c10::IValue& value) {
    if (value.isTensor()) {
      if (value.toTensor().defined()) value = on_device(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : value.toTensorVector()) {
        list.push_back(t.defined() ? on_device(t) : t);
      }
      value = std::move(list);
    }
  }

  at::Tensor on_device(const at::Tensor& t) {
    for (auto& [original, alias] : written_) {
      if (alias.is_same(t)) return original;
    }
    if (!here_ || t.device().type() != c10::kCPU || t.layout() != c10::kStrided) return t;
    for (auto& [key, pair] : storages_) {
      if (t.storage().is_alias_of(pair.second)) {
        return viewed(t, pair.first, c10::DispatchKey::PrivateUse1);
      }
    }
    const size_t bytes = t.storage().nbytes();
    c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, &allocator, true);
    if (bytes) std::memcpy(storage.mutable_data(), t.storage().data(), bytes);
    return viewed(t, std::move(storage), c10::DispatchKey::PrivateUse1);
  }

  // What an operator has resized lies elsewhere.
  static void update(at::Tensor& original, const at::Tensor& alias) {
    if (original.sizes() == alias.sizes() &&
        original.storage().data() == alias.storage().data()) {
      return;
    }
    original.resize_(alias.sizes());
    at::Tensor now = viewed(original, c10::Storage(
        c10::Storage::use_byte_size_t(), original.storage().nbytes(),
        c10::DataPtr(original.storage().mutable_data(), c10::Device(c10::kCPU)), nullptr, false),
        c10::DispatchKey::CPU);
    now.copy_(alias);
  }

  const c10::FunctionSchema& schema_;
  const std::string& name_;
  torch::jit::Stack* stack_;
  size_t first_;
  bool here_ = false, strange_ = false, lone_ = false;
  std::unordered_map<c10::StorageImpl*, std::pair<c10::Storage, c10::Storage>> storages_;
  std::vector<std::pair<at::Tensor, at::Tensor>> written_;
};

void fallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  Call(op, stack).run(op);
}

// What is asked of a device itself.

at::Tensor empty_strided(
    c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
    std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(
      size, stride, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(dtype));
}

at::Tensor empty(
    c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(
      size, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(dtype), format);
}

at::Tensor efficient_zeros(
    c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device>, std::optional<bool>) {
  static at::native::ZeroTensorAllocator nothing(kDevice);
  constexpr auto keys = c10::DispatchKeySet({c10::DispatchKey::PrivateUse1, c10::DispatchKey::ZeroTensor});
  return at::detail::empty_generic(
      size, &nothing, keys, c10::dtype_or_default(dtype), std::nullopt);
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  waited += from.device().type() == kType && to.device().type() == c10::kCPU;
  static const auto copy = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  torch::jit::Stack stack{to, from, non_blocking};
  Call(copy, &stack).run(copy);
  return to;
}

int64_t choice(
    const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, double,
    bool, std::optional<double>, bool) {
  return 0;  // attention as in mathematics, which has all derivatives
}

void convolution(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution", "");
  Call(op, stack).run(op);
}

void convolution_backward(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution_backward", "");
  const size_t first = stack->size() - 10;  // it has no sizes of the bias, before the stride
  const at::Tensor output = (*stack)[first].toTensor();
  stack->insert(stack->begin() + first + 3, c10::List<int64_t>({output.size(1)}));
  Call(op, stack).run(op);
}

// Recurrent cells, which are fused on a GPU: without forward mode, and differentiated twice by PyTorch.

using at::Tensor;
using Bias = std::optional<Tensor>;

bool given(const Bias& tensor) { return tensor && tensor->defined(); }

Tensor gates_of(const Tensor& gates, const Bias& bias) { return given(bias) ? gates + *bias : gates; }

std::tuple<Tensor, Tensor, Tensor> lstm_cell(
    const Tensor& in, const Tensor& hidden, const Tensor& cx, const Bias& a, const Bias& b) {
  const auto gates = (gates_of(in, a) + gates_of(hidden, b)).chunk(4, 1);
  const Tensor i = gates[0].sigmoid(), f = gates[1].sigmoid(), g = gates[2].tanh(), o = gates[3].sigmoid();
  const Tensor cy = f * cx + i * g;
  return {o * cy.tanh(), cy, at::cat({i, f, g, o}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(
    const Bias& grad_hy, const Bias& grad_cy, const Tensor& cx, const Tensor& cy, const Tensor& workspace,
    bool has_bias) {
  const auto gates = workspace.chunk(4, 1);
  const Tensor &i = gates[0], &f = gates[1], &g = gates[2], &o = gates[3], t = cy.tanh();
  const Tensor h = given(grad_hy) ? *grad_hy : at::zeros_like(cy);
  const Tensor c = (given(grad_cy) ? *grad_cy : at::zeros_like(cy)) + h * o * (1 - t * t);
  const Tensor grad = at::cat(
      {c * g * i * (1 - i), c * cx * f * (1 - f), c * i * (1 - g * g), h * t * o * (1 - o)}, 1);
  return {grad, c * f, has_bias ? grad.sum(0) : Tensor()};
}

std::tuple<Tensor, Tensor> gru_cell(
    const Tensor& in, const Tensor& hidden, const Tensor& hx, const Bias& a, const Bias& b) {
  const auto x = gates_of(in, a).chunk(3, 1), y = gates_of(hidden, b).chunk(3, 1);
  const Tensor r = (x[0] + y[0]).sigmoid(), z = (x[1] + y[1]).sigmoid(), n = (x[2] + r * y[2]).tanh();
  return {n + z * (hx - n), at::cat({r, z, n, hx, y[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(
    const Tensor& grad, const Tensor& workspace, bool has_bias) {
  const auto w = workspace.chunk(5, 1);
  const Tensor &r = w[0], &z = w[1], &n = w[2];
  const Tensor dn = grad * (1 - z) * (1 - n * n), dz = grad * (w[3] - n) * z * (1 - z);
  const Tensor dr = dn * w[4] * r * (1 - r);
  const Tensor in = at::cat({dr, dz, dn}, 1), hidden = at::cat({dr, dz, dn * r}, 1);
  return {in, hidden, grad * z, has_bias ? in.sum(0) : Tensor(), has_bias ? hidden.sum(0) : Tensor()};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_efficientzerotensor", efficient_zeros);
  m.impl("_copy_from", copy_from);
  m.impl("_fused_sdp_choice", choice);
  m.impl("resize_", at::native::resize_);
  m.impl("set_.source_Storage", TORCH_FN(
      static_cast<at::Tensor& (*)(at::Tensor&, at::Storage)>(at::native::set_)));
  m.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
  m.impl("set_.source_Tensor", at::native::set_tensor_);
  // Made of `mse_loss.out` else, which resizes what it is given, with a warning.
  m.impl("mse_loss", torch::CppFunction::makeFromBoxedFunction<&fallback>());
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
  m.impl("_thnn_fused_gru_cell", gru_cell);
  m.impl("_thnn_fused_gru_cell_backward", gru_cell_backward);
  m.impl("convolution_overrideable",
         torch::CppFunction::makeFromBoxedFunction<&convolution>());
  m.impl("convolution_backward_overrideable",
         torch::CppFunction::makeFromBoxedFunction<&convolution_backward>());
}

// Autocast, with PyTorch's lists of operators.

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define NARROW(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define WIDE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
  AT_FORALL_LOWER_PRECISION_FP(NARROW)
  AT_FORALL_FP32(WIDE)
}

// A copy is what resolves these.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY(pretend, m) {
  m.def("default_generator() -> Generator?", []() -> at::Generator {
    return hooks.getDefaultGenerator(0);
  });
  m.def("waits() -> int", []() -> int64_t { return waited; });
}

}  // namespace
