// The one driver of all formulas: torchopt::fused runs a kernel over any list of tensors. And torchopt::digest, by which
// tensors that are computed again are compared with the first ones.
//
// Leaves lie one after another in a space of elements, each padded to 64 bytes. The space is cut into chunks of fixed
// size, whatever the number of threads, so that sums over elements have the same bits for any number of them.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel.h"
#include "pool.h"
#include "stable.h"

namespace torchopt {
namespace {

constexpr int64_t kAlignment = 64;           // bytes between which leaves begin
constexpr int64_t kChunkBytes = 128 << 10;   // of each argument; a thread's share is some of these

constexpr int kMostArguments = 64;           // inputs and outputs of a kernel; sums, too

// The last is an output that is written into tensors given after the inputs, which may be inputs.
enum Mode : int64_t { kAbsent = 0, kLeaves = 1, kIntoLeaves = 2 };

[[noreturn]] void fail(const std::string& sentence) { throw std::runtime_error("torchopt: " + sentence); }

void check(TorchError error, const char* what) {
  if (error != 0) fail(std::string("PyTorch could not ") + what + ".");
}

// A tensor that is owned, until it is given to a list.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(AtenTensorHandle handle) : handle_(handle) {}
  Tensor(Tensor&& other) noexcept : handle_(other.give()) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() {
    if (handle_) aoti_torch_delete_tensor_object(handle_);
  }
  AtenTensorHandle get() const { return handle_; }
  AtenTensorHandle give() {
    AtenTensorHandle handle = handle_;
    handle_ = nullptr;
    return handle;
  }

  int32_t dtype() const {
    int32_t result;
    check(aoti_torch_get_dtype(handle_, &result), "tell a dtype");
    return result;
  }
  int64_t numel() const {
    int64_t result;
    check(aoti_torch_get_numel(handle_, &result), "tell a size");
    return result;
  }
  int64_t dim() const {
    int64_t result;
    check(aoti_torch_get_dim(handle_, &result), "tell a dimension");
    return result;
  }
  const int64_t* sizes() const {
    int64_t* result;
    check(aoti_torch_get_sizes(handle_, &result), "tell a shape");
    return result;
  }
  const int64_t* strides() const {
    int64_t* result;
    check(aoti_torch_get_strides(handle_, &result), "tell strides");
    return result;
  }
  bool is_contiguous() const {
    bool result;
    check(aoti_torch_is_contiguous(handle_, &result), "tell whether a tensor is contiguous");
    return result;
  }
  const char* data() const {
    const void* result;
    check(torch_get_const_data_ptr(handle_, &result), "give the memory of a tensor");
    return static_cast<const char*>(result);
  }
  char* mutable_data() const {
    void* result;
    check(torch_get_mutable_data_ptr(handle_, &result), "give the memory of an output");
    return static_cast<char*>(result);
  }

 private:
  AtenTensorHandle handle_ = nullptr;
};

struct Shape {
  int64_t dim;
  const int64_t *sizes, *strides;
};

// A tensor in PyTorch's own memory.
Tensor empty(Shape shape, int32_t dtype) {
  AtenTensorHandle handle;
  check(aoti_torch_empty_strided(shape.dim, shape.sizes, shape.strides, dtype, aoti_torch_device_type_cpu(), -1,
                                 &handle),
        "make a tensor");
  return Tensor(handle);
}

// Takes a list argument over: its elements are ours from here on, whatever is thrown later.
template <class T>
std::vector<T> take_list(StableIValue argument) {
  const auto list = reinterpret_cast<StableListHandle>(argument);
  size_t size = 0;
  check(torch_list_size(list, &size), "read a list");
  std::vector<T> result;
  result.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    StableIValue element;
    check(torch_list_get_item(list, i, &element), "read a list");
    if constexpr (std::is_same_v<T, Tensor>) {
      result.emplace_back(reinterpret_cast<AtenTensorHandle>(element));
    } else {
      T value;
      static_assert(sizeof value == sizeof element);
      std::memcpy(&value, &element, sizeof value);
      result.push_back(value);
    }
  }
  check(torch_delete_list(list), "free a list");
  return result;
}

// Gives a list of tensors to torch.
StableIValue give_list(std::vector<Tensor>& tensors) {
  StableListHandle list;
  check(torch_new_list_reserve_size(tensors.size(), &list), "make a list");
  for (Tensor& tensor : tensors) {
    check(torch_list_push_back(list, reinterpret_cast<StableIValue>(tensor.give())), "fill a list");
  }
  return reinterpret_cast<StableIValue>(list);
}

// Whether the elements fill one range of memory, in any order of dimensions.
bool is_dense(const Tensor& tensor) {
  if (tensor.is_contiguous()) return true;
  const int64_t dim = tensor.dim(), *sizes = tensor.sizes(), *strides = tensor.strides();
  std::vector<int64_t> order;
  for (int64_t d = 0; d < dim; ++d) {
    if (sizes[d] != 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t expected = 1;
  for (const int64_t d : order) {
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  const bool contiguous = a.is_contiguous();
  if (contiguous != b.is_contiguous()) return false;
  if (contiguous) return a.numel() == b.numel();
  const int64_t dim = a.dim();
  return dim == b.dim() && std::equal(a.sizes(), a.sizes() + dim, b.sizes()) &&
         std::equal(a.strides(), a.strides() + dim, b.strides());
}

// Beyond this many bytes in all, outputs would only push inputs out of the cache. A larger cache is one that many
// processors share, and for each of them no faster than memory.
int64_t streaming_threshold() {
  static const int64_t threshold = [] {
    const int64_t most = int64_t(24) << 20;
    int64_t cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return cache > 0 ? std::min(cache * 3 / 4, most) : most;
  }();
  return threshold;
}

// The arguments of one call, checked.
class Call {
 public:
  Call(const TorchoptKernel* kernel, int64_t leaves, std::vector<int64_t> modes, std::vector<double> scalars,
       std::vector<Tensor> tensors)
      : kernel_(kernel),
        leaves_(leaves),
        arguments_(kernel->inputs + kernel->outputs),
        modes_(std::move(modes)),
        scalars_(std::move(scalars)),
        tensors_(std::move(tensors)) {
    if (arguments_ > kMostArguments || kernel_->sums > kMostArguments) fail(name() + " has too many arguments.");
    if (leaves_ < 1) fail("a kernel needs at least one leaf.");
    if (int64_t(modes_.size()) != arguments_) {
      fail(name() + " takes " + std::to_string(arguments_) + " modes, one for each input and output, but got " +
           std::to_string(modes_.size()) + ".");
    }
    if (int64_t(scalars_.size()) != kernel_->scalars) {
      fail(name() + " takes " + std::to_string(kernel_->scalars) + " scalars, but got " +
           std::to_string(scalars_.size()) + ".");
    }
    for (int64_t k = 0; k < arguments_; ++k) {
      if (modes_[size_t(k)] < kAbsent || modes_[size_t(k)] > (k < kernel_->inputs ? kLeaves : kIntoLeaves)) {
        fail("a mode is 0 (absent), 1 (leaves), or of an output 2 (into leaves).");
      }
    }
    place_leaves();
    pointers_.resize(size_t(arguments_ * leaves_));
    place_given();
  }

  // Outputs: those that are given, and others in buffers from the pool.
  std::vector<Tensor> make_outputs() {
    int64_t present = 0;
    for (const int64_t mode : modes_) present += mode != kAbsent;
    // Tensors that are written into are inputs, most of them: their lines are in the cache by then.
    const bool all_made = targets_ == int64_t(tensors_.size());
    stream_ = all_made && present * total_ * item_ > streaming_threshold();
    std::vector<Tensor> made;
    made.reserve(size_t(kernel_->outputs * leaves_ + 1));
    auto target = tensors_.begin() + targets_;
    for (int k = 0; k < kernel_->outputs; ++k) {
      const int argument = kernel_->inputs + k;
      if (modes_[argument] == kAbsent) continue;
      if (modes_[argument] == kIntoLeaves) {
        for (int64_t i = 0; i < leaves_; ++i) made.push_back(std::move(*target++));
        continue;
      }
      const bool is_leaf = leaves_ == 1;
      Tensor flat = is_leaf ? allocate(like(0)) : allocate(Shape{1, &total_, &kOne});
      char* const base = flat.mutable_data();
      for (int64_t i = 0; i < leaves_; ++i) pointer(argument, i) = base + offsets_[i] * item_;
      if (is_leaf) {
        made.push_back(std::move(flat));
      } else {
        for (int64_t i = 0; i < leaves_; ++i) {
          const Shape shape = like(i);
          AtenTensorHandle view;
          check(aoti_torch__reinterpret_tensor(flat.get(), shape.dim, shape.sizes, shape.strides, offsets_[i], &view),
                "make a view");
          made.emplace_back(view);
        }
      }
    }
    return made;
  }

  // Runs the kernel.
  void run() {
    const int64_t chunk = kChunkBytes / item_, chunks = (total_ + chunk - 1) / chunk;
    partial_sums_.assign(size_t(kernel_->sums * chunks), 0.0);
    const auto body = [](int64_t begin, int64_t end, void* self) {
      for (int64_t c = begin; c < end; ++c) static_cast<Call*>(self)->run_chunk(c);
    };
    if (chunks <= 1 || forked()) {
      body(0, chunks, this);
    } else {
      check(torch_parallel_for(0, chunks, 1, body, this), "run a parallel loop");
    }
  }

  // What `run` summed, over chunks in their order.
  Tensor sums() const {
    const int64_t terms = kernel_->sums;
    Tensor result = empty(Shape{1, &terms, &kOne}, aoti_torch_dtype_float64());
    if (terms == 0) return result;
    auto* const total = reinterpret_cast<double*>(result.mutable_data());
    std::fill_n(total, terms, 0.0);
    for (size_t i = 0; i < partial_sums_.size(); ++i) total[i % size_t(terms)] += partial_sums_[i];
    return result;
  }

  bool has_sums() const { return kernel_->sums > 0; }

 private:
  std::string name() const { return kernel_->name; }

  // How many tensors an argument is.
  int64_t count(int64_t argument) const { return modes_[size_t(argument)] == kAbsent ? 0 : leaves_; }

  char*& pointer(int64_t argument, int64_t leaf) { return pointers_[size_t(leaf * arguments_ + argument)]; }

  Shape like(int64_t leaf) const {
    const Tensor& tensor = tensors_[size_t(shapes_ + leaf)];
    return {tensor.dim(), tensor.sizes(), tensor.strides()};
  }

  // Where each leaf begins, from the first input that is given as leaves.
  void place_leaves() {
    int64_t needed = 0;
    shapes_ = -1;
    for (int k = 0; k < kernel_->inputs; ++k) {
      if (modes_[k] == kLeaves && shapes_ < 0) shapes_ = needed;
      needed += count(k);
    }
    targets_ = needed;
    for (int64_t k = kernel_->inputs; k < arguments_; ++k) needed += modes_[size_t(k)] == kIntoLeaves ? leaves_ : 0;
    if (shapes_ < 0) fail(name() + " needs one input that is given as leaves.");
    if (needed != int64_t(tensors_.size())) {
      fail(name() + " takes " + std::to_string(needed) + " tensors in these modes, but got " +
           std::to_string(tensors_.size()) + ".");
    }
    dtype_ = tensors_[size_t(shapes_)].dtype();
    if (dtype_ != aoti_torch_dtype_float32() && dtype_ != aoti_torch_dtype_float64()) {
      fail("fused kernels take float32 or float64 tensors only.");
    }
    item_ = dtype_ == aoti_torch_dtype_float32() ? 4 : 8;
    const int64_t unit = kAlignment / item_;
    offsets_.resize(size_t(leaves_));
    numels_.resize(size_t(leaves_));
    for (int64_t i = 0; i < leaves_; ++i) {
      const Tensor& tensor = tensors_[size_t(shapes_ + i)];
      if (!is_dense(tensor)) fail("leaf " + std::to_string(i) + " is not dense: pass a contiguous tensor.");
      offsets_[size_t(i)] = total_;
      numels_[size_t(i)] = tensor.numel();
      total_ += (tensor.numel() + unit - 1) / unit * unit;
    }
  }

  // Notes where the inputs lie, and the outputs that are given.
  void place_given() {
    size_t next = 0;
    const auto take = [&](int64_t argument) -> const Tensor& {
      const Tensor& tensor = tensors_[next++];
      if (tensor.dtype() != dtype_) {
        fail("argument " + std::to_string(argument) + " of " + name() + " differs in dtype: all are of one dtype.");
      }
      return tensor;
    };
    for (int64_t k = 0; k < arguments_; ++k) {
      const int64_t mode = modes_[size_t(k)];
      if (mode == kAbsent || (k >= kernel_->inputs && mode == kLeaves)) continue;
      for (int64_t i = 0; i < leaves_; ++i) {
        const Tensor& tensor = take(k);
        const Tensor& model = tensors_[size_t(shapes_ + i)];
        if (&tensor != &model && !same_layout(tensor, model)) {
          fail("leaf " + std::to_string(i) + " of argument " + std::to_string(k) + " of " + name() +
               " differs in size or strides from that leaf of the first argument.");
        }
        pointer(k, i) = address(tensor);
      }
    }
  }

  // A null pointer means zeros to a kernel: a tensor whose storage was freed must not look like one.
  char* address(const Tensor& tensor) const {
    char* const data = const_cast<char*>(tensor.data());
    if (!data && tensor.numel() > 0) fail("a tensor given to " + name() + " has no memory: its storage was freed.");
    return data;
  }

  Tensor allocate(Shape shape) const {
    Buffer* const buffer = acquire(size_t(total_ * item_));
    AtenTensorHandle handle;
    const TorchError error = torch_from_blob(
        buffer->data, shape.dim, shape.sizes, shape.strides, 0, dtype_, aoti_torch_device_type_cpu(), -1, &handle,
        aoti_torch_layout_strided(), nullptr, 0,
        [](void*, void* context) { release(static_cast<Buffer*>(context)); }, buffer);
    if (error != 0) release(buffer);
    check(error, "make a tensor");
    return Tensor(handle);
  }

  template <class S, class Run>
  void run_range(Run kernel_run, int64_t leaf, int64_t begin, int64_t n, double* sums) {
    const S* in[kMostArguments];
    S* out[kMostArguments];
    for (int k = 0; k < kernel_->inputs; ++k) {
      const char* const base = pointer(k, leaf);
      in[k] = base ? reinterpret_cast<const S*>(base) + begin : nullptr;
    }
    for (int k = 0; k < kernel_->outputs; ++k) {
      char* const base = pointer(kernel_->inputs + k, leaf);
      out[k] = base ? reinterpret_cast<S*>(base) + begin : nullptr;
    }
    kernel_run(scalars_.data(), in, out, sums, n, stream_);
  }

  void run_chunk(int64_t index) {
    const int64_t chunk = kChunkBytes / item_;
    const int64_t begin = index * chunk, end = std::min(begin + chunk, total_);
    double* const sums = partial_sums_.data() + index * kernel_->sums;
    double terms[kMostArguments];
    auto leaf = int64_t(std::upper_bound(offsets_.begin(), offsets_.end(), begin) - offsets_.begin()) - 1;
    for (; leaf < leaves_ && offsets_[size_t(leaf)] < end; ++leaf) {
      const int64_t start = std::max<int64_t>(begin - offsets_[size_t(leaf)], 0);
      const int64_t stop = std::min(end - offsets_[size_t(leaf)], numels_[size_t(leaf)]);
      if (start >= stop) continue;
      if (item_ == 4) {
        run_range<float>(kernel_->run_f32, leaf, start, stop - start, terms);
      } else {
        run_range<double>(kernel_->run_f64, leaf, start, stop - start, terms);
      }
      for (int k = 0; k < kernel_->sums; ++k) sums[k] += terms[k];
    }
  }

  static constexpr int64_t kOne = 1;

  const TorchoptKernel* kernel_;
  int64_t leaves_, arguments_;
  std::vector<int64_t> modes_;
  std::vector<double> scalars_;
  std::vector<Tensor> tensors_;
  int64_t shapes_ = -1;   // index of the first tensor that gives the shapes
  int64_t targets_ = 0;  // index of the first tensor to write into
  int32_t dtype_ = 0;
  int64_t item_ = 0;   // bytes of an element
  int64_t total_ = 0;  // elements, with padding
  std::vector<int64_t> offsets_, numels_;
  std::vector<char*> pointers_;  // of each argument of each leaf
  std::vector<double> partial_sums_;
  bool stream_ = false;
};

// Digests.

constexpr int64_t kLanes = 8;  // partial sums, on each processor, so that a digest has the same bits on all

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

float from_bits(uint32_t bits) {
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

double number(double x) { return x; }
double number(float x) { return x; }
double number(int64_t x) { return double(x); }
double number(BFloat16 x) { return from_bits(uint32_t(x.bits) << 16); }
double number(Half x) {
  const uint32_t exponent = x.bits & 0x7c00u, size = x.bits & 0x7fffu;
  // Exponents count from -15 in a half, and from -127 in a float; the largest stands for infinity or NaN in both.
  const uint32_t more = exponent == 0x7c00u ? 224u << 23 : 112u << 23;
  const float value = exponent ? from_bits((size << 13) + more) : float(size) * 0x1p-24f;
  return x.bits >> 15 ? -value : value;
}

// Writes the sum of products with directions, and of squares.
template <class T>
void project(const char* data, const double* directions, int64_t n, double* sums) {
  const T* const x = reinterpret_cast<const T*>(data);
  double products[kLanes] = {}, squares[kLanes] = {};
  const auto add = [&](int64_t i, int64_t lane) {
    const double value = number(x[i + lane]);
    products[lane] += directions[i + lane] * value;
    squares[lane] += value * value;
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) add(i, lane);
  }
  for (int64_t lane = 0; lane < n - i; ++lane) add(i, lane);
  sums[0] = std::accumulate(products, products + kLanes, 0.0);
  sums[1] = std::accumulate(squares, squares + kLanes, 0.0);
}

// The projection of each tensor along random directions, and the sum of its squares: two rows.
Tensor digest_of(const std::vector<Tensor>& tensors, const Tensor& directions) {
  struct Part {
    void (*project)(const char*, const double*, int64_t, double*);
    const char* data;
    int64_t n;
    double sums[2];
  };
  struct Job {
    const double* directions;
    std::vector<Part> parts;
  } job;
  const int64_t room = directions.numel(), count = int64_t(tensors.size());
  if (room < 1 || directions.dtype() != aoti_torch_dtype_float64() || !directions.is_contiguous()) {
    fail("the directions of a digest are a contiguous tensor of float64.");
  }
  job.directions = reinterpret_cast<const double*>(directions.data());
  int64_t total = 0;
  std::vector<size_t> ends;  // of the parts of each tensor
  for (const Tensor& tensor : tensors) {
    const int32_t dtype = tensor.dtype();
    const bool is_half = dtype == aoti_torch_dtype_float16() || dtype == aoti_torch_dtype_bfloat16();
    const int64_t n = tensor.numel(), item = is_half ? 2 : dtype == aoti_torch_dtype_float32() ? 4 : 8;
    const auto run = dtype == aoti_torch_dtype_float32()    ? project<float>
                     : dtype == aoti_torch_dtype_float64()  ? project<double>
                     : dtype == aoti_torch_dtype_int64()    ? project<int64_t>
                     : dtype == aoti_torch_dtype_bfloat16() ? project<BFloat16>
                     : dtype == aoti_torch_dtype_float16()  ? project<Half>
                                                            : nullptr;
    if (!run) fail("a digest is of float16, bfloat16, float32, float64 or int64 tensors.");
    if (!tensor.is_contiguous()) fail("a digest is of contiguous tensors.");
    const char* const data = tensor.data();
    if (!data && n > 0) fail("a tensor given to a digest has no memory: its storage was freed.");
    for (int64_t i = 0; i < n; i += room) job.parts.push_back({run, data + i * item, std::min(room, n - i), {}});
    ends.push_back(job.parts.size());
    total += n;
  }
  const auto body = [](int64_t begin, int64_t end, void* self) {
    Job& job = *static_cast<Job*>(self);
    for (int64_t k = begin; k < end; ++k) {
      Part& part = job.parts[size_t(k)];
      part.project(part.data, job.directions, part.n, part.sums);
    }
  };
  if (total <= room || forked()) {
    body(0, int64_t(job.parts.size()), &job);
  } else {
    check(torch_parallel_for(0, int64_t(job.parts.size()), 1, body, &job), "run a parallel loop");
  }
  const int64_t sizes[] = {2, count}, strides[] = {std::max<int64_t>(count, 1), 1};
  Tensor result = empty({2, sizes, strides}, aoti_torch_dtype_float64());
  auto* const out = reinterpret_cast<double*>(result.mutable_data());
  size_t k = 0;
  for (int64_t i = 0; i < count; ++i) {
    const size_t begin = k, end = ends[size_t(i)];
    double projection = 0, square = 0;
    for (; k < end; ++k) {
      // Parts have directions, too, in another order than within a part: else two entries could change places.
      const auto along = [&](size_t place) { return job.directions[room - 1 - int64_t(place) % room]; };
      const size_t place = k - begin, parts = end - begin;
      const double factor = parts == 1 ? 1.0 : along(place) * (parts > size_t(room) ? along(place / size_t(room)) : 1.0);
      projection += factor * job.parts[k].sums[0];
      square += job.parts[k].sums[1];
    }
    out[i] = projection;
    out[count + i] = square;
  }
  return result;
}

void digest(StableIValue* stack, uint64_t, uint64_t) {
  const auto tensors = take_list<Tensor>(stack[0]);
  const Tensor directions(reinterpret_cast<AtenTensorHandle>(stack[1]));
  stack[0] = reinterpret_cast<StableIValue>(digest_of(tensors, directions).give());
}

// Takes every argument over before anything can be thrown.
Call take_call(StableIValue* stack) {
  auto tensors = take_list<Tensor>(stack[0]);
  auto modes = take_list<int64_t>(stack[3]);
  auto scalars = take_list<double>(stack[4]);
  const auto* kernel = reinterpret_cast<const TorchoptKernel*>(stack[1]);
  if (!kernel) fail("the address of the kernel is zero.");
  return Call(kernel, int64_t(stack[2]), std::move(modes), std::move(scalars), std::move(tensors));
}

void fused(StableIValue* stack, uint64_t, uint64_t) {
  Call call = take_call(stack);
  std::vector<Tensor> outputs = call.make_outputs();
  call.run();
  if (call.has_sums()) outputs.push_back(call.sums());
  stack[0] = give_list(outputs);
}

void register_operators() {
  constexpr uint64_t kTorch210 = (uint64_t(2) << 56) | (uint64_t(10) << 48);
  TorchLibraryHandle definitions, cpu;  // live as long as the process
  check(aoti_torch_library_init_def("torchopt", __FILE__, __LINE__, &definitions), "make a library");
  check(aoti_torch_library_def(
            definitions, "fused(Tensor[] tensors, int kernel, int leaves, int[] modes, float[] scalars) -> Tensor[]"),
        "define fused");
  check(aoti_torch_library_def(definitions, "digest(Tensor[] tensors, Tensor directions) -> Tensor"), "define digest");
  check(aoti_torch_library_init_impl("torchopt", "CPU", __FILE__, __LINE__, &cpu), "make a library");
  check(torch_library_impl(cpu, "fused", &fused, kTorch210), "register fused");
  check(torch_library_impl(cpu, "digest", &digest, kTorch210), "register digest");
}

}  // namespace
}  // namespace torchopt

// Registers the operators, once; an error is a return value, since an exception would end the process that loads.
TORCHOPT_EXPORT int32_t torchopt_register() {
  static const int32_t error = [] {
    try {
      torchopt::register_operators();
      return 0;
    } catch (const std::runtime_error&) {
      return 1;
    }
  }();
  return error;
}
