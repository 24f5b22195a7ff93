"""Looks for input that readers do not stand: ``python -m fuzz TARGET --seconds N``.

Needs the extra ``fuzz`` for runs that are guided by coverage; without it inputs are replayed.
"""
