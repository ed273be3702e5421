#pragma once

namespace npuprof::testing {

// Under the address sanitizer everything takes several times as long, freed memory is kept, and a
// process that forks while another of its threads allocates may leave the child without allocator.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kHasAddressSanitizer = true;
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

}  // namespace npuprof::testing
