# SPDX-License-Identifier: GPL-3.0-or-later
# How this project declares libraries, programs and tests; warnings live on one INTERFACE target.

add_library(cudal1_warnings INTERFACE)
# GCC 12 sees copies in std::string that overlap, or that are larger than any memory, where there are none (its bug
# 105651).
target_compile_options(cudal1_warnings INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-stringop-overflow>"
    $<$<BOOL:${CUDAL1_WERROR}>:-Werror>)
# In a unity build names of other files look shadowed, and classes of a .cpp look like those of a header.
if(CMAKE_UNITY_BUILD)
    target_compile_options(cudal1_warnings INTERFACE -Wno-subobject-linkage)
else()
    target_compile_options(cudal1_warnings INTERFACE -Wshadow)
endif()
if(CUDAL1_SANITIZE)
    # A target has the property CUDAL1_UNSANITIZED that does what a sanitizer forbids.
    set(sanitized $<NOT:$<BOOL:$<TARGET_PROPERTY:CUDAL1_UNSANITIZED>>>)
    target_compile_options(cudal1_warnings INTERFACE $<${sanitized}:-fsanitize=${CUDAL1_SANITIZE}>
        -fno-omit-frame-pointer)
    target_link_options(cudal1_warnings INTERFACE $<${sanitized}:-fsanitize=${CUDAL1_SANITIZE}>)
endif()

# cudal1_library(store project.cpp … DEPENDS cudal1::base …): static library cudal1_store, alias cudal1::store.
# Sources and headers are relative to the folder; includes are from the root: "core/store/project.h".
function(cudal1_library name)
    cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
    add_library(cudal1_${name} STATIC ${arg_UNPARSED_ARGUMENTS})
    add_library(cudal1::${name} ALIAS cudal1_${name})
    target_include_directories(cudal1_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(cudal1_${name} PUBLIC ${arg_DEPENDS} PRIVATE cudal1_warnings)
endfunction()

# cudal1_program(cudal1 main.cpp … DEPENDS …): a program in build/…/bin. Those in app/ are what the target `programs` builds.
add_custom_target(programs)
function(cudal1_program name)
    cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_DEPENDS} cudal1_warnings)
    target_compile_definitions(${name} PRIVATE CUDAL1_VERSION="${PROJECT_VERSION}")
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/app/")
        add_dependencies(programs ${name})
    endif()
endfunction()

# cudal1_test(tst_project tst_project.cpp DEPENDS … LABELS unit): a Qt Test program registered with CTest; its class is in
# the first file. Windows are offscreen; a test's exit status 77 is a skip with its reason printed. The functions that are
# ALONE look at how long something takes: they are a test of their own, NAME_alone, beside which nothing runs. Each test of
# windows has settings of its own.
function(cudal1_test name)
    cmake_parse_arguments(arg "" "TIMEOUT" "ALONE;DEPENDS;LABELS" ${ARGN})
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_DEPENDS} cudal1_warnings)
    target_compile_definitions(${name} PRIVATE CUDAL1_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        CUDAL1_BINARY_DIR="${PROJECT_BINARY_DIR}" CUDAL1_PYTHON="${CUDAL1_PYTHON}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    if("${arg_DEPENDS}" MATCHES "cudal1::(ui_|workbench)")
        cudal1_use_qt_test(${name} windowtest)
    else()
        cudal1_use_qt_test(${name} test)
    endif()
    # One run of moc; AUTOMOC would start CMake for each test and compile another file.
    list(GET arg_UNPARSED_ARGUMENTS 0 source)
    string(REGEX REPLACE "\\.cpp$" ".moc" moc ${source})
    set_target_properties(${name} PROPERTIES AUTOMOC OFF)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    qt_generate_moc(${source} ${moc} TARGET ${name})
    target_sources(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${moc})
    set(names ${name})
    if(arg_ALONE)
        add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/without.sh $<TARGET_FILE:${name}> ${arg_ALONE})
        add_test(NAME ${name}_alone COMMAND ${name} ${arg_ALONE})
        set_tests_properties(${name}_alone PROPERTIES RUN_SERIAL ON)
        list(APPEND names ${name}_alone)
    else()
        add_test(NAME ${name} COMMAND ${name})
    endif()
    set(environment QT_QPA_PLATFORM=offscreen QT_LOGGING_RULES=*.debug=false)
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
        if(CUDAL1_SANITIZE) # with which a test takes many times as long
            set(arg_TIMEOUT 900)
            list(APPEND environment QTEST_FUNCTION_TIMEOUT=900000)
        endif()
    endif()
    if("widget" IN_LIST arg_LABELS)
        list(APPEND environment XDG_CONFIG_HOME=${CMAKE_BINARY_DIR}/tests/settings/${name})
    endif()
    set_tests_properties(${names} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "${environment}")
endfunction()

# cudal1_judge_beside_others(NAME…): these tests judge, but none of what they check is a time. So they run beside others,
# and none of their evaluators waits for another test's to give up the device.
function(cudal1_judge_beside_others)
    foreach(name ${ARGN})
        set_property(TEST ${name} PROPERTY RUN_SERIAL OFF)
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT CUDAL1_LEASES=${name})
    endforeach()
endfunction()

# A test runs about once each time that it is compiled, so its own code is not optimised, which saves a fifth of the time
# to compile it. What it tests is optimised as its library is.
function(cudal1_compile_as_test name)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# cudal1_use_qt_test(tst_project test): for a target with Qt Test. Takes the headers that tests/ has precompiled for tests
# of this kind, `test` or `windowtest`. Qt Test is among them and depends on macros, which have to be the same for all. So
# those of Qt6::Test are left out, which name the test's folders, and those that have it compare values of Qt's network
# and (where there is no window) image classes.
function(cudal1_use_qt_test name kind)
    cudal1_compile_as_test(${name})
    target_compile_options(${name} PRIVATE -UQT_NETWORK_LIB)
    if(kind STREQUAL test)
        target_compile_options(${name} PRIVATE -UQT_GUI_LIB)
    endif()
    target_compile_definitions(${name} PRIVATE QT_TESTLIB_LIB)
    target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:Qt6::Test,INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(${name} PRIVATE $<TARGET_FILE:Qt6::Test> Qt6::Core)
    if(NOT name STREQUAL cudal1_precompiled${kind})
        target_precompile_headers(${name} REUSE_FROM cudal1_precompiled${kind})
        target_link_libraries(${name} PRIVATE cudal1::protocol) # what is precompiled leaves JSON values to it
    endif()
endfunction()
