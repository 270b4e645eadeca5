// Whether the sanitizers watch, under which code takes five to ten times as long: random trials
// then use a smaller sample. What is tried there is executed with every check, so that fewer find
// as much.
#pragma once

namespace burin {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace burin
