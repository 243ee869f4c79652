# vpu_lanes at its pins. One class per size: lanes, sublanes, stages behind the arithmetic.
foreach(size 8_2_0 16_4_3 32_1_0 256_2_0)
  string(REPLACE "_" ";" parts ${size})
  list(GET parts 0 lanes)
  list(GET parts 1 sublanes)
  list(GET parts 2 stages)
  systolith_verilate(vpu_lanes_${lanes}_${sublanes} TOP vpu_lanes
                     PREFIX Vpu_lanes_${lanes}_${sublanes} ASSERT SOURCES ${VPU_LANES_RTL}
                     PARAMETERS Lanes=${lanes} Sublanes=${sublanes} Stages=${stages})
endforeach()
systolith_test(vpu_lanes_test SOURCES vpu_lanes_test.cc lane_model.cc
               DEPS vpu_lanes_8_2 vpu_lanes_16_4 vpu_lanes_32_1 vpu_lanes_256_2 tb_common)
