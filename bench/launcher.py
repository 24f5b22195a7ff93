"""Runs one command and writes what it cost into a file: ``launcher.py REPORT PROGRAM ARGUMENT...``.

A process of its own, because the kernel counts the memory of the process that started a command into the peak of the
command: this one is small.  It runs without site and imports nothing big, for the same reason.
"""

import os
import sys
import time


def main() -> None:
    """Writes exit status, wall nanoseconds, processor seconds and peak KiB of the largest process of the command."""
    report, *command = sys.argv[1:]
    began = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter_ns() - began
    with open(report, "w", encoding="ascii") as file:
        file.write(
            f"{os.waitstatus_to_exitcode(status)} {wall} {usage.ru_utime + usage.ru_stime:.6f} {usage.ru_maxrss}"
        )


if __name__ == "__main__":
    main()
