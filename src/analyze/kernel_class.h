#pragma once

// What kind of work a kernel does, by names alone, so that kernels of different devices, whose
// names have nothing in common, can be set side by side.

#include <cstdint>
#include <string_view>

namespace npuprof::analyze {

enum class KernelClass : std::uint8_t {
  kMatmul,
  kAttention,
  kConvolution,
  kVector,
  kCommunication,
  kCopy,
};
inline constexpr std::size_t kKernelClasses = 6;
std::string_view kernel_class_name(KernelClass kind);

// `operator_name` is that of the framework operator that launched it; empty = not known.
KernelClass kernel_class(std::string_view kernel_type, std::string_view operator_name);

// Leaves of the tree of computing time.
enum class ComputePart : std::uint8_t {
  kAttentionForward,
  kAttentionBackward,
  kConvolutionForward,
  kConvolutionBackward,
  kMatmul,
  kFusedCommunication,  // Kernels that multiply and communicate.
  kPagedAttention,
  kTransformVector,  // Casts and changes of layout.
  kOtherVector,
  kOtherCube,
  kTensorMove,
  kOther,
};
inline constexpr std::size_t kComputeParts = 12;
std::string_view compute_part_name(ComputePart part);
// Parts that kernels of both kinds of cores can belong to are told apart further.
bool has_cube_and_vector(ComputePart part);

enum class CoreUse : std::uint8_t { kUnknown, kCube, kVector };
ComputePart compute_part(std::string_view kernel_type, std::string_view operator_name, CoreUse use);

// Whether `text` has `word` in it, capitals or not; `word` in small letters.
bool contains_word(std::string_view text, std::string_view word);

}  // namespace npuprof::analyze
