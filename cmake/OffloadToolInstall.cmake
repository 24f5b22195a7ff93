# offload_install: a copy of images that other projects find.
include_guard(GLOBAL)

# offload_install(<name> DESTINATION <folder> [EXPORT <set>] [NAMESPACE <namespace>::])
#
# Installs what <name>, a fat binary or a library, owns and passes on:
#
#   <folder>/<name>/offload.yaml     a manifest with relative names, and the images in <folder>/<name>/images
#   <folder>/<name>-offload.cmake    defines the imported target <namespace>::<name>; with EXPORT it completes the
#                                    target that install(EXPORT <set>) made, whose file is included before
function(offload_install name)
  set(call "offload_install(${name})")
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DESTINATION;EXPORT;NAMESPACE" "")
  _offload_check_arguments("${call}" DESTINATION EXPORT NAMESPACE)
  _offload_linking_target("${call}" "${name}" target)
  if(NOT ARG_DESTINATION)
    _offload_fail("${call}" "DESTINATION is missing; give a folder below the prefix, such as lib/cmake/Blas")
  endif()
  if(ARG_NAMESPACE AND NOT ARG_NAMESPACE MATCHES "^[A-Za-z0-9_.+-]+::$")
    _offload_fail("${call}" "NAMESPACE '${ARG_NAMESPACE}' is none; expected a word and '::', such as Blas::")
  endif()
  if(TARGET ${target}_exported)
    _offload_fail("${call}" "'${target}' is installed already; keep one of the calls")
  endif()
  _offload_other("${call}" "${name}" target)

  _offload_folder(folder ${target})
  _offload_installed_manifests(manifests ${target})
  _offload_manifest_of("${folder}/installed.yaml" "${manifests}")
  _offload_refer_to_each_other(${target} "${folder}/installed.yaml")
  _offload_export(${target} "${folder}")
  install(DIRECTORY "${folder}/exported/" DESTINATION "${ARG_DESTINATION}/${target}"
    PATTERN ".offload-export.*" EXCLUDE)
  _offload_package_file(${target} file)
  install(FILES "${file}" DESTINATION "${ARG_DESTINATION}")
endfunction()

# What is installed.  Images that exported libraries link of other packages come by these links again; those which
# offload_link_images names are copied.
function(_offload_installed_manifests variable target)
  _offload_passed_on(manifests ${target} "")
  if(DEFINED ARG_EXPORT AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.30)
    _offload_passed_on(copied ${target} _COPIED)
    set(manifests "$<FILTER:${manifests},EXCLUDE,/offload[.]yaml$>;${copied}")
  endif()
  set(${variable} "$<REMOVE_DUPLICATES:$<FILTER:${manifests},INCLUDE,.>>" PARENT_SCOPE)
endfunction()

# An installed target that another one has the images of is included by that one's manifest, not copied into it: who
# links both gets each image once.
function(_offload_refer_to_each_other target manifest)
  get_property(installed GLOBAL PROPERTY _OFFLOADTOOL_INSTALLED)
  set_target_properties(${target} PROPERTIES
    _OFFLOAD_INSTALLED_IN "${ARG_DESTINATION}" _OFFLOAD_INSTALLED_FROM "${manifest}")
  foreach(other IN LISTS installed)
    _offload_refer(${target} ${other})
    _offload_refer(${other} ${target})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY _OFFLOADTOOL_INSTALLED ${target})
endfunction()

function(_offload_refer from to)
  get_property(from_folder TARGET ${from} PROPERTY _OFFLOAD_INSTALLED_IN)
  get_property(to_folder TARGET ${to} PROPERTY _OFFLOAD_INSTALLED_IN)
  cmake_path(IS_ABSOLUTE from_folder from_absolute)
  cmake_path(IS_ABSOLUTE to_folder to_absolute)
  if(NOT from_absolute STREQUAL to_absolute)
    return()
  endif()
  set(way "${to_folder}/${to}/offload.yaml")
  cmake_path(RELATIVE_PATH way BASE_DIRECTORY "${from_folder}/${from}")
  get_property(manifest TARGET ${to} PROPERTY _OFFLOAD_INSTALLED_FROM)
  _offload_passed_on(had ${from} _OWNERS)
  _offload_passed_on(back ${to} _OWNERS)
  set(has "$<AND:$<IN_LIST:${to},${had}>,$<NOT:$<IN_LIST:${from},${back}>>>")
  set_property(TARGET ${from} APPEND PROPERTY _OFFLOAD_REFERRED "$<${has}:--include;${way}=${manifest}>")
endfunction()

function(_offload_export target folder)
  get_property(command GLOBAL PROPERTY _OFFLOADTOOL_COMMAND)
  _offload_passed_on(depends ${target} _DEPENDS)
  add_custom_command(
    OUTPUT "${folder}/exported.stamp"
    BYPRODUCTS "${folder}/exported/offload.yaml"
    COMMAND ${command} export "${folder}/installed.yaml" -d "${folder}/exported"
            "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_REFERRED>>"
            --depfile "${folder}/exported.d" --stamp "${folder}/exported.stamp"
    DEPENDS "${folder}/installed.yaml" "${depends}"
    DEPFILE "${folder}/exported.d"
    COMMENT "Exporting ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target}_exported ALL DEPENDS "${folder}/exported.stamp")
  set_property(DIRECTORY APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${folder}/exported")
endfunction()

# The file that defines or completes the imported target, wherever it is moved.
function(_offload_package_file target variable)
  set(imported "${target}")
  if(DEFINED ARG_EXPORT)
    get_target_property(exported ${target} EXPORT_NAME)
    if(exported)
      set(imported "${exported}")
    endif()
  endif()
  set(imported "${ARG_NAMESPACE}${imported}")
  set(missing "add_library(${imported} INTERFACE IMPORTED)")
  if(DEFINED ARG_EXPORT)
    set(missing "message(FATAL_ERROR \"there is no target '${imported}'; include the file of the export set '${ARG_EXPORT}' before this one\")")
  endif()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.offload/${target}-offload.cmake")
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT [==[
# The device images of @imported@, for offload_link_images and target_link_libraries.
if(NOT TARGET @imported@)
  @missing@
endif()
set_target_properties(@imported@ PROPERTIES INTERFACE_OFFLOAD_IMAGES "${CMAKE_CURRENT_LIST_DIR}/@target@/offload.yaml")
set_property(TARGET @imported@ APPEND PROPERTY TRANSITIVE_LINK_PROPERTIES OFFLOAD_IMAGES)
]==])
  set(${variable} "${file}" PARENT_SCOPE)
endfunction()
