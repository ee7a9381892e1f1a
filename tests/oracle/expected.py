"""What difftrace should show of calls that make_log.py's library has written down, worked out from the names that mpi.h gives
to parameters."""

import re

ANY, ROOT, PROC_NULL = "any", "MPI_ROOT", "null"
# Calls that say nothing of communication: shown by name alone.
NAMELESS = re.compile(
    r"(T_|Info_|Errhandler|Keyval|Attr_|Session_|Status_|Error_|Add_error|Aint_|Wti|Type_(?!contig|vector|hvector|indexed|hindexed|struct|dup$|create_[hisdr])|Graph_get|Graph_map|Graph_neigh|Graphdims|"
    r"Dist_graph_neigh|Grequest_|Cart_get|Cart_map|Cartdim|Topo_test|Dims_create|Op_c|File_delete|File_get_(?!byte)|Query_thread|"
    r"Is_thread|Pcontrol|Free_mem|Buffer_detach|Request_get|Test_cancelled|Register|Open_port|Close_port|Publish|Lookup|Unpublish|"
    r"Comm_(compare|test_inter|join|create_from|get_info|get_parent)|Intercomm_create_from|Init$|Initialized|Finalize|Win_(detach|get_info)|"
    r"Get_(elements_x|address|processor|version|library)|Group_(free|size|rank|compare|translate|from)|Address)"
    r"|.*(errhandler|keyval|_attr|_get_name|_set_name)")
PAIRS = {"etype": (), "filetype": (), "type": ("count",), "sendtype": ("sendcount", "sendcounts"), "recvtype": ("recvcount", "recvcounts"), "datatype": ("count", "incount", "outcount", "recvcounts", "recvcount"),
         "origin_datatype": ("origin_count",), "target_datatype": ("target_count", "target_cout"), "result_datatype": ("result_count",)}


def numbers(text):
    return [int(word) for word in text[1:-1].split(",") if word]


def row(values):
    """Equal ones, and three and more that go up by one, are one."""
    words, at = [], 0
    while at < len(values):
        equal = up = 1
        while at + equal < len(values) and values[at + equal] == values[at]:
            equal += 1
        while at + up < len(values) and values[at + up] == values[at] + up:
            up += 1
        if equal >= 2:
            words.append("%d^%d" % (values[at], equal))
            at += equal
        elif up >= 3 and values[at] >= 0:
            words.append("%d-%d" % (values[at], values[at] + up - 1))
            at += up
        else:
            words.append(str(values[at]))
            at += 1
    return "[%s]" % " ".join(words)


class Comm:
    def __init__(self, name):
        self.name, self.children = name, 0


class Rank:
    """Follows one rank's calls."""

    def __init__(self, constants):
        self.constants = constants
        self.comms, self.windows, self.files, self.ops = {}, {}, {}, {}
        self.made_windows = self.made_files = self.requests = 0
        self.live = []
        self.datatypes = {}

    # ---- handles

    def comm(self, text):
        handle, rank, size, inter = (text.split(":") + ["0"] * 3)[:4]
        if handle not in self.comms:
            special = {self.constants["world"]: "world", self.constants["self"]: "self"}
            self.comms[handle] = Comm(special.get(handle, "unknown"))
        return self.comms[handle], int(rank), int(size), int(inter)

    def distance(self, rank, text):
        _, own, size, _ = self.comm(text)
        if rank < 0 or rank >= size:
            return None
        steps = (rank - own) % size
        return steps - size if 2 * steps > size else steps

    def peer(self, kind, rank, text):
        if rank == self.constants["any_source"] and kind == "from":
            return "from any"
        if rank == self.constants["proc_null"]:
            return kind + " null"
        steps = self.distance(rank, text)
        return kind + (" unknown" if steps is None else " %+d" % steps)

    # ---- data

    def data(self, call, type_name, before=""):
        count = next((call[name] for name in PAIRS[type_name] if name in call), None)
        size = int(call[type_name].split(":")[1])
        buffer = {"sendtype": "sendbuf", "recvtype": "recvbuf", "datatype": "sendbuf"}.get(type_name)
        if call.get(buffer) == "in_place" and not (type_name == "datatype" and "recvbuf" in call):
            return before + "data in place"
        derived = self.datatypes.get(call[type_name].split(":")[0])
        of = " of " + derived if derived and "(" in derived else ""
        return "%s%s x %s" % (before, count, "%d B%s" % (size, of) if size >= 0 else "unknown")

    # ---- datatypes

    def datatype(self, text):
        """Of handle, or handle:name, or handle:size:name."""
        words = text.split(":")
        if words[-1].startswith("MPI_"):
            return words[-1][4:].lower()
        return self.datatypes.get(words[0], "unknown")

    def constructed(self, name, call):
        base = name.removesuffix("_c").replace("Type_create_", "").replace("Type_", "")
        of = self.datatype(call["oldtype"]) if "oldtype" in call else self.datatype(call["type"]) if "type" in call else ""
        lengths, places = (row(numbers(call.get("array_of_" + word, "[]"))) for word in ("blocklengths", "displacements"))
        in_bytes = " B" if base[0] == "h" else ""
        if base == "dup":
            return of
        if base == "contiguous":
            inner = "%s of %s" % (call["count"], of)
        elif base.endswith("vector"):
            inner = "%s x %s / %s%s of %s" % (call["count"], call["blocklength"], call["stride"], in_bytes, of)
        elif base.endswith("indexed"):
            inner = "%s at %s%s of %s" % (lengths, places, in_bytes, of)
        elif base.endswith("block"):
            inner = "%s x %s at %s%s of %s" % (call["count"], call["blocklength"], places, in_bytes, of)
        elif base == "struct":
            members = zip(numbers(call["array_of_blocklengths"]), call["array_of_types"][1:-1].split(","), numbers(call["array_of_displacements"]))
            inner = ", ".join("%d %s at %d" % (length, self.datatype(of), place) for length, of, place in members)
        elif base == "resized":
            inner = "%s + %s B of %s" % (call["lb"], call["extent"], of)
        else:
            rows = [row(numbers(call.get("array_of_" + word) or call[word[:-1] + "_array"])) for word in
                    (("subsizes", "sizes", "starts") if base == "subarray" else ("gsizes", "distribs", "dargs", "psizes"))]
            inner = ("%s in %s at %s" % tuple(rows) if base == "subarray" else
                     "rank %s of %s, %s, distributed %s %s over %s" % (call["rank"], call["size"], *rows)) + " of " + of
            if int(call["order"]) == self.constants["fortran_order"]:
                inner += ", Fortran's order"
        return "%s(%s)" % (base, inner)

    def is_main(self, call, name, type_name):
        name = name.removesuffix("_c")
        if type_name == "target_datatype" or (name.endswith("et_accumulate") and type_name == "origin_datatype"):
            return False
        if type_name not in ("sendtype", "recvtype") or "sendrecv" in name.lower():
            return True
        if "catter" in name:
            return type_name == "recvtype"
        if "ather" in name and "llgather" not in name:
            return type_name == "sendtype"
        if name.lower().replace("_init", "").endswith("allgatherv"):
            return type_name == "sendtype"
        return type_name == "recvtype"

    # ---- requests

    def find(self, entry, taken):
        """Fortran's requests are copied elsewhere, and an MPI may have one handle for several: the oldest that no other one is."""
        handle, place = entry.split("@")
        if handle == "0":
            return None
        for number, one in enumerate(self.live):
            if one["handle"] == handle and one["place"] == place:
                return number
        same = [number for number, one in enumerate(self.live) if one["handle"] == handle]
        return next((number for number in same if number not in taken), same[0] if same else -1)

    def named(self, call):
        text = call.get("request") or call.get("array_of_requests")
        if not text or text[0] != "[":
            return None
        found = []
        for entry in text[1:-1].split(","):
            if entry:
                found.append(self.find(entry, found))
        return found

    def live_text(self, found, one):
        places = sorted(place for place in found if place is not None)
        if not places:
            return "live none"
        if one:
            return "live %d" % places[0] if places[0] >= 0 else "live unknown"
        return "live all" if places == list(range(len(self.live))) else "live " + row(places)

    def follow_requests(self, name, call, found):
        """What is told beside the call."""
        told = []
        if call["result"] != "0":
            return told
        made = call.get(">request", "[0@0]")[1:-1]
        if found is None and name != "Grequest_start" and made.split("@")[0] != "0" and ">request" in call:
            self.requests += 1
            handle, place = made.split("@")
            persistent = name.endswith(("_init", "_init_c"))
            self.live.append({"number": self.requests, "handle": handle, "place": place, "persistent": persistent,
                              "wild": self.is_wild(call)})
            told.append("%srequest %d" % ("persistent " if persistent else "", self.requests))
        if found is None:
            return told
        which = [place for place in found if place is not None and place >= 0]
        listed = [str(self.live[place]["number"]) for place in which]
        base = name[:-2] if name.endswith("_c") else name
        if base in ("Start", "Startall", "Cancel", "Wait", "Waitall", "Waitany", "Waitsome") and listed:
            told.append("of requests " + " ".join(listed))
        if base == "Request_free" and listed:
            told.append("freed " + " ".join(listed))
        done = []
        if base in ("Wait", "Waitall"):
            done = which
        elif base in ("Test", "Testall") and call.get(">flag") not in (None, "0"):
            done = which
            if which:
                told.append("completed")
        elif base in ("Waitany", "Testany"):
            index = int(call.get(">index", call.get(">indx", "-1")))
            if 0 <= index < len(found) and call.get(">flag") != "0":
                done = [found[index]]
        elif base in ("Waitsome", "Testsome"):
            done = [found[index] for index in numbers(call.get(">array_of_indices", "[]"))]
        if base in ("Waitany", "Testany", "Waitsome", "Testsome") and done:
            told.append("completed " + " ".join(str(self.live[place]["number"]) for place in done))
        told += self.received(call, done, found)
        gone = [place for place in done if not self.live[place]["persistent"]] + (which if base == "Request_free" else [])
        for place in sorted(set(gone), reverse=True):
            del self.live[place]
        return told

    def is_wild(self, call):
        constants = self.constants
        return call.get("source") == str(constants["any_source"]) or (
            "source" in call and any(call.get(tag) == str(constants["any_tag"]) for tag in ("tag", "recvtag")))

    def received(self, call, done, found):
        """What requests of receives from anybody got, as far as the program asks for it."""
        statuses = (call.get(">status") or call.get(">array_of_statuses") or "[]")[1:-1].split(",")
        told = []
        for number, place in enumerate(done):
            at = number if ">array_of_indices" in call or ">status" in call or ">index" in call else found.index(place)
            if place is None or not self.live[place]["wild"] or at >= len(statuses) or not statuses[at]:
                continue
            source, tag = statuses[at].split(":")
            told.append("got source %s, tag %s by request %d" % (source, tag, self.live[place]["number"]))
        return told

    # ---- a call

    def arguments(self, name, call):
        first, shown, pending, mains = [], [], [], []
        comm_text = next((call[key] for key in ("comm", "comm_old", "old_comm", "local_comm", "intercomm") if key in call), None)
        if name in ("Comm_free", "Comm_disconnect"):
            first.append(self.comms[call["comm"]].name)
        elif comm_text and comm_text != "null" and name != "Intercomm_create" or name == "Intercomm_create":
            first.append(self.comm(comm_text)[0].name)
        if "win" in call:
            first[:] = ["window %s" % self.windows.get(call["win"], "unknown")]
            comm_text = self.window_comms.get(call["win"]) if hasattr(self, "window_comms") else None
        file = call.get("fh", call.get("mpi_fh"))
        if file:
            first.append("file %s" % self.files.get(file, "unknown"))
        for type_name in PAIRS:
            if type_name in call and self.is_main(call, name, type_name) and not self.of_counts(call, type_name):
                mains.append(self.data(call, type_name))
        for key, value in call.items():
            text = self.argument(name, call, key, value, comm_text)
            if key in PAIRS:
                if self.of_counts(call, key) or key not in call:
                    if value.split(":")[1] != "-1" or True:
                        shown.append("elements of %s" % (value.split(":")[1] + " B" if value.split(":")[1] != "-1" else "unknown"))
                elif self.is_main(call, name, key):
                    shown += pending
                    pending = [self.data(call, key)]
                else:
                    other = self.data(call, key)
                    if not mains or other != mains[-1]:
                        shown.append("other " + other)
            elif text:
                shown.append(text)
        return first + shown + pending

    @staticmethod
    def of_counts(call, type_name):
        """It describes elements of an array of counts, or stands alone."""
        names = PAIRS[type_name]
        if type_name == "sendtype":
            return "sendcount" not in call
        if type_name == "recvtype":
            return "recvcount" not in call
        return not any(name in call for name in names if not name.endswith("counts")) 

    def argument(self, name, call, key, value, comm_text):
        constants = self.constants
        base = name[:-2] if name.endswith("_c") else name
        if key == "sendbuf" and value == "in_place" and base.lower().startswith(("alltoallv", "alltoallw", "ialltoallv", "ialltoallw")):
            return "counts in place"
        if key == "dest" and base == "Precv_init":  # as MPICH calls it
            return self.peer("from", int(value), comm_text)
        if key == "dest":
            return self.peer("to", int(value), comm_text)
        if key == "source":
            return self.peer("from", int(value), comm_text)
        if key == "target_rank" or (key == "rank" and base.startswith("Win_")):
            return self.peer("at", int(value), comm_text)
        if key in ("tag", "sendtag", "recvtag", "stag"):
            return "tag any" if int(value) == constants["any_tag"] and base != "Intercomm_create" else "tag %s" % value
        if key == "root":
            special = {constants["root"]: "root MPI_ROOT", constants["proc_null"]: "root null"}
            return special.get(int(value), "root %s" % value)
        if key == "op":
            if re.fullmatch(r"[0-9a-f]+", value) and value not in ("b", "max"):
                return "own operation %d" % self.ops.setdefault(value, len(self.ops))
            return value
        if key in ("color", "split_type"):
            return "color undefined" if int(value) == constants["undefined"] else "color %s" % value
        if key == "key":
            return "key %+d" % (int(value) - self.comm(comm_text)[1])
        if key == "count" and "array_of_requests" in call or key == "incount" and "array_of_requests" in call:
            return "%s requests" % value
        simple = {"target_disp": "displacement %s", "disp_unit": "unit %s B", "offset": "offset %s", "disp": "offset %s",
                  "assert": "assertion %s", "local_leader": "rank %s", "remote_leader": "rank %s", "errorcode": "code %s",
                  "size": "size %s B", "outsize": "size %s B", "insize": "size %s B", "maxprocs": "number %s", "high": "number %s",
                  "direction": "number %s", "partitions": "partitions %s", "amode": "mode %s"}
        if key == "assert":
            bits = [constants[word] for word in ("nocheck", "noprecede", "noput", "nostore", "nosucceed")]
            return "assertion %d" % sum(1 << place for place, bit in enumerate(bits) if int(value) & bit)
        if key == "whence":
            return "from " + {constants["set"]: "the start", constants["cur"]: "here", constants["end"]: "the end"}[int(value)]
        if key == "lock_type":
            return "type " + {constants["exclusive"]: "exclusive", constants["shared"]: "shared"}[int(value)]
        if key in ("disp", "displ") and base == "Cart_shift":
            return "number %s" % value
        if key == "flag" and base == "File_set_atomicity":
            return "number %s" % value
        if key == "rank" and base == "Cart_coords":
            return "rank %s" % value
        if key == "maxdims":
            return None
        if key in ("partition", "partition_low", "partition_high"):
            return "partition %s" % value
        if key == "required":
            return "level " + ["single", "funneled", "serialized", "multiple"][[constants[k] for k in ("single", "funneled", "serialized", "multiple")].index(int(value))]
        if key in simple:
            return simple[key] % value
        arrays = {"sendcounts": "counts", "recvcounts": "counts", "dims": "dimensions", "periods": "periods", "remain_dims": "kept",
                  "degrees": "degrees", "index": "index", "indx": "index", "edges": "edges", "coords": "coordinates",
                  "array_of_partitions": "partitions", "ranges": "ranges", "sendtypes": "elements of", "recvtypes": "elements of"}
        if key in ("group", "group1", "group2"):
            return "group none" if value == "null" else "group " + row(numbers(value))
        if key in arrays and value == "[]" and "root" in call:
            return None
        if key in arrays:
            return "%s %s" % (arrays[key], row(numbers(value)))
        if key in ("sources", "destinations", "targets", "nodes"):
            return "neighbours " + row([self.distance(rank, comm_text) for rank in numbers(value)])
        if key == "ranks":
            return "ranks " + row(numbers(value))
        return None

    def learn(self, name, call, comm_text):
        """What the call has made."""
        if call["result"] != "0":
            return
        parent = self.comms.get(comm_text.split(":")[0]) if comm_text and comm_text != "null" else None
        makes = [key for key in call if key in (">newcomm", ">comm_cart", ">new_comm", ">comm_graph", ">comm_dist_graph", ">newintercomm",
                                                ">newintracomm", ">intercomm", ">comm", ">newcomm_dup")]
        if makes and name != "Comm_get_parent":
            if parent:
                parent.children += 1
            handle = call[makes[0]].split(":")[0]
            if handle != "null":
                self.comms[handle] = Comm("%s/%d" % (parent.name, parent.children) if parent else "unknown")
        if ">win" in call:
            self.windows[call[">win"]] = self.made_windows
            if not hasattr(self, "window_comms"):
                self.window_comms = {}
            self.window_comms[call[">win"]] = comm_text
            self.made_windows += 1
        opened = call.get(">fh", call.get(">mpi_fh"))
        if opened:
            self.files[opened] = self.made_files
            self.made_files += 1

    def expected(self, name, call):
        """(the call, what is told beside it)"""
        found = self.named(call)
        nameless = NAMELESS.match(name) or (not self.begun and name != "Init_thread")
        constructs = ">newtype" in call
        shown = [] if nameless else [self.constructed(name, call)] if constructs else self.arguments(name, call)
        if constructs:
            self.datatypes[call[">newtype"]] = shown[0]
        if name == "Type_free":
            self.datatypes.pop(call["type"] if "type" in call else call["datatype"], None)
            shown = []
        if found is not None:
            shown.append(self.live_text(found, "request" in call))
        comm_text = next((call[key] for key in ("comm", "comm_old", "old_comm", "local_comm", "intercomm") if key in call), None)
        told = self.follow_requests(name, call, found)
        self.learn(name, call, comm_text)
        if self.is_wild(call) and found is None and ">status" in call and ">request" not in call and call["result"] == "0" and call.get(">flag") != "0":
            source, tag = call[">status"][1:-1].split(":")
            told.append("got source %s, tag %s" % (source, tag))
        if call["result"] != "0" and self.begun:
            told.append("failed: error class %s" % call["result"])
        if name in ("Init", "Init_thread"):
            self.begun = True
        text = "MPI_%s%s" % (name, "(%s)" % ", ".join(shown[:8]) if shown else "")
        return text, told

    begun = False


def read(line):
    words = line.replace("array_of_block_lengths", "array_of_blocklengths").split()
    return words[0], dict(word.split("=", 1) for word in words[1:])
