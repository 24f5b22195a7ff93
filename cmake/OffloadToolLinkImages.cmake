# offload_link_images: images as usage requirements.
include_guard(GLOBAL)

# offload_link_images(<name> <other>...)
#
# <name>, a fat binary or a library, gets the images of the others and passes them on.  What a target passes on stands in
# four properties, which CMake 3.30 and newer also follow along target_link_libraries:
#
#   INTERFACE_OFFLOAD_IMAGES           manifests, each once; resolved ones of this build, those of installed copies
#   INTERFACE_OFFLOAD_IMAGES_DEPENDS   targets that make these manifests and the images in them
#   INTERFACE_OFFLOAD_IMAGES_OWNERS    the targets of this build that pass them on
#   INTERFACE_OFFLOAD_IMAGES_COPIED    those of the manifests that are of other packages and named in a call
#
# Nothing of them is exported: each item is wrapped in $<BUILD_INTERFACE:>.
function(offload_link_images name)
  set(call "offload_link_images(${name})")
  _offload_linking_target("${call}" "${name}" target)
  set(others ${ARGN})
  if(NOT others)
    _offload_fail("${call}" "no target is named that owns images; expected offload_link_images(<name> <other>...)")
  endif()
  foreach(other IN LISTS others)
    _offload_other("${call}" "${other}" source)
    if(source STREQUAL target)
      _offload_fail("${call}" "'${other}' is '${name}' itself")
    endif()
    _offload_check_no_loop("${call}" ${target} ${source} "${other}")
    get_property(known TARGET ${target} PROPERTY _OFFLOAD_OTHERS)
    if(source IN_LIST known)
      continue()
    endif()
    set_property(TARGET ${target} APPEND PROPERTY _OFFLOAD_OTHERS "${source}")
    _offload_within_reach(${target} ${source} reached)
    get_target_property(imported ${source} IMPORTED)
    foreach(kind IN ITEMS "" _DEPENDS _OWNERS _COPIED)
      _offload_passed_on(passed ${reached} "${kind}")
      if(imported AND kind STREQUAL "_COPIED")
        _offload_passed_on(passed ${reached} "")
      endif()
      _offload_pass_on(${target} "${kind}" "${passed}")
      set_property(TARGET ${target} APPEND PROPERTY _OFFLOAD_LINKED${kind} "${passed}")
    endforeach()
  endforeach()
  _offload_pass_on(${target} _OWNERS ${target})
endfunction()

# The target that gets images: a fat binary, or a library that others can link.
function(_offload_linking_target call name target)
  if(NOT TARGET "${name}")
    _offload_fail("${call}" "there is no target '${name}'; declare it before this call")
  endif()
  get_target_property(aliased "${name}" ALIASED_TARGET)
  if(aliased)
    set(name "${aliased}")
  endif()
  get_target_property(imported "${name}" IMPORTED)
  get_target_property(type "${name}" TYPE)
  if(imported)
    _offload_fail("${call}" "'${name}' is imported; its images are what its package installed")
  endif()
  if(NOT type MATCHES "^(STATIC|SHARED|INTERFACE|OBJECT)_LIBRARY$")
    _offload_fail("${call}" "a target of type ${type} passes no images on; name the fat binary that is embedded into it, or a library that it links")
  endif()
  set(${target} "${name}" PARENT_SCOPE)
endfunction()

# A target that owns images, seen through aliases.  Whether it does is known when all folders were read.
function(_offload_other call other source)
  _offload_check_words("${call}" "targets that own images" "${other}")
  if(NOT TARGET "${other}")
    _offload_fail("${call}" "there is no target '${other}'; declare it, or find its package, before this call")
  endif()
  set(found "${other}")
  get_target_property(aliased "${other}" ALIASED_TARGET)
  if(aliased)
    set(found "${aliased}")
  endif()
  get_target_property(type "${found}" TYPE)
  if(NOT type MATCHES "^(STATIC|SHARED|INTERFACE|OBJECT|UNKNOWN)_LIBRARY$")
    _offload_fail("${call}" "'${other}', a target of type ${type}, owns no images; name a fat binary or a library")
  endif()
  get_target_property(imported "${found}" IMPORTED)
  if(imported)
    _offload_check_owner("${call}" "${found}" "${other}")
  else()
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL _offload_check_owner [==[${call}]==] [==[${found}]==] [==[${other}]==])")
  endif()
  set(${source} "${found}" PARENT_SCOPE)
endfunction()

# Fails for a target that owns no images and can get none from what it links.
function(_offload_check_owner call target other)
  get_property(owned TARGET ${target} PROPERTY INTERFACE_OFFLOAD_IMAGES)
  set(links "")
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.30)
    foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_property(libraries TARGET ${target} PROPERTY ${property})
      list(APPEND links ${libraries})
    endforeach()
  endif()
  if(NOT owned AND NOT links)
    set(hint "give it some with offload_link_images(${other} <other>...)")
    if(CMAKE_VERSION VERSION_LESS 3.30)
      string(APPEND hint "; before CMake 3.30 target_link_libraries passes none on")
    endif()
    _offload_fail("${call}" "'${other}' owns no images; ${hint}")
  endif()
endfunction()

# Two targets that have each other's images would be evaluated without end.
function(_offload_check_no_loop call target source other)
  set(waiting ${source})
  set(seen "")
  while(waiting)
    list(POP_FRONT waiting one)
    if(one STREQUAL target)
      _offload_fail("${call}" "'${other}' has the images of '${target}' already; one of the two calls must go")
    endif()
    if(NOT one IN_LIST seen AND TARGET "${one}")
      list(APPEND seen "${one}")
      get_property(next TARGET ${one} PROPERTY _OFFLOAD_OTHERS)
      list(APPEND waiting ${next})
    endif()
  endwhile()
endfunction()

# Imported targets belong to the folder that found them, expressions are evaluated in that of the fat binary.  What a
# package installed stands there already; what comes by its links is reached by a library of this folder.
function(_offload_within_reach target source variable)
  get_target_property(imported ${source} IMPORTED)
  set(reached ${source})
  if(imported AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.30)
    string(MAKE_C_IDENTIFIER "${target}_${source}_images" reached)
    add_library(${reached} INTERFACE)
    target_link_libraries(${reached} INTERFACE ${source})
  endif()
  set(${variable} ${reached} PARENT_SCOPE)
endfunction()

# An expression for what a target passes on.
function(_offload_passed_on variable target kind)
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    get_property(expression TARGET ${target} PROPERTY INTERFACE_OFFLOAD_IMAGES${kind})
  else()
    # CMake evaluates the property itself from 3.30 on, when it is transitive.
    set(expression "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},INTERFACE_OFFLOAD_IMAGES${kind}>>")
  endif()
  set(${variable} "${expression}" PARENT_SCOPE)
endfunction()

# _offload_pass_on(<target> <kind> <item>): what links to the target gets the item.
function(_offload_pass_on target kind item)
  if(NOT item STREQUAL "")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_OFFLOAD_IMAGES${kind} "$<BUILD_INTERFACE:${item}>")
  endif()
  get_property(transitive TARGET ${target} PROPERTY TRANSITIVE_LINK_PROPERTIES)
  if(NOT "OFFLOAD_IMAGES${kind}" IN_LIST transitive)
    set_property(TARGET ${target} APPEND PROPERTY TRANSITIVE_LINK_PROPERTIES "OFFLOAD_IMAGES${kind}")
  endif()
endfunction()

# _offload_gathered(<variable> <target> <kind>): what a fat binary gets from others, each once: by offload_link_images,
# by what it links, and by what the programs link that it is embedded into.
function(_offload_gathered variable target kind own)
  set(gathered "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_LINKED${kind}>>")
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.30)
    set(gathered "$<TARGET_PROPERTY:${target},INTERFACE_OFFLOAD_IMAGES${kind}>")
    set(of_hosts "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_OF_HOSTS${kind}>>")
    set(gathered "$<LIST:REMOVE_ITEM,${gathered};${of_hosts},${own}>")
  endif()
  # Empty items are no manifests.
  set(${variable} "$<REMOVE_DUPLICATES:$<FILTER:${gathered},INCLUDE,.>>" PARENT_SCOPE)
endfunction()

# The first fat binary of a host gets the images that the host's libraries pass on.
function(_offload_take_from_host host binary)
  get_property(taken TARGET ${host} PROPERTY _OFFLOAD_TAKEN)
  get_target_property(type ${host} TYPE)
  if(taken OR type STREQUAL "STATIC_LIBRARY" OR CMAKE_VERSION VERSION_LESS 3.30)
    return()
  endif()
  set_property(TARGET ${host} PROPERTY _OFFLOAD_TAKEN TRUE)
  foreach(kind IN ITEMS "" _DEPENDS)
    set_property(TARGET ${binary} APPEND PROPERTY _OFFLOAD_OF_HOSTS${kind} "$<TARGET_PROPERTY:${host},OFFLOAD_IMAGES${kind}>")
  endforeach()
endfunction()

# _offload_manifest_of(<file> <manifests>): generates a manifest that includes those of an expression.
function(_offload_manifest_of file manifests)
  set(entries "$<JOIN:${manifests},\"}$<COMMA>\n{\"manifest\": \">")
  file(GENERATE OUTPUT "${file}"
    CONTENT "{\"schema\": 1, \"literal\": true, \"include\": [\n$<$<BOOL:${manifests}>:{\"manifest\": \"${entries}\"}>\n]}\n")
endfunction()

# The manifest that others include for a fat binary's own images: what SELECT, DEFINE, BIND and INCLUDE_DIRS mean there
# must hold there alone.  Its rule runs where somebody needs it.
function(_offload_resolve target manifests options)
  get_property(command GLOBAL PROPERTY _OFFLOADTOOL_COMMAND)
  _offload_folder(folder ${target})
  set(resolved "${folder}/resolved.yaml")
  add_custom_command(
    OUTPUT "${folder}/resolved.stamp"
    BYPRODUCTS "${resolved}"
    COMMAND ${command} export ${manifests} -o "${resolved}" ${options}
            --depfile "${folder}/resolved.d" --stamp "${folder}/resolved.stamp"
    DEPENDS ${manifests} "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_DEPENDS>>"
    DEPFILE "${folder}/resolved.d"
    COMMENT "Resolving ${target}"
    VERBATIM)
  add_custom_target(${target}_resolved DEPENDS "${folder}/resolved.stamp")
  _offload_pass_on(${target} "" "${resolved}")
  _offload_pass_on(${target} _DEPENDS ${target}_resolved)
  _offload_pass_on(${target} _OWNERS ${target})
endfunction()
