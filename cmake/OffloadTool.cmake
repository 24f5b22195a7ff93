# The functions; OffloadToolConfig.cmake includes this file once it has found the packager.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolCompiler.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolAddBinary.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolTogether.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolAddImage.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolLinkImages.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolEmbed.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/OffloadToolInstall.cmake")
