#ifndef SYSTOLITH_SIM_HBM_DEVICE_PINS_H_
#define SYSTOLITH_SIM_HBM_DEVICE_PINS_H_

#include <cstdint>

namespace systolith::hbm_device {

// The memory pins of a chip (rtl/arch/README.md, "Chip pins") as little-endian bytes: bit i of a
// port is bit i % 8 of byte i / 8. Verilator's integers and word arrays both look like that on the
// hosts that we support.
struct MemoryPins {
  // kind fixed
  const uint8_t* mem_req_valid = nullptr;
  const uint8_t* mem_req_write = nullptr;
  const uint8_t* mem_req_addr = nullptr;
  const uint8_t* mem_req_tag = nullptr;
  const uint8_t* mem_req_data = nullptr;
  const uint8_t* mem_req_strobe = nullptr;
  uint8_t* mem_req_ready = nullptr;
  uint8_t* mem_rsp_valid = nullptr;
  uint8_t* mem_rsp_tag = nullptr;
  uint8_t* mem_rsp_data = nullptr;
  // kind hbm2
  const uint8_t* row_valid = nullptr;
  const uint8_t* row_op = nullptr;
  const uint8_t* row_bank = nullptr;
  const uint8_t* row_row = nullptr;
  const uint8_t* col_valid = nullptr;
  const uint8_t* col_write = nullptr;
  const uint8_t* col_bank = nullptr;
  const uint8_t* col_col = nullptr;
  const uint8_t* wr_data = nullptr;
  const uint8_t* wr_strobe = nullptr;
  uint8_t* rd_valid = nullptr;
  uint8_t* rd_data = nullptr;
};

// The pins of a verilated chip (or of rtl/hbm/hbm.sv alone), which has all of them.
template <typename Dut>
MemoryPins PinsOf(Dut& dut) {
  const auto in = [](auto& port) { return reinterpret_cast<uint8_t*>(&port); };
  const auto out = [](const auto& port) { return reinterpret_cast<const uint8_t*>(&port); };
  MemoryPins pins;
  pins.mem_req_valid = out(dut.mem_req_valid_o);
  pins.mem_req_write = out(dut.mem_req_write_o);
  pins.mem_req_addr = out(dut.mem_req_addr_o);
  pins.mem_req_tag = out(dut.mem_req_tag_o);
  pins.mem_req_data = out(dut.mem_req_data_o);
  pins.mem_req_strobe = out(dut.mem_req_strobe_o);
  pins.mem_req_ready = in(dut.mem_req_ready_i);
  pins.mem_rsp_valid = in(dut.mem_rsp_valid_i);
  pins.mem_rsp_tag = in(dut.mem_rsp_tag_i);
  pins.mem_rsp_data = in(dut.mem_rsp_data_i);
  pins.row_valid = out(dut.row_valid_o);
  pins.row_op = out(dut.row_op_o);
  pins.row_bank = out(dut.row_bank_o);
  pins.row_row = out(dut.row_row_o);
  pins.col_valid = out(dut.col_valid_o);
  pins.col_write = out(dut.col_write_o);
  pins.col_bank = out(dut.col_bank_o);
  pins.col_col = out(dut.col_col_o);
  pins.wr_data = out(dut.wr_data_o);
  pins.wr_strobe = out(dut.wr_strobe_o);
  pins.rd_valid = in(dut.rd_valid_i);
  pins.rd_data = in(dut.rd_data_i);
  return pins;
}

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_PINS_H_
