# SPDX-License-Identifier: GPL-3.0-or-later
# cudal1::torch: libtorch, CPython, CUPTI and the CUDA runtime of one Python environment as an imported target.
# Torch's own CMake package wants a CUDA Toolkit; the wheel brings all that is needed to compile and link.

if(NOT CUDAL1_PYTHON)
    message(FATAL_ERROR "CUDAL1_PYTHON is not set: run ./bootstrap, or give -DCUDAL1_PYTHON=/path/to/python with torch 2.11")
endif()
execute_process(COMMAND ${CUDAL1_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/torchfacts.py
    OUTPUT_VARIABLE CUDAL1_TORCH_FACTS ERROR_VARIABLE CUDAL1_TORCH_ERROR RESULT_VARIABLE CUDAL1_TORCH_STATUS
    OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT CUDAL1_TORCH_STATUS EQUAL 0)
    message(FATAL_ERROR "${CUDAL1_PYTHON} cannot be used: ${CUDAL1_TORCH_ERROR}")
endif()
foreach(key torch_root torch_version python_include python_library cuda_include cuda_libraries)
    string(JSON CUDAL1_FACT_${key} GET "${CUDAL1_TORCH_FACTS}" ${key})
endforeach()
message(STATUS "torch ${CUDAL1_FACT_torch_version} at ${CUDAL1_FACT_torch_root}")

add_library(cudal1_torch INTERFACE)
add_library(cudal1::torch ALIAS cudal1_torch)
set(torch_lib ${CUDAL1_FACT_torch_root}/lib)
target_include_directories(cudal1_torch SYSTEM INTERFACE
    ${CUDAL1_FACT_torch_root}/include
    ${CUDAL1_FACT_torch_root}/include/torch/csrc/api/include
    ${CUDAL1_FACT_python_include}
    ${CUDAL1_FACT_cuda_include})
target_link_libraries(cudal1_torch INTERFACE
    -Wl,--no-as-needed
    ${torch_lib}/libtorch_python.so ${torch_lib}/libtorch.so ${torch_lib}/libtorch_cpu.so ${torch_lib}/libc10.so
    ${torch_lib}/libtorch_cuda.so ${torch_lib}/libc10_cuda.so
    ${CUDAL1_FACT_cuda_libraries} ${CUDAL1_FACT_python_library}
    -Wl,--as-needed)
target_link_options(cudal1_torch INTERFACE -Wl,--allow-shlib-undefined)

# What takes longest of torch's headers, compiled once for all targets of cudal1_use_torch. Nothing of pybind11 is in it:
# files that see that compile 5 s more of it each.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiledtorch.cpp CONTENT "// Nothing but the precompiled header.\n")
add_library(cudal1_precompiledtorch OBJECT ${CMAKE_BINARY_DIR}/precompiledtorch.cpp)
set_target_properties(cudal1_precompiledtorch PROPERTIES AUTOMOC OFF)
target_link_libraries(cudal1_precompiledtorch PRIVATE cudal1::torch nlohmann_json::nlohmann_json cudal1_warnings)
target_precompile_headers(cudal1_precompiledtorch PRIVATE <ATen/ATen.h> <nlohmann/json.hpp>)

# cudal1_torch_options(judge_witness): options of what includes torch, which have to be those of what is precompiled. Its
# loops over tensors gain by -O3.
function(cudal1_torch_options target)
    target_compile_options(${target} PRIVATE -Wno-pedantic $<$<CONFIG:Release>:-O3>)
endfunction()
cudal1_torch_options(cudal1_precompiledtorch)

function(cudal1_use_torch target)
    cudal1_torch_options(${target})
    target_precompile_headers(${target} REUSE_FROM cudal1_precompiledtorch)
endfunction()
