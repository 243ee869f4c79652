#include "host/base/npy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string_view>

#include "host/base/file.h"

namespace systolith {
namespace {

std::vector<std::byte> Bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

NpyArray Array(const std::string& dtype, std::vector<int64_t> dims) {
  NpyArray array{dtype, std::move(dims), {}};
  size_t size = static_cast<size_t>(NpyItemSize(dtype));
  for (const int64_t dim : array.dims) size *= static_cast<size_t>(dim);
  for (size_t i = 0; i < size; ++i) array.data.push_back(static_cast<std::byte>(i * 7));
  return array;
}

std::vector<std::byte> File(std::string_view header, std::string_view data) {
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  return Bytes(text + std::string(header) + std::string(data));
}

TEST(NpyTest, EveryTypeAndRankSurvivesTheRoundTrip) {
  for (const char* dtype :
       {"f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "b1", "V2"}) {
    for (const auto& dims : std::vector<std::vector<int64_t>>{{}, {0}, {5}, {1, 3}, {2, 0, 4}}) {
      const NpyArray array = Array(dtype, dims);
      const auto parsed = ParseNpy(FormatNpy(array), "array");
      ASSERT_TRUE(parsed.ok()) << parsed.status().message();
      EXPECT_EQ(*parsed, array);
    }
  }
}

TEST(NpyTest, FortranOrderIsBroughtIntoRowMajorOrder) {
  const auto parsed = ParseNpy(
      File("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "\1\2\3\4\5\6"), "f");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->data, Bytes("\1\3\5\2\4\6"));
}

TEST(NpyTest, ErrorsNameFilePlaceAndReason) {
  const auto message = [](const std::vector<std::byte>& bytes) {
    const auto parsed = ParseNpy(bytes, "weights.npy");
    EXPECT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
    return parsed.status().message();
  };
  EXPECT_EQ(message(Bytes("PK")),
            "weights.npy: not a readable .npy at byte 0: the magic \\x93NUMPY is missing");
  EXPECT_NE(message(File("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", "abcd"))
                .find("big-endian"), std::string::npos);
  EXPECT_NE(message(File("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", "abcdefgh"))
                .find("dtype '<c8'"), std::string::npos);
  EXPECT_NE(message(File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "abcd"))
                .find("4 bytes of data where shape and dtype ask for 8"), std::string::npos);
  EXPECT_NE(message(File("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "abcd"))
                .find("shape is (-1,)"), std::string::npos);
  EXPECT_NE(message(File("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999)}",
                         "")).find("shape is"), std::string::npos);
}

TEST(NpyTest, NpzSurvivesTheRoundTrip) {
  const NamedArrays arrays = {
      {"arg0", Array("f4", {3, 5})}, {"arg1", Array("V2", {})}, {"empty", Array("i1", {0})}};
  const auto parsed = ParseNpz(FormatNpz(arrays), "inputs.npz");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, arrays);
}

TEST(NpyTest, DamagedFilesGiveErrorsAndNeverMore) {
  const std::vector<std::byte> good =
      FormatNpz({{"arg0", Array("f4", {3, 5})}, {"arg1", Array("i8", {7})}});
  std::mt19937 rng(20240611);
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(ParseNpz(std::span(good).first(length), "cut.npz").ok()) << length;
  }
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<std::byte> bad = good;
    for (unsigned change = rng() % 3 + 1; change > 0; --change) {
      bad[rng() % bad.size()] = static_cast<std::byte>(rng());
    }
    refused += ParseNpz(bad, "bad.npz").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 10000);
}

TEST(NpyTest, AMissingFileIsNamed) {
  const auto read = ReadNpy("/nonexistent/x.npy");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(), "cannot read /nonexistent/x.npy: No such file or directory");
  EXPECT_FALSE(ReadNpy("/").ok());
}

TEST(NpyTest, WritingToADeviceLeavesTheDeviceInPlace) {
  EXPECT_TRUE(WriteNpy("/dev/null", Array("f4", {2})).ok());
  EXPECT_TRUE(ReadFile("/dev/null").value().empty());
}

}  // namespace
}  // namespace systolith
