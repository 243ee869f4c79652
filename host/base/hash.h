#ifndef SYSTOLITH_HOST_BASE_HASH_H_
#define SYSTOLITH_HOST_BASE_HASH_H_

#include <cstdint>
#include <string_view>

namespace systolith {

// 64-bit FNV-1a. For cache keys and compatibility checks, not against an adversary.
constexpr uint64_t Fnv1a64(std::string_view bytes, uint64_t seed = 0xcbf29ce484222325) {
  uint64_t hash = seed;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_HASH_H_
