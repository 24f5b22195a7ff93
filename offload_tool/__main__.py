"""``python -m offload_tool`` is ``offload-tool``; ``python FOLDER/offload_tool/__main__.py`` is that of the folder."""

import sys

if not __package__:  # run as a file, or by a process that such a one started
    import os

    _package = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == _package:
        del sys.path[0]  # Python looks for modules beside the file that it runs
    sys.path.insert(0, os.path.dirname(_package))
    import offload_tool as _offload_tool  # noqa: F401  (this very copy, whatever else is installed)

    del sys.path[0]  # what lies beside it may not stand in for modules of Python's own

from offload_tool.cli.main import console

if __name__ == "__main__":
    console()
