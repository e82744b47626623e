"""What the system refused, in one sentence for a person."""

import errno
import os

GIVE = "Give another place (a folder by --out, a home by ENVFARM_HOME)"
WHAT_TO_DO = {
    errno.EACCES: "Take the rights on it, or give another place (a folder by --out, a home by ENVFARM_HOME).",
    errno.ENOENT: f"{GIVE}, or make the folder that it lies in.",
    errno.ENOTDIR: f"{GIVE}, where no file is in the way.",
    errno.EISDIR: "Name a file, not a folder.",
    errno.ENOSPC: "Make room on the disk, then run the same command again.",
    errno.EMFILE: "Let the command open more files (`ulimit -n`), then run it again.",
}
LIKE = {errno.EPERM: errno.EACCES, errno.EROFS: errno.EACCES, errno.EEXIST: errno.ENOTDIR, errno.EDQUOT: errno.ENOSPC, errno.ENFILE: errno.EMFILE}


def system_error(error: OSError) -> str:
    """The sentence: the path, if the system names one, what it said, and what to do."""
    number = error.errno or 0
    said = os.strerror(number) if number else str(error) or type(error).__name__
    path = error.filename if isinstance(error.filename, str | bytes | os.PathLike) else None
    where = os.fsdecode(path) if path else "the system"
    wanted = "a file or folder that can be used" if path else "what the command asks of it"
    what = WHAT_TO_DO.get(LIKE.get(number, number), f"{GIVE}." if path else "Mend that, then run the same command again.")
    return f"{where}: expected {wanted}, got {said!r} ({type(error).__name__}). {what}"
