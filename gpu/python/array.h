// Arrays of other libraries as this module sees them: where the memory is, and of what shape. Nothing is copied.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace satscope::python {

namespace nb = nanobind;

// i32 and i64 are sums of u32 and u64 in the types that OpenCV and PyTorch prefer: the same bits.
enum class Element { u8, u16, u32, i32, f32, f64, u64, i64 };
std::string_view name(Element element);  // as NumPy's
std::size_t size_of(Element element);
Element unsigned_of(Element element);  // u32 for i32

// The library whose conventions an array follows. `buffer`: NumPy, and whatever has Python's buffer protocol; `dlpack`: any
// other.
enum class Kind { buffer, cupy, torch, dlpack };

inline constexpr int most_axes = 8;

// A view of memory, which is valid as long as this object.
struct Array {
  // Axes in another order: axis i of the result is axis order[i].
  void permute(std::initializer_list<int> order);

  nb::object object;
  std::shared_ptr<void> exported;  // what keeps the memory where it is, beside the object
  Kind kind = Kind::buffer;
  void* data = nullptr;
  Element element = Element::u8;
  int axes = 0;
  std::int64_t shape[most_axes] = {}, strides[most_axes] = {};  // strides in bytes
  int gpu = -1;                                                 // CUDA's index; -1: memory of the host
};

std::string full_type_name(nb::handle object);                // "numpy.ndarray"
std::string shape_text(const std::int64_t* shape, int axes);  // "(480, 640)", as Python writes it

// The libraries that were met so far, and what is called of them. All functions need the GIL.
class Libraries {
 public:
  Libraries();

  // `what`: "image", "table", "boxes" or "sums", for messages; `written`: read-only memory is refused. `stream`: a GPU's, for
  // which the memory must be ready; only DLPack asks. Throws TypeError for objects that are not arrays and for elements of other
  // types, ValueError, BufferError.
  Array describe(nb::handle object, const char* what, bool written, std::uintptr_t stream = 1);
  // The same library's current stream on the array's GPU.
  std::uintptr_t current_stream(const Array& array);
  // A new array of `like`'s library and device, in C order. For arrays that only DLPack describes, this module allocates: see
  // finished().
  nb::object empty(const Array& like, const std::int64_t* shape, int axes, Element element);
  // What is returned of an array that empty() made: for DLPack an array of `like`'s library over the same memory.
  nb::object finished(const Array& like, nb::object made);
  // The array with its axes in another order, by its library: a view wherever it has views.
  nb::object permuted(const Array& array, std::initializer_list<int> order);
  nb::object contiguous(const Array& array);  // a copy in C order, by its library
  void copy(const Array& from, const Array& to);
  // For Entered: what makes a stream the current one of the array's library, if that has one (CuPy and PyTorch, on a GPU).
  std::vector<nb::object> contexts_of(const Array& array, std::uintptr_t stream);
  // "uint32", numpy.uint32, torch.uint32, numpy.dtype("uint32").
  Element element(nb::handle dtype);

 private:
  Kind kind_of(nb::handle object);
  Array of_buffer(nb::handle object, const char* what, bool written);
  Array of_cupy(nb::handle object, const char* what);
  Array of_torch(nb::handle object, const char* what);
  Array of_dlpack(nb::handle object, const char* what, std::uintptr_t stream);
  nb::object dtype(Kind kind, Element element);
  const nb::object& numpy();

  struct KnownType {
    nb::object type;
    Kind kind;
  };
  struct Loaded {
    nb::object module, empty, current_stream;
    nb::object dtypes[8];  // by Element; null where the library lacks one
    nb::object boolean;
  };
  void load_cupy();
  void load_torch(nb::handle module);

  std::vector<KnownType> types_;
  Loaded numpy_, cupy_, torch_;
  struct {
    nb::object data, ptr, shape, strides, stride, dtype, character, itemsize, device_id, data_ptr, get_device, requires_grad,
        new_empty, device, is_cuda;
  } names_;
  nb::tuple dtype_keyword_;
};

// Python's `with contexts[0], contexts[1]:`, while it exists.
class Entered {
 public:
  Entered() = default;
  explicit Entered(const std::vector<nb::object>& contexts);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  std::vector<nb::object> entered_;
};

}  // namespace satscope::python
