"""Lets the SCons that reads this folder find the package beside it, installed or not."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
