# The package file of find_package(OffloadTool CONFIG): finds a Python that runs the packager, then defines
#
#   offload_add_binary   device images, from manifests and from the build file, as one fat binary
#   offload_add_image    one more image for a fat binary
#   offload_link_images  images of other targets, and of other projects, in a fat binary or library
#   offload_embed        a fat binary as an object of a program or library
#   offload_install      a copy of images that other projects find
#
# OffloadTool_PYTHON, if set, is the Python that is taken.

if(CMAKE_VERSION VERSION_LESS 3.20)
  set(OffloadTool_FOUND FALSE)
  set(OffloadTool_NOT_FOUND_MESSAGE "OffloadTool needs CMake 3.20 or newer, this is ${CMAKE_VERSION}")
  return()
endif()

# The policies in force where a function is defined are those it runs under, whatever the project asks for.  CMP0116
# (paths in depfiles) decides whether a changed image is seen at all.
cmake_policy(VERSION 3.20...4.0)

include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolCommand.cmake")
_offload_find_command(OffloadTool_NOT_FOUND_MESSAGE)
if(OffloadTool_NOT_FOUND_MESSAGE)
  set(OffloadTool_FOUND FALSE)
  return()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/OffloadTool.cmake")
