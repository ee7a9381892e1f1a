"""The program difftrace, and what it answers."""

import json
import os
import subprocess


class DifftraceError(Exception):
    """What the program said was wrong, in one line."""


def path():
    return os.environ.get("DIFFTRACE") or "difftrace"


def ask(*arguments):
    """The standard output of a command. Warnings of the program go to the standard error, as they do in a shell."""
    try:
        answer = subprocess.run([path(), *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise DifftraceError("%s: %s: install difftrace, or say in $DIFFTRACE where it is" % (path(), error.strerror)) from error
    if answer.returncode != 0:
        raise DifftraceError(answer.stderr.strip().splitlines()[0] if answer.stderr.strip() else "%s failed" % arguments[0])
    return answer.stdout


def ask_json(*arguments):
    return json.loads(ask(*arguments, "--json"))
