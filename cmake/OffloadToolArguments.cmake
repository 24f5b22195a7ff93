# What the functions share: faults that name the call, paths, JSON text, and what targets give.
include_guard(GLOBAL)

# _offload_fail(<call> <message>): ends the configuration; <call> is such as "offload_embed(app)".
function(_offload_fail call message)
  message(FATAL_ERROR "${call}: ${message}")
endfunction()

# _offload_check_arguments(<call> <keyword>...): refuses what cmake_parse_arguments(... ARG ...) had no place for.
macro(_offload_check_arguments call)
  if(DEFINED ARG_UNPARSED_ARGUMENTS)
    list(GET ARG_UNPARSED_ARGUMENTS 0 _offload_first)
    string(JOIN ", " _offload_known ${ARGN})
    _offload_fail("${call}" "unknown argument '${_offload_first}'; expected one of ${_offload_known}")
  endif()
  if(DEFINED ARG_KEYWORDS_MISSING_VALUES)
    list(GET ARG_KEYWORDS_MISSING_VALUES 0 _offload_first)
    _offload_fail("${call}" "${_offload_first} has no value; give one or leave the keyword out")
  endif()
endmacro()

# _offload_check_words(<call> <expected> <word>...): refuses an unknown keyword among names and paths, where
# cmake_parse_arguments takes it for one more of them.
function(_offload_check_words call expected)
  foreach(word IN LISTS ARGN)
    _offload_path(path "${word}")
    if(word MATCHES "^[A-Z_]+$" AND NOT TARGET "${word}" AND NOT EXISTS "${path}")
      _offload_fail("${call}" "unknown argument '${word}'; expected ${expected}")
    endif()
  endforeach()
endfunction()

# _offload_is_multi_config(<variable>): whether one build tree holds several configurations.
function(_offload_is_multi_config variable)
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(${variable} "${multi}" PARENT_SCOPE)
endfunction()

# _offload_folder(<variable> <target>): where the files that belong to a target but are nobody's product lie.
function(_offload_folder variable target)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.offload")
  _offload_is_multi_config(multi)
  if(multi)
    string(APPEND folder "/$<CONFIG>")
  endif()
  set(${variable} "${folder}" PARENT_SCOPE)
endfunction()

# _offload_make_folders_of(<path>): the folder of a path, for every configuration that it names.
function(_offload_make_folders_of path)
  cmake_path(GET path PARENT_PATH folder)
  set(folders "${folder}")
  if(folder MATCHES "\\$<CONFIG>")
    set(folders "")
    foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
      string(REPLACE "$<CONFIG>" "${configuration}" one "${folder}")
      list(APPEND folders "${one}")
    endforeach()
  endif()
  foreach(one IN LISTS folders)
    if(NOT one MATCHES "\\$<")
      file(MAKE_DIRECTORY "${one}")
    endif()
  endforeach()
endfunction()

# _offload_path(<variable> <path>): absolute as DEPENDS of add_custom_command takes it: in the source folder if it is
# there, else in the build folder, where a rule may make it.  Generator expressions stay.
function(_offload_path variable path)
  if(NOT path MATCHES "^\\$<")
    set(source "${path}")
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(EXISTS "${source}")
      set(path "${source}")
    else()
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
    endif()
  endif()
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()

# _offload_json(<variable> <text>): the text as a JSON string.
function(_offload_json variable text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  string(REPLACE "\t" "\\t" text "${text}")
  set(${variable} "\"${text}\"" PARENT_SCOPE)
endfunction()

# _offload_json_file(<variable> <path>): a path, or a generator expression that gives paths, as items of a JSON list.
function(_offload_json_file variable path)
  if(path MATCHES "^\\$<")
    set(json "\"$<JOIN:${path},\"$<COMMA>\">\"")
  else()
    _offload_json(json "${path}")
  endif()
  set(${variable} "${json}" PARENT_SCOPE)
endfunction()

# _offload_split(<call> <keyword> <pair> <name> <value>): the two sides of NAME=VALUE.
function(_offload_split call keyword pair name value)
  if(NOT pair MATCHES "^([^=]+)=(.+)$")
    _offload_fail("${call}" "${keyword} '${pair}' is no pair; expected NAME=VALUE")
  endif()
  set(${name} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(${value} "${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()

# _offload_target_files(<call> <target> <files>): what a target makes, as a path or a generator expression.
function(_offload_target_files call target files)
  get_target_property(type "${target}" TYPE)
  get_property(output TARGET "${target}" PROPERTY OFFLOAD_OUTPUT)
  if(output)
    set(${files} "${output}" PARENT_SCOPE)
  elseif(type STREQUAL "OBJECT_LIBRARY")
    set(${files} "$<TARGET_OBJECTS:${target}>" PARENT_SCOPE)
  elseif(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|UNKNOWN)_LIBRARY)$")
    set(${files} "$<TARGET_FILE:${target}>" PARENT_SCOPE)
  else()
    _offload_fail("${call}" "target '${target}' makes no file that CMake knows of; set its property OFFLOAD_OUTPUT to the file's path")
  endif()
endfunction()

# _offload_binary(<call> <name> <target>): the target that offload_add_binary made, seen through aliases.
function(_offload_binary call name target)
  set(found "${name}")
  if(TARGET "${name}")
    get_target_property(aliased "${name}" ALIASED_TARGET)
    if(aliased)
      set(found "${aliased}")
    endif()
    get_property(manifest TARGET "${found}" PROPERTY OFFLOAD_MANIFEST)
  endif()
  if(NOT manifest)
    _offload_fail("${call}" "'${name}' is no fat binary; declare it with offload_add_binary before this call")
  endif()
  set(${target} "${found}" PARENT_SCOPE)
endfunction()
