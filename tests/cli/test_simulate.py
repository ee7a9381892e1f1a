"""difftrace simulate, and minimise: what stands still, told as waits tells it, and the smallest that does."""

import os
import re

from support import DIFFTRACE, CommandTest, main

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

    def test_cut_off(self):
        """Rank 0 was cut off in a call that returns here: what it would have sent next nobody knows. Ranks 2 and 3 are stuck without it."""
        text = (HEAD % 4 + "on 0: MPI_Send(world, to +1, tag 1, 1 x 4 B); open 1\non 1: MPI_Recv(world, from -1, tag 1, 1 x 4 B)\n"
                "on 1: MPI_Recv(world, from -1, tag 2, 1 x 4 B); open 1\n")
        for sends in ("buffered", "unbuffered"):
            document = self.simulate(self.write(text + "on 2-3: MPI_Finalize; open 1\n"), sends=sends)
            self.assertEqual((document["ends"], document["undecided"], document["went_on"], document["cycles"]), (False, True, 1, []))
            self.assertEqual(document["traces"][0]["waits"], "unknown")
            self.assertEqual(document["traces"][0]["blame"], 0)
        document = self.simulate(self.write(text + "on 2-3: MPI_Recv(world, from ^1, tag 1, 1 x 4 B)\n"))
        self.assertEqual((document["undecided"], document["cycles"]), (False, [["2.0", "3.0"]]))

    def test_taking_probe(self):
        """What MPI_Mprobe has found is received by MPI_Mrecv, and by nobody else; MPI_Imrecv has a request in its place."""
        sent = HEAD % 2 + "on 0: MPI_Send(world, to +1, tag 61, 3 x 8 B)\n"
        for taken in ("on 1: MPI_Mprobe(world, from +1, tag 61)\non 1: MPI_Mrecv(3 x 8 B)\n",
                      "on 1: MPI_Irecv(world, from +1, tag 9, 1 x 4 B)\non 1: MPI_Mprobe(world, from any, tag any); got +1\n"
                      "on 1: MPI_Imrecv(3 x 8 B)\non 1: MPI_Wait(live 1)\non 0: MPI_Send(world, to +1, tag 9, 1 x 4 B)\non 1: MPI_Wait(live 0)\n"):
            name = self.write(sent + taken + "MPI_Barrier(world)\n")
            for sends in ("buffered", "unbuffered"):
                self.assertTrue(self.simulate(name, sends=sends)["ends"], (sends, taken))
        for wrong in ("on 1: MPI_Mprobe(world, from +1, tag 62)\n", "on 1: MPI_Mprobe(world, from +1, tag 61)\non 1: MPI_Recv(world, from +1, tag 61, 3 x 8 B)\n"):
            document = self.simulate(self.write(sent + wrong + "MPI_Barrier(world)\n"), sends="unbuffered")
            self.assertEqual((document["ends"], document["undecided"], document["not_simulated"]), (False, False, []))

    def test_not_simulated_proves_nothing(self):
        """Each is right, or may be; without what is not simulated somebody would stand still."""
        receive = "on 1: MPI_Recv(%s, from %s, tag 1, 1 x 4 B)\n"
        for calls, told in (
                ("comm world/1 0 1\nMPI_Intercomm_create(world, rank 0, rank 1, tag 1)\non 0: MPI_Send(world/1, to +0, tag 1, 1 x 4 B)\n"
                 + receive % ("world/1", "+0"), "MPI_Recv"),
                ("MPI_Comm_spawn(self, root 0)\n" + receive % ("self/1", "+0"), "MPI_Comm_spawn"),
                (receive % ("#3", "+1"), "MPI_Recv"),
                ("on 0: MPI_Send(world, to unknown, tag 1, 1 x 4 B)\n" + receive % ("world", "+1"), "MPI_Send"),
                ("on 0: MPI_Send\n" + receive % ("world", "+1"), "MPI_Send"),
                (receive % ("world", "+1") + "thread 1\non 0: MPI_Send(world, to +1, tag 1, 1 x 4 B)\n", "other threads"),
                ("MPI_Isendrecv(world, to +1, tag 1, 1 x 4 B, from +1, tag 1, 1 x 4 B)\n" + receive % ("world", "+1"), "MPI_Isendrecv"),
                ("on 0: MPI_Issend(world, to +1, tag 1, 1 x 4 B)\non 0: MPI_Cancel(live 0)\non 0: MPI_Wait(live 0)\n",
                 "MPI_Cancel of a send")):
            name = self.write(HEAD % 2 + calls)
            with self.subTest(calls=calls):
                document = self.simulate(name)
                self.assertTrue(document["ends"] or document["undecided"])
                self.assertEqual(document["cycles"], [])
                self.assertTrue(any(told in what for what in document["not_simulated"]), document["not_simulated"])
                self.assertEqual(sum(trace["blame"] for trace in document["traces"]), 0)
                self.assertNotIn("Deadlock", self.difftrace("simulate", name))

    def test_who_meets_in_part_of_a_communicator_is_not_simulated(self):
        """It is said, whether all come or not; whoever comes goes on, so that others' deadlock stays proved."""
        deadlock = "on 0-1: MPI_Recv(world, from ^1, tag 1, 1 x 4 B)\n"
        for call in ("MPI_Comm_create_group(world, group <0 2>, tag 5)", "MPI_Neighbor_alltoall(world, 1 x 4 B)"):
            for ranks in ("0,2", "0"):
                name = self.write(HEAD % 3 + "comm world/1 0,2\non %s: %s\n" % (ranks, call))
                with self.subTest(call=call, ranks=ranks):
                    document = self.simulate(name)
                    self.assertEqual((document["ends"], document["not_simulated"]), (True, [call.partition("(")[0]]))
            stands = self.simulate(self.write(HEAD % 3 + "comm world/1 0,2\non 0,2: %s\n" % call + deadlock))
            self.assertEqual((stands["undecided"], stands["cycles"]), (False, [["0.0", "1.0"]]))

    def test_files_of_some_and_of_all(self):
        """A file of one rank before that of all moves its numbers: they meet all the same."""
        text = (HEAD % 2 + "on 0: MPI_File_open(self, mode 5)\nMPI_File_open(world, mode 5)\n"
                "MPI_File_write_all(file {0: 1; 1: 0}, 1 x 4 B)\nMPI_File_close(file {0: 1; 1: 0})\n")
        self.assertTrue(self.simulate(self.write(text))["ends"])

    def test_a_name_of_two_communicators(self):
        text = (HEAD % 2 + "comm world/1 0 0-1\non 1: MPI_Barrier(world/1)\non 0: MPI_Barrier(world/1)\nMPI_Barrier(world)\n")
        document = self.simulate(self.write(text))
        self.assertTrue(document["ends"] or document["undecided"])

    def test_places_of_requests(self):
        """A request that is not followed keeps its place, so that others are found."""
        text = (HEAD % 2 + "on 0: MPI_File_iread(file 0, 1 x 4 B)\non 0: MPI_Irecv(world, from +1, tag 1, 1 x 4 B)\n"
                "on 0: MPI_Wait(live 1)\non 0: MPI_Send(world, to +1, tag 2, 1 x 4 B)\non 1: MPI_Send(world, to +1, tag 1, 1 x 4 B)\n"
                "on 1: MPI_Recv(world, from +1, tag 2, 1 x 4 B)\non 0: MPI_Wait(live 0)\n")
        self.assertTrue(self.simulate(self.write(text), sends="unbuffered")["ends"])
        late = text.replace("on 1: MPI_Send(world, to +1, tag 1, 1 x 4 B)\non 1: MPI_Recv(world, from +1, tag 2, 1 x 4 B)\n",
                            "on 1: MPI_Recv(world, from +1, tag 2, 1 x 4 B)\non 1: MPI_Send(world, to +1, tag 1, 1 x 4 B)\n")
        self.assertFalse(self.simulate(self.write(late))["ends"])

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



CLUSTER = "cluster:%d,bandwidth=1GBps,latency=1us"


class Timed(Simulated):
    """What a pencil says of latency + bytes / bandwidth: in ns."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(os.path.join(os.path.dirname(DIFFTRACE), "difftrace-simgrid.so")):
            self.skipTest("built without SimGrid (libsimgrid-dev)")

    def timed(self, text, *options, ranks=2, sends="buffered", cluster=CLUSTER):
        return self.simulate(self.write(text), "--platform", cluster % ranks, *options, sends=sends)["times"]

    def waits(self, times):
        return {kind["wait"]: (kind["calls"], kind["ns"]) for kind in times["kinds"]}

    def test_ping_pong(self):
        text = HEAD % 2 + ("10 times\n  on 0: MPI_Send(world, to +1, tag 1, 1000 x 8 B)\n  on 0: MPI_Recv(world, from +1, tag 1, 1000 x 8 B)\n"
                           "  on 1: MPI_Recv(world, from +1, tag 1, 1000 x 8 B)\n  on 1: MPI_Send(world, to +1, tag 1, 1000 x 8 B)\n")
        for sends in ("buffered", "unbuffered"):
            times = self.timed(text, sends=sends)
            self.assertEqual((times["end_ns"], times["messages"], times["bytes"]), (20 * 9000, 20, 160000))
            self.assertEqual(times["links"], [{"from": 0, "to": 1, "messages": 10, "bytes": 80000}, {"from": 1, "to": 0, "messages": 10, "bytes": 80000}])
        self.assertEqual(self.timed(text, "--size", "200%")["end_ns"], 20 * 17000)
        self.assertEqual(self.timed(text, cluster="cluster:%d,bandwidth=8Gbps,latency=3us")["end_ns"], 20 * 11000)

    def test_bandwidth_is_shared(self):
        """Two messages at once into one link take twice as long for their bytes."""
        text = HEAD % 3 + "on !0: MPI_Send(world, to =0, tag 1, 1 x 4000 B)\non 0: MPI_Recv(world, from +1, tag 1, 1 x 4000 B)\non 0: MPI_Recv(world, from +2, tag 1, 1 x 4000 B)\n"
        self.assertEqual(self.timed(text, ranks=3)["end_ns"], 1000 + 2 * 4000)

    def test_late_sender(self):
        text = HEAD % 2 + "on 0: MPI_Send(world, to +1, tag 1, 1 x 1000 B)\n  after start: 1 x 3ms\non 1: MPI_Recv(world, from +1, tag 1, 1 x 1000 B)\n  after start: 1 x 1ms\n"
        times = self.timed(text)
        self.assertEqual((times["end_ns"], times["computes"]), (3002000, True))
        self.assertEqual(self.waits(times), {"late sender": (1, 2000000)})
        self.assertEqual(times["by_rank"], [{"rank": 0, "end_ns": 3000000, "computed_ns": 3000000, "waited_ns": 0, "most_for": None, "most_ns": 0},
                                            {"rank": 1, "end_ns": 3002000, "computed_ns": 1000000, "waited_ns": 2000000, "most_for": 0, "most_ns": 2000000}])
        self.assertEqual(self.timed(text, "--compute", "50%")["end_ns"], 1502000)
        self.assertEqual(self.timed(text, "--compute", "0%")["end_ns"], 2000)
        self.assertEqual(self.timed(text, cluster="cluster:%d,speed=2Gf,bandwidth=1GBps,latency=1us")["end_ns"], 1502000)

    def test_late_receiver(self):
        text = HEAD % 2 + "on 0: MPI_Send(world, to +1, tag 1, 1 x 1000 B)\non 1: MPI_Recv(world, from +1, tag 1, 1 x 1000 B)\n  after start: 1 x 3ms\n"
        buffered, unbuffered = self.timed(text), self.timed(text, sends="unbuffered")
        self.assertEqual((buffered["by_rank"][0]["end_ns"], buffered["end_ns"], self.waits(buffered)), (0, 3000000, {}))
        self.assertEqual((unbuffered["by_rank"][0]["end_ns"], self.waits(unbuffered)), (3002000, {"late receiver": (1, 3000000)}))

    def test_visits(self):
        """Times of a row are taken one after the other."""
        text = HEAD % 1 + "3 times\n  MPI_Barrier(world)\n    after start: 1 x 1ms\n    after +0: 2 x 3ms [2ms 4ms]\n"
        self.assertEqual(self.timed(text, ranks=1)["end_ns"], 7000000)

    def test_barrier(self):
        times = self.timed(HEAD % 8 + "MPI_Barrier(world)\n  on 0: after start: 1 x 1ms\n  on !0: after start: 7 x 400us\n", ranks=8)
        self.assertEqual((times["end_ns"], times["collective_messages"]), (1000000 + 3 * 1000, 8 * 3))
        self.assertEqual(self.waits(times), {"wait at barrier": (7, 7 * 600000)})
        self.assertEqual({rank["most_for"] for rank in times["by_rank"][1:]}, {0})

    def test_collectives(self):
        """1000 bytes in a microsecond, and one of latency."""
        for call, choice, ranks, end in (("MPI_Allreduce(world, sum, 1 x 1000 B)", "allreduce=doubling", 8, 3 * 2000),
                                         ("MPI_Allreduce(world, sum, 1 x 1000 B)", "allreduce=doubling", 6, 4 * 2000),
                                         ("MPI_Allreduce(world, sum, 4 x 1000 B)", "allreduce=ring", 4, 6 * 2000),
                                         ("MPI_Bcast(world, root 3, 1 x 1000 B)", "bcast=linear", 5, 1000 + 4 * 1000),
                                         ("MPI_Bcast(world, root 1, 1 x 1000 B)", "bcast=binomial", 2, 2000),
                                         ("MPI_Gather(world, root 0, 1 x 1000 B)", "gather=linear", 5, 1000 + 4 * 1000),
                                         ("MPI_Gather(world, root 0, 1 x 1000 B)", "gather=binomial", 4, 2000 + 3000 - 0),
                                         ("MPI_Scan(world, sum, 1 x 1000 B)", "scan=linear", 4, 3 * 2000),
                                         ("MPI_Alltoall(world, 1 x 1000 B)", "alltoall=pairwise", 4, 3 * 2000),
                                         ("MPI_Allgather(world, 1 x 1000 B)", "allgather=ring", 4, 3 * 2000),
                                         ("MPI_Allgather(world, 1 x 1000 B)", "allgather=bruck", 4, 2000 + 3000)):
            with self.subTest(call=call, choice=choice, ranks=ranks):
                self.assertEqual(self.timed(HEAD % ranks + call + "\n", "--collectives", choice, ranks=ranks)["end_ns"], end)

    def test_requests(self):
        """What is persistent, and begun again before it was received."""
        text = (HEAD % 2 + "on 0: MPI_Send_init(world, to +1, tag 1, 1 x 1000 B)\non 1: MPI_Recv_init(world, from +1, tag 1, 1 x 1000 B)\n"
                "4 times\n  MPI_Start(live 0)\n  MPI_Wait(live 0)\n")
        for sends, end in (("buffered", 1000 + 4 * 1000), ("unbuffered", 4 * 2000)):
            times = self.timed(text, sends=sends)
            self.assertEqual((times["messages"], times["end_ns"]), (4, end))

    def test_stands_still(self):
        """The same ranks as without time; who came to his end has one."""
        for text, ranks in ((SORT, 16), (RING % 4 + "on !2: MPI_Barrier(world)\n", 4)):
            for sends in ("buffered", "unbuffered"):
                name = self.write(text)
                timed = self.simulate(name, "--platform", "cluster:%d" % ranks, sends=sends)
                self.assertEqual(timed["traces"], self.simulate(name, sends=sends)["traces"])
                self.assertFalse(timed["ends"])
                still = {trace["trace"] for trace in timed["traces"] if trace["waits"] in ("all", "any")}
                self.assertEqual({"%d.0" % rank["rank"] for rank in timed["times"]["by_rank"] if rank["end_ns"] is None}, still)

    def test_file(self):
        """Two hosts, the second one half as fast; two ranks on two cores of one."""
        with open(self.path("two.xml"), "w", encoding="ascii") as file:
            file.write("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                       "<zone id=\"all\" routing=\"Full\">\n<host id=\"a\" speed=\"1Gf\" core=\"2\"/>\n<host id=\"b\" speed=\"500Mf\"/>\n"
                       "<link id=\"l\" bandwidth=\"1GBps\" latency=\"5us\"/>\n<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n</zone>\n</platform>\n")
        text = HEAD % 3 + "on 2: MPI_Send(world, to =0, tag 1, 1 x 1000 B)\n  after start: 1 x 1ms\non 0: MPI_Recv(world, from =2, tag 1, 1 x 1000 B)\non 1: MPI_Finalize\n"
        times = self.simulate(self.write(text), "--platform", "two.xml")["times"]
        self.assertEqual((times["hosts"], times["by_rank"][0]["end_ns"]), (2, 2000000 + 6000))

    def test_errors(self):
        name = self.write(RING % 4)
        with open(self.path("bad.xml"), "w", encoding="ascii") as file:
            file.write("<nothing/>\n")
        for options, message in ((("--platform", "cluster:0"), "not cluster:N"), (("--platform", "cluster:4,color=red"), "not cluster:N"),
                                 (("--platform", "cluster:4,speed=-1Gf"), "not cluster:N"), (("--platform", "none.xml"), "No such file"),
                                 (("--platform", "bad.xml"), "SimGrid refuses it"), (("--size", "200%"), "give --platform, too"),
                                 (("--platform", "cluster:4", "--size", "0%"), "give 1% to 100000%"),
                                 (("--platform", "cluster:4", "--compute", "50%"), "has no times"),
                                 (("--platform", "cluster:4", "--collectives", "bcast=ring"), "bcast=binomial, bcast=linear"),
                                 (("--platform", "cluster:4", "--wildcards", "any"), "leave --platform out")):
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
