# TOGETHER of offload_add_binary: fat binaries that one process packs, as its start is most of what a small one costs.
include_guard(GLOBAL)

# _offload_pack_later(<call> <group> <target> <output> <record> <manifests> <words>): notes what a fat binary needs; the
# rules are made at the end of the folder, when all of the group are known.
function(_offload_pack_later call group target output record manifests words)
  if(TARGET "${group}")
    _offload_fail("${call}" "there is a target '${group}' already; choose another name for TOGETHER")
  endif()
  set(json "")
  foreach(word IN LISTS words)
    _offload_json(word "${word}")
    list(APPEND json "${word}")
  endforeach()
  string(JOIN ", " json ${json})
  _offload_gathered(linked ${target} _DEPENDS ${target}_resolved)
  set_target_properties(${target} PROPERTIES
    _OFFLOAD_PACK "[${json}]"
    _OFFLOAD_PRODUCTS "${output};${record}"
    _OFFLOAD_NEEDS "${manifests};$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},_OFFLOAD_DEPENDS>>;${linked}")
  get_property(members DIRECTORY PROPERTY _OFFLOAD_TOGETHER_${group})
  if(NOT members)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _offload_pack_together [==[${call}]==] [==[${group}]==])")
  endif()
  set_property(DIRECTORY APPEND PROPERTY _OFFLOAD_TOGETHER_${group} ${target})
endfunction()

# One rule for each lot of a group, so that several processors have something to do.  The group's own target runs them:
# with Makefiles each member would otherwise run the rule for itself, at the same time.
function(_offload_pack_together call group)
  if(TARGET "${group}")
    _offload_fail("${call}" "there is a target '${group}' already; choose another name for TOGETHER")
  endif()
  get_property(waiting DIRECTORY PROPERTY _OFFLOAD_TOGETHER_${group})
  _offload_folder(folder ${group})
  set(stamps "")
  set(number 0)
  while(waiting)
    list(SUBLIST waiting 0 32 lot)
    list(REMOVE_ITEM waiting ${lot})
    set(stamp "${folder}/lot_${number}.stamp")
    _offload_pack_lot("${group}" "${folder}/lot_${number}" "${lot}")
    foreach(member IN LISTS lot)
      target_sources(${member} PRIVATE "${stamp}")
    endforeach()
    list(APPEND stamps "${stamp}")
    math(EXPR number "${number} + 1")
  endwhile()
  add_custom_target(${group} DEPENDS ${stamps})
  get_property(members DIRECTORY PROPERTY _OFFLOAD_TOGETHER_${group})
  foreach(member IN LISTS members)
    add_dependencies(${member} ${group})
  endforeach()
endfunction()

# _offload_pack_lot(<group> <files> <members>): the rule of one lot, whose files of its own begin with <files>.  What it
# needs stays one argument: there are expressions with semicolons in it.
function(_offload_pack_lot group files members)
  get_property(command GLOBAL PROPERTY _OFFLOADTOOL_COMMAND)
  set(lines "")
  set(products "")
  set(needs "")
  foreach(member IN LISTS members)
    get_property(line TARGET ${member} PROPERTY _OFFLOAD_PACK)
    string(APPEND lines "${line}\n")
    get_property(of_member TARGET ${member} PROPERTY _OFFLOAD_PRODUCTS)
    list(APPEND products ${of_member})
    get_property(of_member TARGET ${member} PROPERTY _OFFLOAD_NEEDS)
    list(APPEND needs "${of_member}")
  endforeach()
  file(GENERATE OUTPUT "${files}.jsonl" CONTENT "${lines}")
  list(LENGTH members count)
  add_custom_command(
    OUTPUT "${files}.stamp"
    BYPRODUCTS ${products}
    COMMAND ${command} batch "${files}.jsonl" --depfile "${files}.d" --stamp "${files}.stamp"
    DEPENDS "${files}.jsonl" "${needs}"
    DEPFILE "${files}.d"
    COMMENT "Packing ${count} of ${group}"
    VERBATIM)
endfunction()
