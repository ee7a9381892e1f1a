"""A program on a terminal of its own, and the screen that its user sees. Python's standard library only."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

LIMIT = 60  # seconds until something is on the screen
SEQUENCE = re.compile("\033\\[([?>!]?)([0-9;]*)([@-~])")
OTHER = re.compile("\033[()][0-9A-Za-z]|\033[=>78MDEc]|\033\\][^\a\033]*(?:\a|\033\\\\)")
REVERSE, NOT_REVERSE = 7, 27


class Screen:
    """What xterm shows of what is written to it, as far as ncurses asks for it. A cell is its character and how it looks."""

    def __init__(self, rows, columns):
        self.cells = []
        self.looks = ()
        self.resize(rows, columns)
        self.left = ""  # the begin of a sequence

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.region = (0, rows - 1)
        self.cells = [(row + self.empty(columns))[:columns] for row in self.cells[:rows]]
        self.cells += [self.empty(columns) for _ in range(rows - len(self.cells))]
        self.row, self.column, self.wraps = 0, 0, False

    def empty(self, count):
        return [(" ", ())] * count

    def lines(self):
        return ["".join(character for character, _ in row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def looking(self, look):
        """The text of the cells that look so: a number of SGR."""
        return "".join(character for row in self.cells for character, looks in row if look in looks)

    # ---- what is written ------------------------------------------------------------------

    def write(self, text):
        text, at = self.left + text, 0
        self.left = ""
        while at < len(text):
            if text[at] != "\033":
                self.character(text[at])
                at += 1
                continue
            sequence, other = SEQUENCE.match(text, at), OTHER.match(text, at)
            if not sequence and not other:
                if len(text) - at < 30:
                    self.left = text[at:]
                    return
                raise AssertionError("unknown sequence %r" % text[at:at + 30])
            if sequence:
                self.control(*sequence.groups())
            elif text[at + 1] == "M":
                self.up()
            at = (sequence or other).end()

    def character(self, character):
        if character == "\r":
            self.column, self.wraps = 0, False
        elif character == "\n":
            self.down()
        elif character == "\b":
            self.column, self.wraps = max(0, self.column - 1), False
        elif character >= " ":
            if self.wraps:
                self.column = 0
                self.down()
            self.last = character
            self.cells[self.row][self.column] = (character, self.looks)
            self.wraps = self.column == self.columns - 1
            self.column = min(self.column + 1, self.columns - 1)

    def down(self):
        top, bottom = self.region
        self.wraps = False
        if self.row == bottom:
            self.cells[top:bottom + 1] = self.cells[top + 1:bottom + 1] + [self.empty(self.columns)]
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def up(self):
        top, bottom = self.region
        if self.row == top:
            self.cells[top:bottom + 1] = [self.empty(self.columns)] + self.cells[top:bottom]
        else:
            self.row = max(self.row - 1, 0)

    def control(self, mark, parameters, final):
        if final == "m":
            self.look(parameters)
        if mark or final in "mhlt":
            return
        given = [int(parameter or 0) for parameter in parameters.split(";")]
        first = max(given[0], 1)
        self.wraps = False
        if final == "H":
            self.row, self.column = first - 1, max((given + [1])[1], 1) - 1
        elif final in "ABCDGd":
            self.row += {"A": -first, "B": first}.get(final, 0)
            self.column += {"C": first, "D": -first}.get(final, 0)
            self.column = first - 1 if final == "G" else self.column
            self.row = first - 1 if final == "d" else self.row
        elif final == "r":
            self.region = (first - 1, (given + [self.rows])[1] - 1) if parameters else (0, self.rows - 1)
        elif final == "b":
            for _ in range(first):
                self.character(self.last)
        else:
            self.erase(final, given[0], first)
        self.row, self.column = min(max(self.row, 0), self.rows - 1), min(max(self.column, 0), self.columns - 1)

    def erase(self, final, given, count):
        row, column = self.cells[self.row], self.column
        if final == "K":
            begin, end = {0: (column, self.columns), 1: (0, column + 1), 2: (0, self.columns)}[given]
            row[begin:end] = self.empty(end - begin)
        elif final == "X":
            row[column:column + count] = self.empty(min(count, self.columns - column))
        elif final == "P":
            self.cells[self.row] = (row[:column] + row[column + count:] + self.empty(count))[:self.columns]
        elif final == "@":
            self.cells[self.row] = (row[:column] + self.empty(count) + row[column:])[:self.columns]
        elif final in "LMST":
            top, bottom = self.row if final in "LM" else self.region[0], self.region[1]
            lines, new = self.cells[top:bottom + 1], [self.empty(self.columns) for _ in range(count)]
            self.cells[top:bottom + 1] = (new + lines)[:bottom + 1 - top] if final in "LT" else (lines[count:] + new)[:bottom + 1 - top]
        elif final == "J":
            first = self.row + 1 if given == 0 else 0
            if given == 0:
                row[column:] = self.empty(self.columns - column)
            self.cells[first:] = [self.empty(self.columns) for _ in self.cells[first:]]
        else:
            raise AssertionError("unknown sequence ...%s" % final)

    def look(self, parameters):
        for number in (int(parameter or 0) for parameter in parameters.split(";")):
            if number == 0:
                self.looks = ()
            elif number == NOT_REVERSE:
                self.looks = tuple(look for look in self.looks if look != REVERSE)
            else:
                self.looks += (number,)


class Terminal:
    def __init__(self, command, environment, rows=24, columns=80, folder=None):
        self.master, slave = pty.openpty()
        self.screen = Screen(rows, columns)
        self.resize(rows, columns)
        self.written = ""
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, cwd=folder,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=environment)
        os.close(slave)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def read(self, seconds=0.1):
        """What comes until nothing comes for so long. FALSE at the end."""
        while select.select([self.master], [], [], seconds)[0]:
            try:
                part = os.read(self.master, 65536)
            except OSError:
                return False
            if not part:
                return False
            part = part.decode(errors="replace")
            self.written += part
            self.screen.write(part)
        return True

    def expect(self, *words, without=()):
        """That all of them are on the screen, and none of the others; its text."""
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            there = self.read()
            text = self.screen.text()
            if all(word in text for word in words) and not any(word in text for word in without):
                return text
            if not there:
                break
        raise AssertionError("%r is not on the screen, or %r is:\n%s" % (words, without, self.screen.text()))

    def press(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """The exit status."""
        deadline = time.monotonic() + LIMIT
        while self.read() and self.process.poll() is None and time.monotonic() < deadline:
            pass
        status = self.process.wait(LIMIT)
        self.read()
        os.close(self.master)
        return status
