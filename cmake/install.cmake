# The install tree: bin/systolith, the driver library with its headers and its CMake package, and in
# share/systolith what is read at run time: configurations, RTL and harness for building chips.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(SYSTOLITH_INSTALLED_LIBRARIES base arch isa kernel hal graph import evaluator compiler runtime)
install(TARGETS ${SYSTOLITH_INSTALLED_LIBRARIES} EXPORT systolithTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/systolith)
foreach(library IN LISTS SYSTOLITH_INSTALLED_LIBRARIES)
  install(DIRECTORY host/${library} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/systolith/host
          FILES_MATCHING PATTERN "*.h"
          PATTERN "testing" EXCLUDE PATTERN "fake_*" EXCLUDE PATTERN "*test*" EXCLUDE)
endforeach()
install(TARGETS systolith RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/systolith)
install(EXPORT systolithTargets NAMESPACE systolith:: DESTINATION ${package_dir})
configure_package_config_file(cmake/systolithConfig.cmake.in
  ${PROJECT_BINARY_DIR}/systolithConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/systolithConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/systolithConfig.cmake
              ${PROJECT_BINARY_DIR}/systolithConfigVersion.cmake
        DESTINATION ${package_dir})

set(share_dir ${CMAKE_INSTALL_DATADIR}/systolith)
install(DIRECTORY rtl DESTINATION ${share_dir}
        FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.toml" PATTERN "*.f")
install(DIRECTORY sim/rtl_sim sim/hbm_device DESTINATION ${share_dir}/sim
        FILES_MATCHING PATTERN "*.h" PATTERN "*.cc" PATTERN "*_test.cc" EXCLUDE)
install(FILES host/base/status.h host/base/status.cc DESTINATION ${share_dir}/host/base)
install(DIRECTORY host/arch DESTINATION ${share_dir}/host FILES_MATCHING PATTERN "*.h")
install(FILES host/hal/transport.h DESTINATION ${share_dir}/host/hal)
install(PROGRAMS scripts/build_chip DESTINATION ${share_dir}/scripts)
