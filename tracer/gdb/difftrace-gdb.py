"""Backtraces of traced programs in gdb, running or as core dumps.

    (gdb) source difftrace-gdb.py

The return address of a traced call lies on the tracer's shadow stack; on the program's there is the address of the call's
stub. This unwinder finds a stub's frame by that address and goes on with what the shadow stack says.
"""
import struct

import gdb
import gdb.unwinder
from gdb.FrameDecorator import FrameDecorator

FRAME = struct.Struct("<QQQ")  # struct dt_frame: return address, slot, index
EXIT_OFFSET, API_EXIT_OFFSET = 136, 21  # of the exit address in a function's stub
SCANNED_WORDS = 32  # that a stub and the code behind it have on the stack at most


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def arena_at(address):
    """The tracer's arena that the address is in (unwind_info.c), or None."""
    arenas = gdb.parse_and_eval("'unwind_info.c'::arenas")
    for i in range(int(gdb.parse_and_eval("'unwind_info.c'::arena_count"))):
        arena = arenas[i]["arena"]
        if int(arena["start"]) <= address < int(arena["end"]):
            return arena
    return None


def is_stub(address):
    return arena_at(address) is not None


def function_of(address):
    """The name of the function whose stub or relocated instructions are at the address, or None."""
    arena = arena_at(address)
    start, low, high = int(arena["start"]), 0, int(arena["place_count"])
    while low < high:  # the last place that begins at the address or before it
        middle = (low + high) // 2
        if start + int(arena["places"][middle]["stub"]) <= address:
            low = middle + 1
        else:
            high = middle
    function = int(arena["places"][low - 1]["function"]) if low else 0
    if not function:
        return None
    symbol = gdb.execute("info symbol %d" % (start + function), to_string=True)
    return None if symbol.startswith("No symbol") else symbol.split()[0]


def read_address(address):
    return struct.unpack("<Q", read(address, 8))[0]


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Shadow:
    """The open calls of the selected thread, topmost first."""

    def __init__(self):
        top = int(gdb.parse_and_eval("dt_hot.top"))
        bottom = int(gdb.parse_and_eval("(unsigned long)dt_self->frames")) + FRAME.size
        data = read(bottom, top - bottom) if top > bottom else b""
        self.frames = [FRAME.unpack_from(data, at) for at in range(len(data) - FRAME.size, -1, -FRAME.size)]

    def exit_address(self, index):
        return int(gdb.parse_and_eval("dt_functions[%d].exit_address" % index))

    def stub(self, index):
        is_api = int(gdb.parse_and_eval("dt_functions[%d].api_class" % index)) != 0
        return self.exit_address(index) - (API_EXIT_OFFSET if is_api else EXIT_OFFSET)

    def resolve(self, slot, address):
        """The program's own return address where `address` lies at `slot`: tail calls share a slot."""
        for return_address, place, index in self.frames:
            if place == slot and return_address and self.exit_address(index) == address:
                address = return_address
        return address


class Unwinder(gdb.unwinder.Unwinder):
    def __init__(self):
        super().__init__("difftrace")

    def __call__(self, pending):
        try:
            return self.unwind(pending)
        except (gdb.error, gdb.MemoryError):
            return None

    def unwind(self, pending):
        pc, sp = int(pending.read_register("rip")), int(pending.read_register("rsp"))
        if not is_stub(pc):
            return None
        shadow = Shadow()
        # A stub that a call will return to: the slot lies right below.
        for slot in range(sp - 8, sp + 8 * SCANNED_WORDS, 8):
            for return_address, place, index in shadow.frames:
                if place == slot and not return_address:  # hooked at both ends: it is on the stack, if not gone already
                    if slot >= sp:
                        return self.caller(pending, slot, shadow.resolve(slot, read_address(slot)), pc)
                elif place == slot:
                    if slot == sp - 8 and not shadow.stub(index) <= pc <= shadow.exit_address(index):
                        break
                    return self.caller(pending, slot, shadow.resolve(slot, shadow.exit_address(index)), pc)
        return None

    def caller(self, pending, slot, return_address, pc):
        info = pending.create_unwind_info(FrameId(gdb.Value(slot + 8), gdb.Value(pc)))
        info.add_saved_register("rip", gdb.Value(return_address))
        info.add_saved_register("rsp", gdb.Value(slot + 8))
        for name in ("rbp", "rbx", "r12", "r13", "r14", "r15"):
            info.add_saved_register(name, pending.read_register(name))
        return info


gdb.unwinder.register_unwinder(None, Unwinder(), replace=True)


class Innermost(FrameDecorator):
    """A function that has stopped in its stub, or in instructions that were relocated from it."""

    def function(self):
        return function_of(self.inferior_frame().pc()) or super().function()


class Filter:
    """Leaves the stubs' own frames out of backtraces, but for the innermost one, which has the function's name."""

    def __init__(self):
        self.name, self.priority, self.enabled = "difftrace", 100, True
        gdb.current_progspace().frame_filters[self.name] = self

    def filter(self, frames):
        for frame in frames:
            if not self.is_ours(frame.inferior_frame()):
                yield frame
            elif frame.inferior_frame().level() == 0:
                yield Innermost(frame)

    def is_ours(self, frame):
        try:
            return is_stub(frame.pc())
        except gdb.error:
            return False


Filter()
