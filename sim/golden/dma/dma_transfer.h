#ifndef SYSTOLITH_SIM_GOLDEN_DMA_DMA_TRANSFER_H_
#define SYSTOLITH_SIM_GOLDEN_DMA_DMA_TRANSFER_H_

#include <cstdint>

#include "sim/golden/prim/engine.h"

namespace systolith::golden {

// What load and store have in common: one run of bytes per iteration, between an address in a
// segment and one in the buffer, and the check of both whole extents before the first byte.
class DmaTransfer : public Engine {
 public:
  using Engine::Engine;

 protected:
  MaybeFault Start(const Instruction& instruction) override;

  // What only one of the two has to say about the fields, and what right it needs.
  virtual bool LegalRun() const = 0;
  virtual bool HasRight(const BoundSegment& segment) const = 0;

  // Addresses of this iteration. The HBM address is absolute; `index` replaces the index of loop 0.
  uint64_t HbmAddress(uint32_t index) const;
  int64_t BufferAddress() const;

  arch::Dma dma_;

 private:
  MaybeFault CheckHbm(const BoundSegment& segment) const;
  MaybeFault CheckBuffer() const;
};

// load: HBM to buffer, with fill behind each run and row gather.
class DmaLoad : public DmaTransfer {
 public:
  explicit DmaLoad(ChipState& state)
      : DmaTransfer(state, static_cast<uint32_t>(arch::Engine::kDmaLoad)) {}

 protected:
  MaybeFault Iterate() override;
  bool LegalRun() const override;
  bool HasRight(const BoundSegment& segment) const override { return segment.readable; }
};

// store: buffer to HBM.
class DmaStore : public DmaTransfer {
 public:
  explicit DmaStore(ChipState& state)
      : DmaTransfer(state, static_cast<uint32_t>(arch::Engine::kDmaStore)) {}

 protected:
  MaybeFault Iterate() override;
  bool LegalRun() const override;
  bool HasRight(const BoundSegment& segment) const override { return segment.writable; }
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_DMA_DMA_TRANSFER_H_
