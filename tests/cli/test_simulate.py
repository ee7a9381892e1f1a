"""difftrace simulate, and minimise: what stands still, told as waits tells it, and the smallest that does."""

import re

from support import CommandTest, main

HEAD = "difftrace skeleton 1\nranks %d\n"
RING = HEAD + "5 times\n  MPI_Allreduce(world, sum, 1 x 8 B)\n  MPI_Sendrecv(world, to +1, tag 1, 1 x 4 B, from -1, tag 1, 1 x 4 B)\n"
# Ranks 5 and 6 receive first, after three rounds in which others send first.
SORT = (HEAD % 16 + "MPI_Init\n3 times\n  on 0-14/2: MPI_Send(world, to +1, tag 0, 8 x 4 B)\n  on 0-14/2: MPI_Recv(world, from +1, tag 0, 8 x 4 B)\n"
        "  on 1-15/2: MPI_Recv(world, from -1, tag 0, 8 x 4 B)\n  on 1-15/2: MPI_Send(world, to -1, tag 0, 8 x 4 B)\n"
        "on 5: MPI_Recv(world, from +1, tag 0, 8 x 4 B)\non 6: MPI_Recv(world, from -1, tag 0, 8 x 4 B)\n"
        "on !5-6: MPI_Barrier(world)\n")
# Whoever comes first gets work; the last one answers only if it was first.
LUCK = (HEAD % 3 + "on 0: MPI_Recv(world, from any, tag 1, 1 x 4 B); got +1\non 0: MPI_Recv(world, from +2, tag 1, 1 x 4 B)\n"
        "on !0: MPI_Send(world, to =0, tag 1, 1 x 4 B)\n")


class Simulated(CommandTest):
    def write(self, text, name="skeleton"):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        return name

    def simulate(self, name, *options, sends="buffered"):
        result = self.execute("simulate", name, "--json", "--sends", sends, *options)
        document = self.parse(result.stdout)["simulations"][0]
        self.assertEqual(result.returncode, 0 if document["ends"] or document["undecided"] else 3)
        return document

    def standing(self, name, **options):
        return {trace["trace"]: (trace["call"], trace["held_up_by"]) for trace in self.simulate(name, **options)["traces"]
                if trace["waits"] in ("all", "any")}


class Simulate(Simulated):
    def test_words_of_waits(self):
        document = self.simulate(self.write(SORT))
        traces = document["traces"]
        self.assertEqual(document["cycles"], [["5.0", "6.0"]])
        self.assertEqual([trace["trace"] for trace in traces], ["%d.0" % rank for rank in range(16)])
        self.assertEqual(traces[5], {"trace": "5.0", "status": "stuck", "end": None, "waits": "all", "call": "MPI_Recv",
                                     "for": "a message from rank 6 with tag 0", "held_up_by": ["6.0"], "blame": 0.5,
                                     "reason": "in MPI_Recv it waits for 6.0, which is in MPI_Recv"})
        self.assertEqual(traces[0]["for"], "its collective call number 1 on a communicator of 16 ranks")
        self.assertEqual(traces[0]["held_up_by"], ["5.0", "6.0"])
        self.assertEqual(sum(trace["blame"] for trace in traces), 1)

    def test_text_and_table(self):
        name = self.write(SORT)
        text = self.difftrace("simulate", name, "--sends", "buffered", status=3)
        self.assertIn("sends buffered: 16 of 16 ranks stand still, after ", text)
        self.assertIn("Deadlock: 5-6 wait for each other.", text)
        rows = self.difftrace("simulate", name, "--tsv", status=3).splitlines()
        self.assertEqual(rows[0].split("\t")[:3], ["sends", "trace", "waits"])
        self.assertEqual(len(rows), 1 + 2 * 16)
        self.assertEqual(self.difftrace("simulate", self.write(RING % 4, "ring"), "--sends", "unbuffered"),
                         "sends unbuffered: all 4 ranks come to their ends, 40 calls\n")

    def test_luck(self):
        """What was recorded ends; if the other one comes first, it does not."""
        name = self.write(LUCK)
        self.assertTrue(self.simulate(name)["ends"])
        document = self.simulate(name, "--wildcards", "any")
        self.assertEqual(document["orders"], {"tried": 2, "complete": True, "standing": 1, "chosen": [{"rank": 0, "got": 2}]})
        self.assertFalse(document["ends"])

    def test_orders(self):
        """Three messages that come in any order; two receivers that have nothing to do with each other."""
        farm = HEAD % 4 + "on !0: MPI_Send(world, to =0, tag 1, 1 x 4 B)\non 0: 3 times\n  MPI_Recv(world, from any, tag 1, 1 x 4 B)\n"
        self.assertEqual(self.simulate(self.write(farm), "--wildcards", "any")["orders"]["tried"], 6)
        few = self.simulate("skeleton", "--wildcards", "any", "--limit", "4")["orders"]
        self.assertEqual((few["tried"], few["complete"]), (4, False))
        two = (HEAD % 6 + "on 1-2: MPI_Send(world, to =0, tag 1, 1 x 4 B)\non 4-5: MPI_Send(world, to =3, tag 1, 1 x 4 B)\n"
               "on 0,3: 2 times\n  MPI_Recv(world, from any, tag 1, 1 x 4 B)\n")
        self.assertEqual(self.simulate(self.write(two), "--wildcards", "any")["orders"]["tried"], 4)

    def test_answers(self):
        """Who is answered is who was heard: no order stands still."""
        farm = (HEAD % 4 + "on 0: 3 times\n  MPI_Recv(world, from any, tag 1, 1 x 4 B); got [+3 +1 +2]\n  MPI_Send(world, to last, tag 2, 1 x 4 B)\n"
                "on !0: MPI_Send(world, to =0, tag 1, 1 x 4 B)\non !0: MPI_Recv(world, from =0, tag 2, 1 x 4 B)\n")
        document = self.simulate(self.write(farm), "--wildcards", "any", sends="unbuffered")
        self.assertEqual((document["ends"], document["orders"]["standing"], document["orders"]["complete"]), (True, 0, True))
        self.assertEqual(document["orders"]["tried"], 6)

    def test_earlier_receive_first(self):
        """MPI's order: the first receive from anybody gets a message that both could get."""
        text = (HEAD % 2 + "on 1: MPI_Send(world, to =0, tag 1, 1 x 4 B)\non 0: MPI_Irecv(world, from any, tag any, 1 x 4 B)\n"
                "on 0: MPI_Irecv(world, from +1, tag 1, 1 x 4 B)\non 0: MPI_Wait(live 1)\n")
        self.assertFalse(self.simulate(self.write(text), "--wildcards", "any")["ends"])
        sent = text.replace("on 0: MPI_Irecv(world, from any", "MPI_Barrier(world)\non 0: MPI_Irecv(world, from any")
        self.assertFalse(self.simulate(self.write(sent), "--wildcards", "any")["ends"])

    def test_no_proof(self):
        """Two that send to each other, one of whom has asked anybody, and got another's message then."""
        text = (HEAD % 3 + "on 0: MPI_Irecv(world, from any, tag 1, 1 x 4 B); got +2\non 0-1: MPI_Send(world, to ^1, tag 1, 1 x 4 B)\n"
                "on 0-1: MPI_Recv(world, from ^1, tag 1, 1 x 4 B)\non 0: MPI_Wait(live 0)\non 2: MPI_Recv(world, from =1, tag 2, 1 x 4 B)\n"
                "on 2: MPI_Send(world, to =0, tag 1, 1 x 4 B)\non 1: MPI_Send(world, to =2, tag 2, 1 x 4 B)\n")
        self.assertTrue(self.simulate(self.write(text))["ends"])
        document = self.simulate(self.write(text), sends="unbuffered")
        self.assertEqual((document["ends"], document["undecided"]), (False, True))

    def test_sizes_and_roots(self):
        for calls in ("MPI_Allreduce(world, sum, {0: 1; 1: 2} x 8 B)", "MPI_Bcast(world, root {0: 0; 1: 1}, 1 x 8 B)"):
            self.assertEqual(set(self.standing(self.write(HEAD % 2 + calls + "; open 1\n"))), {"0.0", "1.0"})

    def test_questions(self):
        text = HEAD % 2 + "on 0: MPI_Irecv(world, from +1, tag 1, 1 x 4 B)\non 0: 9 times\n  MPI_Test(live 0)\non 1: MPI_Barrier(world)\n"
        self.assertEqual(self.standing(self.write(text)), {"0.0": ("MPI_Test", ["1.0"]), "1.0": ("MPI_Barrier", ["0.0"])})
        self.assertTrue(self.simulate(self.write(text + "on 0: MPI_Barrier(world)\nMPI_Finalize\n"))["ends"])

    def test_cancelled(self):
        text = HEAD % 1 + "MPI_Irecv(world, from any, tag 1, 1 x 4 B)\nMPI_Cancel(live 0)\nMPI_Wait(live 0)\nMPI_Finalize\n"
        self.assertTrue(self.simulate(self.write(text))["ends"])

    def test_errors(self):
        name = self.write(RING % 4)
        for options, message in ((("--wildcards", "all"), "not one of recorded, any"), (("--limit", "-2"), "less than 1"),
                                 (("--sends", "no"), "not one of buffered, unbuffered, both"), (("--format", "dot"), "text, tsv and json")):
            self.assertIn(message, self.error("simulate", name, *options))



class Minimise(Simulated):
    def minimised(self, text, *options):
        name = self.write(text, "large")
        return self.difftrace("minimise", name, "-q", *options)

    def calls(self, text):
        """Of each rank, as lines."""
        name = self.write(text, "expanded")
        ranks = int(re.search(r"^ranks (\d+)", text, re.MULTILINE)[1])
        return [self.difftrace("skeleton", name, "--expand", str(rank)).splitlines() for rank in range(ranks)]

    def check_minimal(self, text, sends="buffered"):
        """By hand: messages of two ranks are paired in order, and each pair, and each call without one, is left out alone."""
        calls = self.calls(text)
        ranks = len(calls)
        ends = {"send": {}, "receive": {}}
        for rank, own in enumerate(calls):
            for number, call in enumerate(own):
                match = re.match(r"MPI_(Send|Recv)\(world, (?:to|from) ([-+]\d+), tag (\d+)", call)
                self.assertTrue(match, call)
                peer = (rank + int(match[2])) % ranks
                kind = "send" if match[1] == "Send" else "receive"
                key = (rank, peer, match[3]) if kind == "send" else (peer, rank, match[3])
                ends[kind].setdefault(key, []).append((rank, number))
        elements = []
        for key in {*ends["send"], *ends["receive"]}:
            sent, received = ends["send"].get(key, []), ends["receive"].get(key, [])
            both = min(len(sent), len(received))
            elements += [{one, other} for one, other in zip(sent, received)] + [{one} for one in sent[both:] + received[both:]]
        for element in elements:
            lines = ["on %d: %s" % (rank, call) for rank, own in enumerate(calls) for number, call in enumerate(own)
                     if (rank, number) not in element]
            less = HEAD % ranks + "\n".join(lines) + "\n"
            if not lines:
                continue
            self.assertEqual(self.simulate(self.write(less, "less"), sends=sends)["cycles"], [], less)
        return elements

    def test_sort(self):
        text = self.minimised(SORT)
        self.assertEqual(text, HEAD % 2 + "MPI_Recv(world, from +1, tag 0, 8 x 4 B)\n")
        self.assertEqual(len(self.check_minimal(text)), 2)
        self.assertEqual(self.simulate(self.write(text, "small"))["cycles"], [["0.0", "1.0"]])

    def test_again(self):
        text = self.minimised(SORT)
        self.assertEqual(self.minimised(text), text)

    def test_potential(self):
        swap = (HEAD % 8 + "20 times\n  on 0-6/2: MPI_Send(world, to ^1, tag 3, 1 x 4 B)\n  on 0-6/2: MPI_Recv(world, from ^1, tag 3, 1 x 4 B)\n"
                "  on 1,3,7: MPI_Recv(world, from ^1, tag 3, 1 x 4 B)\n  on !0-6/2: MPI_Send(world, to ^1, tag 3, 1 x 4 B)\n"
                "  on 5: MPI_Recv(world, from ^1, tag 3, 1 x 4 B)\n  MPI_Barrier(world)\n")
        self.assertIn("come to their ends", self.error("minimise", self.write(swap), "--sends", "buffered"))
        text = self.minimised(swap)
        self.assertEqual(text, self.minimised(swap, "--sends", "unbuffered"))
        self.assertEqual(text, HEAD % 2 + "MPI_Send(world, to +1, tag 3, 1 x 4 B)\nMPI_Recv(world, from +1, tag 3, 1 x 4 B)\n")
        self.assertEqual(len(self.check_minimal(text, "unbuffered")), 2)

    def test_lost_message(self):
        """Nobody is made to wait by what is left out: a message that never came stays one."""
        text = self.minimised(HEAD % 6 + "4 times\n  MPI_Sendrecv(world, to +1, tag 1, 1 x 4 B, from -1, tag 1, 1 x 4 B)\n"
                              "on 3: MPI_Recv(world, from =1, tag 9, 1 x 4 B)\nMPI_Finalize\n")
        self.assertIn("ranks 2\n", text)
        self.assertRegex(text, r"on [01]: MPI_Recv\(world, from [-+]1, tag 9, 1 x 4 B\)")
        self.assertNotIn("Sendrecv", text)

    def test_requests_and_halves(self):
        """A wait without its requests is left out; communicators are those of the ranks that stay."""
        text = self.minimised("difftrace skeleton 1\nranks 6\ncomm world/1 0-2 3-5\n9 times\n  MPI_Irecv(world/1, from +1, tag 1, 1 x 4 B)\n"
                              "  MPI_Isend(world/1, to -1, tag 1, 1 x 4 B)\n  MPI_Waitall(live all)\non !4: MPI_Barrier(world/1)\n")
        self.assertEqual(len(self.calls(text)), 2)
        self.assertRegex(text, r"ranks 2\ncomm world/1 0-1\non [01]: MPI_Barrier\(world/1\)\n$")

    def test_other_spelling(self):
        self.assertEqual(self.difftrace("minimize", self.write(SORT), "-q"), self.difftrace("minimise", "skeleton", "-q"))

    def test_note_and_errors(self):
        name = self.write(SORT)
        self.assertIn("note: 16 ranks, 128 calls, 9 lines of them; of these stay 2, 2, 1", self.execute("minimise", name).stderr)
        self.assertIn("not hang", self.error("minimise", name, "--keep", "crash"))
        self.assertIn("not one of buffered, unbuffered, both", self.error("minimise", name, "--sends", "none"))


class Difference(Simulated):
    def difference(self, first, second, *options, status=0):
        return self.difftrace("skeleton", self.write(first, "first"), self.write(second, "second"), *options, status=status)

    def test_equal(self):
        self.assertEqual(self.difference(RING % 4, RING % 4, "--exit-code"), "the skeletons are equal: 4 lines\n")

    def test_values(self):
        """Of other ranks and counts."""
        text = self.difference(RING % 4, (RING % 9).replace("5 times", "7 times").replace("tag 1, 1 x 4", "tag 1, 6 x 4"), "--exit-code", status=1)
        self.assertEqual(text, "structure: the same\nvalues: 3 lines differ (~)\n\n~ ranks 4 => 9\n~ 5 => 7 times\n"
                         "    MPI_Allreduce(world, sum, 1 x 8 B)\n"
                         "~   MPI_Sendrecv(world, to +1, tag 1, 1 x 4 B => 6 x 4 B, from -1, tag 1, 1 x 4 B => 6 x 4 B)\n")

    def test_structure(self):
        other = (RING % 4).replace("  MPI_Allreduce", "  MPI_Barrier(world)\n  MPI_Allreduce") + "on 2: MPI_Finalize; open 1\n"
        text = self.difference(RING % 4, other)
        self.assertIn("structure: 0 lines of the first alone (-), 2 of the second (+)\nvalues: the same\n", text)
        self.assertIn("\n+   MPI_Barrier(world)\n", text)
        self.assertIn("\n+ on 2: MPI_Finalize; open 1\n", text)
        back = self.difference(other, RING % 4)
        self.assertEqual([line for line in back.splitlines() if line.startswith("-")],
                         [line.replace("+", "-", 1) for line in text.splitlines() if line.startswith("+")])

    def test_ranks_and_outcomes(self):
        first = HEAD % 4 + "on 0-1: MPI_Recv(world, from ^1, tag 1, 1 x 4 B)\n"
        second = HEAD % 4 + "MPI_Recv(world, from ^1, tag 1, 1 x 4 B); open 1\n"
        self.assertIn("\n~ on 0-1 => all: MPI_Recv(world, from ^1, tag 1, 1 x 4 B); nothing => open 1\n", self.difference(first, second))

    def test_no_other_options(self):
        self.write(RING % 4)
        self.assertIn("of one skeleton", self.error("skeleton", "skeleton", "skeleton", "--stats"))


if __name__ == "__main__":
    main()
