// CUDA's driver API, as far as it is called, on top of the emulator: it checks what it is given.
#include <cstring>
#include <string>

using Function = void* (*)(const char*, int);
using Launch = int (*)(void*, unsigned, unsigned, const void*);

static Function find;
static Launch start;
static int context, depth, loaded, launched;
static char last_image[16];

extern "C" {

void fake_connect(void* function, void* launch) {
  find = reinterpret_cast<Function>(function);
  start = reinterpret_cast<Launch>(launch);
}
int fake_depth() { return depth; }
int fake_loaded() { return loaded; }
int fake_launched() { return launched; }

enum { success = 0, invalid_value = 1, invalid_context = 201, not_found = 500 };

int cuGetErrorString(int code, const char** text) {
  if (code == 999) return invalid_value;
  *text = code == invalid_context ? "invalid device context" : "named symbol not found";
  return success;
}
int cuDeviceGet(int* device, int) { return *device = 7, success; }
int cuDevicePrimaryCtxRetain(void** found, int device) {
  if (device != 7) return invalid_value;
  return *found = &context, success;
}
int cuCtxPushCurrent_v2(void* pushed) {
  if (pushed != &context) return invalid_context;
  return ++depth, success;
}
int cuCtxPopCurrent_v2(void** popped) {
  if (depth == 0) return invalid_context;
  return --depth, *popped = &context, success;
}
int cuModuleLoadData(void** module, const void* image) {
  if (depth == 0) return invalid_context;
  std::memcpy(last_image, image, sizeof last_image);
  return ++loaded, *module = last_image, success;
}
// A symbol is the functor's name, a colon and the dtype.
int cuModuleGetFunction(void** function, void* module, const char* symbol) {
  if (depth == 0 || module != last_image) return invalid_context;
  const std::string text(symbol);
  const auto colon = text.find(':');
  *function = find(text.substr(0, colon).c_str(), text.substr(colon + 1) == "torch.float64");
  return *function ? success : not_found;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** parameters, void** extra) {
  if (depth == 0) return invalid_context;
  if (stream == reinterpret_cast<void*>(666)) return 999;
  const bool plain = gy == 1 && gz == 1 && by == 1 && bz == 1 && shared == 0 && !extra;
  if (!plain || stream != reinterpret_cast<void*>(0x123456789a)) return invalid_value;
  return ++launched, start(function, gx, bx, parameters[0]);
}
}
