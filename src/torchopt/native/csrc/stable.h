// The part of PyTorch's stable C interface that the driver calls, declared by hand: building needs no torch, and one
// binary serves every torch from 2.11 on. The names and types are torch/csrc/{inductor/aoti_torch,stable}/c/shim.h's.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

using StableIValue = uint64_t;
using AtenTensorHandle = struct AtenTensorOpaque*;
using StableListHandle = struct StableListOpaque*;
using TorchLibraryHandle = struct TorchLibraryOpaque*;
using TorchError = int32_t;  // zero is success

TorchError aoti_torch_library_init_def(const char* ns, const char* file, uint32_t line, TorchLibraryHandle* result);
TorchError aoti_torch_library_init_impl(const char* ns, const char* key, const char* file, uint32_t line,
                                        TorchLibraryHandle* result);
TorchError aoti_torch_library_def(TorchLibraryHandle self, const char* schema);
TorchError torch_library_impl(TorchLibraryHandle self, const char* name,
                              void (*function)(StableIValue*, uint64_t, uint64_t), uint64_t build_version);

TorchError torch_new_list_reserve_size(size_t size, StableListHandle* result);
TorchError torch_list_size(StableListHandle list, size_t* size);
TorchError torch_list_get_item(StableListHandle list, size_t index, StableIValue* element);
TorchError torch_list_push_back(StableListHandle list, StableIValue element);
TorchError torch_delete_list(StableListHandle list);

TorchError torch_parallel_for(int64_t begin, int64_t end, int64_t grain, void (*function)(int64_t, int64_t, void*),
                              void* context);

TorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor);
TorchError torch_get_const_data_ptr(AtenTensorHandle tensor, const void** data);
TorchError torch_get_mutable_data_ptr(AtenTensorHandle tensor, void** data);
TorchError aoti_torch_get_numel(AtenTensorHandle tensor, int64_t* numel);
TorchError aoti_torch_get_dim(AtenTensorHandle tensor, int64_t* dim);
TorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** sizes);
TorchError aoti_torch_get_strides(AtenTensorHandle tensor, int64_t** strides);
TorchError aoti_torch_get_dtype(AtenTensorHandle tensor, int32_t* dtype);
TorchError aoti_torch_is_contiguous(AtenTensorHandle tensor, bool* result);
int32_t aoti_torch_dtype_bfloat16();
int32_t aoti_torch_dtype_float16();
int32_t aoti_torch_dtype_float32();
int32_t aoti_torch_dtype_float64();
int32_t aoti_torch_dtype_int64();
int32_t aoti_torch_device_type_cpu();
int32_t aoti_torch_layout_strided();

TorchError aoti_torch_empty_strided(int64_t dim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                                    int32_t device_type, int32_t device_index, AtenTensorHandle* result);
TorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t dim, const int64_t* sizes,
                                          const int64_t* strides, int64_t offset, AtenTensorHandle* result);
TorchError torch_from_blob(void* data, int64_t dim, const int64_t* sizes, const int64_t* strides, int64_t offset,
                           int32_t dtype, int32_t device_type, int32_t device_index, AtenTensorHandle* result,
                           int32_t layout, const uint8_t* metadata, int64_t metadata_size,
                           void (*deleter)(void* data, void* context), void* context);
}
