# SPDX-License-Identifier: GPL-3.0-or-later
# Proves that every header compiles alone: files are generated that include nothing else, and the target `headers`, part
# of a build with tests, compiles them. Parsing what they include takes nearly all of the time. So what a header includes
# anyway, itself or through our headers, is precompiled for it: it sees nothing that it would not see where all is parsed
# anew. For the same reason a file has several headers, where each includes the one before it. Torch is an exception: what
# core/torch.cmake has precompiled has nlohmann/json.hpp too, which a header of ours with torch could lack unseen.

# What is precompiled; a header gets the first of which it includes all.
set(messages core/protocol/messages.h)
set(project core/store/project.h) # has the messages too
set(bases ${project}+QWidget ${project}+QObject ${project} ${messages}+QObject ${messages} QWidget QObject
    nlohmann/json.hpp QString string)
set(folders app core tests ui)
list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.h" OUTPUT_VARIABLE globs)
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${globs})
list(REMOVE_ITEM headers core/decoder/kernelbody.h) # the body of several files, which set macros before it
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE read_here)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read_here})

# What a class of Qt brings along for sure: the definitions of its bases.
set(widgets AbstractScrollArea ComboBox Dialog Frame Label LineEdit ListView MainWindow Menu PlainTextEdit PushButton
    ScrollArea StatusBar TabBar TableView TextBrowser ToolBar ToolButton TreeView Widget)
set(objects AbstractItemModel AbstractListModel AbstractTableModel Action CoreApplication File Object Process
    SortFilterProxyModel StyledItemDelegate TcpServer ThreadPool Timer)
list(JOIN widgets "|" widgets)
list(JOIN objects "|" objects)

# All that a header includes, itself or through our headers.
function(cudal1_included header included)
    get_property(known GLOBAL PROPERTY cudal1_included_${header} SET)
    if(NOT known)
        file(STRINGS ${PROJECT_SOURCE_DIR}/${header} names REGEX "^#include [<\"]")
        list(TRANSFORM names REPLACE "^#include [<\"]([^>\"]+)[>\"].*" "\\1")
        set(all ${names})
        foreach(name ${names})
            if(EXISTS ${PROJECT_SOURCE_DIR}/${name})
                cudal1_included(${name} inner)
                list(APPEND all ${inner})
            elseif(name MATCHES "^Q(${widgets})$")
                list(APPEND all QWidget QObject QString)
            elseif(name MATCHES "^Q(${objects})$")
                list(APPEND all QObject QString)
            endif()
        endforeach()
        list(REMOVE_DUPLICATES all)
        set_property(GLOBAL PROPERTY cudal1_included_${header} "${all}")
    endif()
    get_property(found GLOBAL PROPERTY cudal1_included_${header})
    set(${included} "${found}" PARENT_SCOPE)
endfunction()

foreach(header ${headers})
    cudal1_included(${header} included)
    if((NOT CUDAL1_EVALUATOR AND included MATCHES "(^|;)(ATen/|torch/|Python.h|cuda)")
            OR (NOT CUDAL1_GUI AND included MATCHES "(^|;)(Q|boost/)"))
        continue()
    endif()
    set(group alone)
    if(included MATCHES "(^|;)(ATen|torch)/")
        set(group with_torch)
    else()
        foreach(base ${bases}) # several at a time are one string
            string(REPLACE "+" ";" parts ${base})
            set(lacking ${parts})
            list(REMOVE_ITEM lacking "" ${included})
            if(NOT lacking)
                string(MAKE_C_IDENTIFIER ${base} group)
                set(precompiled_${group} ${parts})
                break()
            endif()
        endforeach()
    endif()
    list(APPEND groups ${group})
    list(LENGTH included count)
    list(APPEND headers_${group} "${count} ${header}")
endforeach()
list(REMOVE_DUPLICATES groups)

set(needs cudal1::timeline nlohmann_json::nlohmann_json)
if(CUDAL1_GUI)
    list(APPEND needs cudal1::workbench cudal1::selftest Qt6::Test)
endif()
add_custom_target(headers ALL)
foreach(group ${groups})
    set(sources "")
    list(SORT headers_${group} COMPARE NATURAL) # what a header includes comes before it
    list(TRANSFORM headers_${group} REPLACE "^[0-9]+ " "")
    set(lasts "") # of the files so far
    set(place 0)
    foreach(header ${headers_${group}})
        cudal1_included(${header} included)
        set(before "")
        foreach(name ${included}) # the largest one that ends a file
            if(name IN_LIST lasts AND (NOT before OR place_${name} GREATER place_${before}))
                set(before ${name})
            endif()
        endforeach()
        list(REMOVE_ITEM lasts "" ${before})
        list(APPEND lasts ${header})
        set(lines_${header} "#include \"${header}\"\n")
        if(before)
            string(PREPEND lines_${header} "${lines_${before}}")
        endif()
        math(EXPR place "${place} + 1")
        set(place_${header} ${place})
    endforeach()
    foreach(last ${lasts})
        string(MAKE_C_IDENTIFIER ${last} name)
        file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp CONTENT "${lines_${last}}" @ONLY)
        list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
    endforeach()
    add_library(headers_${group} OBJECT ${sources})
    add_dependencies(headers headers_${group})
    # To parse them, with the templates that their functions use, is quicker than to compile them.
    set_target_properties(headers_${group} PROPERTIES AUTOMOC OFF
        CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_SOURCE_DIR}/parsealone.sh)
    target_include_directories(headers_${group} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests/ui/pages)
    target_link_libraries(headers_${group} PRIVATE cudal1_warnings)
    target_compile_definitions(headers_${group} PRIVATE CUDAL1_BINARY_DIR="" CUDAL1_SOURCE_DIR=""
        CUDAL1_PROGRAM="" REPLAY_EVALUATOR="")
    if(CUDAL1_EVALUATOR)
        target_link_libraries(headers_${group} PRIVATE cudal1::torch)
    endif()
    if(group STREQUAL with_torch)
        target_link_libraries(headers_with_torch PRIVATE nlohmann_json::nlohmann_json)
        cudal1_use_torch(headers_with_torch)
    else()
        target_link_libraries(headers_${group} PRIVATE ${needs})
        list(TRANSFORM precompiled_${group} REPLACE "(.+)" "<\\1>")
        target_precompile_headers(headers_${group} PRIVATE ${precompiled_${group}})
    endif()
endforeach()
