"""``python -m offload_tool`` is ``offload-tool``."""

from .cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
