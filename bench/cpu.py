"""CPU time and memory of processes, from the kernel's own counts."""

import os
import time
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """CPU time of all threads of a process, finer than the clock tick where the kernel tells it."""
    total = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    except (FileNotFoundError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total / 1e9


def own_cpu() -> float:
    """CPU time of this process and of its children that have ended."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def resident_bytes(pid: int, field: str = "VmRSS") -> int:
    """Memory of a process; `VmHWM` gives the peak."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def reset_peak(pid: int) -> None:
    """Lets the peak begin anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
