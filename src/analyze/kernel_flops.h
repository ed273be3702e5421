#pragma once

// Floating-point operations and bytes of a kernel, from the texts that describe it: type, shapes,
// data types and formats of its tensors. A multiplication and an addition are two operations.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

inline constexpr double kUnknownWork = std::numeric_limits<double>::quiet_NaN();

// How fast the cube unit multiplies depends on this. See peak_flops.h.
enum class NumberType : std::uint8_t {
  kUnknown,
  kHalf,    // FLOAT16, BF16.
  kSingle,  // FLOAT.
  kHf32,    // FLOAT, of which the kernel may drop bits.
  kByte,    // INT8 and floating point of 8 bits.
  kInt4,
};

// "FLOAT16", "DT_BF16", "INT8"; what is not known, and what the cube unit does not multiply, is
// kUnknown.
NumberType number_type(std::string_view dtype);
std::string_view number_type_name(NumberType type);  // "FP16", "HF32".

struct KernelTexts {
  std::string_view op_type;
  std::string_view input_shapes;  // "4096,5120;5120,1920", quotes are passed over.
  std::string_view input_dtypes;
  std::string_view input_formats;
  std::string_view output_shapes;
  std::string_view output_dtypes;
  std::string_view output_formats;
};

// What the program told of a call of attention.
struct AttentionArguments {
  std::string layout;  // "BNSD", "BSND", "BSH", "SBH" or "TND"; empty = not known.
  int sparse_mode = 0;
  bool is_told = false;                  // Else all of it is guessed from shapes.
  std::vector<std::int64_t> query_ends;  // Of the sequences of a batch, TND only.
  std::vector<std::int64_t> key_ends;
};

enum class KernelFamily : std::uint8_t { kOther, kMatMul, kConvolution, kAttention };
KernelFamily kernel_family(std::string_view op_type);

// NaN if it is not known how many there are. Of attention the layout is guessed, and from a mask of
// 2048 x 2048 that it is causal: half of the products are done.
double kernel_flops(const KernelTexts& kernel);
double attention_flops(const KernelTexts& kernel, const AttentionArguments& arguments);
// Each tensor read or written once; NaN without shapes or if the size of a type is not known.
double kernel_bytes(const KernelTexts& kernel);

// The number that other tools give, with their bounds: MatMulV2 and MatMulV3 of two dimensions or
// in fractal format, and FlashAttentionScore whose arguments were told, all inputs of one type.
double peer_matmul_flops(const KernelTexts& kernel);
double peer_attention_flops(const KernelTexts& kernel, const AttentionArguments& arguments);

struct KernelCost {
  double flops = kUnknownWork;
  double bytes = kUnknownWork;
  KernelFamily family = KernelFamily::kOther;
  NumberType type = NumberType::kUnknown;  // Of the first matrix that goes in.
};

KernelTexts texts_of(const trace::Trace& trace, std::uint32_t kernel);

// Costs of kernels; those with the same texts are computed once.
class KernelCosts {
 public:
  explicit KernelCosts(const trace::Trace& trace) : trace_(&trace) {}

  // By row of Kernels.
  const KernelCost& of(std::uint32_t kernel);

 private:
  struct Key {
    StringId texts[7];
    std::uint8_t hf32;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  const trace::Trace* trace_;
  std::unordered_map<Key, KernelCost, KeyHash> costs_;
};

// Of one value of a type as kernels tell it; NaN for types that are not known.
double bytes_of_type(std::string_view dtype);

}  // namespace npuprof::analyze
