#ifndef SYSTOLITH_TB_MXU_MATMUL_MODEL_H_
#define SYSTOLITH_TB_MXU_MATMUL_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "host/arch/isa.h"
#include "tb/float/contract_model.h"

namespace systolith::tb {

// What a matmul does to the accumulators, from the text of rtl/arch/README.md, one iteration after
// another. Accesses must be legal.
class MatmulModel {
 public:
  MatmulModel(int rows, int cols, int accumulator_rows, std::vector<uint8_t>& memory)
      : rows_(rows),
        cols_(cols),
        memory_(memory),
        accumulators(2 * accumulator_rows, std::vector<uint32_t>(cols)) {}

  void Execute(const arch::Matmul& m) {
    std::array<uint32_t, 6> i{};
    do {
      Row(m, i);
    } while (Step(m, i));
  }

  // To the next iteration; false after the last.
  static bool Step(const arch::Matmul& m, std::array<uint32_t, 6>& i) {
    for (int l = 5; l >= 0; l--) {
      if (++i[l] < m.counts[l]) return true;
      i[l] = 0;
    }
    return false;
  }

  static int Size(uint32_t type) {
    const auto operand = static_cast<arch::OperandType>(type);
    return operand == arch::OperandType::kInt8 ? 1 : operand == arch::OperandType::kBf16 ? 2 : 4;
  }

  static Format FormatOf(const arch::Matmul& m, bool weight) {
    const auto slices = arch::OperandType::kF32Slice;
    const auto type = static_cast<arch::OperandType>(weight ? m.w_type : m.a_type);
    if (type == arch::OperandType::kInt8) return Format::kInt8;
    if (type == arch::OperandType::kBf16) return Format::kBf16;
    if (type == arch::OperandType::kF32Rounded) return Format::kFp32Rounded;
    const bool both = static_cast<arch::OperandType>(m.a_type) == slices &&
                      static_cast<arch::OperandType>(m.w_type) == slices;
    if (both && m.a_slice == 0 && m.w_slice == 0) return Format::kFp32Leading;
    const Format bytes[] = {Format::kFp32Byte0, Format::kFp32Byte1, Format::kFp32Byte2};
    return bytes[weight ? m.w_slice : m.a_slice];
  }

  template <typename Base>
  static int64_t Linear(Base base, const std::array<int32_t, 6>& strides,
                        const std::array<uint32_t, 6>& i, int loops = 6) {
    int64_t sum = static_cast<int32_t>(base);
    for (int l = 0; l < loops; l++) sum += int64_t{strides[l]} * i[l];
    return static_cast<int32_t>(sum);
  }

 private:
  uint32_t Read(int64_t address, int size) const {
    uint32_t value = 0;
    std::memcpy(&value, &memory_.at(address), size);
    return value;
  }

  void Row(const arch::Matmul& m, const std::array<uint32_t, 6>& i) {
    const int a_size = Size(m.a_type), w_size = Size(m.w_type);
    std::vector<uint32_t> window(m.a_length);
    const int64_t address = Linear(m.a_base, m.a_strides, i), y = Linear(m.y_base, m.y_steps, i),
                  x = Linear(m.x_base, m.x_steps, i);
    for (int64_t j = 0; j < m.a_length; j++) {
      if (y >= 0 && y < m.y_limit && x + j >= 0 && x + j < m.x_limit) {
        window[j] = Read(address + j * a_size, a_size);
      } else {
        for (int b = 0; b < a_size; b++) {
          window[j] |= (m.a_fill >> ((j * a_size + b) % 4 * 8) & 255) << (8 * b);
        }
      }
    }

    const int level = m.weight_level;
    const int64_t base = Linear(m.w_base, m.w_strides, i, level);
    const auto left = [&](uint32_t limit, uint32_t loop, int size) {
      return int64_t{limit} - (loop == 7 ? 0 : int64_t{i[loop]} * size);
    };
    const int64_t kv =
        std::min({int64_t{rows_}, int64_t{m.a_length}, left(m.k_limit, m.k_level, rows_)});
    const int64_t nv = std::min(int64_t{cols_}, left(m.n_limit, m.n_level, cols_));

    const int64_t acc = Linear(m.acc_base, m.acc_strides, i);
    bool fresh = !m.accumulate;
    for (int l = 0; l < 6; l++) fresh = fresh && (!(m.fresh_mask >> l & 1) || i[l] == 0);
    std::vector<uint32_t>& sums = accumulators.at(acc);
    const Format a_format = FormatOf(m, false), w_format = FormatOf(m, true);
    std::vector<Operand> a(rows_), w(rows_);
    for (size_t k = 0; k < window.size(); k++) a[k] = ReadOperand(window[k], a_format);
    for (int64_t n = 0; n < cols_; n++) {
      const uint32_t c = fresh ? 0 : sums[n];
      uint32_t integer = c;
      for (int64_t k = 0; k < rows_; k++) {
        w[k] = Operand{};
        if (k >= kv || n >= nv) continue;
        const uint32_t raw = m.transpose ? Read(base + n * m.w_row_stride + k * w_size, w_size)
                                         : Read(base + k * m.w_row_stride + n * w_size, w_size);
        if (a_format == Format::kInt8) {
          integer += static_cast<int8_t>(window[k]) * static_cast<int8_t>(raw);
        } else {
          w[k] = ReadOperand(raw, w_format);
        }
      }
      sums[n] = a_format == Format::kInt8 ? integer : Fold(c, a, w);
    }
  }

  const int rows_, cols_;
  std::vector<uint8_t>& memory_;

 public:
  std::vector<std::vector<uint32_t>> accumulators;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_MXU_MATMUL_MODEL_H_
