"""difftrace nlr: the literature's table of the odd/even sort, and the same without loss."""

import re

from support import CommandTest, main

PROLOGUE = "MPI_Init MPI_Comm_rank MPI_Comm_size "
TABLE = ["0.0: " + PROLOGUE + "L0^2 MPI_Finalize",
         "1.0: " + PROLOGUE + "L1^4 MPI_Finalize",
         "2.0: " + PROLOGUE + "L0^4 MPI_Finalize",
         "3.0: " + PROLOGUE + "L1^2 MPI_Finalize",
         "L0 = [MPI_Send MPI_Recv]",
         "L1 = [MPI_Recv MPI_Send]"]


class Nlr(CommandTest):
    def test_table(self):
        self.make("oddeven4")
        for selection in (["--filter", "mpiall"], ["--filter", "mpi", "-k", "10"], ["--filter", "11.mpiall.0K10"]):
            self.assertEqual(self.lines("nlr", "oddeven4", *selection), TABLE)

    def test_one_trace_keeps_the_names_of_loops(self):
        self.make("oddeven4")
        self.assertEqual(self.lines("nlr", "oddeven4", "--filter", "mpiall", "-t", "3"), [TABLE[3], TABLE[5]])

    def test_k_of_the_notation_wins(self):
        self.make("oddeven4")
        folded = self.difftrace("nlr", "oddeven4", "--filter", "11.mpiall.0K2", "-k", "1")
        self.assertEqual(folded.splitlines(), TABLE)
        self.assertNotIn("L0", self.difftrace("nlr", "oddeven4", "--filter", "mpiall", "-k", "1"))

    def test_min_repeat(self):
        self.make("oddeven4")
        lines = self.lines("nlr", "oddeven4", "--filter", "mpiall", "--min-repeat", "3")
        self.assertEqual(lines[0], "0.0: " + PROLOGUE + "MPI_Send MPI_Recv MPI_Send MPI_Recv MPI_Finalize")
        self.assertEqual(lines[1], "1.0: " + PROLOGUE + "L0^4 MPI_Finalize")

    def expand(self, elements, bodies):
        for element in elements:
            loop = re.fullmatch(r"(L\d+)\^(\d+)", element)
            if loop:
                for _ in range(int(loop.group(2))):
                    yield from self.expand(bodies[loop.group(1)], bodies)
            else:
                yield element

    def test_document_expands_to_the_trace(self):
        for run in ("swapbug", "workers-normal", "deadlock"):
            self.make(run)
            document = self.json("nlr", run)
            self.assertEqual(document["filter"], "11.all.0K1000")
            for trace in document["traces"]:
                flat = self.lines("dump", run, "--flat", "-t", trace["trace"])
                entries = [line.split("\t")[2] for line in flat if "\t>\t" in line]
                self.assertEqual(list(self.expand(trace["elements"], document["bodies"])), entries)
                self.assertEqual(trace["symbols"], len(entries))

    def counts(self, text):
        """Of "25 (22 25)^3" the counts one by one."""
        text = re.sub(r"(\d+|\))\^(\d+)", r"\1*\2", text)
        text = re.sub(r"\(", " [", re.sub(r"\)", "] ", text))
        text = re.sub(r"(\d+|\])\s*\*(\d+)", r"\1*\2", text)

        def parse(tokens):
            row = []
            while tokens:
                token = tokens.pop(0)
                if token.startswith("]"):
                    return row * int(token[2:])
                if token == "[":
                    row += parse(tokens)
                else:
                    count, _, times = token.partition("*")
                    row += [int(count)] * int(times or 1)
            return row
        return parse(re.findall(r"\[|\]\*\d+|\d+\*\d+|\d+", text))

    def expand_counted(self, elements, bodies, counts):
        for element in elements:
            loop = re.fullmatch(r"(L\d+)\^(\d+|\*)", element)
            if not loop:
                yield element
                continue
            count = counts[loop.group(1)].pop(0)
            self.assertIn(loop.group(2), ("*", str(count)))
            for _ in range(count):
                yield from self.expand_counted(bodies[loop.group(1)], bodies, counts)

    def write_varying(self, path, rounds):
        """A program in the text format: a call of `work` in each round, as often as `rounds` says."""
        with open(self.path(path), "w", encoding="utf-8") as file:
            for count in rounds:
                file.write("0.0 > step\n" + "0.0 > work\n0.0 <\n" * count + "0.0 > MPI_Barrier\n0.0 <\n0.0 <\n")

    def test_count_blind(self):
        self.write_varying("varying.txt", [3, 5, 2, 4, 2, 4, 9])
        self.difftrace("import", "--from", "text", "varying.txt", "-o", "varying", warnings=True)
        self.assertEqual(self.lines("nlr", "varying", "--nlr", "count-blind"),
                         ["0.0: L1^7", "L0 = [work]", "L1 = [step L0^* MPI_Barrier]", "0.0 L0: 3 5 (2 4)^2 9"])

    def test_count_blind_document_expands_to_the_trace(self):
        for run in ("swapbug", "workers-normal", "deadlock"):
            self.make(run)
            plain = self.json("nlr", run)
            document = self.json("nlr", run, "--nlr", "count-blind")
            for trace, expected in zip(document["traces"], plain["traces"]):
                counts = {name: self.counts(text) for name, text in trace["counts"].items()}
                self.assertEqual(list(self.expand_counted(trace["elements"], document["bodies"], counts)),
                                 list(self.expand(expected["elements"], plain["bodies"])))
                self.assertFalse(any(counts.values()))

    def calls(self, elements, document):
        """The events of `dump --flat` that elements of a call tree stand for."""
        for element in elements:
            loop = re.fullmatch(r"(L\d+)\^(\d+)", element)
            if loop:
                for _ in range(int(loop.group(2))):
                    yield from self.calls(document["bodies"][loop.group(1)], document)
                continue
            name = re.sub(r"\{\d+(\.\.\.)?\}$", "", element)
            yield (">", name)
            yield from self.calls(document.get("nodes", {}).get(element, []), document)
            if not element.endswith("...}"):
                yield ("<", name)

    def test_call_tree_expands_to_the_trace(self):
        for run in ("swapbug", "workers-normal", "deadlock"):
            self.make(run)
            document = self.json("nlr", run, "--nlr", "call-tree")
            for trace in document["traces"]:
                flat = self.lines("dump", run, "--flat", "-t", trace["trace"])
                events = [tuple(line.split("\t")[1:3]) for line in flat]
                self.assertEqual(list(self.calls(trace["elements"], document)), events)
                self.assertEqual(trace["symbols"], len(events))

    def test_call_tree(self):
        self.write_varying("varying.txt", [2, 2, 3, 2])
        self.difftrace("import", "--from", "text", "varying.txt", "-o", "varying", warnings=True)
        self.assertEqual(self.lines("nlr", "varying", "--nlr", "call-tree"),
                         ["0.0: L1^2 step{2} step{1}", "L0 = [work]", "L1 = [step{1}]",
                          "step{1} = [L0^2 MPI_Barrier]", "step{2} = [L0^3 MPI_Barrier]"])

    def test_open_calls(self):
        self.make("deadlock")
        traces = {t["trace"]: t["open"] for t in self.json("nlr", "deadlock")["traces"]}
        self.assertEqual(traces["5.0"], ["main", "oddEvenSort", "MPI_Recv"])

    def test_nothing_kept_is_said(self):
        self.make("oddeven4")
        result = self.execute("nlr", "oddeven4", "--filter", "net")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "0.0:\n1.0:\n2.0:\n3.0:\n")
        self.assertIn("filter 11.net.0K1000: keeps no call of oddeven4", result.stderr)

    def test_threads_do_not_change_the_result(self):
        self.make("swapbug")
        self.assertEqual(self.difftrace("nlr", "swapbug", "-j", "1"), self.difftrace("nlr", "swapbug", "-j", "7"))


if __name__ == "__main__":
    main()
