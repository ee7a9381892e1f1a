# End-to-end tests: the built program on real programs. Python's standard library only.
find_program(DT_PYTHON3 NAMES python3)
if(NOT DT_PYTHON3)
  message(STATUS "No python3 found: the end-to-end tests are left out")
  return()
endif()
add_subdirectory(${PROJECT_SOURCE_DIR}/tests/apps ${CMAKE_BINARY_DIR}/tests/apps)

# dt_e2e_test(NAME SECONDS [PROPERTY VALUE...]): e2e_NAME.py
function(dt_e2e_test name seconds)
  add_test(NAME e2e-${name} COMMAND ${DT_PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e_${name}.py)
  set_tests_properties(e2e-${name} PROPERTIES LABELS e2e TIMEOUT ${seconds} ${ARGN} ENVIRONMENT
    "DIFFTRACE=$<TARGET_FILE:difftrace>;DIFFTRACE_APPS=${CMAKE_BINARY_DIR}/tests/apps;DIFFTRACE_EXAMPLES=${CMAKE_BINARY_DIR}/examples;DIFFTRACE_CORPUS=${CMAKE_BINARY_DIR}/tests/fuzz/corpus")
endfunction()

dt_e2e_test(collect 600)
dt_e2e_test(package 600)
set_property(TEST e2e-package APPEND PROPERTY ENVIRONMENT
  "DIFFTRACE_BUILD=${CMAKE_BINARY_DIR}" "DIFFTRACE_SOURCE=${PROJECT_SOURCE_DIR}")
set_tests_properties(e2e-package PROPERTIES SKIP_RETURN_CODE 77)
dt_e2e_test(callgrind 900)
dt_e2e_test(kill 3000)
dt_e2e_test(semantics 3600)
dt_e2e_test(signals 900)
dt_e2e_test(bounds 300)
dt_e2e_test(switch 120)
dt_e2e_test(pin 600)
set_property(TEST e2e-pin APPEND PROPERTY ENVIRONMENT "PIN_STEPPER=$<TARGET_FILE:pin-stepper>")
# MPI runs fill the machine, so one at a time.
dt_e2e_test(uftrace 600 RUN_SERIAL TRUE SKIP_RETURN_CODE 77)
set_property(TEST e2e-uftrace APPEND PROPERTY ENVIRONMENT "DIFFTRACE_SOURCE=${PROJECT_SOURCE_DIR}")
dt_e2e_test(reader 600 RUN_SERIAL TRUE FIXTURES_REQUIRED fuzz-corpus)
dt_e2e_test(results_equal 900 RUN_SERIAL TRUE)
dt_e2e_test(arguments 600 RUN_SERIAL TRUE)
dt_e2e_test(waits 600 RUN_SERIAL TRUE)
dt_e2e_test(failures 600 RUN_SERIAL TRUE)
dt_e2e_test(oddeven 900 RUN_SERIAL TRUE)
dt_e2e_test(ilcs 900 RUN_SERIAL TRUE)
