// The registers behind AXI4-Lite (rtl/arch/csr.toml): one access at a time in each direction.
//
// A write is a whole word; one with part of the strobes, to no writable register or of a value that
// the register can't hold answers SLVERR and changes nothing. A read where no register is gives 0 and
// DECERR. A 64-bit count is read low word first; while it counts, the words may not belong together.
module host_interface_csr #(
  parameter int          MxuCount        = 1,
  parameter int          Rows            = 8,
  parameter int          Cols            = 8,
  parameter int          Bf16            = 1,
  parameter int          Int8            = 1,
  parameter int          AccumulatorRows = 64,
  parameter int          Sublanes        = 2,
  parameter int          BufferBytes     = 65536,
  parameter int          MemoryHbm2      = 0,
  parameter int          LineBytes       = 64,
  parameter int          MaxChannels     = 2,
  parameter int          QueueCapacity   = 8,
  parameter logic [63:0] ProgramHash     = 64'd0
) (
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic          csr_awvalid_i,
  output logic          csr_awready_o,
  input  logic [11:0]   csr_awaddr_i,
  input  logic          csr_wvalid_i,
  output logic          csr_wready_o,
  input  logic [31:0]   csr_wdata_i,
  input  logic [3:0]    csr_wstrb_i,
  output logic          csr_bvalid_o,
  input  logic          csr_bready_i,
  output logic [1:0]    csr_bresp_o,
  input  logic          csr_arvalid_i,
  output logic          csr_arready_o,
  input  logic [11:0]   csr_araddr_i,
  output logic          csr_rvalid_o,
  input  logic          csr_rready_i,
  output logic [31:0]   csr_rdata_o,
  output logic [1:0]    csr_rresp_o,

  // Commands: pulses, one cycle after the write was taken.
  output logic          doorbell_o,
  output logic [63:0]   doorbell_address_o,
  output logic          abort_o,
  output logic          reset_o,
  output logic [1:0]    interrupt_clear_o,
  output logic          host_flag_valid_o,
  output logic [7:0]    host_flag_o,
  output logic [15:0]   host_flag_increment_o,

  // Settings.
  output logic [63:0]   memory_bytes_o,
  output logic [1:0]    interrupt_enable_o,
  output logic [31:0]   watchdog_cycles_o,
  output logic [3:0]    queue_depth_o,
  output logic [31:0]   memory_channels_o,
  output logic [csr_pkg::HbmTimingCount*32-1:0] hbm_timing_o,

  // State.
  input  logic [2:0]    state_i,
  input  logic [7:0]    queue_used_i,
  input  logic [1:0]    interrupt_status_i,
  input  logic [31:0]   completed_i,
  input  logic [1023:0] flags_i,
  input  logic [7:0]    fault_cause_i,
  input  logic [3:0]    fault_engine_i,
  input  logic [31:0]   fault_pc_i,
  input  logic [7:0]    fault_flag_i,
  input  logic [63:0]   fault_address_i,
  input  logic [63:0]   cycles_i,
  input  logic [63:0]   read_bytes_i,
  input  logic [63:0]   write_bytes_i,
  input  logic [31:0]   instructions_i,
  input  logic [csr_pkg::BusyCount*32-1:0]  busy_i,
  input  logic [csr_pkg::StallCount*32-1:0] stall_i,
  input  logic [csr_pkg::ConflictCount*32-1:0] conflict_i
);

  localparam logic [31:0] ChipMagic     = 32'h54535953;
  localparam logic [31:0] WatchdogReset = 32'd1000000;
  localparam logic [3:0]  DepthReset    = 4'd8;
  localparam logic [1:0]  RespOkay      = 2'b00;
  localparam logic [1:0]  RespSlverr    = 2'b10;
  localparam logic [1:0]  RespDecerr    = 2'b11;
  localparam logic [11:0] TimingEnd     = csr_pkg::HbmTiming + 12'(csr_pkg::HbmTimingCount * 4);
  localparam logic [11:0] BusyEnd       = csr_pkg::Busy + 12'(csr_pkg::BusyCount * 4);
  localparam logic [11:0] StallEnd      = csr_pkg::Stall + 12'(csr_pkg::StallCount * 4);
  localparam logic [11:0] ConflictEnd   = csr_pkg::Conflict + 12'(csr_pkg::ConflictCount * 4);

  logic [7:0] flag_select_q;

  assign csr_awready_o = csr_awvalid_i && csr_wvalid_i && !csr_bvalid_o;
  assign csr_wready_o  = csr_awready_o;
  assign csr_arready_o = csr_arvalid_i && !csr_rvalid_o;

  // Where the word at `address` starts in the vector of an array of registers.
  function automatic logic [31:0] bit_of(input logic [11:0] address, input logic [11:0] base);
    bit_of = (32'(address) - 32'(base)) << 3;
  endfunction

  task automatic write();
    logic [11:0] address;
    logic [31:0] data;
    address     = csr_awaddr_i;
    data        = csr_wdata_i;
    csr_bresp_o <= RespOkay;
    if (csr_wstrb_i != 4'hf || address[1:0] != 2'd0) begin
      csr_bresp_o <= RespSlverr;
    end else if (address >= csr_pkg::HbmTiming && address < TimingEnd) begin
      hbm_timing_o[bit_of(address, csr_pkg::HbmTiming) +: 32] <= data;
    end else begin
      unique case (address)
        csr_pkg::MemoryBytesLo:   memory_bytes_o[31:0]  <= data;
        csr_pkg::MemoryBytesHi:   memory_bytes_o[63:32] <= data;
        csr_pkg::Control: begin
          abort_o <= data[csr_pkg::ControlAbortLsb];
          reset_o <= data[csr_pkg::ControlResetLsb];
        end
        csr_pkg::InterruptStatus: interrupt_clear_o          <= data[1:0];
        csr_pkg::InterruptEnable: interrupt_enable_o         <= data[1:0];
        csr_pkg::DoorbellHi:      doorbell_address_o[63:32]  <= data;
        csr_pkg::DoorbellLo: begin
          doorbell_address_o[31:0] <= data;
          doorbell_o               <= 1'b1;
        end
        csr_pkg::HostFlag: begin
          host_flag_o           <= data[csr_pkg::HostFlagFlagLsb +: 8];
          host_flag_increment_o <= data[csr_pkg::HostFlagIncrementLsb +: 16];
          host_flag_valid_o     <= 1'b1;
          if (32'(data[7:0]) < 32'(isa_pkg::HostFlagBase) || 32'(data[7:0]) >= 32'(isa_pkg::Flags))
          begin
            host_flag_valid_o <= 1'b0;
            csr_bresp_o       <= RespSlverr;
          end
        end
        csr_pkg::FlagSelect:      flag_select_q     <= data[7:0];
        csr_pkg::WatchdogCycles:  watchdog_cycles_o <= data;
        csr_pkg::QueueDepth:      // what does not fit becomes the nearest value that does
          queue_depth_o <= (data == 32'd0) ? 4'd1 : (data > 32'(DepthReset)) ? DepthReset : data[3:0];
        csr_pkg::MemoryChannels: begin
          if (data == 32'd0 || data > 32'(MaxChannels) || (data & (data - 32'd1)) != 32'd0)
            csr_bresp_o <= RespSlverr;
          else memory_channels_o <= data;
        end
        default: csr_bresp_o <= RespSlverr;
      endcase
    end
  endtask

  task automatic read();
    logic [11:0] address;
    logic [31:0] data;
    logic [1:0]  resp;
    address = csr_araddr_i;
    data    = 32'd0;
    resp    = RespOkay;
    if (address[1:0] != 2'd0) begin
      resp = RespSlverr;
    end else if (address >= csr_pkg::HbmTiming && address < TimingEnd) begin
      data = hbm_timing_o[bit_of(address, csr_pkg::HbmTiming) +: 32];
    end else if (address >= csr_pkg::Busy && address < BusyEnd) begin
      data = busy_i[bit_of(address, csr_pkg::Busy) +: 32];
    end else if (address >= csr_pkg::Stall && address < StallEnd) begin
      data = stall_i[bit_of(address, csr_pkg::Stall) +: 32];
    end else if (address >= csr_pkg::Conflict && address < ConflictEnd) begin
      data = conflict_i[bit_of(address, csr_pkg::Conflict) +: 32];
    end else begin
      unique case (address)
        csr_pkg::Magic:           data = ChipMagic;
        csr_pkg::IsaVersion:      data = 32'(isa_pkg::Version);
        csr_pkg::ProgramHashLo:   data = ProgramHash[31:0];
        csr_pkg::ProgramHashHi:   data = ProgramHash[63:32];
        csr_pkg::MxuCount:        data = 32'(MxuCount);
        csr_pkg::MxuRows:         data = 32'(Rows);
        csr_pkg::MxuCols:         data = 32'(Cols);
        csr_pkg::Features:        data = {29'd0, MemoryHbm2 != 0, Int8 != 0, Bf16 != 0};
        csr_pkg::AccumulatorRows: data = 32'(AccumulatorRows);
        csr_pkg::VpuSublanes:     data = 32'(Sublanes);
        csr_pkg::BufferBytes:     data = 32'(BufferBytes);
        csr_pkg::LineBytes:       data = 32'(LineBytes);
        csr_pkg::MemoryBytesLo:   data = memory_bytes_o[31:0];
        csr_pkg::MemoryBytesHi:   data = memory_bytes_o[63:32];
        csr_pkg::Control:         data = 32'd0;
        csr_pkg::Status: data = {16'd0, queue_used_i, 5'd0, state_i};
        csr_pkg::InterruptStatus: data = {30'd0, interrupt_status_i};
        csr_pkg::InterruptEnable: data = {30'd0, interrupt_enable_o};
        csr_pkg::DoorbellHi:      data = doorbell_address_o[63:32];
        csr_pkg::DoorbellLo:      data = 32'd0;
        csr_pkg::QueueCapacity:   data = 32'(QueueCapacity);
        csr_pkg::Completed:       data = completed_i;
        csr_pkg::HostFlag:        data = 32'd0;
        csr_pkg::FlagSelect:      data = {24'd0, flag_select_q};
        csr_pkg::FlagValue:       data = (32'(flag_select_q) < 32'(isa_pkg::Flags))
                                         ? 32'(flags_i[{flag_select_q[5:0], 4'd0} +: 16]) : 32'd0;
        csr_pkg::FaultCause:      data = {24'd0, fault_cause_i};
        csr_pkg::FaultEngine:     data = {28'd0, fault_engine_i};
        csr_pkg::FaultPc:         data = fault_pc_i;
        csr_pkg::FaultFlag:       data = {24'd0, fault_flag_i};
        csr_pkg::FaultAddressLo:  data = fault_address_i[31:0];
        csr_pkg::FaultAddressHi:  data = fault_address_i[63:32];
        csr_pkg::WatchdogCycles:  data = watchdog_cycles_o;
        csr_pkg::QueueDepth:      data = {28'd0, queue_depth_o};
        csr_pkg::MemoryChannels:  data = memory_channels_o;
        csr_pkg::CyclesLo:        data = cycles_i[31:0];
        csr_pkg::CyclesHi:        data = cycles_i[63:32];
        csr_pkg::ReadBytesLo:     data = read_bytes_i[31:0];
        csr_pkg::ReadBytesHi:     data = read_bytes_i[63:32];
        csr_pkg::WriteBytesLo:    data = write_bytes_i[31:0];
        csr_pkg::WriteBytesHi:    data = write_bytes_i[63:32];
        csr_pkg::Instructions:    data = instructions_i;
        default:                  resp = RespDecerr;
      endcase
    end
    csr_rdata_o <= data;
    csr_rresp_o <= resp;
  endtask

  task automatic clear_pulses();
    doorbell_o        <= 1'b0;
    abort_o           <= 1'b0;
    reset_o           <= 1'b0;
    interrupt_clear_o <= 2'd0;
    host_flag_valid_o <= 1'b0;
  endtask

  logic pulse;
  assign pulse = doorbell_o || abort_o || reset_o || interrupt_clear_o != 2'd0 || host_flag_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      csr_bvalid_o       <= 1'b0;
      csr_rvalid_o       <= 1'b0;
      memory_bytes_o     <= 64'd0;
      interrupt_enable_o <= 2'd0;
      doorbell_address_o <= 64'd0;
      flag_select_q      <= 8'd0;
      watchdog_cycles_o  <= WatchdogReset;
      queue_depth_o      <= DepthReset;
      memory_channels_o  <= 32'(MaxChannels);
      hbm_timing_o       <= '0;
      clear_pulses();
    end else if (csr_awvalid_i || csr_arvalid_i || csr_bvalid_o || csr_rvalid_o || pulse) begin
      clear_pulses();
      if (csr_bready_i) csr_bvalid_o <= 1'b0;
      if (csr_rready_i) csr_rvalid_o <= 1'b0;
      if (csr_awready_o) begin
        csr_bvalid_o <= 1'b1;
        write();
      end
      if (csr_arready_o) begin
        csr_rvalid_o <= 1'b1;
        read();
      end
    end
  end

endmodule
