"""SHA-256 for what is small: Python's own, since loading OpenSSL's costs more than a small pack does."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and newer
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # neither is promised
            from hashlib import sha256

__all__ = ["sha256"]
