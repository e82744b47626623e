"""Known vulnerabilities among the locked dependencies: `python .ci/audit.py LOCK...`. Says why when nobody could be asked.

Exit code 1 if there is one; 0 if there is none, or if no index answers (a machine without network can still be checked).
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 90


def judge(code: int, out: str, err: str) -> tuple[int, str]:
    """Exit code, and one line for each thing to know.

    Args:
        code: Of pip-audit.
        out: Its JSON.
        err: What it complained of.
    """
    try:
        found: list[dict[str, Any]] = json.loads(out)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = err.strip().splitlines()[-1][:200] if err.strip() else f"exit code {code}"
        return 0, f"skipped: no index answered ({last})"
    holes = [
        f"{one['name']} {one['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no release yet'}"
        for one in found
        for hole in one.get("vulns", ())
    ]
    asked = [one for one in found if "skip_reason" not in one]
    if holes:
        return 1, "\n".join(sorted(holes))
    if not asked:
        return 0, f"skipped: the index has no advisories for any of {len(found)} packages"
    unasked = f"; {len(found) - len(asked)} could not be asked about" if len(asked) < len(found) else ""
    return 0, f"no known vulnerability in {len(asked)} packages{unasked}"


def main() -> int:
    """Asks about every lock file that is named."""
    worst = 0
    for lock in sys.argv[1:]:
        command = [
            str(Path(sys.executable).parent / "pip-audit"),
            "--requirement",
            lock,
            "--no-deps",
            "--disable-pip",
            "--format",
            "json",
            "--progress-spinner",
            "off",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            code, told = judge(done.returncode, done.stdout, done.stderr)
        except subprocess.TimeoutExpired:
            code, told = 0, f"skipped: no index answered within {SECONDS} seconds"
        except OSError as error:
            code, told = 0, f"skipped: pip-audit cannot be run ({type(error).__name__})"
        print(f"check: pip-audit {lock}: {told}")
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main())
