# SPDX-License-Identifier: GPL-3.0-or-later
# nlohmann_json::nlohmann_json, without its literals. They are inline functions, for which each file that includes the
# library would compile the parser: half a second a file, whether or not it uses them, and none of ours does.

find_package(nlohmann_json 3.10 QUIET)
if(NOT nlohmann_json_FOUND)
    # GPU servers: the headers alone are enough, given as -DCUDAL1_JSON_INCLUDE=FOLDER.
    find_path(CUDAL1_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
    add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
    target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${CUDAL1_JSON_INCLUDE})
endif()

get_target_property(json_folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
find_file(CUDAL1_JSON_HEADER nlohmann/json.hpp HINTS ${json_folders} REQUIRED)
# The rest of the library is read where it lies, so the copy has to follow when another version is installed.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CUDAL1_JSON_HEADER})
file(READ ${CUDAL1_JSON_HEADER} json_header)
# The functions stay declared. Where a version writes them otherwise, nothing is replaced and all compiles as before.
string(REGEX REPLACE "inline (nlohmann::json[a-z_:]* operator *\"\" *_json[a-z_]*\\([^)]*\\))[ \n]*{[^}]*}" "\\1;"
    json_header "${json_header}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/nlohmann/json.hpp CONTENT "${json_header}" @ONLY)
target_include_directories(nlohmann_json::nlohmann_json BEFORE INTERFACE ${CMAKE_BINARY_DIR}/include)
# No file makes JSON of paths or of views either, so the library need not include what they are.
target_compile_definitions(nlohmann_json::nlohmann_json INTERFACE JSON_HAS_FILESYSTEM=0 JSON_HAS_RANGES=0)
