#!/usr/bin/env python3
"""Prints the screens of a program on a terminal of 80 x 24: the first one, or the last after keys.

    tests/cli/screenshot.py KEYS COMMAND...

KEYS as in Python's strings: '' for none, '\\r' for Enter, 'v3'. Pictures in docs/ are made so."""

import os
import sys

from terminal import Terminal

LIMIT = 60  # times that nothing comes before a screen counts as complete


def settle(terminal):
    """Until nothing changes, and nothing is still being read."""
    for _ in range(LIMIT):
        before = terminal.screen.text()
        terminal.read(0.5)
        text = terminal.screen.text()
        if text == before and text.strip() and "reading ..." not in text:
            return text
    return text


def main():
    keys, *command = sys.argv[1:]
    terminal = Terminal(command, dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8"))
    text = settle(terminal)
    for key in keys.encode().decode("unicode_escape"):
        terminal.press(key)
        text = settle(terminal)
    terminal.process.kill()
    print(text)


if __name__ == "__main__":
    main()
