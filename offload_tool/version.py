"""The version of the package: read by the build backend, printed by the command line."""

__version__ = "0.1.0"
