"""The SCons tool ``offload``; its name differs from the package's, which a tool of that name would hide."""

from offload_tool.scons import exists as exists
from offload_tool.scons import generate as generate
