# offload_embed: a fat binary as an object of a program or library.
include_guard(GLOBAL)

# offload_embed(<host> <name>... [MODE LINK|WRAP|KEEP] [SYMBOL <symbol>])
#
# LINK: relocatable images and bitcode; clang links the host and its linker wrapper links the images (the default).
# WRAP: finished images, registered with the runtime when the host starts; any linker.
# KEEP: the bytes, between <symbol>_start and <symbol>_end, for hosts that load images themselves.
#
# "offload-tool embed" makes the object.  CMake's own compile rule would miss a new fat binary, which no compiler lists
# among what it read, and would add the host's flags, some of which drop the section or compile for the device.
function(offload_embed host)
  set(call "offload_embed(${host})")
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODE;SYMBOL" "")
  set(names ${ARG_UNPARSED_ARGUMENTS})
  unset(ARG_UNPARSED_ARGUMENTS)
  _offload_check_arguments("${call}")
  if(NOT DEFINED ARG_MODE)
    set(ARG_MODE LINK)
  endif()
  _offload_check_embed("${call}" "${host}" "${names}")
  _offload_check_host("${call}" "${host}")
  if(ARG_MODE STREQUAL "LINK")
    # At the end of the project, when every folder has enabled its languages and set the host's link options.
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL _offload_link_device [==[${call}]==] [==[${host}]==])")
  endif()
  _offload_embed_compiler("${call}" compiler)
  foreach(name IN LISTS names)
    _offload_binary("${call}" "${name}" binary)
    _offload_take_from_host(${host} ${binary})
    _offload_embed_one("${call}" ${host} ${binary} "${compiler}")
  endforeach()
endfunction()

function(_offload_check_embed call host names)
  _offload_check_words("${call}" "fat binaries, MODE and SYMBOL" ${names})
  list(LENGTH names count)
  if(count EQUAL 0)
    _offload_fail("${call}" "no fat binary is named; expected offload_embed(<host> <name>...)")
  endif()
  if(NOT ARG_MODE MATCHES "^(LINK|WRAP|KEEP)$")
    _offload_fail("${call}" "unknown MODE '${ARG_MODE}'; expected LINK, WRAP or KEEP")
  endif()
  if(DEFINED ARG_SYMBOL AND NOT ARG_MODE STREQUAL "KEEP")
    _offload_fail("${call}" "SYMBOL '${ARG_SYMBOL}' belongs to MODE KEEP; MODE ${ARG_MODE} makes no symbols")
  endif()
  if(DEFINED ARG_SYMBOL AND NOT ARG_SYMBOL MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    _offload_fail("${call}" "SYMBOL '${ARG_SYMBOL}' is no C identifier")
  endif()
endfunction()

# Objects that nothing refers to do not get out of a static archive, and those of object libraries' objects that were
# made elsewhere do not get into their users: both would lose the images without a word.
function(_offload_check_host call host)
  if(NOT TARGET "${host}")
    _offload_fail("${call}" "there is no target '${host}'; declare it before this call")
  endif()
  get_target_property(aliased "${host}" ALIASED_TARGET)
  get_target_property(imported "${host}" IMPORTED)
  get_target_property(type "${host}" TYPE)
  if(aliased OR imported)
    _offload_fail("${call}" "'${host}' is an alias or imported; name the target itself")
  endif()
  if(type STREQUAL "STATIC_LIBRARY" AND NOT ARG_MODE STREQUAL "KEEP")
    _offload_fail("${call}" "a static library loses what is embedded in MODE ${ARG_MODE}, since nothing refers to it; embed into the program or shared library that links '${host}', or use MODE KEEP")
  endif()
  if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE)_LIBRARY)$")
    _offload_fail("${call}" "a target of type ${type} cannot hold images; embed into the program or shared library that links '${host}'")
  endif()
endfunction()

# --offload-link has clang call its linker wrapper.  It stands there whatever the other flags are: which of them reach
# the link depends on its language and configuration, and clang links without the images if -fopenmp-targets comes
# without -fopenmp.  Where both call the wrapper clang would warn that --offload-link is unused, hence the frame.
function(_offload_link_device call host)
  get_property(done TARGET ${host} PROPERTY _OFFLOAD_LINKS_DEVICE)
  if(done)
    return()
  endif()
  set_property(TARGET ${host} PROPERTY _OFFLOAD_LINKS_DEVICE TRUE)
  _offload_check_driver("${call}" ${host})
  # nvcc's own link of device code is not the one that clang shall do.
  set(links_host "$<BOOL:$<HOST_LINK:1>>")
  set(wrap "SHELL:--start-no-unused-arguments --offload-link --end-no-unused-arguments")
  set_property(TARGET ${host} APPEND PROPERTY LINK_OPTIONS "$<${links_host}:${wrap}>")
  # Not CUDA: nvcc hands the link to its host compiler, which may be a clang.  Any other refuses --offload-link.
  foreach(language IN ITEMS C CXX Fortran)
    _offload_driver(${host} ${language} driver is_clang)
    if(driver AND NOT is_clang)
      _offload_driver_fault(fault ${host} "${driver}")
      # No such expression exists: CMake prints it and gives up if that language is the one that links.
      set(refuse "$<${call}: ${fault}>")
      set_property(TARGET ${host} APPEND PROPERTY LINK_OPTIONS
        "$<$<AND:${links_host},$<LINK_LANGUAGE:${language}>>:${refuse}>")
    endif()
  endforeach()
endfunction()

# Without LINKER_LANGUAGE only CMake knows which language links, and that not before it generates.  Refused here is what
# every language would be refused for.
function(_offload_check_driver call host)
  get_target_property(languages ${host} LINKER_LANGUAGE)
  if(NOT languages)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  endif()
  set(drivers "")
  foreach(language IN LISTS languages)
    _offload_driver(${host} ${language} driver is_clang)
    if(is_clang)
      return()
    endif()
    if(driver AND language MATCHES "^(C|CXX|HIP|CUDA|Fortran)$")
      list(APPEND drivers "${driver}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES drivers)
  string(JOIN ", " drivers ${drivers})
  _offload_driver_fault(fault ${host} "${drivers}")
  _offload_fail("${call}" "${fault}")
endfunction()

function(_offload_driver_fault variable host drivers)
  set(${variable} "MODE LINK needs clang as the driver that links '${host}', here it is ${drivers}: an ordinary link drops the images without a word; compile with clang, or use MODE WRAP (finished images, registered at start) or MODE KEEP (bytes between symbols)" PARENT_SCOPE)
endfunction()

# The compiler of a language and whether it is a clang, as the folder of the host has it: others may not have enabled
# the language.  Flang is made of clang's driver.
function(_offload_driver host language driver is_clang)
  get_target_property(folder ${host} SOURCE_DIR)
  foreach(part IN ITEMS COMPILER COMPILER_ID COMPILER_FRONTEND_VARIANT)
    get_directory_property(CMAKE_${language}_${part} DIRECTORY "${folder}" DEFINITION CMAKE_${language}_${part})
  endforeach()
  _offload_is_clang(${language} answer)
  if(CMAKE_${language}_COMPILER_ID STREQUAL "LLVMFlang")
    set(answer TRUE)
  endif()
  set(${driver} "${CMAKE_${language}_COMPILER}" PARENT_SCOPE)
  set(${is_clang} ${answer} PARENT_SCOPE)
endfunction()

# The C compiler, else the C++ compiler, which takes the packager's stub as well.
function(_offload_embed_compiler call variable)
  _offload_compiler(C compiler)
  if(NOT compiler)
    _offload_compiler(CXX compiler)
    if(NOT compiler)
      _offload_fail("${call}" "neither C nor CXX is enabled; one of them makes the host object")
    endif()
  endif()
  set(${variable} "${compiler}" PARENT_SCOPE)
endfunction()

function(_offload_embed_one call host binary compiler)
  set(owner "${host}_${binary}_embedded")
  if(TARGET ${owner})
    _offload_fail("${call}" "'${binary}' is embedded into '${host}' already; keep one of the calls")
  endif()
  _offload_claim_symbol("${call}" ${host})
  get_property(command GLOBAL PROPERTY _OFFLOADTOOL_COMMAND)
  get_property(output TARGET ${binary} PROPERTY OFFLOAD_OUTPUT)
  string(TOLOWER "${ARG_MODE}" mode)
  set(options --mode ${mode} --cc "${compiler}")
  if(DEFINED ARG_SYMBOL)
    list(APPEND options --symbol "${ARG_SYMBOL}")
  endif()
  _offload_folder(folder ${host})
  set(object "${folder}/${binary}.o")
  _offload_make_folders_of("${object}")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${command} embed "${output}" -o "${object}" ${options} --depfile "${object}.d"
    DEPENDS ${binary} "${output}"
    DEPFILE "${object}.d"
    COMMENT "Embedding ${binary} into ${host}"
    VERBATIM)
  # A target of its own: the host may be of another folder, which knows nothing of this rule.
  add_custom_target(${owner} DEPENDS "${object}")
  add_dependencies(${host} ${owner})
  _offload_add_object(${host} "${object}")
endfunction()

# Two fat binaries between the same symbols would not link.
function(_offload_claim_symbol call host)
  if(NOT ARG_MODE STREQUAL "KEEP")
    return()
  endif()
  set(symbol "${ARG_SYMBOL}")
  if(NOT symbol)
    set(symbol "the default")
  endif()
  get_property(symbols TARGET ${host} PROPERTY _OFFLOAD_SYMBOLS)
  if(symbol IN_LIST symbols)
    _offload_fail("${call}" "SYMBOL '${symbol}' is taken in '${host}'; embed each fat binary in a call with a SYMBOL of its own")
  endif()
  set_property(TARGET ${host} APPEND PROPERTY _OFFLOAD_SYMBOLS "${symbol}")
endfunction()

# The object as a source of the host.  Properties of a source are set by its true path, one for each configuration.
function(_offload_add_object host object)
  set(sources "${object}")
  set(paths "${object}")
  if(object MATCHES "\\$<CONFIG>")
    set(sources "")
    set(paths "")
    foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES)
      string(REPLACE "$<CONFIG>" "${configuration}" path "${object}")
      list(APPEND paths "${path}")
      list(APPEND sources "$<$<CONFIG:${configuration}>:${path}>")
    endforeach()
  endif()
  target_sources(${host} PRIVATE ${sources})
  set_source_files_properties(${paths} TARGET_DIRECTORY ${host} PROPERTIES GENERATED TRUE EXTERNAL_OBJECT TRUE)
endfunction()
