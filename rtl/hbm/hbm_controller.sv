`include "prim_assert.svh"

// Controllers of all pseudo-channels of an HBM2 memory: queues, scheduling, refresh, answers.
//
//   request -> queue of its channel and direction -> row and column commands -> answer
//
// Written as loops over channels in private arrays, entered only for channels with work: a module per
// channel would cost more simulation time than the rest of the chip. Time is a counter, and every
// constraint is a time stamp "not before" that commands push forward; a check is a subtraction.
//
// Addresses: 256-byte chunks go round the channels, in an order that higher address bits permute so
// that rows of a matrix, a power of two apart, meet different channels. Inside a channel, bursts of 32 bytes count
// through bank groups (2 bits), columns (5), banks of a group (2, XORed with the row), rows.
//
// Slots: a channel may issue a column command in every second cycle and a row command in every
// fourth, so that the two channels of a pair never meet on their shared buses.
module hbm_controller #(
  parameter  int LineBytes   = 64,
  parameter  int MaxChannels = 2,   // a power of two, at least 2
  parameter  int QueueLines  = 16,  // per channel and direction, a power of two
  localparam int LineBits    = LineBytes * 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [18*32-1:0]           timing_i,
  input  logic [31:0]                channels_i,

  input  logic                       req_valid_i,
  output logic                       req_ready_o,
  input  logic                       req_write_i,
  /* verilator lint_off UNUSEDSIGNAL */  // the low bits are zero
  input  logic [39:0]                req_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [10:0]                req_tag_i,
  input  logic [LineBits-1:0]        req_data_i,
  input  logic [LineBytes-1:0]       req_strobe_i,
  output logic                       rsp_valid_o,
  output logic [10:0]                rsp_tag_o,
  output logic [LineBits-1:0]        rsp_data_o,

  output logic [MaxChannels-1:0]     row_valid_o,
  output logic [MaxChannels*2-1:0]   row_op_o,
  output logic [MaxChannels*4-1:0]   row_bank_o,
  output logic [MaxChannels*16-1:0]  row_row_o,
  output logic [MaxChannels-1:0]     col_valid_o,
  output logic [MaxChannels-1:0]     col_write_o,
  output logic [MaxChannels*4-1:0]   col_bank_o,
  output logic [MaxChannels*6-1:0]   col_col_o,
  output logic [MaxChannels*256-1:0] wr_data_o,
  output logic [MaxChannels*32-1:0]  wr_strobe_o,
  input  logic [MaxChannels-1:0]     rd_valid_i,
  input  logic [MaxChannels*256-1:0] rd_data_i
);

  localparam int Bursts      = LineBytes / 32;
  localparam int BurstShift  = $clog2(Bursts);
  localparam int BanksOfLine = (Bursts < 4) ? Bursts : 4;
  localparam int Look        = 4;   // lines whose rows are opened ahead
  localparam int ReadRing    = 64;  // reads on their way per channel
  // Lines of one direction after which waiting lines of the other get their turn.
  localparam int TurnFull    = QueueLines / 2;
  localparam int TurnAny     = QueueLines * 2;
  localparam logic [31:0] BurstCycles  = 32'd2;
  localparam logic [31:0] FirstRefresh = 32'd512;

  localparam logic [1:0] OpActivate     = 2'd0;
  localparam logic [1:0] OpPrecharge    = 2'd1;
  localparam logic [1:0] OpPrechargeAll = 2'd2;
  localparam logic [1:0] OpRefresh      = 2'd3;

  // In the order of the CSRs hbm_timing.
  logic [31:0] cl, cwl, trcd_rd, trcd_wr, trp, tras, trc, tccd_s, tccd_l, trrd_s, trrd_l, tfaw;
  logic [31:0] twtr_s, twtr_l, twr, trtp, trfc, trefi;
  assign {trefi, trfc, trtp, twr, twtr_l, twtr_s, tfaw, trrd_l, trrd_s, tccd_l, tccd_s, trc, tras,
          trp, trcd_wr, trcd_rd, cwl, cl} = timing_i;

  // Queues: index q = channel * 2 + direction, entry e = q * QueueLines + slot.
  logic [31:0] line_burst [0:MaxChannels*2*QueueLines-1];  // number of its first burst
  logic [10:0] line_tag   [0:MaxChannels*2*QueueLines-1];
  logic [31:0] line_left  [0:MaxChannels*2*QueueLines-1];  // bursts not yet written or received
  logic [31:0] tail       [0:MaxChannels*2-1];             // free-running counters of lines:
  logic [31:0] issue      [0:MaxChannels*2-1];             //   taken, issued, answered
  logic [31:0] head       [0:MaxChannels*2-1];
  logic [31:0] issue_burst[0:MaxChannels*2-1];             // next burst of the line being issued
  logic [255:0] read_data   [0:MaxChannels*QueueLines*Bursts-1];
  logic [255:0] write_data  [0:MaxChannels*QueueLines*Bursts-1];
  logic [31:0]  write_strobe[0:MaxChannels*QueueLines*Bursts-1];

  // Reads on their way: which burst of read_data the next data of a channel is.
  logic [31:0] ring      [0:MaxChannels*ReadRing-1];
  logic [31:0] ring_tail [0:MaxChannels-1];
  logic [31:0] ring_head [0:MaxChannels-1];

  // Scheduling.
  logic [31:0] direction  [0:MaxChannels-1];    // 1: writes
  logic [31:0] turn_lines [0:MaxChannels-1];    // issued since the direction changed
  logic [31:0] open_banks [0:MaxChannels-1];
  logic [31:0] open_row   [0:MaxChannels*16-1];
  logic [31:0] bank_act_at[0:MaxChannels*16-1];
  logic [31:0] bank_pre_at[0:MaxChannels*16-1];
  logic [31:0] bank_rd_at [0:MaxChannels*16-1];
  logic [31:0] bank_wr_at [0:MaxChannels*16-1];
  logic [31:0] act_at     [0:MaxChannels-1];    // for any bank group
  logic [31:0] rd_at      [0:MaxChannels-1];
  logic [31:0] wr_at      [0:MaxChannels-1];
  logic [31:0] group_act_at[0:MaxChannels*4-1];
  logic [31:0] group_rd_at [0:MaxChannels*4-1];
  logic [31:0] group_wr_at [0:MaxChannels*4-1];
  logic [31:0] faw_at     [0:MaxChannels*4-1];  // ring of the last four activates
  logic [31:0] faw_next   [0:MaxChannels-1];

  logic [31:0]            now_q;
  logic [31:0]            refresh_at_q;
  logic [MaxChannels-1:0] refresh;     // channels that must refresh
  logic [MaxChannels-1:0] work;        // channels with lines to issue
  logic [MaxChannels-1:0] read_done;   // the line at the head of the queue may be answered
  logic [MaxChannels-1:0] write_done;
  logic [MaxChannels*2-1:0] full;
  logic [MaxChannels*2-1:0] full_q;
  logic                   active_q;
  logic                   unexpected_q;

  // Commands of this cycle.
  logic [MaxChannels-1:0]     row_valid;
  logic [MaxChannels*2-1:0]   row_op;
  logic [MaxChannels*4-1:0]   row_bank;
  logic [MaxChannels*16-1:0]  row_row;
  logic [MaxChannels-1:0]     col_valid;
  logic [MaxChannels-1:0]     col_write;
  logic [MaxChannels*4-1:0]   col_bank;
  logic [MaxChannels*6-1:0]   col_col;
  logic [MaxChannels*256-1:0] wr_data;
  logic [MaxChannels*32-1:0]  wr_strobe;

  // Locals have 32 bits, so that loops vectorise; not all bits matter.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic reached(input logic [31:0] at);
    logic [31:0] since;
    since   = now_q - at;
    reached = !since[31];
  endfunction
  function automatic logic [31:0] later(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] difference;
    difference = a - b;
    later      = difference[31] ? b : a;
  endfunction
  function automatic logic [31:0] row_of(input logic [31:0] burst);
    row_of = {16'd0, burst[24:9]};
  endfunction
  function automatic logic [31:0] bank_of(input logic [31:0] burst);
    bank_of = {28'd0, burst[8:7] ^ burst[10:9], burst[1:0]};
  endfunction
  function automatic logic [31:0] lowest(input logic [63:0] set);
    logic [63:0] left;
    left   = set;
    lowest = 32'd0;
    if (left[31:0] == 32'd0) begin lowest = lowest + 32'd32; left = left >> 32; end
    if (left[15:0] == 16'd0) begin lowest = lowest + 32'd16; left = left >> 16; end
    if (left[7:0] == 8'd0)   begin lowest = lowest + 32'd8;  left = left >> 8;  end
    if (left[3:0] == 4'd0)   begin lowest = lowest + 32'd4;  left = left >> 4;  end
    if (left[1:0] == 2'd0)   begin lowest = lowest + 32'd2;  left = left >> 2;  end
    if (!left[0])            lowest = lowest + 32'd1;
  endfunction

  // Where a request goes: channel, and burst number inside the channel.
  logic [31:0] channel_shift;
  logic [31:0] req_chunk;    // of 256 bytes
  logic [31:0] req_round;    // of the chunk, among the chunks of its channel
  logic [31:0] req_channel;
  logic [31:0] req_queue;
  always_comb begin
    channel_shift = 32'd0;
    for (int unsigned i = 1; i < 7; i++) begin
      if (channels_i[i]) channel_shift = i;
    end
  end
  assign req_chunk   = req_addr_i[39:8];
  assign req_round   = req_chunk >> channel_shift;
  assign req_channel = (req_chunk ^ req_round ^ (req_round >> channel_shift)) & (channels_i - 32'd1);
  assign req_queue   = req_channel * 2 + 32'(req_write_i);
  assign req_ready_o = !full_q[req_queue[$clog2(MaxChannels*2)-1:0]];

  // Everything below is private to the clocked block and blocking, so that loops stay loops.
  /* verilator lint_off BLKSEQ */

  task automatic accept();
    logic [31:0] entry;
    logic [31:0] data;
    entry = req_queue * QueueLines + (tail[req_queue] & (QueueLines - 1));
    data  = (req_channel * QueueLines + (tail[req_queue] & (QueueLines - 1))) * Bursts;
    line_burst[entry] = (req_round << 3) | {29'd0, req_addr_i[7:5]};
    line_tag[entry]   = req_tag_i;
    line_left[entry]  = Bursts;
    if (req_write_i) begin
      for (int unsigned i = 0; i < Bursts; i++) begin
        write_data[data + i]   = req_data_i[i*256 +: 256];
        write_strobe[data + i] = req_strobe_i[i*32 +: 32];
      end
    end
    tail[req_queue] = tail[req_queue] + 32'd1;
    full[req_queue] = (tail[req_queue] - head[req_queue] == QueueLines);
    work[req_channel] = 1'b1;
  endtask

  task automatic receive(input logic [31:0] c);
    logic [31:0] where;
    logic [31:0] entry;
    where = ring[c*ReadRing + (ring_head[c] & (ReadRing - 1))];
    entry = c*2*QueueLines + (where >> BurstShift);
    if (ring_head[c] == ring_tail[c]) unexpected_q <= 1'b1;
    ring_head[c] = ring_head[c] + 32'd1;
    read_data[c*QueueLines*Bursts + where] = rd_data_i[c*256 +: 256];
    line_left[entry] = line_left[entry] - 32'd1;
    read_done[c] = line_left[c*2*QueueLines + (head[c*2] & (QueueLines - 1))] == 32'd0;
  endtask

  // Answers the line at the head of queue q.
  task automatic answer(input logic [31:0] c, input logic [31:0] write);
    logic [31:0]         q;
    logic [31:0]         slot;
    logic [31:0]         next;
    logic                done;
    logic [LineBits-1:0] data;
    q    = c*2 + write;
    slot = head[q] & (QueueLines - 1);
    rsp_tag_o <= line_tag[q*QueueLines + slot];
    if (write == 32'd0) begin
      for (int unsigned i = 0; i < Bursts; i++) begin
        data[i*256 +: 256] = read_data[(c*QueueLines + slot)*Bursts + i];
      end
      rsp_data_o <= data;
    end
    head[q] = head[q] + 32'd1;
    full[q] = 1'b0;
    next    = q*QueueLines + (head[q] & (QueueLines - 1));
    done    = head[q] != tail[q] && line_left[next] == 32'd0;
    if (write == 32'd0) read_done[c] = done;
    else write_done[c] = done;
  endtask

  task automatic choose_direction(input logic [31:0] c);
    logic [31:0] mine;
    logic [31:0] other;
    mine  = tail[c*2 + direction[c]] - issue[c*2 + direction[c]];
    other = tail[c*2 + 1 - direction[c]] - issue[c*2 + 1 - direction[c]];
    // Only between lines.
    if (issue_burst[c*2 + direction[c]] == 32'd0 && other != 32'd0
        && (mine == 32'd0 || turn_lines[c] >= ((other >= TurnFull) ? TurnFull : TurnAny))) begin
      direction[c]  = 32'd1 - direction[c];
      turn_lines[c] = 32'd0;
    end
    work[c] = (mine != 32'd0 || other != 32'd0);
  endtask

  task automatic column(input logic [31:0] c);
    logic [31:0] write;
    logic [31:0] q;
    logic [31:0] slot;
    logic [31:0] burst;
    logic [31:0] bank;
    logic [31:0] group;
    logic        ok;
    choose_direction(c);
    write = direction[c];
    q     = c*2 + write;
    slot  = issue[q] & (QueueLines - 1);
    burst = line_burst[q*QueueLines + slot] + issue_burst[q];
    bank  = bank_of(burst);
    group = c*4 + (bank & 32'd3);
    ok    = issue[q] != tail[q] && open_banks[c][bank[4:0]]
            && open_row[c*16 + bank] == row_of(burst);
    if (write == 32'd0) begin
      ok = ok && reached(bank_rd_at[c*16 + bank]) && reached(rd_at[c]) && reached(group_rd_at[group])
           && ring_tail[c] - ring_head[c] != ReadRing;
    end else begin
      ok = ok && reached(bank_wr_at[c*16 + bank]) && reached(wr_at[c])
           && reached(group_wr_at[group]);
    end
    if (ok) begin
      col_valid[c]       = 1'b1;
      col_write[c]       = write[0];
      col_bank[c*4 +: 4] = bank[3:0];
      col_col[c*6 +: 6]  = {1'b0, burst[6:2]};
      if (write == 32'd0) begin
        ring[c*ReadRing + (ring_tail[c] & (ReadRing - 1))] = slot * Bursts + issue_burst[q];
        ring_tail[c]       = ring_tail[c] + 32'd1;
        rd_at[c]           = now_q + tccd_s;
        group_rd_at[group] = later(group_rd_at[group], now_q + tccd_l);
        // The data bus turns round in two cycles.
        wr_at[c]           = later(wr_at[c], now_q + cl + BurstCycles + 32'd2 - cwl);
        bank_pre_at[c*16 + bank] = later(bank_pre_at[c*16 + bank], now_q + trtp);
      end else begin
        wr_data[c*256 +: 256] = write_data[(c*QueueLines + slot)*Bursts + issue_burst[q]];
        wr_strobe[c*32 +: 32] = write_strobe[(c*QueueLines + slot)*Bursts + issue_burst[q]];
        wr_at[c]           = now_q + tccd_s;
        group_wr_at[group] = later(group_wr_at[group], now_q + tccd_l);
        rd_at[c]           = later(rd_at[c], now_q + cwl + BurstCycles + twtr_s);
        group_rd_at[group] = later(group_rd_at[group], now_q + cwl + BurstCycles + twtr_l);
        bank_pre_at[c*16 + bank] = later(bank_pre_at[c*16 + bank],
                                         now_q + cwl + BurstCycles + twr);
        line_left[q*QueueLines + slot] = line_left[q*QueueLines + slot] - 32'd1;
      end
      if (issue_burst[q] == Bursts - 1) begin
        issue_burst[q] = 32'd0;
        issue[q]       = issue[q] + 32'd1;
        turn_lines[c]  = turn_lines[c] + 32'd1;
        if (write != 32'd0) begin
          write_done[c] = line_left[q*QueueLines + (head[q] & (QueueLines - 1))] == 32'd0;
        end
        work[c] = issue[c*2] != tail[c*2] || issue[c*2 + 1] != tail[c*2 + 1];
      end else begin
        issue_burst[q] = issue_burst[q] + 32'd1;
      end
    end
  endtask

  task automatic activate(input logic [31:0] c, input logic [31:0] bank, input logic [31:0] row);
    logic [31:0] b;
    logic [31:0] group;
    b     = c*16 + bank;
    group = c*4 + (bank & 32'd3);
    row_valid[c]        = 1'b1;
    row_op[c*2 +: 2]    = OpActivate;
    row_bank[c*4 +: 4]  = bank[3:0];
    row_row[c*16 +: 16] = row[15:0];
    open_banks[c]       = open_banks[c] | (32'd1 << bank);
    open_row[b]         = row;
    bank_rd_at[b]       = now_q + trcd_rd;
    bank_wr_at[b]       = now_q + trcd_wr;
    bank_pre_at[b]      = now_q + tras;
    bank_act_at[b]      = now_q + trc;
    act_at[c]           = now_q + trrd_s;
    group_act_at[group] = now_q + trrd_l;
    faw_at[c*4 + faw_next[c]] = now_q + tfaw;
    faw_next[c]         = (faw_next[c] + 32'd1) & 32'd3;
  endtask

  task automatic precharge(input logic [31:0] c, input logic [31:0] bank);
    row_valid[c]       = 1'b1;
    row_op[c*2 +: 2]   = OpPrecharge;
    row_bank[c*4 +: 4] = bank[3:0];
    open_banks[c]      = open_banks[c] & ~(32'd1 << bank);
    bank_act_at[c*16 + bank] = later(bank_act_at[c*16 + bank], now_q + trp);
  endtask

  // Opens rows for the next lines, the first that can be helped: a bank belongs to the earliest line
  // that needs it.
  task automatic open_rows(input logic [31:0] c);
    logic [31:0] q;
    logic [31:0] claimed;
    logic [31:0] first;
    logic [31:0] bank;
    logic [31:0] row;
    logic [31:0] b;
    logic        issued;
    q       = c*2 + direction[c];
    claimed = 32'd0;
    issued  = 1'b0;
    for (int unsigned ahead = 0; ahead < Look; ahead++) begin
      if (!issued && ahead < tail[q] - issue[q]) begin
        first = line_burst[q*QueueLines + ((issue[q] + ahead) & (QueueLines - 1))];
        row   = row_of(first);
        for (int unsigned i = 0; i < BanksOfLine; i++) begin
          bank = bank_of(first + i);
          b    = c*16 + bank;
          if (!issued && !claimed[bank[4:0]]) begin
            if (!open_banks[c][bank[4:0]]) begin
              if (reached(bank_act_at[b]) && reached(act_at[c])
                  && reached(group_act_at[c*4 + (bank & 32'd3)])
                  && reached(faw_at[c*4 + faw_next[c]])) begin
                activate(c, bank, row);
                issued = 1'b1;
              end
            end else if (open_row[b] != row && reached(bank_pre_at[b])) begin
              precharge(c, bank);
              issued = 1'b1;
            end
            claimed = claimed | (32'd1 << bank);
          end
        end
      end
    end
  endtask

  // Closes all banks, then refreshes.
  task automatic refresh_step(input logic [31:0] c);
    logic closable;
    logic idle;
    closable = 1'b1;
    idle     = 1'b1;
    for (int unsigned bank = 0; bank < 16; bank++) begin
      closable = closable && (!open_banks[c][bank] || reached(bank_pre_at[c*16 + bank]));
      idle     = idle && reached(bank_act_at[c*16 + bank]);
    end
    if (open_banks[c] != 32'd0) begin
      if (closable) begin
        row_valid[c]     = 1'b1;
        row_op[c*2 +: 2] = OpPrechargeAll;
        for (int unsigned bank = 0; bank < 16; bank++) begin
          bank_act_at[c*16 + bank] = later(bank_act_at[c*16 + bank], now_q + trp);
        end
        open_banks[c] = 32'd0;
      end
    end else if (idle) begin
      row_valid[c]     = 1'b1;
      row_op[c*2 +: 2] = OpRefresh;
      refresh[c]       = 1'b0;
      restart(c, now_q + trfc);
    end
  endtask

  // Everything of an idle channel with closed banks may happen from `at` on. At every refresh, so that
  // no stamp grows so old that it seems to lie ahead.
  task automatic restart(input logic [31:0] c, input logic [31:0] at);
    for (int unsigned bank = 0; bank < 16; bank++) begin
      bank_act_at[c*16 + bank] = at;
      bank_pre_at[c*16 + bank] = at;
      bank_rd_at[c*16 + bank]  = at;
      bank_wr_at[c*16 + bank]  = at;
    end
    for (int unsigned i = 0; i < 4; i++) begin
      group_act_at[c*4 + i] = at;
      group_rd_at[c*4 + i]  = at;
      group_wr_at[c*4 + i]  = at;
      faw_at[c*4 + i]       = at;
    end
    act_at[c] = at;
    rd_at[c]  = later(rd_at[c], at);
    wr_at[c]  = later(wr_at[c], at);
  endtask

  task automatic clear();
    for (int unsigned c = 0; c < MaxChannels; c++) begin
      rd_at[c]      = 32'd0;
      wr_at[c]      = 32'd0;
      restart(c, 32'd0);
      open_banks[c] = 32'd0;
      direction[c]  = 32'd0;
      turn_lines[c] = 32'd0;
      faw_next[c]   = 32'd0;
      ring_tail[c]  = 32'd0;
      ring_head[c]  = 32'd0;
    end
    for (int unsigned q = 0; q < MaxChannels * 2; q++) begin
      tail[q]        = 32'd0;
      issue[q]       = 32'd0;
      head[q]        = 32'd0;
      issue_burst[q] = 32'd0;
    end
    refresh    = '0;
    work       = '0;
    read_done  = '0;
    write_done = '0;
    full       = '0;
  endtask

  task automatic commands();
    logic [31:0] c;
    for (int unsigned pair = 0; pair < MaxChannels / 2; pair++) begin
      c = pair*2 + (now_q & 32'd1);
      if (work[c] && !refresh[c]) column(c);
    end
    if (!now_q[0]) begin
      for (int unsigned pair = 0; pair < MaxChannels / 2; pair++) begin
        c = pair*2 + ((now_q >> 1) & 32'd1);
        if (refresh[c]) refresh_step(c);
        else if (work[c]) open_rows(c);
      end
    end
  endtask

  task automatic answers();
    rsp_valid_o <= (read_done != '0) || (write_done != '0);
    if (read_done != '0) answer(lowest(64'(read_done)), 32'd0);
    else if (write_done != '0) answer(lowest(64'(write_done)), 32'd1);
  endtask

  task automatic step();
    row_valid = '0;
    col_valid = '0;
    if (now_q == refresh_at_q) begin
      // Without an interval the platform has not set the timing yet.
      for (int unsigned c = 0; c < MaxChannels; c++) refresh[c] = (trefi != 0 && c < channels_i);
      refresh_at_q <= now_q + ((trefi == 0) ? FirstRefresh : trefi);
    end
    answers();
    if (rd_valid_i != '0) begin
      for (int unsigned c = 0; c < MaxChannels; c++) begin
        if (rd_valid_i[c]) receive(c);
      end
    end
    commands();
    if (req_valid_i && req_ready_o) accept();
    full_q      <= full;
    row_valid_o <= row_valid;
    col_valid_o <= col_valid;
    if (row_valid != '0) begin
      row_op_o   <= row_op;
      row_bank_o <= row_bank;
      row_row_o  <= row_row;
    end
    if (col_valid != '0) begin
      col_write_o <= col_write;
      col_bank_o  <= col_bank;
      col_col_o   <= col_col;
      if ((col_valid & col_write) != '0) begin
        wr_data_o   <= wr_data;
        wr_strobe_o <= wr_strobe;
      end
    end
    active_q <= (work | refresh | read_done | write_done | row_valid | col_valid) != '0;
  endtask

  always_ff @(posedge clk_i) begin
    now_q <= now_q + 32'd1;
    if (!rst_ni) begin
      clear();
      now_q        <= 32'd1;
      refresh_at_q <= FirstRefresh;
      full_q       <= '0;
      row_valid_o  <= '0;
      col_valid_o  <= '0;
      rsp_valid_o  <= 1'b0;
      active_q     <= 1'b0;
      unexpected_q <= 1'b0;
    end else if (active_q || req_valid_i || rsp_valid_o || rd_valid_i != '0
                 || now_q == refresh_at_q) begin
      step();
    end
  end
  /* verilator lint_on BLKSEQ */
  /* verilator lint_on UNUSEDSIGNAL */

  `PRIM_ASSERT(DataIsExpected, !unexpected_q)
  `PRIM_ASSERT(ChannelsArePowerOfTwo, (channels_i & (channels_i - 32'd1)) == 32'd0)

endmodule
