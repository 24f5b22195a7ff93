# Finding a Python that runs the packager which these files belong to.
include_guard(GLOBAL)

# _offload_find_command(<message>): keeps the packager's command for all directories; <message> is empty then, else it
# says what is amiss.  Asked once in a run of CMake.
function(_offload_find_command message)
  set(${message} "" PARENT_SCOPE)
  get_property(known GLOBAL PROPERTY _OFFLOADTOOL_COMMAND)
  if(known)
    return()
  endif()
  _offload_pythons(pythons problems)
  foreach(python IN LISTS pythons)
    _offload_try("${python}" "" works problem)
    if(works)
      return()
    endif()
    string(APPEND problems "\n  ${problem}")
  endforeach()
  # A checkout needs no installation.  An installed package's folder is not put on the path of another Python: what
  # lies beside the package there could stand in for modules of that Python's own library.
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  if(EXISTS "${root}/offload_tool/__main__.py")
    foreach(python IN LISTS pythons)
      _offload_try("${python}" "${root}" works problem)
      if(works)
        return()
      endif()
      string(APPEND problems "\n  ${problem}")
    endforeach()
  endif()
  set(${message} "no Python runs the packager 'python -m offload_tool'; install the Python package offload-tool or name its interpreter with -DOffloadTool_PYTHON=.  Tried:${problems}" PARENT_SCOPE)
endfunction()

# The interpreters to try: the person's choice alone, else that of the project and the one beside the package.
function(_offload_pythons pythons problems)
  set(${problems} "" PARENT_SCOPE)
  if(OffloadTool_PYTHON)
    set(${pythons} "${OffloadTool_PYTHON}" PARENT_SCOPE)
    return()
  endif()
  set(found "")
  if(Python_EXECUTABLE AND Python_VERSION VERSION_GREATER_EQUAL 3.10)
    list(APPEND found "${Python_EXECUTABLE}")
  elseif(Python3_EXECUTABLE AND Python3_VERSION VERSION_GREATER_EQUAL 3.10)
    list(APPEND found "${Python3_EXECUTABLE}")
  else()
    # Within a function nothing of the answer reaches the project, which may look for another Python later.
    find_package(Python 3.10 QUIET COMPONENTS Interpreter)
    if(Python_Interpreter_FOUND)
      list(APPEND found "${Python_EXECUTABLE}")
    else()
      set(${problems} "\n  find_package(Python 3.10 COMPONENTS Interpreter): none found" PARENT_SCOPE)
    endif()
  endif()
  # <prefix>/share/cmake/OffloadTool and <prefix>/lib/python3.x/site-packages/offload_tool/cmake
  foreach(way IN ITEMS "../../.." "../../../../..")
    set(beside "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${way}/bin/python3")
    cmake_path(NORMAL_PATH beside)
    if(EXISTS "${beside}" AND NOT beside IN_LIST found)
      list(APPEND found "${beside}")
    endif()
  endforeach()
  set(${pythons} "${found}" PARENT_SCOPE)
endfunction()

# Runs the packager of one Python, or that of <root> if it is given, and keeps the command if it is the packager of these
# files.  A PYTHONPATH that only this run of CMake has would be missing in the build.
function(_offload_try python root works problem)
  set(command "${python}" "${root}/offload_tool/__main__.py")
  if(NOT root)
    set(command "${python}" -m offload_tool)
  endif()
  set(asked "${CMAKE_COMMAND}" -E env --unset=PYTHONPATH ${command})
  # Python looks for modules in the working directory too, which is another one in the build.
  execute_process(
    COMMAND ${asked} --version
    WORKING_DIRECTORY "${CMAKE_CURRENT_FUNCTION_LIST_DIR}"
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE complaint
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/OffloadToolConfigVersion.cmake")
  set(${works} FALSE PARENT_SCOPE)
  if(NOT status EQUAL 0)
    string(REGEX REPLACE "^.*\n" "" complaint "${complaint}")
    set(${problem} "${python}: ${complaint} (status ${status})" PARENT_SCOPE)
  elseif(NOT said STREQUAL "offload-tool ${PACKAGE_VERSION}")
    set(${problem} "${python}: runs ${said}, these CMake files are of ${PACKAGE_VERSION}" PARENT_SCOPE)
  elseif(NOT root AND EXISTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../offload_tool/__main__.py")
    _offload_try_same_copy("${python}" "${asked}" same problem_of_copy)
    set(${problem} "${problem_of_copy}" PARENT_SCOPE)
  else()
    set(same TRUE)
  endif()
  if(same)
    # The file starts faster than the module does, and what lies in the folder of a build cannot stand in for it.
    if(NOT root)
      execute_process(
        COMMAND ${asked} --main-file WORKING_DIRECTORY "${CMAKE_CURRENT_FUNCTION_LIST_DIR}"
        OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
      set(command "${python}" "${file}")
    endif()
    set_property(GLOBAL PROPERTY _OFFLOADTOOL_COMMAND "${command}")
    set(${works} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Whether a Python that has the package installed has this very checkout, not a copy of its own.
function(_offload_try_same_copy python asked same problem)
  execute_process(
    COMMAND ${asked} --cmake-dir
    WORKING_DIRECTORY "${CMAKE_CURRENT_FUNCTION_LIST_DIR}"
    OUTPUT_VARIABLE folder ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH "${CMAKE_CURRENT_FUNCTION_LIST_DIR}" own)
  if(folder)
    file(REAL_PATH "${folder}" folder)
  endif()
  string(COMPARE EQUAL "${folder}" "${own}" is_same)
  set(${same} ${is_same} PARENT_SCOPE)
  set(${problem} "${python}: runs the packager of ${folder}, not the one beside ${own}" PARENT_SCOPE)
endfunction()
