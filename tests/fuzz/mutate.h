#ifndef SYSTOLITH_TESTS_FUZZ_MUTATE_H_
#define SYSTOLITH_TESTS_FUZZ_MUTATE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace systolith::fuzz {

// Input `number` of the series that `seed` begins: one of the samples with a few random changes -
// bits and bytes, numbers blown up, pieces cut, repeated, nested or taken from another sample. The
// same arguments give the same input everywhere.
std::string Mutate(const std::vector<std::string>& samples, uint64_t seed, uint64_t number);

}  // namespace systolith::fuzz

#endif  // SYSTOLITH_TESTS_FUZZ_MUTATE_H_
