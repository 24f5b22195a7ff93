# offload_add_binary: device images as one fat binary.
include_guard(GLOBAL)

# offload_add_binary(<name>
#   [MANIFEST <yaml>...] [BIND <input>=<target|file>...] [SELECT <key=value>...] [DEFINE <name=value>...]   # images
#   [INCLUDE_DIRS <folder>...]
#   [OUTPUT_NAME <file>] [ARCHIVE] [TOOLCHAIN <t>] [FORMAT_VERSION <n>] [COMPRESS <c>] [ALIGN <n>]          # result
#   [STRICT] [NO_CHECK] [NO_INCREMENTAL] [EXCLUDE_FROM_ALL] [TOGETHER <group>])                             # way
#
# <name> is an INTERFACE library.  It owns a stamp, not the fat binary: the packager leaves an output of the same bytes
# untouched, and a rule whose output keeps its age would run at every build.
function(offload_add_binary name)
  set(flags ARCHIVE STRICT NO_CHECK NO_INCREMENTAL EXCLUDE_FROM_ALL)
  set(values OUTPUT_NAME TOOLCHAIN FORMAT_VERSION COMPRESS ALIGN TOGETHER)
  set(lists MANIFEST BIND SELECT DEFINE INCLUDE_DIRS)
  set(call "offload_add_binary(${name})")
  cmake_parse_arguments(PARSE_ARGV 1 ARG "${flags}" "${values}" "${lists}")
  _offload_check_arguments("${call}" ${lists} ${values} ${flags})
  string(JOIN ", " known ${lists} ${values} ${flags})
  _offload_check_words("${call}" "one of ${known}" ${ARG_MANIFEST} ${ARG_INCLUDE_DIRS})
  if(TARGET "${name}")
    _offload_fail("${call}" "there is a target '${name}' already; choose another name")
  endif()
  _offload_output("${call}" output)
  _offload_claim("${call}" "${output}")

  add_library(${name} INTERFACE)
  if(ARG_EXCLUDE_FROM_ALL)
    set_property(TARGET ${name} PROPERTY EXCLUDE_FROM_ALL TRUE)
  endif()
  set(manifests "")
  foreach(manifest IN LISTS ARG_MANIFEST)
    _offload_path(manifest "${manifest}")
    list(APPEND manifests "${manifest}")
  endforeach()
  _offload_generate_manifest("${call}" ${name} generated)
  list(APPEND manifests "${generated}")
  _offload_choosing_options(choosing)
  _offload_resolve(${name} "${manifests}" "${choosing}")
  _offload_generate_linked(${name} linked)
  list(APPEND manifests "${linked}")
  set_target_properties(${name} PROPERTIES OFFLOAD_OUTPUT "${output}" OFFLOAD_MANIFEST "${manifests}")
  _offload_options(options)
  list(PREPEND options ${choosing})
  _offload_record(record "${output}")
  if(record)
    list(APPEND options --incremental)
  endif()
  _offload_folder(folder ${name})
  set(words pack ${manifests} -o "${output}" ${options} --depfile "${folder}/packed.d" --write-if-changed)
  if(ARG_TOGETHER)
    _offload_pack_later("${call}" "${ARG_TOGETHER}" ${name} "${output}" "${record}" "${manifests}" "${words}")
  else()
    _offload_pack(${name} "${folder}" "${output}" "${record}" "${manifests}" "${words}")
  endif()
endfunction()

# The path of the fat binary; with several configurations each has a folder of its own.
function(_offload_output call variable)
  set(output "${ARG_OUTPUT_NAME}")
  if(NOT output AND ARG_ARCHIVE)
    set(output "lib${name}.a")
  elseif(NOT output)
    set(output "${name}.bin")
  endif()
  _offload_is_multi_config(multi)
  if(multi AND CMAKE_VERSION VERSION_LESS 3.21)
    _offload_fail("${call}" "the generator '${CMAKE_GENERATOR}' needs CMake 3.21 or newer here, this is ${CMAKE_VERSION}")
  endif()
  if(multi AND NOT output MATCHES "\\$<CONFIG>")
    if(IS_ABSOLUTE "${output}")
      _offload_fail("${call}" "OUTPUT_NAME '${output}' is the same file for every configuration; put $<CONFIG> into it")
    endif()
    set(output "$<CONFIG>/${output}")
  endif()
  cmake_path(ABSOLUTE_PATH output BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  _offload_make_folders_of("${output}")
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# One file, one rule: two would race in a parallel build.
function(_offload_claim call output)
  string(MD5 key "${output}")
  get_property(owner GLOBAL PROPERTY _OFFLOADTOOL_OWNER_${key})
  if(owner)
    _offload_fail("${call}" "its output '${output}' is already that of ${owner}; choose another OUTPUT_NAME")
  endif()
  set_property(GLOBAL PROPERTY _OFFLOADTOOL_OWNER_${key} "${call}")
endfunction()

# The manifest of what the build file says: JSON text, written when CMake generates.  Images are read from a property
# then, so that offload_add_image may come later and from another folder.
function(_offload_generate_manifest call target variable)
  set(bound "")
  set(separator "")
  set(names "")
  foreach(pair IN LISTS ARG_BIND)
    _offload_split("${call}" BIND "${pair}" input value)
    if(input IN_LIST names)
      _offload_fail("${call}" "input '${input}' is bound twice; keep one")
    endif()
    list(APPEND names "${input}")
    _offload_bound_files("${call}" ${target} "${value}" files)
    _offload_json(input "${input}")
    string(APPEND bound "${separator}${input}: [${files}]")
    set(separator ", ")
  endforeach()
  _offload_folder(folder ${target})
  set(images "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_IMAGES>>")
  file(GENERATE OUTPUT "${folder}/manifest.yaml"
    CONTENT "{\"schema\": 1, \"literal\": true, \"bind\": {${bound}},\n\"images\": [\n${images}\n]}\n")
  set(${variable} "${folder}/manifest.yaml" PARENT_SCOPE)
endfunction()

# The manifest of what others pass on: see offload_link_images.
function(_offload_generate_linked target variable)
  _offload_folder(folder ${target})
  _offload_gathered(manifests ${target} "" "${folder}/resolved.yaml")
  _offload_manifest_of("${folder}/linked.yaml" "${manifests}")
  set(${variable} "${folder}/linked.yaml" PARENT_SCOPE)
endfunction()

# What an input is bound to, as items of a JSON list: the files of a target, or one file.
function(_offload_bound_files call target value variable)
  if(TARGET "${value}")
    _offload_target_files("${call}" "${value}" files)
    _offload_depend(${target} "${value}")
  else()
    _offload_path(files "${value}")
    _offload_depend(${target} "${files}")
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _offload_check_bound [==[${call}]==] [==[${value}]==])")
  endif()
  _offload_json_file(files "${files}")
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# A word that is no target yet is taken for a file; said at the end of the folder if a target of that name came later.
function(_offload_check_bound call value)
  if(TARGET "${value}")
    _offload_fail("${call}" "target '${value}' in BIND is declared after this call; declare it before")
  endif()
endfunction()

# _offload_depend(<target> <what>): the rule depends on a file, or waits for a target.  Of what a target makes the
# depfile tells; with Makefiles a file of another folder would have no rule here.
function(_offload_depend target what)
  set_property(TARGET ${target} APPEND PROPERTY _OFFLOAD_DEPENDS "${what}")
endfunction()

# Options that say which images there are, as the packager's command line takes them.
function(_offload_choosing_options variable)
  set(options "")
  foreach(pair IN ITEMS "SELECT;--select" "DEFINE;-D")
    list(GET pair 0 keyword)
    list(GET pair 1 option)
    foreach(value IN LISTS ARG_${keyword})
      list(APPEND options "${option}" "${value}")
    endforeach()
  endforeach()
  foreach(folder IN LISTS ARG_INCLUDE_DIRS)
    _offload_path(folder "${folder}")
    list(APPEND options -I "${folder}")
  endforeach()
  set(${variable} "${options}" PARENT_SCOPE)
endfunction()

# The other options.
function(_offload_options variable)
  set(options "")
  foreach(pair IN ITEMS "TOOLCHAIN;--toolchain" "FORMAT_VERSION;--format-version" "COMPRESS;--compress" "ALIGN;--align")
    list(GET pair 0 keyword)
    list(GET pair 1 option)
    if(DEFINED ARG_${keyword})
      list(APPEND options "${option}" "${ARG_${keyword}}")
    endif()
  endforeach()
  foreach(pair IN ITEMS "ARCHIVE;--archive" "STRICT;--strict" "NO_CHECK;--no-check")
    list(GET pair 0 keyword)
    list(GET pair 1 option)
    if(ARG_${keyword})
      list(APPEND options "${option}")
    endif()
  endforeach()
  if(NOT ARG_TOOLCHAIN)
    _offload_toolchain(toolchain)
    if(toolchain)
      list(APPEND options --default-toolchain "${toolchain}")
    endif()
  endif()
  set(${variable} "${options}" PARENT_SCOPE)
endfunction()

# The record that an incremental pack leaves beside its output, where it leaves one.  The packager chooses its name, for
# very long ones another than here.  What a killed pack leaves is cleaned too.
function(_offload_record variable output)
  set(record "")
  cmake_path(GET output FILENAME file)
  string(LENGTH "${file}" length)
  if(NOT ARG_NO_INCREMENTAL AND NOT ARG_ARCHIVE AND length LESS 200)
    cmake_path(REPLACE_FILENAME output ".${file}.offload-record" OUTPUT_VARIABLE record)
    foreach(left IN ITEMS part 0.part 1.part 2.part 3.part)
      cmake_path(REPLACE_FILENAME output ".${file}.offload-${left}" OUTPUT_VARIABLE part)
      set_property(DIRECTORY APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${part}")
    endforeach()
  endif()
  set(${variable} "${record}" PARENT_SCOPE)
endfunction()

# The rule.  The depfile names the stamp, with absolute paths: anything else makes one of the generators blind.
function(_offload_pack target folder output record manifests words)
  get_property(command GLOBAL PROPERTY _OFFLOADTOOL_COMMAND)
  set(stamp "${folder}/packed.stamp")
  _offload_gathered(linked ${target} _DEPENDS ${target}_resolved)
  add_custom_command(
    OUTPUT "${stamp}"
    BYPRODUCTS "${output}" ${record}
    COMMAND ${command} ${words} --stamp "${stamp}"
    DEPENDS ${manifests} "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_DEPENDS>>" "${linked}"
    DEPFILE "${folder}/packed.d"
    COMMENT "Packing ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE "${stamp}")
endfunction()
