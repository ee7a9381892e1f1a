"""Protocol buffers, read by their encoding alone: what Perfetto's traces are made of."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field of a message: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            if len(value) != length:
                raise ValueError("cut short")
        else:
            raise ValueError("a field of type %d" % kind)
        yield key >> 3, value


def message(data):
    """The last value of each field by its number."""
    return dict(fields(data))


class PerfettoTrace:
    """Processes, threads, events by thread and flows of a trace in Perfetto's format."""

    def __init__(self, data):
        self.processes, self.threads, self.tracks, self.names = {}, {}, {}, {}
        self.events = {}  # by track: (time, "B" or "E", name, flows begun, flows ended)
        for number, packet in fields(data):
            if number != 1:
                raise ValueError("not a packet: field %d" % number)
            self.take(packet)

    def take(self, packet):
        parts = message(packet)
        if 12 in parts:
            for number, name in fields(parts[12]):
                if number != 2:
                    raise ValueError("interned field %d" % number)
                of_name = message(name)
                self.names[of_name[1]] = of_name[2].decode()
        if 60 in parts:
            self.take_track(message(parts[60]))
        if 11 in parts:
            self.take_event(parts[8], list(fields(parts[11])))

    def take_track(self, track):
        if 3 in track:
            process = message(track[3])
            self.processes[process[1]] = process[6].decode()
        else:
            thread = message(track[4])
            self.threads[track[1]] = (thread[1], thread[2], thread[5].decode())
        if track[1] in self.tracks:
            raise ValueError("track %d twice" % track[1])
        self.tracks[track[1]] = track

    def take_event(self, time, parts):
        of = dict(parts)
        if of[9] not in (1, 2):
            raise ValueError("an event of type %d" % of[9])
        name = self.names[of[10]] if of[9] == 1 else None
        begun = [value for number, value in parts if number == 47]
        ended = [value for number, value in parts if number == 48]
        self.events.setdefault(of[11], []).append((time, " BE"[of[9]], name, begun, ended))
