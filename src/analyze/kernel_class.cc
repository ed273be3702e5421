#include "analyze/kernel_class.h"

#include <algorithm>
#include <array>
#include <span>

namespace npuprof::analyze {
namespace {

using Words = std::span<const std::string_view>;

// Facts: how frameworks and libraries call things. In small letters.
constexpr std::string_view kAttentionOperators[] = {
    "flash_attention",     "fusion_attention", "flashattn",         "xformers_flash",
    "efficient_attention", "flash2attn",       "scaled_dot_product"};
constexpr std::string_view kAttentionKernels[] = {
    "flashattention", "fusionattention", "flash_fwd", "flash_bwd", "fmha",
    "flash_attn",     "attentionscore",  "attn_fwd",  "attn_bwd",  "promptflash",
    "increflash",     "fusedinfer",      "attention_"};
constexpr std::string_view kPagedKernels[] = {"pagedattention", "paged_attention"};
constexpr std::string_view kConvolutionOperators[] = {"aten::conv", "aten::cudnn_convolution",
                                                      "aten::_convolution", "convolutionbackward"};
constexpr std::string_view kConvolutionKernels[] = {"conv2d", "conv3d", "convolution", "wgrad",
                                                    "dgrad",  "fprop",  "winograd",    "im2col"};
constexpr std::string_view kMatmulOperators[] = {"aten::addmm", "aten::bmm", "aten::mm",
                                                 "aten::matmul", "aten::linear"};
constexpr std::string_view kMatmulKernels[] = {"matmul", "gemm",   "gemv",    "cutlass",
                                               "cublas", "nvjet_", "batchmm", "splitkreduce"};
constexpr std::string_view kFusedKernels[] = {"allgathermatmul", "matmulreducescatter",
                                              "matmulallreduce"};
constexpr std::string_view kTransformKernels[] = {"cast", "transdata", "transpose"};
constexpr std::string_view kMoveKernels[] = {"tensormove"};
constexpr std::string_view kCopyKernels[] = {"memcpy", "memset", "tensormove", "copy_device"};
constexpr std::string_view kCommunicationKernels[] = {
    "hcom_", "nccl", "rccl", "allreduce", "allgather", "reducescatter", "alltoall"};
constexpr std::string_view kBackwardWords[] = {"bwd", "backward", "back", "grad"};

bool contains_any(std::string_view text, Words words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains_word(text, word); });
}

bool is_backward_name(std::string_view kernel_type, std::string_view operator_name) {
  return contains_any(kernel_type, kBackwardWords) || contains_any(operator_name, kBackwardWords);
}

}  // namespace

bool contains_word(std::string_view text, std::string_view word) {
  const auto found =
      std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
      });
  return found != text.end() || word.empty();
}

std::string_view kernel_class_name(KernelClass kind) {
  constexpr std::array<std::string_view, kKernelClasses> kNames = {
      "matmul", "attention", "convolution", "vector", "communication", "copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

KernelClass kernel_class(std::string_view kernel_type, std::string_view operator_name) {
  if (contains_any(kernel_type, kFusedKernels)) return KernelClass::kMatmul;
  if (contains_any(kernel_type, kCommunicationKernels)) return KernelClass::kCommunication;
  if (contains_any(kernel_type, kCopyKernels)) return KernelClass::kCopy;
  if (contains_any(kernel_type, kAttentionKernels) || contains_any(kernel_type, kPagedKernels) ||
      contains_any(operator_name, kAttentionOperators)) {
    return KernelClass::kAttention;
  }
  if (contains_any(kernel_type, kConvolutionKernels)) return KernelClass::kConvolution;
  if (contains_any(kernel_type, kMatmulKernels)) return KernelClass::kMatmul;
  return KernelClass::kVector;
}

std::string_view compute_part_name(ComputePart part) {
  constexpr std::array<std::string_view, kComputeParts> kNames = {
      "Flash Attention (Forward)",
      "Flash Attention (Backward)",
      "Conv (Forward)",
      "Conv (Backward)",
      "Matmul",
      "Fused computing and communication",
      "Page Attention",
      "Vector (Trans)",
      "Vector (No Trans)",
      "Cube",
      "SDMA (Tensor Move)",
      "Other"};
  return kNames[static_cast<std::size_t>(part)];
}

bool has_cube_and_vector(ComputePart part) { return part <= ComputePart::kMatmul; }

ComputePart compute_part(std::string_view kernel_type, std::string_view operator_name,
                         CoreUse use) {
  const bool is_backward = is_backward_name(kernel_type, operator_name);
  if (contains_any(kernel_type, kFusedKernels)) return ComputePart::kFusedCommunication;
  if (contains_any(kernel_type, kPagedKernels)) return ComputePart::kPagedAttention;
  if (contains_any(operator_name, kAttentionOperators) ||
      contains_any(kernel_type, kAttentionKernels)) {
    return is_backward ? ComputePart::kAttentionBackward : ComputePart::kAttentionForward;
  }
  if (contains_any(operator_name, kConvolutionOperators) ||
      contains_any(kernel_type, kConvolutionKernels)) {
    return is_backward ? ComputePart::kConvolutionBackward : ComputePart::kConvolutionForward;
  }
  if (contains_any(operator_name, kMatmulOperators) || contains_any(kernel_type, kMatmulKernels)) {
    return ComputePart::kMatmul;
  }
  if (contains_any(kernel_type, kMoveKernels)) return ComputePart::kTensorMove;
  if (use == CoreUse::kCube) return ComputePart::kOtherCube;
  if (use == CoreUse::kUnknown) return ComputePart::kOther;
  return contains_any(kernel_type, kTransformKernels) ? ComputePart::kTransformVector
                                                      : ComputePart::kOtherVector;
}

}  // namespace npuprof::analyze
