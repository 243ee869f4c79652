# Streams in and out at their pins. One class per size: lanes, sublanes, columns, MXUs, word bytes,
# read and write words; words of Lanes bytes are those of a chip without bf16.
set(VPU_STREAM_PACKAGES ${PROJECT_SOURCE_DIR}/rtl/arch/isa_pkg.sv ${VPU}/vpu_type_pkg.sv)
set(VPU_FETCH_RTL ${VPU_STREAM_PACKAGES} ${PRIM}/prim_fifo.sv ${VPU}/vpu_words.sv
                  ${VPU}/vpu_drain.sv ${VPU}/vpu_fetch_index.sv ${VPU}/vpu_fetch_groups.sv ${VPU}/vpu_fetch.sv)
set(VPU_WRITE_RTL ${VPU_STREAM_PACKAGES} ${VPU}/vpu_words.sv ${VPU}/vpu_write_pack.sv
                  ${VPU}/vpu_write.sv)
set(fetches "")
set(writes "")
foreach(size 8_2_8_1_16_2_1 16_4_8_3_16_3_2 32_1_32_1_64_1_1 128_8_128_2_256_4_2)
  string(REPLACE "_" ";" parts ${size})
  list(GET parts 0 lanes)
  list(GET parts 1 sublanes)
  list(GET parts 2 cols)
  list(GET parts 3 mxus)
  list(GET parts 4 word_bytes)
  list(GET parts 5 read_words)
  list(GET parts 6 write_words)
  set(sizes Lanes=${lanes} Sublanes=${sublanes} BufferBytes=131072 WordBytes=${word_bytes})
  set(name ${lanes}_${sublanes})
  systolith_verilate(vpu_fetch_${name} TOP vpu_fetch PREFIX Vpu_fetch_${name} ASSERT
                     SOURCES ${VPU_FETCH_RTL}
                     PARAMETERS ${sizes} Cols=${cols} MxuCount=${mxus} AccumulatorRows=16
                                ReadWords=${read_words})
  systolith_verilate(vpu_write_${name} TOP vpu_write PREFIX Vpu_write_${name} ASSERT
                     SOURCES ${VPU_WRITE_RTL} PARAMETERS ${sizes} WriteWords=${write_words})
  list(APPEND fetches vpu_fetch_${name})
  list(APPEND writes vpu_write_${name})
endforeach()
systolith_test(vpu_fetch_test SOURCES vpu_fetch_test.cc stream_model.cc DEPS ${fetches} tb_common)
systolith_test(vpu_write_test SOURCES vpu_write_test.cc stream_model.cc DEPS ${writes} tb_common)
