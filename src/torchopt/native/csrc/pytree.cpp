// Trees of containers: flatten, unflatten and map, against CPython's own API.
//
// The structure of a tree is an array of nodes in preorder. Flattening first looks among recently
// seen structures for one that the tree matches: a walk that only compares types and keys, and
// allocates nothing but the list of leaves. What a type means (container, leaf, custom) is decided in
// Python (`resolve`), once a type and namespace; what is rare (errors, representation, paths) is
// written in Python too, for this engine and for its twin in Python alike.
//
// User code (custom nodes, `is_leaf`, the mapped function, destructors) may run at any allocation or
// call and may change the tree: whatever is held across one is owned, and sizes are read again.
// All state belongs to the module object, so every interpreter has its own. The GIL protects it.

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace {

#if defined(__GNUC__) || defined(__clang__)
#define TREE_LIKELY(x) __builtin_expect(!!(x), 1)
#define TREE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TREE_LIKELY(x) (x)
#define TREE_UNLIKELY(x) (x)
#endif

constexpr int kMaxDepth = 1000;              // optree's limit
constexpr int kOwnDepth = 16;                // more in a namespace: the library's containers around a tree
constexpr Py_ssize_t kMaxNodes = INT32_MAX;  // indices of nodes are 32 bits
constexpr Py_ssize_t kMemoLimit = 1024;      // types remembered a namespace
constexpr int kNamespaces = 64;              // namespaces with a memory
constexpr int32_t kSmallDict = 4;            // up to so many keys, a new dict is the fastest to fill
constexpr int kBuckets = 16, kWays = 4;      // of the structure cache

// The numbers are those of optree.PyTreeKind.
enum class Kind : uint8_t {
  custom = 0,
  leaf = 1,
  none = 2,
  tuple = 3,
  list = 4,
  dict = 5,
  namedtuple = 6,
  ordereddict = 7,
  defaultdict = 8,
  deque = 9,
  structseq = 10,
};

bool is_mapping(Kind kind) {
  return kind == Kind::dict || kind == Kind::ordereddict || kind == Kind::defaultdict;
}

// ------------------------------------------------------------------------------------- ownership

// An owned reference, or null.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  static Ref share(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

PyObject* share(PyObject* object) {
  Py_XINCREF(object);
  return object;
}

// A growing array of trivial values.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyMem_Free(data_); }

  bool extend(Py_ssize_t count) {
    if (size_ + count > capacity_) {
      const Py_ssize_t wanted = std::max<Py_ssize_t>({64, 2 * capacity_, size_ + count});
      T* moved = static_cast<T*>(PyMem_Realloc(data_, wanted * sizeof(T)));
      if (moved == nullptr) {
        PyErr_NoMemory();
        return false;
      }
      data_ = moved;
      capacity_ = wanted;
    }
    size_ += count;
    return true;
  }
  T& operator[](Py_ssize_t index) { return data_[index]; }
  Py_ssize_t size() const { return size_; }
  T* release() {
    T* data = std::exchange(data_, nullptr);
    T* fitted = data == nullptr ? nullptr
                                : static_cast<T*>(PyMem_Realloc(data, size_ * sizeof(T)));
    size_ = capacity_ = 0;
    return fitted == nullptr ? data : fitted;
  }

 private:
  T* data_ = nullptr;
  Py_ssize_t size_ = 0, capacity_ = 0;
};

// Owned references, each of which may be null; the first `kInline` live on the stack.
template <Py_ssize_t kInline>
class References {
 public:
  References() = default;
  References(const References&) = delete;
  References& operator=(const References&) = delete;
  ~References() {
    clear();
    if (data_ != inline_) PyMem_Free(data_);
  }

  bool reserve(Py_ssize_t count) {
    if (count <= capacity_) return true;
    const Py_ssize_t wanted = std::max(count, 2 * capacity_);
    PyObject** grown = static_cast<PyObject**>(PyMem_Malloc(wanted * sizeof(PyObject*)));
    if (grown == nullptr) {
      PyErr_NoMemory();
      return false;
    }
    std::memcpy(grown, data_, size_ * sizeof(PyObject*));
    if (data_ != inline_) PyMem_Free(data_);
    data_ = grown;
    capacity_ = wanted;
    return true;
  }
  bool resize(Py_ssize_t count) {  // the new ones are null
    if (!reserve(count)) return false;
    std::memset(data_ + size_, 0, (count - size_) * sizeof(PyObject*));
    size_ = count;
    return true;
  }
  bool push(PyObject* borrowed) {
    if (TREE_UNLIKELY(size_ == capacity_) && !reserve(size_ + 1)) return false;
    Py_INCREF(borrowed);
    data_[size_++] = borrowed;
    return true;
  }
  void clear() {
    while (size_ > 0) Py_XDECREF(data_[--size_]);
  }
  PyObject** data() { return data_; }
  PyObject* operator[](Py_ssize_t index) const { return data_[index]; }
  Py_ssize_t size() const { return size_; }

 private:
  PyObject* inline_[kInline];
  PyObject** data_ = inline_;
  Py_ssize_t size_ = 0, capacity_ = kInline;
};

using Leaves = References<128>;
using Values = References<16>;  // one for each level of a tree that may be deep

void drop(PyObject** objects, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i) Py_CLEAR(objects[i]);
}

// ----------------------------------------------------------------------------------------- types

// What a type is in a namespace; `handler` is a `Handler` of _nodes.py, null for a leaf.
struct Entry {
  PyTypeObject* type;
  PyObject* handler;
  Kind kind;
  bool packs;    // a NamedTuple whose constructor does nothing but pack its arguments
  bool ordered;  // a mapping whose keys stay in the order of insertion
};

enum HandlerField { kHandlerKind, kHandlerType, kHandlerFlatten, kHandlerUnflatten, kHandlerEntry,
                    kHandlerPacks, kHandlerOrdered, kHandlerFields };

PyObject* handler_field(PyObject* handler, HandlerField field) {
  return PyTuple_GET_ITEM(handler, field);
}

PyTypeObject* handler_type(PyObject* handler) {
  return reinterpret_cast<PyTypeObject*>(handler_field(handler, kHandlerType));
}

// Open addressing by the address of the type; owns types and handlers; forgets all when full.
class TypeMemo {
 public:
  const Entry* find(PyTypeObject* type) const {
    if (slots_ == nullptr) return nullptr;
    for (size_t i = hash(type);; ++i) {
      const Entry* slot = &slots_[i & mask_];
      if (slot->type == type) return slot;
      if (slot->type == nullptr) return nullptr;
    }
  }
  bool insert(const Entry& entry) {
    if (find(entry.type) != nullptr) return true;  // user code came first
    if (count_ >= kMemoLimit) clear();
    if (slots_ == nullptr) {
      slots_ = static_cast<Entry*>(PyMem_Calloc(2 * kMemoLimit, sizeof(Entry)));
      if (slots_ == nullptr) {
        PyErr_NoMemory();
        return false;
      }
    }
    size_t i = hash(entry.type);
    while (slots_[i & mask_].type != nullptr) ++i;
    slots_[i & mask_] = entry;
    Py_INCREF(entry.type);
    Py_XINCREF(entry.handler);
    ++count_;
    return true;
  }
  void clear() {
    Entry* old = std::exchange(slots_, nullptr);
    count_ = 0;
    if (old == nullptr) return;
    for (size_t i = 0; i <= mask_; ++i) {
      Py_XDECREF(old[i].type);
      Py_XDECREF(old[i].handler);
    }
    PyMem_Free(old);
  }
  int traverse(visitproc visit, void* arg) const {
    for (size_t i = 0; slots_ != nullptr && i <= mask_; ++i) {
      Py_VISIT(slots_[i].type);
      Py_VISIT(slots_[i].handler);
    }
    return 0;
  }

 private:
  static size_t hash(PyTypeObject* type) {
    const auto bits = reinterpret_cast<uintptr_t>(type) >> 4;
    return bits ^ (bits >> 9) ^ (bits >> 17);
  }
  static constexpr size_t mask_ = 2 * kMemoLimit - 1;
  Entry* slots_ = nullptr;
  Py_ssize_t count_ = 0;
};

struct Namespace {
  PyObject* name;
  TypeMemo types;
  PyTypeObject* last_leaf;  // borrowed from `types`: most leaves of a tree are of one type
};

struct Spec;

// A recently seen structure, and what is looked at before the walk.
struct Signature {
  PyTypeObject* type;
  Py_ssize_t size;
  const void* first;  // of the first key, or type of the first child: never followed
  Namespace* space;
  bool none_is_leaf;

  bool operator==(const Signature& other) const {
    return type == other.type && size == other.size && first == other.first &&
           space == other.space && none_is_leaf == other.none_is_leaf;
  }
  unsigned bucket() const {
    auto bits = (reinterpret_cast<uintptr_t>(type) >> 4) * 31 + size;
    bits = bits * 31 + (reinterpret_cast<uintptr_t>(first) >> 4);
    bits ^= bits >> 13;
    return (bits ^ (bits >> 7)) % kBuckets;
  }
};

struct Remembered {
  Signature signature;
  Spec* spec;
};

struct State {
  PyTypeObject* spec_type;
  PyObject *resolve, *sort_keys, *explain_mismatch, *explain_count, *make_twin;  // of the Python side
  PyTypeObject *ordereddict, *defaultdict, *deque;
  PyObject *default_factory, *maxlen;  // attribute names
  Namespace spaces[kNamespaces];
  int space_count;
  Remembered cache[kBuckets][kWays];
  unsigned next_victim;
  unsigned long long hits, misses;
  unsigned long long generation;  // raised by `forget`: what was resolved before is not remembered
};

State* state_of(PyObject* module) { return static_cast<State*>(PyModule_GetState(module)); }

// The memory of a namespace; null when there are too many, and types are then resolved each time.
Namespace* find_namespace(State* state, PyObject* name) {
  for (int i = 0; i < state->space_count; ++i) {
    if (state->spaces[i].name == name) return &state->spaces[i];
  }
  for (int i = 0; i < state->space_count; ++i) {
    if (PyUnicode_Compare(state->spaces[i].name, name) == 0) return &state->spaces[i];
  }
  if (state->space_count == kNamespaces) return nullptr;
  Namespace* space = &state->spaces[state->space_count++];
  space->name = share(name);
  return space;
}

// Fills `entry`, whose handler is then owned by the caller; -1 with an exception.
int look_up(State* state, Namespace* space, PyObject* name, PyTypeObject* type, Entry* entry) {
  if (TREE_LIKELY(space != nullptr)) {
    if (TREE_LIKELY(type == space->last_leaf)) {
      *entry = Entry{type, nullptr, Kind::leaf, false, false};
      return 0;
    }
    if (const Entry* found = space->types.find(type)) {
      *entry = *found;
      Py_XINCREF(entry->handler);
      if (entry->kind == Kind::leaf) space->last_leaf = type;
      return 0;
    }
  }
  const auto generation = state->generation;
  Ref handler(PyObject_CallFunctionObjArgs(state->resolve, name, type, nullptr));
  if (!handler) return -1;
  if (handler.get() == Py_None) {
    *entry = Entry{type, nullptr, Kind::leaf, false, false};
  } else {
    if (!PyTuple_Check(handler.get()) || PyTuple_GET_SIZE(handler.get()) != kHandlerFields) {
      PyErr_SetString(PyExc_SystemError, "`resolve` returned no handler");
      return -1;
    }
    const long kind = PyLong_AsLong(handler_field(handler.get(), kHandlerKind));
    if (kind == -1 && PyErr_Occurred()) return -1;
    *entry = Entry{type, handler.get(), static_cast<Kind>(kind),
                   handler_field(handler.get(), kHandlerPacks) == Py_True,
                   handler_field(handler.get(), kHandlerOrdered) == Py_True};
  }
  if (space != nullptr && generation == state->generation) {
    space->last_leaf = nullptr;  // the memory may be emptied
    if (!space->types.insert(*entry)) return -1;
  }
  if (entry->handler != nullptr) handler.release();
  return 0;
}

bool known_leaf(Namespace* space, PyTypeObject* type, bool none_is_leaf) {
  if (TREE_LIKELY(type == space->last_leaf)) return true;
  const Entry* found = space->types.find(type);
  if (found == nullptr) return false;
  if (found->kind == Kind::leaf) {
    space->last_leaf = type;
    return true;
  }
  return found->kind == Kind::none && none_is_leaf;
}

// ------------------------------------------------------------------------------------- structure

struct Node {
  PyObject* handler;  // null for a leaf
  PyObject* keys;     // mappings: keys in the order of the leaves
  PyObject* order;    // mappings: keys in the order of insertion (the same object if it is the same)
  PyObject* meta;     // custom: metadata; defaultdict: its factory; deque: its maximal length
  PyObject* entries;  // custom: names of the children, null for 0, 1, ...
  PyObject* blank;    // dict: one with these keys and no values, made at the first building
  int32_t arity, leaves, nodes;  // children; of the subtree: leaves, nodes (itself included)
  int32_t first_leaf;
  int32_t shuffle;  // where `Spec::shuffle` has the nodes of the children as inserted; -1: as they are
  Kind kind;
  bool packs;
  bool shallow;  // every child is a leaf
};

void drop_node(Node* node) {
  Py_CLEAR(node->handler);
  Py_CLEAR(node->keys);
  Py_CLEAR(node->order);
  Py_CLEAR(node->meta);
  Py_CLEAR(node->entries);
  Py_CLEAR(node->blank);
}

struct Spec {
  PyObject_HEAD
  State* state;  // of the module, which the type keeps alive
  Node* nodes;
  int32_t* shuffle;
  int32_t node_count, shuffle_count;
  bool none_is_leaf, cacheable;
  PyObject* space;  // the name of the namespace: empty where the tree has no custom node
  Py_hash_t hash;
  PyObject* twin;   // the same structure of the engine in Python, once somebody asked for it
  PyObject* weak_references;
};

PyObject* as_object(Spec* spec) { return reinterpret_cast<PyObject*>(spec); }
Spec* as_spec(PyObject* object) { return reinterpret_cast<Spec*>(object); }

// Takes `nodes` and `shuffle` over, whether it succeeds or not.
Spec* make_spec(State* state, Node* nodes, Py_ssize_t node_count, int32_t* shuffle,
                Py_ssize_t shuffle_count, bool none_is_leaf, bool cacheable, PyObject* space) {
  Spec* spec = PyObject_GC_New(Spec, state->spec_type);
  if (spec == nullptr) {
    for (Py_ssize_t i = 0; i < node_count; ++i) drop_node(&nodes[i]);
    PyMem_Free(nodes);
    PyMem_Free(shuffle);
    return nullptr;
  }
  spec->state = state;
  spec->nodes = nodes;
  spec->shuffle = shuffle;
  spec->node_count = static_cast<int32_t>(node_count);
  spec->shuffle_count = static_cast<int32_t>(shuffle_count);
  spec->none_is_leaf = none_is_leaf;
  spec->cacheable = cacheable;
  spec->space = share(space);
  spec->hash = -1;
  spec->twin = nullptr;
  spec->weak_references = nullptr;
  PyObject_GC_Track(spec);
  return spec;
}

// --------------------------------------------------------------------------- flattening from zero

// Code points in order, as `str` compares; both are exact strings.
int compare_strings(PyObject* a, PyObject* b) {
  if (TREE_LIKELY(PyUnicode_KIND(a) == PyUnicode_1BYTE_KIND &&
                  PyUnicode_KIND(b) == PyUnicode_1BYTE_KIND)) {
    const Py_ssize_t m = PyUnicode_GET_LENGTH(a), n = PyUnicode_GET_LENGTH(b);
    const int order = std::memcmp(PyUnicode_1BYTE_DATA(a), PyUnicode_1BYTE_DATA(b), std::min(m, n));
    return order != 0 ? order : (m > n) - (m < n);
  }
  return PyUnicode_Compare(a, b);
}

// Equal for sure, without running any code of the key's type.
bool same_key(PyObject* a, PyObject* b) {
  if (TREE_LIKELY(a == b)) return true;
  if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) {
    return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && compare_strings(a, b) == 0;
  }
  return PyLong_CheckExact(a) && PyLong_CheckExact(b) &&
         PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

class Flattening {
 public:
  Flattening(State* state, PyObject* is_leaf, bool none_is_leaf, PyObject* name)
      : state_(state),
        space_(find_namespace(state, name)),
        name_(name),
        is_leaf_(is_leaf),
        max_depth_(kMaxDepth + (PyUnicode_GET_LENGTH(name) > 0 ? kOwnDepth : 0)),
        none_is_leaf_(none_is_leaf) {}
  ~Flattening() {
    for (Py_ssize_t i = 0; i < nodes_.size(); ++i) drop_node(&nodes_[i]);
  }

  bool visit(PyObject* tree, int depth);
  Spec* spec();
  Leaves& leaves() { return leaves_; }

 private:
  bool visit_children(PyObject** children, Py_ssize_t count, int depth);
  bool visit_list(PyObject* tree, int depth);
  bool visit_mapping(Py_ssize_t me, PyObject* tree, bool ordered, int depth);
  bool visit_custom(Py_ssize_t me, PyObject* tree, int depth);
  bool sort_generic(PyObject* order, int32_t* rank);

  State* state_;
  Namespace* space_;
  PyObject* name_;
  PyObject* is_leaf_;
  int max_depth_;
  bool none_is_leaf_;
  bool cacheable_ = true, custom_ = false;
  Buffer<Node> nodes_;
  Buffer<int32_t> shuffle_;
  Leaves leaves_;
};

bool Flattening::visit(PyObject* tree, int depth) {
  if (TREE_UNLIKELY(depth > max_depth_)) {
    PyErr_SetString(PyExc_RecursionError,
                    "Maximum recursion depth exceeded during flattening the tree.");
    return false;
  }
  const Py_ssize_t me = nodes_.size();
  if (TREE_UNLIKELY(me == kMaxNodes)) {
    PyErr_SetString(PyExc_OverflowError, "the tree has too many nodes");
    return false;
  }
  if (!nodes_.extend(1)) return false;
  std::memset(&nodes_[me], 0, sizeof(Node));
  nodes_[me].first_leaf = static_cast<int32_t>(leaves_.size());
  nodes_[me].shuffle = -1;

  Entry entry{Py_TYPE(tree), nullptr, Kind::leaf, false, false};
  bool stop = false;
  if (is_leaf_ != nullptr) {
    Ref answer(PyObject_CallOneArg(is_leaf_, tree));
    const int truth = answer ? PyObject_IsTrue(answer.get()) : -1;
    if (truth < 0) return false;
    stop = truth != 0;
  }
  if (!stop && look_up(state_, space_, name_, Py_TYPE(tree), &entry) < 0) return false;
  if (entry.kind == Kind::none && none_is_leaf_) {
    Py_CLEAR(entry.handler);
    entry.kind = Kind::leaf;
  }
  {
    Node* node = &nodes_[me];
    node->handler = entry.handler;
    node->kind = entry.kind;
    node->packs = entry.packs;
  }
  bool done = false;
  switch (entry.kind) {
    case Kind::leaf:
      nodes_[me].leaves = nodes_[me].nodes = 1;
      return leaves_.push(tree);
    case Kind::none:
      nodes_[me].nodes = 1;
      return true;
    case Kind::tuple:
    case Kind::namedtuple:
    case Kind::structseq: {
      const Py_ssize_t count = PyTuple_GET_SIZE(tree);
      nodes_[me].arity = static_cast<int32_t>(count);
      done = visit_children(reinterpret_cast<PyTupleObject*>(tree)->ob_item, count, depth);
      break;
    }
    case Kind::list:
      nodes_[me].arity = static_cast<int32_t>(PyList_GET_SIZE(tree));
      done = visit_list(tree, depth);
      break;
    case Kind::dict:
    case Kind::ordereddict:
      done = visit_mapping(me, tree, entry.ordered, depth);
      break;
    case Kind::defaultdict:
      cacheable_ = false;
      nodes_[me].meta = PyObject_GetAttr(tree, state_->default_factory);
      done = nodes_[me].meta != nullptr && visit_mapping(me, tree, entry.ordered, depth);
      break;
    case Kind::deque: {
      cacheable_ = false;
      Ref children(PySequence_Tuple(tree));
      if (!children) return false;
      PyObject* maxlen = PyObject_GetAttr(tree, state_->maxlen);
      nodes_[me].meta = maxlen;
      nodes_[me].arity = static_cast<int32_t>(PyTuple_GET_SIZE(children.get()));
      done = maxlen != nullptr &&
             visit_children(reinterpret_cast<PyTupleObject*>(children.get())->ob_item,
                            PyTuple_GET_SIZE(children.get()), depth);
      break;
    }
    case Kind::custom:
      cacheable_ = false;
      custom_ = true;
      done = visit_custom(me, tree, depth);
      break;
  }
  Node* node = &nodes_[me];
  node->nodes = static_cast<int32_t>(nodes_.size() - me);
  node->leaves = static_cast<int32_t>(leaves_.size()) - node->first_leaf;
  node->shallow = node->nodes == node->arity + 1 && node->leaves == node->arity;
  return done;
}

// The children are owned by something that this call holds on to, and that does not change.
bool Flattening::visit_children(PyObject** children, Py_ssize_t count, int depth) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!visit(children[i], depth + 1)) return false;
  }
  return true;
}

bool Flattening::visit_list(PyObject* tree, int depth) {
  const Py_ssize_t count = PyList_GET_SIZE(tree);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (TREE_UNLIKELY(PyList_GET_SIZE(tree) != count)) {
      PyErr_SetString(PyExc_RuntimeError, "list changed size during flattening");
      return false;
    }
    Ref child = Ref::share(PyList_GET_ITEM(tree, i));
    if (!visit(child.get(), depth + 1)) return false;
  }
  return true;
}

// Adds the keys of a mapping to `order` and its values to `values`; no Python code can interfere
// with a dict or defaultdict, and the iterator of an OrderedDict notices.
bool snapshot(PyObject* tree, Kind kind, PyObject* order, Values* values) {
  const Py_ssize_t count = PyTuple_GET_SIZE(order);
  if (!values->reserve(count)) return false;
  Py_ssize_t taken = 0;
  PyObject *key, *value;
  if (kind != Kind::ordereddict) {
    Py_ssize_t cursor = 0;
    for (; taken < count && PyDict_Next(tree, &cursor, &key, &value); ++taken) {
      PyTuple_SET_ITEM(order, taken, share(key));
      values->push(value);
    }
  } else {  // its own order is not that of the dict underneath
    Ref iterator(PyObject_GetIter(tree));
    if (!iterator) return false;
    for (; taken < count; ++taken) {
      key = PyIter_Next(iterator.get());
      if (key == nullptr) break;
      PyTuple_SET_ITEM(order, taken, key);
      value = PyDict_GetItemWithError(tree, key);
      if (value == nullptr) break;
      values->push(value);
    }
  }
  if (taken == count) return true;
  if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during flattening");
  }
  return false;
}

// rank[j] = position in `order` of the j-th key in the order of the leaves, by Python's own sort.
bool Flattening::sort_generic(PyObject* order, int32_t* rank) {
  const Py_ssize_t count = PyTuple_GET_SIZE(order);
  Ref sorted(PyObject_CallOneArg(state_->sort_keys, order));
  if (!sorted) return false;
  Ref positions(PyDict_New());
  if (!positions) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref position(PyLong_FromSsize_t(i));
    if (!position) return false;
    if (PyDict_SetItem(positions.get(), PyTuple_GET_ITEM(order, i), position.get()) < 0) return false;
  }
  if (!PyList_CheckExact(sorted.get()) || PyList_GET_SIZE(sorted.get()) != count) {
    PyErr_SetString(PyExc_RuntimeError, "keys changed during sorting");
    return false;
  }
  for (Py_ssize_t j = 0; j < count; ++j) {
    Ref key = Ref::share(PyList_GET_ITEM(sorted.get(), j));
    PyObject* position = PyDict_GetItemWithError(positions.get(), key.get());
    if (position == nullptr) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "keys changed during sorting");
      return false;
    }
    rank[j] = static_cast<int32_t>(PyLong_AsLong(position));
  }
  return true;
}

bool Flattening::visit_mapping(Py_ssize_t me, PyObject* tree, bool ordered, int depth) {
  const Py_ssize_t count = PyDict_GET_SIZE(tree);
  nodes_[me].arity = static_cast<int32_t>(count);
  PyObject* order = PyTuple_New(count);
  if (order == nullptr) return false;
  nodes_[me].order = order;
  Values values;
  if (!snapshot(tree, nodes_[me].kind, order, &values)) return false;

  bool sorted = true, strings = true;
  for (Py_ssize_t i = 0; !ordered && i < count; ++i) {
    PyObject* key = PyTuple_GET_ITEM(order, i);
    if (!PyUnicode_CheckExact(key)) {
      strings = sorted = false;
      break;
    }
    if (sorted && i > 0 && compare_strings(PyTuple_GET_ITEM(order, i - 1), key) > 0) sorted = false;
  }
  if (sorted || count < 2) {
    nodes_[me].keys = share(order);
    return visit_children(values.data(), count, depth);
  }

  Buffer<int32_t> rank;
  if (!rank.extend(count)) return false;
  if (strings) {
    for (Py_ssize_t i = 0; i < count; ++i) rank[i] = static_cast<int32_t>(i);
    std::sort(&rank[0], &rank[0] + count, [order](int32_t a, int32_t b) {
      return compare_strings(PyTuple_GET_ITEM(order, a), PyTuple_GET_ITEM(order, b)) < 0;
    });
  } else {
    if (!sort_generic(order, &rank[0])) return false;
    sorted = true;
    for (Py_ssize_t j = 0; j < count; ++j) sorted = sorted && rank[j] == j;
    if (sorted) {
      nodes_[me].keys = share(order);
      return visit_children(values.data(), count, depth);
    }
  }
  PyObject* keys = PyTuple_New(count);
  if (keys == nullptr) return false;
  nodes_[me].keys = keys;
  const Py_ssize_t shuffle = shuffle_.size();
  if (!shuffle_.extend(count)) return false;
  nodes_[me].shuffle = static_cast<int32_t>(shuffle);
  for (Py_ssize_t j = 0; j < count; ++j) {
    PyTuple_SET_ITEM(keys, j, share(PyTuple_GET_ITEM(order, rank[j])));
  }
  for (Py_ssize_t j = 0; j < count; ++j) {
    shuffle_[shuffle + rank[j]] = static_cast<int32_t>(nodes_.size());
    if (!visit(values[rank[j]], depth + 1)) return false;
  }
  return true;
}

// Calls a custom node's flatten function: children (a tuple), metadata, entries (a tuple or null).
bool call_flatten(PyObject* handler, PyObject* tree, Ref* children, Ref* meta, Ref* entries) {
  Ref keep = Ref::share(handler);
  Ref result(PyObject_CallOneArg(handler_field(handler, kHandlerFlatten), tree));
  if (result) result = Ref(PySequence_Tuple(result.get()));
  if (!result) return false;
  PyObject* parts = result.get();
  const Py_ssize_t count = PyTuple_GET_SIZE(parts);
  if (count != 2 && count != 3) {
    PyErr_Format(PyExc_RuntimeError,
                 "PyTree custom flatten function for type %R should return a 2- or 3-tuple, got %zd.",
                 handler_type(handler), count);
    return false;
  }
  *children = Ref(PySequence_Tuple(PyTuple_GET_ITEM(parts, 0)));
  if (!*children) return false;
  *meta = Ref::share(PyTuple_GET_ITEM(parts, 1));
  if (count == 3 && PyTuple_GET_ITEM(parts, 2) != Py_None) {
    *entries = Ref(PySequence_Tuple(PyTuple_GET_ITEM(parts, 2)));
    if (!*entries) return false;
    if (PyTuple_GET_SIZE(entries->get()) != PyTuple_GET_SIZE(children->get())) {
      PyErr_Format(PyExc_RuntimeError,
                   "PyTree custom flatten function for type %R returned inconsistent number of "
                   "children (%zd) and number of entries (%zd).",
                   handler_type(handler), PyTuple_GET_SIZE(children->get()),
                   PyTuple_GET_SIZE(entries->get()));
      return false;
    }
  }
  return true;
}

bool Flattening::visit_custom(Py_ssize_t me, PyObject* tree, int depth) {
  Ref children, meta, entries;
  if (!call_flatten(nodes_[me].handler, tree, &children, &meta, &entries)) return false;
  nodes_[me].meta = meta.release();
  nodes_[me].entries = entries.release();
  nodes_[me].arity = static_cast<int32_t>(PyTuple_GET_SIZE(children.get()));
  return visit_children(reinterpret_cast<PyTupleObject*>(children.get())->ob_item,
                        PyTuple_GET_SIZE(children.get()), depth);
}

Spec* Flattening::spec() {
  const Py_ssize_t node_count = nodes_.size(), shuffle_count = shuffle_.size();
  Ref none_name;
  PyObject* name = name_;
  if (!custom_ && PyUnicode_GET_LENGTH(name) != 0) {
    none_name = Ref(PyUnicode_New(0, 0));
    name = none_name.get();
    if (name == nullptr) return nullptr;
  }
  return make_spec(state_, nodes_.release(), node_count, shuffle_.release(), shuffle_count,
                   none_is_leaf_, cacheable_ && is_leaf_ == nullptr, name);
}

// -------------------------------------------------------------- matching against a known structure

enum class Match { strict, prefix };

template <Match how>
int match_children(const Spec* spec, int32_t me, PyObject* tree, Namespace* space, PyObject** out);
template <Match how>
int match_mapping(const Spec* spec, int32_t me, PyObject* tree, Namespace* space, PyObject** out);
int match_custom(const Spec* spec, int32_t me, PyObject* tree, PyObject** out);

// Puts the leaves, owned, at their places in `out` (zeros before). 1: it matches, 0: it does not,
// -1: an exception. Strict: exactly this structure; runs no code of the user's, and leaves what is
// unusual to the flattening from zero. Prefix: at least this structure, with optree's liberties.
template <Match how>
int match(const Spec* spec, int32_t me, PyObject* tree, Namespace* space, PyObject** out) {
  const Node* node = &spec->nodes[me];
  PyTypeObject* type = Py_TYPE(tree);
  switch (node->kind) {
    case Kind::leaf:
      if (how == Match::strict && !known_leaf(space, type, spec->none_is_leaf)) return 0;
      out[node->first_leaf] = share(tree);
      return 1;
    case Kind::none:
      return tree == Py_None;
    case Kind::tuple:
      if (type != &PyTuple_Type || PyTuple_GET_SIZE(tree) != node->arity) return 0;
      return match_children<how>(spec, me, tree, space, out);
    case Kind::namedtuple:
    case Kind::structseq:
      if (type != handler_type(node->handler) || PyTuple_GET_SIZE(tree) != node->arity) return 0;
      return match_children<how>(spec, me, tree, space, out);
    case Kind::list:
      if (type != &PyList_Type || PyList_GET_SIZE(tree) != node->arity) return 0;
      return match_children<how>(spec, me, tree, space, out);
    case Kind::deque: {
      if (how == Match::strict || type != spec->state->deque) return 0;
      Ref children(PySequence_Tuple(tree));
      if (!children) return -1;
      if (PyTuple_GET_SIZE(children.get()) != node->arity) return 0;
      return match_children<how>(spec, me, children.get(), space, out);
    }
    case Kind::dict:
    case Kind::ordereddict:
    case Kind::defaultdict:
      return match_mapping<how>(spec, me, tree, space, out);
    case Kind::custom:
      return how == Match::strict ? 0 : match_custom(spec, me, tree, out);
  }
  return 0;
}

// A child that is not a leaf is owned while it is walked: its parent may let it go meanwhile.
template <Match how>
int match_child(const Spec* spec, int32_t child, PyObject* tree, Namespace* space, PyObject** out) {
  const Node* node = &spec->nodes[child];
  if (node->kind == Kind::leaf) {
    if (how == Match::strict && TREE_UNLIKELY(!known_leaf(space, Py_TYPE(tree), spec->none_is_leaf))) {
      return 0;
    }
    out[node->first_leaf] = share(tree);
    return 1;
  }
  Py_INCREF(tree);
  const int found = match<how>(spec, child, tree, space, out);
  Py_DECREF(tree);
  return found;
}

template <Match how>
int match_children(const Spec* spec, int32_t me, PyObject* tree, Namespace* space, PyObject** out) {
  const Node* node = &spec->nodes[me];
  const bool is_list = PyList_Check(tree);
  int32_t child = me + 1;
  for (int32_t i = 0; i < node->arity; ++i) {
    if (is_list && TREE_UNLIKELY(i >= PyList_GET_SIZE(tree))) return 0;
    PyObject* value = is_list ? PyList_GET_ITEM(tree, i) : PyTuple_GET_ITEM(tree, i);
    const int found = match_child<how>(spec, child, value, space, out);
    if (TREE_UNLIKELY(found != 1)) return found;
    child += spec->nodes[child].nodes;
  }
  return 1;
}

int32_t inserted_child(const Spec* spec, const Node* node, int32_t i, int32_t next) {
  return node->shuffle < 0 ? next : spec->shuffle[node->shuffle + i];
}

constexpr int kOtherOrder = 2;  // `match_in_order`: other keys, or the same in another order

// The same keys in the same order as when the structure was made.
template <Match how>
int match_in_order(const Spec* spec, int32_t me, PyObject* tree, Namespace* space, PyObject** out) {
  const Node* node = &spec->nodes[me];
  PyObject* order = node->order;
  int32_t next = me + 1, i = 0;
  PyObject *key, *value;
  if (node->kind == Kind::ordereddict) {
    if (node->arity == 0) return 1;
    Ref iterator(PyObject_GetIter(tree));
    if (!iterator) {
      PyErr_Clear();
      return 0;
    }
    iternextfunc advance = Py_TYPE(iterator.get())->tp_iternext;
    Py_ssize_t cursor = 0;  // usually both orders agree, and no look-up is needed
    for (; i < node->arity; ++i) {
      Ref current(advance(iterator.get()));
      if (!current || !same_key(current.get(), PyTuple_GET_ITEM(order, i))) break;
      if (!PyDict_Next(tree, &cursor, &key, &value) || key != current.get()) {
        value = PyDict_GetItemWithError(tree, current.get());
        if (value == nullptr) break;
      }
      const int32_t child = inserted_child(spec, node, i, next);
      const int found = match_child<how>(spec, child, value, space, out);
      if (found != 1) return found;
      next += spec->nodes[child].nodes;
    }
    if (i < node->arity) PyErr_Clear();
    return i == node->arity;
  }
  Py_ssize_t cursor = 0;
  if (node->shallow) {  // most of the time is spent here
    PyObject** places = out + node->first_leaf;
    const int32_t* shuffle = node->shuffle < 0 ? nullptr : spec->shuffle + node->shuffle;
    while (i < node->arity && PyDict_Next(tree, &cursor, &key, &value)) {
      if (TREE_UNLIKELY(!same_key(key, PyTuple_GET_ITEM(order, i)))) return kOtherOrder;
      if (how == Match::strict &&
          TREE_UNLIKELY(!known_leaf(space, Py_TYPE(value), spec->none_is_leaf))) {
        return 0;
      }
      places[shuffle == nullptr ? i : shuffle[i] - me - 1] = share(value);
      ++i;
    }
    return i == node->arity;
  }
  while (i < node->arity && PyDict_Next(tree, &cursor, &key, &value)) {
    if (TREE_UNLIKELY(!same_key(key, PyTuple_GET_ITEM(order, i)))) return kOtherOrder;
    const int32_t child = inserted_child(spec, node, i, next);
    const int found = match_child<how>(spec, child, value, space, out);
    if (TREE_UNLIKELY(found != 1)) return found;
    next += spec->nodes[child].nodes;
    ++i;
  }
  return i == node->arity;
}

template <Match how>
int match_mapping(const Spec* spec, int32_t me, PyObject* tree, Namespace* space, PyObject** out) {
  const Node* node = &spec->nodes[me];
  const State* state = spec->state;
  PyTypeObject* type = Py_TYPE(tree);
  if (how == Match::strict) {
    PyTypeObject* expected = node->kind == Kind::dict ? &PyDict_Type : state->ordereddict;
    if (node->kind == Kind::defaultdict || type != expected) return 0;
    if (PyDict_GET_SIZE(tree) != node->arity) return 0;
    return match_in_order<how>(spec, me, tree, space, out);
  }
  // As a prefix, a mapping of any kind will do, with its keys in any order.
  if (type != &PyDict_Type && type != state->ordereddict && type != state->defaultdict) return 0;
  if (PyDict_GET_SIZE(tree) != node->arity) return 0;
  if (node->kind == Kind::dict && type == &PyDict_Type) {
    const int found = match_in_order<how>(spec, me, tree, space, out);
    if (found != kOtherOrder) return found;
    drop(out + node->first_leaf, node->leaves);
  }
  int32_t child = me + 1;
  for (int32_t i = 0; i < node->arity; ++i) {
    PyObject* value = PyDict_GetItemWithError(tree, PyTuple_GET_ITEM(node->keys, i));
    if (value == nullptr) return PyErr_Occurred() ? -1 : 0;
    const int found = match_child<how>(spec, child, value, space, out);
    if (found != 1) return found;
    child += spec->nodes[child].nodes;
  }
  return 1;
}

int match_custom(const Spec* spec, int32_t me, PyObject* tree, PyObject** out) {
  const Node* node = &spec->nodes[me];
  if (Py_TYPE(tree) != handler_type(node->handler)) return 0;
  Ref children, meta, entries;
  if (!call_flatten(node->handler, tree, &children, &meta, &entries)) return -1;
  if (PyTuple_GET_SIZE(children.get()) != node->arity) return 0;
  const int equal = PyObject_RichCompareBool(node->meta, meta.get(), Py_EQ);
  if (equal != 1) return equal;
  return match_children<Match::prefix>(spec, me, children.get(), nullptr, out);
}

// Flattens up to a structure into `out` (zeros before): raises what the Python side says is wrong.
bool flatten_up_to(Spec* spec, PyObject* tree, PyObject** out) {
  const int found = match<Match::prefix>(spec, 0, tree, nullptr, out);
  if (TREE_LIKELY(found == 1)) return true;
  drop(out, spec->nodes[0].leaves);
  if (found == 0) {
    Ref nothing(PyObject_CallFunctionObjArgs(spec->state->explain_mismatch, spec, tree, nullptr));
    if (nothing) {
      PyErr_SetString(PyExc_ValueError, "the tree does not have the structure that it should have");
    }
  }
  return false;
}

// --------------------------------------------------------------------------------- structure cache

bool signature_of(PyObject* tree, Namespace* space, bool none_is_leaf, Signature* signature) {
  PyTypeObject* type = Py_TYPE(tree);
  *signature = Signature{type, 0, nullptr, space, none_is_leaf};
  if (PyTuple_Check(tree)) {
    signature->size = PyTuple_GET_SIZE(tree);
    if (signature->size > 0) signature->first = Py_TYPE(PyTuple_GET_ITEM(tree, 0));
  } else if (type == &PyList_Type) {
    signature->size = PyList_GET_SIZE(tree);
    if (signature->size > 0) signature->first = Py_TYPE(PyList_GET_ITEM(tree, 0));
  } else if (PyDict_Check(tree)) {
    signature->size = PyDict_GET_SIZE(tree);
    Py_ssize_t cursor = 0;
    PyObject *key, *value;
    if (PyDict_Next(tree, &cursor, &key, &value)) {
      // Equal strings may be two objects; their hashes are stored in them.
      signature->first = PyUnicode_CheckExact(key)
                             ? reinterpret_cast<const void*>(PyObject_Hash(key))
                             : static_cast<const void*>(key);
    }
  }
  return signature->size > 0;
}

// Where the leaves of a flattened tree go. `take` gives so many zeroed places, as often as it is
// asked; `adopt` takes leaves that lie elsewhere.
class ListSink {
 public:
  PyObject** take(Py_ssize_t count) {
    if (!list_ || PyList_GET_SIZE(list_.get()) != count) list_ = Ref(PyList_New(count));
    if (!list_) return nullptr;
    PyObject** items = reinterpret_cast<PyListObject*>(list_.get())->ob_item;
    return items == nullptr ? &nowhere_ : items;
  }
  bool adopt(Leaves* leaves) {
    PyObject** places = take(leaves->size());
    if (places == nullptr) return false;
    std::swap_ranges(places, places + leaves->size(), leaves->data());
    return true;
  }
  PyObject* release() { return list_.release(); }

 private:
  Ref list_;
  PyObject* nowhere_ = nullptr;  // of an empty list
};

class ArraySink {
 public:
  explicit ArraySink(Leaves* leaves) : leaves_(leaves) {}
  PyObject** take(Py_ssize_t count) {
    leaves_->clear();
    return leaves_->resize(count) ? leaves_->data() : nullptr;
  }
  bool adopt(Leaves* leaves) {
    PyObject** places = take(leaves->size());
    if (places == nullptr) return false;
    std::swap_ranges(places, places + leaves->size(), leaves->data());
    return true;
  }

 private:
  Leaves* leaves_;
};

constexpr Py_ssize_t kLarge = 64;  // leaves, for which places are made only where they may be needed

// Whether the containers of a tree have the sizes of those of a structure; no more is looked at.
bool alike(const Spec* spec, int32_t me, PyObject* tree) {
  const Node* node = &spec->nodes[me];
  if (node->kind == Kind::leaf) return true;
  if (PyDict_Check(tree)) return PyDict_GET_SIZE(tree) == node->arity;
  const bool is_list = PyList_Check(tree);
  if (!is_list && !PyTuple_Check(tree)) return node->arity == 0;
  if ((is_list ? PyList_GET_SIZE(tree) : PyTuple_GET_SIZE(tree)) != node->arity) return false;
  int32_t child = me + 1;
  for (int32_t i = 0; i < node->arity; ++i) {
    PyObject* value = is_list ? PyList_GET_ITEM(tree, i) : PyTuple_GET_ITEM(tree, i);
    if (!alike(spec, child, value)) return false;
    child += spec->nodes[child].nodes;
  }
  return true;
}

template <class Sink>
Spec* remembered(State* state, const Signature& signature, PyObject* tree, Sink* sink) {
  Remembered* bucket = state->cache[signature.bucket()];
  for (int way = 0; way < kWays; ++way) {
    Spec* spec = bucket[way].spec;
    if (spec == nullptr || !(bucket[way].signature == signature)) continue;
    Ref owner = Ref::share(as_object(spec));  // the cache may be emptied meanwhile
    const Py_ssize_t count = spec->nodes[0].leaves;
    if (count > kLarge && !alike(spec, 0, tree)) continue;
    PyObject** out = sink->take(count);
    if (out == nullptr) return nullptr;
    if (match<Match::strict>(spec, 0, tree, signature.space, out) == 1) {
      ++state->hits;
      return as_spec(owner.release());
    }
    drop(out, count);
  }
  return nullptr;
}

void remember(State* state, const Signature& signature, Spec* spec) {
  Remembered* bucket = state->cache[signature.bucket()];
  int way = 0;
  while (way < kWays && bucket[way].spec != nullptr) ++way;
  if (way == kWays) way = static_cast<int>(state->next_victim++ % kWays);
  Spec* old = bucket[way].spec;
  Py_INCREF(spec);
  bucket[way] = Remembered{signature, spec};
  Py_XDECREF(old);
}

void forget(State* state) {
  ++state->generation;
  for (auto& bucket : state->cache) {
    for (auto& entry : bucket) {
      Spec* old = std::exchange(entry.spec, nullptr);
      Py_XDECREF(old);
    }
  }
  for (int i = 0; i < state->space_count; ++i) {
    state->spaces[i].last_leaf = nullptr;
    state->spaces[i].types.clear();
  }
}

// --------------------------------------------------------------------------------------- building

// Where the leaves come from: `take` gives an owned one, or null with an exception.
class Moved {  // from an array that owns them, each once
 public:
  explicit Moved(PyObject** leaves) : leaves_(leaves) {}
  PyObject* take(int32_t index) const { return std::exchange(leaves_[index], nullptr); }

 private:
  PyObject** leaves_;
};

class Shared {  // from a list or tuple of the user's; code that runs meanwhile may shorten a list
 public:
  explicit Shared(PyObject* sequence) : sequence_(sequence), is_list_(PyList_Check(sequence)) {}
  PyObject* take(int32_t index) const {
    if (!is_list_) return share(PyTuple_GET_ITEM(sequence_, index));
    if (TREE_LIKELY(index < PyList_GET_SIZE(sequence_))) {
      return share(PyList_GET_ITEM(sequence_, index));
    }
    PyErr_SetString(PyExc_RuntimeError, "the list of leaves changed size while the tree was built");
    return nullptr;
  }

 private:
  PyObject* sequence_;
  bool is_list_;
};

template <class Source>
PyObject* build(const Spec* spec, int32_t* cursor, const Source& source);

// Builds `count` children into `out`, owned; none is left there on failure.
template <class Source>
bool build_children(const Spec* spec, int32_t* cursor, int32_t count, const Source& source,
                    PyObject** out) {
  for (int32_t i = 0; i < count; ++i) {
    const Node* node = &spec->nodes[*cursor];
    if (node->kind == Kind::leaf) {
      out[i] = source.take(node->first_leaf);
      ++*cursor;
    } else {
      out[i] = build(spec, cursor, source);
    }
    if (TREE_UNLIKELY(out[i] == nullptr)) {
      drop(out, i);
      return false;
    }
  }
  return true;
}

int set_item(Kind kind, PyObject* mapping, PyObject* key, PyObject* value) {
  return kind == Kind::ordereddict ? PyODict_SetItem(mapping, key, value)
                                   : PyDict_SetItem(mapping, key, value);
}

// A dict with the keys of a node in their order. Copying one is a copy of its table, while a new one
// grows and hashes again: with more than a few keys this is what building costs.
PyObject* blank_dict(Node* node) {
  if (node->blank == nullptr) {
    Ref blank(PyDict_New());
    for (int32_t i = 0; blank && i < node->arity; ++i) {
      PyObject* key = PyTuple_GET_ITEM(node->order, i);
      if (PyDict_SetItem(blank.get(), key, Py_None) < 0) return nullptr;
    }
    if (!blank) return nullptr;
    if (node->blank == nullptr) node->blank = blank.release();  // else a key's code came first
  }
  return PyDict_Copy(node->blank);
}

template <class Source>
PyObject* build_mapping(const Spec* spec, Node* node, int32_t me, const Source& source) {
  Ref mapping;
  switch (node->kind) {
    case Kind::dict:
      mapping = Ref(node->arity <= kSmallDict ? PyDict_New() : blank_dict(node));
      break;
    case Kind::ordereddict:
      mapping = Ref(PyODict_New());
      break;
    default: {
      PyObject* type = handler_field(node->handler, kHandlerType);
      mapping = Ref(PyObject_CallOneArg(type, node->meta));
      if (mapping && !PyDict_Check(mapping.get())) {
        PyErr_SetString(PyExc_TypeError, "a defaultdict is not a dict");
        return nullptr;
      }
    }
  }
  if (!mapping) return nullptr;
  if (node->shallow) {  // most of the time is spent here
    const int32_t* shuffle = node->shuffle < 0 ? nullptr : spec->shuffle + node->shuffle;
    for (int32_t i = 0; i < node->arity; ++i) {
      const int32_t position = shuffle == nullptr ? i : shuffle[i] - me - 1;
      Ref value(source.take(node->first_leaf + position));
      if (!value || set_item(node->kind, mapping.get(), PyTuple_GET_ITEM(node->order, i),
                             value.get()) < 0) {
        return nullptr;
      }
    }
    return mapping.release();
  }
  int32_t next = me + 1;
  for (int32_t i = 0; i < node->arity; ++i) {
    int32_t child = inserted_child(spec, node, i, next);
    const Node* inner = &spec->nodes[child];
    next += inner->nodes;
    Ref value(inner->kind == Kind::leaf ? source.take(inner->first_leaf) : build(spec, &child, source));
    if (!value) return nullptr;
    if (set_item(node->kind, mapping.get(), PyTuple_GET_ITEM(node->order, i), value.get()) < 0) {
      return nullptr;
    }
  }
  return mapping.release();
}

template <class Source>
PyObject* build_tuple(const Spec* spec, PyObject* made, int32_t count, int32_t* cursor,
                      const Source& source) {
  Ref tuple(made);
  if (!tuple) return nullptr;
  PyObject** items = reinterpret_cast<PyTupleObject*>(made)->ob_item;
  return build_children(spec, cursor, count, source, items) ? tuple.release() : nullptr;
}

template <class Source>
PyObject* build_called(const Spec* spec, const Node* node, int32_t* cursor, const Source& source) {
  Ref children(build_tuple(spec, PyTuple_New(node->arity), node->arity, cursor, source));
  if (!children) return nullptr;
  PyObject* type = handler_field(node->handler, kHandlerType);
  switch (node->kind) {
    case Kind::namedtuple:
      return PyObject_CallObject(type, children.get());
    case Kind::structseq:
      return PyObject_CallOneArg(type, children.get());
    case Kind::deque:
      return PyObject_CallFunctionObjArgs(type, children.get(), node->meta, nullptr);
    default:
      return PyObject_CallFunctionObjArgs(handler_field(node->handler, kHandlerUnflatten), node->meta,
                                          children.get(), nullptr);
  }
}

// Builds the node at `*cursor` and moves past it; takes its leaves out of `leaves`.
template <class Source>
PyObject* build(const Spec* spec, int32_t* cursor, const Source& source) {
  const int32_t me = *cursor;
  Node* node = &spec->nodes[me];
  *cursor = me + 1;
  switch (node->kind) {
    case Kind::leaf:
      return source.take(node->first_leaf);
    case Kind::none:
      return share(Py_None);
    case Kind::tuple:
      return build_tuple(spec, PyTuple_New(node->arity), node->arity, cursor, source);
    case Kind::namedtuple:
      if (TREE_LIKELY(node->packs)) {
        PyTypeObject* type = handler_type(node->handler);
        return build_tuple(spec, type->tp_alloc(type, node->arity), node->arity, cursor, source);
      }
      return build_called(spec, node, cursor, source);
    case Kind::list: {
      Ref made(PyList_New(node->arity));
      if (!made) return nullptr;
      PyObject** items = reinterpret_cast<PyListObject*>(made.get())->ob_item;
      return build_children(spec, cursor, node->arity, source, items) ? made.release() : nullptr;
    }
    case Kind::dict:
    case Kind::ordereddict:
    case Kind::defaultdict:
      *cursor = me + node->nodes;
      return build_mapping(spec, node, me, source);
    default:
      return build_called(spec, node, cursor, source);
  }
}

template <class Source>
PyObject* build_tree(const Spec* spec, const Source& source) {
  int32_t cursor = 0;
  return build(spec, &cursor, source);
}

// ------------------------------------------------------------------------------- module functions

struct Options {
  PyObject* is_leaf;  // null: none
  bool none_is_leaf;
  PyObject* name;
};

// From the positional arguments (is_leaf, none_is_leaf, namespace).
bool parse_options(PyObject* const* arguments, Options* options) {
  if (arguments[0] != Py_None && !PyCallable_Check(arguments[0])) {
    PyErr_Format(PyExc_TypeError, "`is_leaf` must be a function or None, not %R", arguments[0]);
    return false;
  }
  options->is_leaf = arguments[0] == Py_None ? nullptr : arguments[0];
  const int truth = PyObject_IsTrue(arguments[1]);
  if (truth < 0) return false;
  options->none_is_leaf = truth != 0;
  if (!PyUnicode_Check(arguments[2])) {
    PyErr_Format(PyExc_TypeError, "`namespace` must be a string, not %R", arguments[2]);
    return false;
  }
  options->name = arguments[2];
  return true;
}

bool check_count(const char* name, Py_ssize_t count, Py_ssize_t expected, bool more = false) {
  if (count == expected || (more && count > expected)) return true;
  PyErr_Format(PyExc_TypeError, "%s() takes %zd positional arguments, got %zd", name, expected, count);
  return false;
}

// The structure of a tree, owned; its leaves go to the sink.
template <class Sink>
Spec* flatten(State* state, PyObject* tree, const Options& options, Sink* sink) {
  Namespace* space = find_namespace(state, options.name);
  Signature signature;
  const bool may_cache = space != nullptr && options.is_leaf == nullptr &&
                         signature_of(tree, space, options.none_is_leaf, &signature);
  if (TREE_LIKELY(may_cache)) {
    Spec* spec = remembered(state, signature, tree, sink);
    if (TREE_LIKELY(spec != nullptr) || PyErr_Occurred()) return spec;
  }
  ++state->misses;
  const auto generation = state->generation;
  Flattening flattening(state, options.is_leaf, options.none_is_leaf, options.name);
  if (!flattening.visit(tree, 0) || !sink->adopt(&flattening.leaves())) return nullptr;
  Spec* spec = flattening.spec();
  if (spec == nullptr) return nullptr;
  if (may_cache && spec->cacheable && generation == state->generation) {
    remember(state, signature, spec);
  }
  return spec;
}

PyObject* module_flatten(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  Options options;
  if (!check_count("flatten", count, 4) || !parse_options(arguments + 1, &options)) return nullptr;
  ListSink list;
  Spec* spec = flatten(state_of(module), arguments[0], options, &list);
  if (spec == nullptr) return nullptr;
  PyObject* pair = PyTuple_New(2);
  if (pair == nullptr) {
    Py_DECREF(spec);
    return nullptr;
  }
  PyTuple_SET_ITEM(pair, 0, list.release());
  PyTuple_SET_ITEM(pair, 1, as_object(spec));
  return pair;
}

PyObject* module_leaves(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  Options options;
  if (!check_count("leaves", count, 4) || !parse_options(arguments + 1, &options)) return nullptr;
  ListSink list;
  Spec* spec = flatten(state_of(module), arguments[0], options, &list);
  if (spec == nullptr) return nullptr;
  Py_DECREF(spec);
  return list.release();
}

PyObject* module_structure(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  Options options;
  if (!check_count("structure", count, 4) || !parse_options(arguments + 1, &options)) return nullptr;
  Leaves leaves;
  ArraySink sink(&leaves);
  return as_object(flatten(state_of(module), arguments[0], options, &sink));
}

// map_trees(function, is_leaf, none_is_leaf, namespace, keep, tree, *rests): with `keep`, the function is
// called for its effect only and the tree itself is returned.
PyObject* module_map(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  Options options;
  if (!check_count("map_trees", count, 6, true) || !parse_options(arguments + 1, &options)) return nullptr;
  PyObject* function = arguments[0];
  const bool keep = arguments[4] == Py_True;
  PyObject* tree = arguments[5];
  PyObject* const* rests = arguments + 6;
  const Py_ssize_t rest_count = count - 6;

  Leaves leaves;
  ArraySink sink(&leaves);
  Spec* made = flatten(state_of(module), tree, options, &sink);
  if (made == nullptr) return nullptr;
  Ref owner(as_object(made));
  const Py_ssize_t size = leaves.size();
  if (TREE_LIKELY(rest_count == 0)) {
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* call[2] = {nullptr, leaves[i]};
      PyObject* value =
          PyObject_Vectorcall(function, call + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
      if (TREE_UNLIKELY(value == nullptr)) return nullptr;
      Ref old(std::exchange(leaves.data()[i], value));
    }
  } else {
    Leaves others;
    if (!others.resize(size * rest_count)) return nullptr;
    for (Py_ssize_t r = 0; r < rest_count; ++r) {
      if (!flatten_up_to(made, rests[r], others.data() + r * size)) return nullptr;
    }
    Buffer<PyObject*> call;
    if (!call.extend(rest_count + 2)) return nullptr;
    for (Py_ssize_t i = 0; i < size; ++i) {
      call[1] = leaves[i];
      for (Py_ssize_t r = 0; r < rest_count; ++r) call[2 + r] = others[r * size + i];
      PyObject* value = PyObject_Vectorcall(
          function, &call[1], (rest_count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
      if (TREE_UNLIKELY(value == nullptr)) return nullptr;
      Ref old(std::exchange(leaves.data()[i], value));
    }
  }
  return keep ? share(tree) : build_tree(made, Moved(leaves.data()));
}

PyObject* module_is_leaf(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  Options options;
  if (!check_count("is_leaf", count, 4) || !parse_options(arguments + 1, &options)) return nullptr;
  PyObject* tree = arguments[0];
  if (options.is_leaf != nullptr) {
    Ref answer(PyObject_CallOneArg(options.is_leaf, tree));
    const int truth = answer ? PyObject_IsTrue(answer.get()) : -1;
    if (truth < 0) return nullptr;
    if (truth) Py_RETURN_TRUE;
  }
  State* state = state_of(module);
  Entry entry;
  Namespace* space = find_namespace(state, options.name);
  if (look_up(state, space, options.name, Py_TYPE(tree), &entry) < 0) return nullptr;
  Ref handler(entry.handler);
  return PyBool_FromLong(entry.kind == Kind::leaf ||
                         (entry.kind == Kind::none && options.none_is_leaf));
}

PyObject* module_forget(PyObject* module, PyObject*) {
  forget(state_of(module));
  Py_RETURN_NONE;
}

PyObject* module_statistics(PyObject* module, PyObject*) {
  const State* state = state_of(module);
  int structures = 0;
  for (const auto& bucket : state->cache) {
    for (const auto& entry : bucket) structures += entry.spec != nullptr;
  }
  return Py_BuildValue("{s:K,s:K,s:i}", "hits", state->hits, "misses", state->misses, "structures",
                       structures);
}

// --------------------------------------------------------------------------------- methods of Spec

int spec_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Spec* spec = as_spec(self);
  Py_VISIT(spec->twin);
  for (int32_t i = 0; i < spec->node_count; ++i) {
    const Node* node = &spec->nodes[i];
    Py_VISIT(node->handler);
    Py_VISIT(node->keys);
    Py_VISIT(node->order);
    Py_VISIT(node->meta);
    Py_VISIT(node->entries);
    Py_VISIT(node->blank);
  }
  return 0;
}

void spec_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Spec* spec = as_spec(self);
  PyObject_GC_UnTrack(self);
  if (spec->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  for (int32_t i = 0; i < spec->node_count; ++i) drop_node(&spec->nodes[i]);
  PyMem_Free(spec->nodes);
  PyMem_Free(spec->shuffle);
  Py_XDECREF(spec->space);
  Py_XDECREF(spec->twin);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* spec_unflatten(PyObject* self, PyObject* leaves) {
  Spec* spec = as_spec(self);
  Ref sequence(PyList_CheckExact(leaves) || PyTuple_CheckExact(leaves) ? share(leaves)
                                                                       : PySequence_Tuple(leaves));
  if (!sequence) return nullptr;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
  if (count != spec->nodes[0].leaves) {
    Ref found(PyLong_FromSsize_t(count));
    if (!found) return nullptr;
    Ref nothing(PyObject_CallFunctionObjArgs(spec->state->explain_count, self, found.get(), nullptr));
    if (nothing) PyErr_SetString(PyExc_ValueError, "wrong number of leaves");
    return nullptr;
  }
  return build_tree(spec, Shared(sequence.get()));
}

PyObject* spec_flatten_up_to(PyObject* self, PyObject* tree) {
  Spec* spec = as_spec(self);
  Leaves leaves;
  if (!leaves.resize(spec->nodes[0].leaves)) return nullptr;
  ListSink list;
  if (!flatten_up_to(spec, tree, leaves.data()) || !list.adopt(&leaves)) return nullptr;
  return list.release();
}

Node copy_node(const Node& node, int32_t first_leaf, int32_t shuffle) {
  Node copy = node;
  Py_XINCREF(copy.handler);
  Py_XINCREF(copy.keys);
  Py_XINCREF(copy.order);
  Py_XINCREF(copy.meta);
  Py_XINCREF(copy.entries);
  Py_XINCREF(copy.blank);
  copy.first_leaf += first_leaf;
  if (copy.shuffle >= 0) copy.shuffle += shuffle;
  return copy;
}

// Appends the subtree of `spec` at `root` to the nodes of another structure.
bool append(Buffer<Node>* nodes, Buffer<int32_t>* shuffle, const Spec* spec, int32_t root,
            int32_t first_leaf) {
  const Node& top = spec->nodes[root];
  const Py_ssize_t node_base = nodes->size(), shuffle_base = shuffle->size();
  if (node_base + top.nodes > kMaxNodes) {
    PyErr_SetString(PyExc_OverflowError, "the tree has too many nodes");
    return false;
  }
  // The part of `shuffle` that belongs to a subtree is one piece.
  int32_t first = spec->shuffle_count, last = 0;
  for (int32_t i = root; i < root + top.nodes; ++i) {
    const Node& node = spec->nodes[i];
    if (node.shuffle < 0) continue;
    first = std::min(first, node.shuffle);
    last = std::max(last, node.shuffle + node.arity);
  }
  const int32_t moved = std::max(0, last - first);
  if (!shuffle->extend(moved) || !nodes->extend(top.nodes)) return false;
  for (int32_t i = 0; i < moved; ++i) {
    (*shuffle)[shuffle_base + i] = static_cast<int32_t>(spec->shuffle[first + i] + node_base - root);
  }
  for (int32_t i = 0; i < top.nodes; ++i) {
    (*nodes)[node_base + i] = copy_node(spec->nodes[root + i], first_leaf - top.first_leaf,
                                        static_cast<int32_t>(shuffle_base) - first);
  }
  return true;
}

Spec* subtree(const Spec* spec, int32_t root) {
  Buffer<Node> nodes;
  Buffer<int32_t> shuffle;
  if (!append(&nodes, &shuffle, spec, root, 0)) return nullptr;
  const Py_ssize_t node_count = nodes.size(), shuffle_count = shuffle.size();
  return make_spec(spec->state, nodes.release(), node_count, shuffle.release(), shuffle_count,
                   spec->none_is_leaf, false, spec->space);
}

PyObject* spec_children(PyObject* self, PyObject*) {
  const Spec* spec = as_spec(self);
  Ref list(PyList_New(spec->nodes[0].arity));
  if (!list) return nullptr;
  int32_t child = 1;
  for (int32_t i = 0; i < spec->nodes[0].arity; ++i) {
    Spec* made = subtree(spec, child);
    if (made == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, as_object(made));
    child += spec->nodes[child].nodes;
  }
  return list.release();
}

// make(handler, keys, order, meta, entries, children, none_is_leaf, namespace): the inverse of taking
// a structure apart. `handler`, `keys`, `order` and `entries` may be None.
PyObject* module_make(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  if (!check_count("make", count, 8)) return nullptr;
  State* state = state_of(module);
  PyObject *handler = arguments[0], *keys = arguments[1], *order = arguments[2];
  PyObject *meta = arguments[3], *entries = arguments[4], *children = arguments[5];
  const int none_is_leaf = PyObject_IsTrue(arguments[6]);
  if (none_is_leaf < 0) return nullptr;
  if (!PyTuple_Check(children) || !PyUnicode_Check(arguments[7]) ||
      (handler != Py_None &&
       (!PyTuple_Check(handler) || PyTuple_GET_SIZE(handler) != kHandlerFields))) {
    PyErr_SetString(PyExc_TypeError, "make() got an argument of the wrong type");
    return nullptr;
  }
  const Py_ssize_t arity = PyTuple_GET_SIZE(children);
  for (Py_ssize_t i = 0; i < arity; ++i) {
    if (Py_TYPE(PyTuple_GET_ITEM(children, i)) != state->spec_type) {
      PyErr_SetString(PyExc_TypeError, "children must be structures of this engine");
      return nullptr;
    }
  }
  Node root;
  std::memset(&root, 0, sizeof root);
  root.kind = Kind::leaf;
  root.shuffle = -1;
  root.arity = static_cast<int32_t>(arity);
  if (handler != Py_None) {
    const long kind = PyLong_AsLong(handler_field(handler, kHandlerKind));
    if (kind == -1 && PyErr_Occurred()) return nullptr;
    root.kind = static_cast<Kind>(kind);
    root.packs = handler_field(handler, kHandlerPacks) == Py_True;
  }
  const bool mapping = is_mapping(root.kind);
  Buffer<int32_t> position;  // of the j-th inserted key among the children
  if (mapping) {
    if (!PyTuple_Check(keys) || !PyTuple_Check(order) || PyTuple_GET_SIZE(keys) != arity ||
        PyTuple_GET_SIZE(order) != arity || !position.extend(arity)) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "make() got other keys than children");
      return nullptr;
    }
    for (Py_ssize_t j = 0; j < arity; ++j) {
      const Py_ssize_t at = PySequence_Index(keys, PyTuple_GET_ITEM(order, j));
      if (at < 0) return nullptr;
      position[j] = static_cast<int32_t>(at);
    }
  } else if (root.kind == Kind::leaf ? arity != 0 : handler == Py_None) {
    PyErr_SetString(PyExc_ValueError, "a leaf has no children");
    return nullptr;
  }

  Buffer<Node> nodes;
  Buffer<int32_t> shuffle, starts;
  if (!nodes.extend(1)) return nullptr;
  nodes[0] = root;
  bool good = starts.extend(arity);
  int32_t first_leaf = 0;
  for (Py_ssize_t i = 0; good && i < arity; ++i) {
    const Spec* child = as_spec(PyTuple_GET_ITEM(children, i));
    starts[i] = static_cast<int32_t>(nodes.size());
    good = append(&nodes, &shuffle, child, 0, first_leaf);
    first_leaf += child->nodes[0].leaves;
  }
  bool moved = false;
  for (Py_ssize_t j = 0; mapping && j < arity; ++j) moved = moved || position[j] != j;
  if (good && moved) {
    nodes[0].shuffle = static_cast<int32_t>(shuffle.size());
    good = shuffle.extend(arity);
    for (Py_ssize_t j = 0; good && j < arity; ++j) {
      shuffle[nodes[0].shuffle + j] = starts[position[j]];
    }
  }
  if (!good) {
    for (Py_ssize_t i = 1; i < nodes.size(); ++i) drop_node(&nodes[i]);
    return nullptr;
  }
  Node* made = &nodes[0];
  made->handler = handler == Py_None ? nullptr : share(handler);
  made->keys = mapping ? share(keys) : nullptr;
  made->order = mapping ? share(order) : nullptr;
  made->meta = share(meta);
  made->entries = entries == Py_None ? nullptr : share(entries);
  made->nodes = static_cast<int32_t>(nodes.size());
  made->leaves = root.kind == Kind::leaf ? 1 : first_leaf;
  made->shallow = made->nodes == made->arity + 1 && made->leaves == made->arity;
  const Py_ssize_t node_count = nodes.size(), shuffle_count = shuffle.size();
  return as_object(make_spec(state, nodes.release(), node_count, shuffle.release(), shuffle_count,
                             none_is_leaf != 0, false, arguments[7]));
}

int same_object(PyObject* a, PyObject* b) {
  if (a == b) return 1;
  if (a == nullptr || b == nullptr) return 0;
  return PyObject_RichCompareBool(a, b, Py_EQ);
}

int same_node(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.arity != b.arity || a.nodes != b.nodes || a.leaves != b.leaves) return 0;
  if (a.handler != b.handler && handler_type(a.handler) != handler_type(b.handler)) return 0;
  const int keys = same_object(a.keys, b.keys);
  if (keys != 1) return keys;
  // None is the metadata of a node that has none.
  PyObject* left = a.meta == nullptr ? Py_None : a.meta;
  PyObject* right = b.meta == nullptr ? Py_None : b.meta;
  return same_object(left, right);
}

int same_spec(const Spec* a, const Spec* b) {
  if (a == b) return 1;
  if (a->node_count != b->node_count || a->none_is_leaf != b->none_is_leaf) return 0;
  if (PyUnicode_Compare(a->space, b->space) != 0) return 0;
  for (int32_t i = 0; i < a->node_count; ++i) {
    const int same = same_node(a->nodes[i], b->nodes[i]);
    if (same != 1) return same;
  }
  return 1;
}

PyObject* spec_compare(PyObject* self, PyObject* other, int operation) {
  if (Py_TYPE(other) != Py_TYPE(self) || (operation != Py_EQ && operation != Py_NE)) {
    return PyObject_CallMethod(self, "_compare", "Oi", other, operation);
  }
  const int same = same_spec(as_spec(self), as_spec(other));
  if (same < 0) return nullptr;
  return PyBool_FromLong((operation == Py_EQ) == (same == 1));
}

// The hash of ((kind, arity, keys), ...) in preorder, as on the Python side.
Py_hash_t spec_hash(PyObject* self) {
  Spec* spec = as_spec(self);
  if (spec->hash != -1) return spec->hash;
  Ref all(PyTuple_New(spec->node_count));
  if (!all) return -1;
  for (int32_t i = 0; i < spec->node_count; ++i) {
    const Node& node = spec->nodes[i];
    PyObject* part = Py_BuildValue("(iiO)", static_cast<int>(node.kind), static_cast<int>(node.arity),
                                   node.keys == nullptr ? Py_None : node.keys);
    if (part == nullptr) return -1;
    PyTuple_SET_ITEM(all.get(), i, part);
  }
  spec->hash = PyObject_Hash(all.get());
  return spec->hash;
}

PyObject* or_none(PyObject* object) { return share(object == nullptr ? Py_None : object); }

PyObject* get_num_leaves(PyObject* self, void*) {
  return PyLong_FromLong(as_spec(self)->nodes[0].leaves);
}
PyObject* get_num_nodes(PyObject* self, void*) { return PyLong_FromLong(as_spec(self)->node_count); }
PyObject* get_num_children(PyObject* self, void*) {
  return PyLong_FromLong(as_spec(self)->nodes[0].arity);
}
PyObject* get_none_is_leaf(PyObject* self, void*) {
  return PyBool_FromLong(as_spec(self)->none_is_leaf);
}
PyObject* get_namespace(PyObject* self, void*) { return share(as_spec(self)->space); }
PyObject* get_handler(PyObject* self, void*) { return or_none(as_spec(self)->nodes[0].handler); }
PyObject* get_keys(PyObject* self, void*) { return or_none(as_spec(self)->nodes[0].keys); }
PyObject* get_order(PyObject* self, void*) { return or_none(as_spec(self)->nodes[0].order); }
PyObject* get_meta(PyObject* self, void*) { return or_none(as_spec(self)->nodes[0].meta); }

// What `torch.compile` traces in the place of a structure that comes from outside.
PyObject* get_twin(PyObject* self, void*) {
  Spec* spec = as_spec(self);
  if (spec->twin == nullptr) {
    PyObject* made = PyObject_CallOneArg(spec->state->make_twin, self);
    if (made == nullptr) return nullptr;
    Ref old(std::exchange(spec->twin, made));
  }
  return share(spec->twin);
}

PyObject* get_entries(PyObject* self, void*) { return or_none(as_spec(self)->nodes[0].entries); }

PyMethodDef spec_methods[] = {
    {"unflatten", spec_unflatten, METH_O,
     PyDoc_STR("Return the tree of this structure with these leaves.")},
    {"flatten_up_to", spec_flatten_up_to, METH_O,
     PyDoc_STR("Return the subtrees of a tree that stand where this structure has its leaves.")},
    {"children", spec_children, METH_NOARGS, PyDoc_STR("Return the structures of the children.")},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef spec_getters[] = {
    {"num_leaves", get_num_leaves, nullptr, PyDoc_STR("The number of leaves."), nullptr},
    {"num_nodes", get_num_nodes, nullptr, PyDoc_STR("The number of nodes, leaves included."), nullptr},
    {"num_children", get_num_children, nullptr, PyDoc_STR("The number of children."), nullptr},
    {"none_is_leaf", get_none_is_leaf, nullptr, PyDoc_STR("Whether None is a leaf."), nullptr},
    {"namespace", get_namespace, nullptr, PyDoc_STR("The namespace of its custom nodes."), nullptr},
    {"_handler", get_handler, nullptr, nullptr, nullptr},
    {"_keys", get_keys, nullptr, nullptr, nullptr},
    {"_order", get_order, nullptr, nullptr, nullptr},
    {"_meta", get_meta, nullptr, nullptr, nullptr},
    {"_entries", get_entries, nullptr, nullptr, nullptr},
    {"_twin", get_twin, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef spec_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Spec, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyType_Slot spec_slots[] = {
    {Py_tp_traverse, slot(spec_traverse)},
    {Py_tp_dealloc, slot(spec_dealloc)},
    {Py_tp_richcompare, slot(spec_compare)},
    {Py_tp_hash, slot(spec_hash)},
    {Py_tp_methods, spec_methods},
    {Py_tp_getset, spec_getters},
    {Py_tp_members, spec_members},
    {0, nullptr},
};

PyType_Spec spec_type_spec = {
    "torchopt.native._pytree.NativeSpec",
    sizeof(Spec),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    spec_slots,
};

// ------------------------------------------------------------------------------------------ module

// connect(base, resolve, sort_keys, explain_mismatch, explain_count, make_twin): gives the engine its Python
// side, once; returns the type of structures, a subclass of `base`.
PyObject* module_connect(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  if (!check_count("connect", count, 6)) return nullptr;
  State* state = state_of(module);
  if (state->spec_type == nullptr) {
    Ref bases(PyTuple_Pack(1, arguments[0]));
    if (!bases) return nullptr;
    PyObject* type = PyType_FromModuleAndSpec(module, &spec_type_spec, bases.get());
    if (type == nullptr) return nullptr;
    state->spec_type = reinterpret_cast<PyTypeObject*>(type);
    state->resolve = share(arguments[1]);
    state->sort_keys = share(arguments[2]);
    state->explain_mismatch = share(arguments[3]);
    state->explain_count = share(arguments[4]);
    state->make_twin = share(arguments[5]);
  }
  return share(reinterpret_cast<PyObject*>(state->spec_type));
}

// Everything but `connect` needs the Python side.
template <PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)>
PyObject* connected(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  if (TREE_UNLIKELY(state_of(module)->spec_type == nullptr)) {
    PyErr_SetString(PyExc_RuntimeError, "the tree engine has not been connected");
    return nullptr;
  }
  return function(module, arguments, count);
}

template <PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)>
PyMethodDef method(const char* name, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL,
          doc};
}

PyMethodDef module_methods[] = {
    method<module_connect>("connect", nullptr),
    method<connected<module_flatten>>("flatten", nullptr),
    method<connected<module_leaves>>("leaves", nullptr),
    method<connected<module_structure>>("structure", nullptr),
    method<connected<module_map>>("map_trees", nullptr),
    method<connected<module_is_leaf>>("is_leaf", nullptr),
    method<connected<module_make>>("make", nullptr),
    {"forget", module_forget, METH_NOARGS, nullptr},
    {"statistics", module_statistics, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int module_traverse(PyObject* module, visitproc visit, void* arg) {
  State* state = state_of(module);
  if (state == nullptr) return 0;
  Py_VISIT(state->spec_type);
  Py_VISIT(state->resolve);
  Py_VISIT(state->sort_keys);
  Py_VISIT(state->explain_mismatch);
  Py_VISIT(state->explain_count);
  Py_VISIT(state->make_twin);
  Py_VISIT(state->ordereddict);
  Py_VISIT(state->defaultdict);
  Py_VISIT(state->deque);
  for (const auto& bucket : state->cache) {
    for (const auto& entry : bucket) Py_VISIT(entry.spec);
  }
  for (int i = 0; i < state->space_count; ++i) {
    const int stop = state->spaces[i].types.traverse(visit, arg);
    if (stop != 0) return stop;
  }
  return 0;
}

int module_clear(PyObject* module) {
  State* state = state_of(module);
  if (state == nullptr) return 0;
  forget(state);
  for (int i = 0; i < state->space_count; ++i) Py_CLEAR(state->spaces[i].name);
  state->space_count = 0;
  Py_CLEAR(state->spec_type);
  Py_CLEAR(state->resolve);
  Py_CLEAR(state->sort_keys);
  Py_CLEAR(state->explain_mismatch);
  Py_CLEAR(state->explain_count);
  Py_CLEAR(state->make_twin);
  Py_CLEAR(state->ordereddict);
  Py_CLEAR(state->defaultdict);
  Py_CLEAR(state->deque);
  Py_CLEAR(state->default_factory);
  Py_CLEAR(state->maxlen);
  return 0;
}

void module_free(void* module) { module_clear(static_cast<PyObject*>(module)); }

PyTypeObject* import_type(PyObject* module, const char* name) {
  return reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module, name));
}

int module_exec(PyObject* module) {
  State* state = new (state_of(module)) State();
  Ref collections(PyImport_ImportModule("collections"));
  if (!collections) return -1;
  state->ordereddict = import_type(collections.get(), "OrderedDict");
  state->defaultdict = import_type(collections.get(), "defaultdict");
  state->deque = import_type(collections.get(), "deque");
  state->default_factory = PyUnicode_InternFromString("default_factory");
  state->maxlen = PyUnicode_InternFromString("maxlen");
  const bool good = state->ordereddict != nullptr && state->defaultdict != nullptr &&
                    state->deque != nullptr && state->default_factory != nullptr &&
                    state->maxlen != nullptr;
  return good ? 0 : -1;
}

PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, slot(module_exec)},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    // Without a GIL the Python twin is used; whoever loads this file all the same gets the GIL back.
    {Py_mod_gil, Py_MOD_GIL_USED},
#endif
    {0, nullptr},
};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_pytree",       PyDoc_STR("The native engine of torchopt.pytree."),
    sizeof(State),         module_methods,  module_slots,
    module_traverse,       module_clear,    module_free,
};

}  // namespace

// The loader knows by it what a binary was made from.
#ifndef TORCHOPT_STAMP
#define TORCHOPT_STAMP ""
#endif
#if defined(__GNUC__) || defined(__clang__)
#define TREE_EXPORT __attribute__((visibility("default")))
#else
#define TREE_EXPORT
#endif
extern "C" TREE_EXPORT const char torchopt_pytree_stamp[];
const char torchopt_pytree_stamp[] = "torchopt-stamp:" TORCHOPT_STAMP;

PyMODINIT_FUNC PyInit__pytree() { return PyModuleDef_Init(&module_definition); }
