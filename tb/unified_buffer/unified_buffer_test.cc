// Tests rtl/unified_buffer: the buffer, its windows and its row writer, together as in a chip.

#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "Buffer_128.h"
#include "Buffer_16.h"
#include "Buffer_64.h"
#include "Buffer_8.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {
namespace {

using Bytes = std::vector<uint8_t>;

struct Window {
  int32_t address = 0;
  uint32_t begin = 0, end = 0;
  uint32_t fill = 0;
};

struct RowToWrite {
  uint32_t address = 0;
  Bytes bytes;
};

template <typename Dut, int kWord, int kRow, int kBanks, int kBytes>
class Bench {
 public:
  static constexpr int kWordBytes = kWord, kRowBytes = kRow, kBankCount = kBanks;
  static constexpr int kBufferBytes = kBytes, kWords = kBytes / kWord;
  static constexpr int kAddrWidth = __builtin_ctz(kBytes / kWord);

  // `noise`: how often the bare ports access the buffer, to make bank conflicts.
  Bench(Rng& rng, double stall, double noise)
      : memory(kBytes), noise(noise), rng_(rng), windows_{Source(rng, stall), Source(rng, stall)},
        row_stalls_{Stalls(rng, stall), Stalls(rng, stall)}, writes_(rng, stall) {
    Reset(dut);
    for (uint8_t& byte : memory) byte = static_cast<uint8_t>(rng.U32());
    for (int b = 0; b < kWord; ++b) SetBits(dut.bare_write_mask_i, b, 1, 1);
    for (int word = 0; word < kWords; ++word) {
      dut.bare_write_i = 1;
      dut.bare_write_addr_i = word;
      SetBytes(dut.bare_write_data_i, &memory[word * kWord], kWord);
      Cycle(dut);
    }
    dut.bare_write_i = 0;
  }

  void Push(int window, const Window& w) { windows_[window].Push(w); }
  void Push(const RowToWrite& row) { writes_.Push(row); }

  bool Busy() const {
    return !windows_[0].empty() || !windows_[1].empty() || !writes_.empty() ||
           !expected_rows_[0].empty() || !expected_rows_[1].empty() || !dut.wr_idle_o;
  }

  void Step() {
    Drive();
    dut.eval();
    CheckArbiter();
    ObserveWindows();
    ObserveWriter();
    ObserveBarePort();
    Cycle(dut);
    cycle++;
  }

  // Byte i of the row that a window must give.
  static uint8_t ExpectedByte(const Bytes& memory, const Window& w, int i) {
    const int64_t address = int64_t{w.address} + i;
    const bool inside = i >= static_cast<int>(w.begin) && i < static_cast<int>(w.end);
    return inside ? memory[address] : static_cast<uint8_t>(w.fill >> (8 * (i % 4)));
  }

  static std::optional<uint32_t> FaultOf(int64_t low, int64_t high) {  // of bytes [low, high)
    if (low >= high) return std::nullopt;
    if (low < 0 || low >= kBytes) return static_cast<uint32_t>(low);
    if (high > kBytes) return kBytes;
    return std::nullopt;
  }

  Dut dut;
  Bytes memory;  // as reads see it
  double noise;
  int64_t cycle = 0;
  std::array<int64_t, 2> first_row_cycle{-1, -1}, last_row_cycle{-1, -1}, accepted_cycle{-1, -1};
  int64_t first_done_cycle = -1, last_done_cycle = -1;
  std::array<int, 2> rows_seen{};
  int rows_done = 0, faults_seen = 0, conflicts = 0;

 private:
  using Source = StreamSource<Window>;

  template <typename Port>
  static void SetBytes(Port& port, const uint8_t* bytes, int count) {
    for (int b = 0; b < count; ++b) SetBits(port, b * 8, 8, bytes[b]);
  }

  void Drive() {
    uint32_t valid = 0, ready = 0;
    for (int w = 0; w < 2; ++w) {
      offered_[w] = windows_[w].Offer();
      if (row_stalls_[w].Go()) ready |= 1u << w;
      if (offered_[w] == nullptr) continue;
      valid |= 1u << w;
      SetBits(dut.win_addr_i, w * 32, 32, static_cast<uint32_t>(offered_[w]->address));
      SetBits(dut.win_begin_i, w * 12, 12, offered_[w]->begin);
      SetBits(dut.win_end_i, w * 12, 12, offered_[w]->end);
      SetBits(dut.win_fill_i, w * 32, 32, offered_[w]->fill);
    }
    dut.win_valid_i = valid;
    dut.row_ready_i = ready;
    offered_write_ = writes_.Offer();
    dut.wr_valid_i = offered_write_ != nullptr;
    if (offered_write_ != nullptr) {
      dut.wr_addr_i = offered_write_->address;
      dut.wr_bytes_i = offered_write_->bytes.size();
      for (int b = 0; b < kRow; ++b) {  // what is behind the row's bytes is not written
        const bool used = b < static_cast<int>(offered_write_->bytes.size());
        SetBits(dut.wr_row_i, b * 8, 8, used ? offered_write_->bytes[b] : rng_.U32() & 0xff);
      }
    }
    // A refused access is repeated as it is.
    if (!dut.bare_read_i || bare_read_taken_) {
      dut.bare_read_i = rng_.Chance(noise);
      dut.bare_read_addr_i = rng_.Below(kWords);
    }
    if (!dut.bare_write_i || bare_write_taken_) {
      dut.bare_write_i = rng_.Chance(noise / 2);
      dut.bare_write_addr_i = rng_.Below(kWords / 4);  // windows read above
      for (int b = 0; b < kWord; ++b) {
        SetBits(dut.bare_write_data_i, b * 8, 8, rng_.U32() & 0xff);
        SetBits(dut.bare_write_mask_i, b, 1, rng_.Below(2));
      }
    }
  }

  // A port that wants a word gets it unless a port before it took the bank: the first always does,
  // and no word is ever given to two.
  void CheckArbiter() {
    std::set<uint64_t> words;
    bool first = true;
    const auto port = [&](bool valid, bool ready, uint64_t word) {
      if (!valid) return;
      EXPECT_TRUE(ready || !first);
      first = false;
      if (!ready) {
        conflicts++;
      } else {
        EXPECT_TRUE(words.insert(word).second) << "two accesses to word " << word;
      }
    };
    for (int p = 0; p < 4; ++p) {
      port(dut.rd_valid_o >> p & 1, dut.rd_ready_o >> p & 1,
           GetBits(dut.rd_addr_o, p * kAddrWidth, kAddrWidth));
    }
    for (int p = 0; p < 2; ++p) {
      port(dut.wr_word_valid_o >> p & 1, dut.wr_word_ready_o >> p & 1,
           GetBits(dut.wr_word_addr_o, p * kAddrWidth, kAddrWidth));
    }
  }

  void ObserveWindows() {
    for (int w = 0; w < 2; ++w) {
      EXPECT_EQ(dut.win_fault_valid_o >> w & 1, expected_fault_[w].has_value() ? 1 : 0);
      if (expected_fault_[w]) {
        EXPECT_EQ(GetBits(dut.win_fault_address_o, w * 32, 32), *expected_fault_[w]);
        faults_seen++;
      }
      expected_fault_[w].reset();
      const bool accepted = offered_[w] != nullptr && (dut.win_ready_o >> w & 1);
      if (accepted) {
        Window window = *offered_[w];
        expected_fault_[w] = FaultOf(int64_t{window.address} + window.begin,
                                     int64_t{window.address} + window.end);
        if (expected_fault_[w]) window.end = window.begin;  // all fill
        Bytes row(kRow);
        for (int i = 0; i < kRow; ++i) row[i] = ExpectedByte(memory, window, i);
        expected_rows_[w].push_back(row);
        if (accepted_cycle[w] < 0) accepted_cycle[w] = cycle;
      }
      windows_[w].Edge(accepted);
      if (!(dut.row_valid_o >> w & dut.row_ready_i >> w & 1)) continue;
      if (expected_rows_[w].empty()) {
        ADD_FAILURE() << "row without a window";
        continue;
      }
      for (int i = 0; i < kRow; ++i) {
        ASSERT_EQ(GetBits(dut.row_o, (w * kRow + i) * 8, 8), expected_rows_[w].front()[i])
            << "window " << w << " row " << rows_seen[w] << " byte " << i;
      }
      expected_rows_[w].pop_front();
      rows_seen[w]++;
      if (first_row_cycle[w] < 0) first_row_cycle[w] = cycle;
      last_row_cycle[w] = cycle;
    }
  }

  // `wr_done_o` in this cycle: a read granted in this cycle sees the row.
  void ObserveWriter() {
    if (dut.wr_fault_valid_o) faults_seen++;
    if (dut.wr_done_o) {
      if (expected_writes_.empty()) {
        ADD_FAILURE() << "row done that was not given";
        return;
      }
      const RowToWrite& row = expected_writes_.front();
      const auto fault = FaultOf(row.address, int64_t{row.address} + row.bytes.size());
      if (!fault) std::copy(row.bytes.begin(), row.bytes.end(), memory.begin() + row.address);
      expected_writes_.pop_front();
      rows_done++;
      if (first_done_cycle < 0) first_done_cycle = cycle;
      last_done_cycle = cycle;
    }
    EXPECT_EQ(dut.wr_idle_o, expected_writes_.empty() ? 1 : 0);
    const bool accepted = offered_write_ != nullptr && dut.wr_ready_o;
    if (accepted) expected_writes_.push_back(*offered_write_);
    writes_.Edge(accepted);
  }

  // The bare ports work on the lowest quarter as far as they write; what they read of rows that are
  // being written at the moment may be old or new.
  void ObserveBarePort() {
    EXPECT_EQ(dut.bare_data_valid_o, bare_expected_ ? 1 : 0);
    if (bare_expected_) {
      for (int b = 0; b < kWord; ++b) {
        if (bare_uncertain_[b]) continue;
        ASSERT_EQ(GetBits(dut.bare_data_o, b * 8, 8), (*bare_expected_)[b])
            << "word " << bare_word_ << " byte " << b;
      }
    }
    bare_expected_.reset();
    bare_read_taken_ = dut.bare_read_i && dut.bare_read_ready_o;
    if (bare_read_taken_) {
      bare_word_ = dut.bare_read_addr_i;
      bare_expected_ = Bytes(memory.begin() + bare_word_ * kWord,
                             memory.begin() + (bare_word_ + 1) * kWord);
      bare_uncertain_.assign(kWord, false);
      for (const RowToWrite& row : expected_writes_) {
        for (size_t i = 0; i < row.bytes.size(); ++i) {
          const uint32_t address = row.address + static_cast<uint32_t>(i);
          if (address / kWord == bare_word_) bare_uncertain_[address % kWord] = true;
        }
      }
    }
    bare_write_taken_ = dut.bare_write_i && dut.bare_write_ready_o;
    if (bare_write_taken_) {
      for (int b = 0; b < kWord; ++b) {
        if (GetBits(dut.bare_write_mask_i, b, 1) == 0) continue;
        memory[dut.bare_write_addr_i * kWord + b] =
            static_cast<uint8_t>(GetBits(dut.bare_write_data_i, b * 8, 8));
      }
    }
  }

  Rng& rng_;
  std::array<Source, 2> windows_;
  std::array<Stalls, 2> row_stalls_;
  StreamSource<RowToWrite> writes_;
  std::array<const Window*, 2> offered_{};
  const RowToWrite* offered_write_ = nullptr;
  std::array<std::deque<Bytes>, 2> expected_rows_;
  std::array<std::optional<uint32_t>, 2> expected_fault_;
  std::deque<RowToWrite> expected_writes_;
  bool bare_read_taken_ = false, bare_write_taken_ = false;
  std::optional<Bytes> bare_expected_;
  std::vector<bool> bare_uncertain_;
  uint32_t bare_word_ = 0;
};

template <typename Bench>
class UnifiedBufferTest : public RandomTest {
 protected:
  static constexpr int kWord = Bench::kWordBytes, kRow = Bench::kRowBytes;
  static constexpr int64_t kBytes = Bench::kBufferBytes;

  void RunToIdle(Bench& bench) {
    for (int n = 0; n < 200000; ++n) {
      bench.Step();
      if (!bench.Busy() || HasFailure()) break;
    }
    bench.Step();
    bench.Step();
    EXPECT_FALSE(bench.Busy()) << "hangs";
  }

  // Any offset, clipped at either end, partly out of the buffer where clipped; with `faults`, also
  // where not. Reads lie above `low`.
  Window RandomWindow(int64_t low, bool faults) {
    Window w;
    w.fill = rng_.U32();
    w.begin = rng_.Chance(0.5) ? 0 : static_cast<uint32_t>(rng_.Range(0, kRow));
    w.end = rng_.Chance(0.5) ? kRow : static_cast<uint32_t>(rng_.Range(0, kRow));
    const int64_t from = rng_.Chance(0.2) ? -2 * kRow : low;
    const int64_t to = rng_.Chance(0.2) ? kBytes + 2 * kRow : kBytes - kRow;
    w.address = static_cast<int32_t>(rng_.Range(from / 8, to / 8) * 8);
    if (faults && rng_.Chance(0.1)) w.address = static_cast<int32_t>(rng_.U32() & ~7u);
    if (!faults) {  // clip what would be outside
      while (w.begin < w.end && w.address + int64_t{w.begin} < low) w.begin++;
      while (w.begin < w.end && w.address + int64_t{w.end} > kBytes) w.end--;
    }
    return w;
  }

  RowToWrite RandomRow(int64_t low, int64_t high) {
    RowToWrite row;
    row.bytes.resize(rng_.Chance(0.3) ? kRow : rng_.Range(0, kRow));
    for (uint8_t& byte : row.bytes) byte = static_cast<uint8_t>(rng_.U32());
    row.address = static_cast<uint32_t>(rng_.Range(low / 8, (high - kRow) / 8) * 8);
    return row;
  }

  // Cycles that a row takes beyond one, by its words and the window's ports; with `conflicts`, one
  // more for every pair of words that is wanted at once and lies in one bank.
  int64_t ExtraCycles(int window, int64_t address, bool conflicts) const {
    const int64_t ports = 2 - window;
    const int64_t first = address / kWord, last = (address + kRow - 1) / kWord;
    int64_t cycles = (last - first + ports) / ports - 1;
    for (int64_t word = first; conflicts && ports == 2 && word < last; word += 2) {
      if (BankOf(word) == BankOf(word + 1)) cycles++;
    }
    return cycles;
  }

  // The sum of the digits to the base of the banks.
  static int64_t BankOf(int64_t word) {
    int64_t sum = 0;
    for (; word > 0; word /= Bench::kBankCount) sum += word;
    return sum % Bench::kBankCount;
  }
};

using Benches =
    testing::Types<Bench<Buffer_8, 8, 32, 2, 4096>, Bench<Buffer_16, 16, 32, 4, 4096>,
                   Bench<Buffer_64, 64, 96, 8, 16384>, Bench<Buffer_128, 128, 256, 16, 65536>>;
TYPED_TEST_SUITE(UnifiedBufferTest, Benches);

TYPED_TEST(UnifiedBufferTest, WindowsReadWhatIsThereAndFillTheRest) {
  for (const double noise : {0.0, 0.9}) {
    for (const double stall : {0.0, 0.5}) {
      TypeParam bench(this->rng_, stall, noise);
      for (int i = 0; i < 400; ++i) {
        bench.Push(0, this->RandomWindow(this->kBytes / 4, false));
        bench.Push(1, this->RandomWindow(this->kBytes / 4, false));
      }
      this->RunToIdle(bench);
      EXPECT_EQ(bench.rows_seen[0], 400);
      EXPECT_EQ(bench.rows_seen[1], 400);
      EXPECT_EQ(bench.faults_seen, 0);
      if (noise > 0) {
        EXPECT_GT(bench.conflicts, 0);
      }
    }
  }
}

TYPED_TEST(UnifiedBufferTest, BytesOutsideFaultAndTheRowIsFill) {
  TypeParam bench(this->rng_, 0.3, 0.0);
  for (int i = 0; i < 500; ++i) bench.Push(i % 2, this->RandomWindow(0, true));
  this->RunToIdle(bench);
  EXPECT_GT(bench.faults_seen, 10);
}

TYPED_TEST(UnifiedBufferTest, RowsWrittenAreVisibleWhenDone) {
  for (const double noise : {0.0, 0.9}) {
    TypeParam bench(this->rng_, 0.3, noise);
    for (int i = 0; i < 400; ++i) {
      bench.Push(this->RandomRow(this->kBytes / 4, this->kBytes / 2));
      bench.Push(0, this->RandomWindow(this->kBytes / 2, false));
      bench.Push(1, this->RandomWindow(this->kBytes / 2, false));
    }
    this->RunToIdle(bench);
    EXPECT_EQ(bench.rows_done, 400);
    bench.noise = 0;
    for (int i = 0; i < 20; ++i) bench.Step();
    for (int64_t address = 0; address < this->kBytes; address += this->kRow) {
      const auto end = static_cast<uint32_t>(std::min<int64_t>(this->kRow, this->kBytes - address));
      bench.Push(1, {static_cast<int32_t>(address), 0, end, 0});
    }
    this->RunToIdle(bench);
  }
}

TYPED_TEST(UnifiedBufferTest, RowWrittenOutsideFaultsAndWritesNothing) {
  TypeParam bench(this->rng_, 0.0, 0.0);
  bench.Push(RowToWrite{static_cast<uint32_t>(this->kBytes - 8), Bytes(this->kRow, 1)});
  bench.Push(RowToWrite{0xfffffff8u, Bytes(this->kRow, 2)});
  bench.Push(RowToWrite{static_cast<uint32_t>(this->kBytes - 8), Bytes(8, 3)});
  this->RunToIdle(bench);
  EXPECT_EQ(bench.faults_seen, 2);
  EXPECT_EQ(bench.rows_done, 3);
  bench.Push(0, {0, 0, static_cast<uint32_t>(this->kRow), 0});
  bench.Push(0, {static_cast<int32_t>(this->kBytes - this->kRow), 0,
                 static_cast<uint32_t>(this->kRow), 0});
  this->RunToIdle(bench);
}

TYPED_TEST(UnifiedBufferTest, WindowSustainsARowPerCycleWhereItsPortsReach) {
  const int rows = 30;
  for (int window = 0; window < 2; ++window) {
    for (const int64_t offset : {0, 8, TypeParam::kWordBytes / 2 / 8 * 8}) {
      for (const int64_t distance : {0, 8, TypeParam::kWordBytes, TypeParam::kRowBytes}) {
        TypeParam bench(this->rng_, 0, 0);
        int64_t cycles = 0;
        for (int i = 0; i < rows; ++i) {
          const int64_t address = offset + i * distance;
          bench.Push(window, {static_cast<int32_t>(address), 0,
                              static_cast<uint32_t>(TypeParam::kRowBytes), 0});
          if (i > 0) cycles += 1 + this->ExtraCycles(window, address, true);
        }
        this->RunToIdle(bench);
        EXPECT_EQ(bench.first_row_cycle[window] - bench.accepted_cycle[window],
                  3 + this->ExtraCycles(window, offset, true));
        EXPECT_EQ(bench.last_row_cycle[window] - bench.first_row_cycle[window], cycles)
            << "window " << window << " offset " << offset << " distance " << distance;
        if (TypeParam::kBankCount >= 8) {
          EXPECT_EQ(bench.conflicts, 0);
        }
      }
    }
  }
}

TYPED_TEST(UnifiedBufferTest, WriterTakesACyclePerWord) {
  TypeParam bench(this->rng_, 0.0, 0.0);
  for (int i = 0; i < 40; ++i) {
    bench.Push(RowToWrite{static_cast<uint32_t>(i * TypeParam::kWordBytes),
                          Bytes(TypeParam::kWordBytes, static_cast<uint8_t>(i))});
  }
  this->RunToIdle(bench);
  EXPECT_EQ(bench.last_done_cycle - bench.first_done_cycle, 39);
}

// Any aligned group of as many words as there are banks lies in different banks.
TYPED_TEST(UnifiedBufferTest, NeighbouringWordsDoNotConflict) {
  TypeParam bench(this->rng_, 0.0, 0.0);
  for (int n = 0; n < 200; ++n) {
    const uint32_t group =
        static_cast<uint32_t>(this->rng_.Below(TypeParam::kWords / TypeParam::kBankCount)) *
        TypeParam::kBankCount;
    bench.dut.bare_read_i = 1;
    bench.dut.bare_read_addr_i = group;
    bench.dut.bare_write_i = 1;
    bench.dut.bare_write_addr_i =
        group + static_cast<uint32_t>(this->rng_.Range(1, TypeParam::kBankCount - 1));
    bench.dut.eval();
    EXPECT_EQ(bench.dut.bare_read_ready_o, 1);
    EXPECT_EQ(bench.dut.bare_write_ready_o, 1);
    Cycle(bench.dut);
  }
}

TYPED_TEST(UnifiedBufferTest, ClearDropsEverything) {
  TypeParam bench(this->rng_, 0.0, 0.0);
  for (int n = 0; n < 100; ++n) {
    bench.dut.win_valid_i = this->rng_.Below(4);
    bench.dut.row_ready_i = this->rng_.Below(4);
    bench.dut.win_addr_i = 0;
    SetBits(bench.dut.win_end_i, 0, 12, this->kRow);
    SetBits(bench.dut.win_end_i, 12, 12, this->kRow);
    for (uint64_t i = this->rng_.Below(12); i > 0; --i) Cycle(bench.dut);
    bench.dut.win_valid_i = 0;
    bench.dut.row_ready_i = 0;
    bench.dut.clear_i = 1;
    Cycle(bench.dut);
    bench.dut.clear_i = 0;
    EXPECT_EQ(bench.dut.row_valid_o, 0);
    EXPECT_EQ(bench.dut.rd_valid_o & 7, 0);
    Cycle(bench.dut);
    EXPECT_EQ(bench.dut.row_valid_o, 0);
  }
  bench.Push(0, {64, 0, static_cast<uint32_t>(this->kRow), 0});
  bench.Push(1, {8, 0, static_cast<uint32_t>(this->kRow), 0});
  this->RunToIdle(bench);
  EXPECT_EQ(bench.rows_seen[0] + bench.rows_seen[1], 2);
}

}  // namespace
}  // namespace systolith::tb
