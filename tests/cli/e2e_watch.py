"""A job that is watched while it runs: in lines, as JSON, as a page, on a screen; and other commands on its run."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

from e2e_support import APPS, DIFFTRACE, OPEN_MPI, EndToEnd, environment, example, execute, main, own_lines

RANKS = 8
DEADLOCK = "Deadlock: 5-6 wait for each other"  # of the sort, by the arguments of their calls
LIMIT = 60  # seconds
COLOUR = r"\033\[(?:\d+;)*3\dm"
ENDS = ["sh", "-c", "sleep 2"]


def once_more(condition, what):
    """Waits for it."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError("not within %d s: %s" % (LIMIT, what))


class Terminal:
    """A program on a terminal of its own, and what it has written there."""

    def __init__(self, command, rows=24, columns=80, **variables):
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        variables.setdefault("TERM", "xterm")
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=environment(**variables))
        os.close(slave)
        self.text = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.2):
        """What comes within that time is added to the text. FALSE at the end."""
        while select.select([self.master], [], [], seconds)[0]:
            try:
                part = os.read(self.master, 65536)
            except OSError:
                return False
            if not part:
                return False
            self.text += part.decode(errors="replace")
        return True

    def expect(self, *words):
        """That all of them are written from now on; returns that text."""
        def is_there():
            self.read()
            return all(word in self.text for word in words)
        once_more(is_there, "%r in %r" % (words, self.text[-3000:]))
        text, self.text = self.text, ""
        return text

    def press(self, keys):
        self.text = ""
        os.write(self.master, keys.encode())

    def end(self):
        """The exit status; all that was written since is in the text."""
        once_more(lambda: not self.read() or self.process.poll() is not None, "its end")
        status = self.process.wait(LIMIT)
        self.read()
        os.close(self.master)
        return status


class Watch(EndToEnd):
    def start(self, command, *options):
        run = self.path("run")
        job = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--timeout", "170", *options, "--", *command],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), start_new_session=True)
        self.addCleanup(job.wait)
        self.addCleanup(job.terminate)
        once_more(lambda: os.path.exists(os.path.join(run, ".difftrace")), "a run")
        return run, job

    def test_share_of_mpi(self):
        """Ranks that wait for ever come to be in MPI for most of their time; calls that have not returned count until now."""
        run, _ = self.start(OPEN_MPI.run(RANKS, example("oddeven"), "--bug", "dl"), "--times=api")
        document = once_more(lambda: self.shares(run, 0.5), "a job that is in MPI")
        for each in document["classes"]:
            self.assertTrue(each["mpi"] is None or 0 <= each["mpi"]["min"] <= each["mpi"]["max"] <= 1, each)
        self.assertIsNone(self.once(run)["mpi"])
        self.assertIn(" in MPI, ", self.difftrace("watch", "--once", "--times", run).stdout.splitlines()[0])
        before, now = ({trace["trace"]: trace for trace in self.json("times", run, "--by", "rank", *options)["traces"]}
                       for options in ((), ("--once",)))
        for label, trace in before.items():
            self.assertGreater(now[label]["ns"], trace["ns"])
            self.assertGreaterEqual(now[label]["mpi_ns"], trace["mpi_ns"])

    def shares(self, run, least):
        document = self.once(run, "--times") if os.listdir(run) else {}
        seen = sum(len(each["traces"]) for each in document.get("classes", []) if each["mpi"])
        return document if (document.get("mpi") or 0) > least and seen == document["ranks"] == RANKS else None

    def hung(self):
        """A job that has come to its deadlock: rank 5 and 6 of the sort wait for each other."""
        run, job = self.start(OPEN_MPI.run(RANKS, example("oddeven"), "--bug", "dl"))
        document = once_more(lambda: self.stands_still(run), "a job that stands still")
        self.assertEqual(document["ranks"], RANKS)
        return run, job

    def stands_still(self, run):
        document = self.once(run)
        calls = [each["calls"][:1] for each in document["classes"]]
        return document if ["MPI_Recv"] in calls and document["events_per_second"] == 0 and \
            (document["waits"] or "").startswith(DEADLOCK) else None

    def once(self, run, *options):
        lines = self.difftrace("watch", "--once", "--json", "--period=0.3", *options, run).stdout.splitlines()
        self.assertEqual(len(lines), 1)
        return json.loads(lines[0])

    # ---- lines, documents, pages -------------------------------------------------------------

    def test_all_forms_of_a_job_that_hangs(self):
        run, job = self.hung()
        self.check_once(run)
        self.check_documents(run)
        self.check_page(run)
        self.check_other_commands(run)
        self.check_screen(run)
        job.terminate()
        job.wait()
        self.check_ended(run)

    def check_once(self, run):
        text = self.difftrace("watch", "--once", run).stdout
        head, headings, *lines = text.splitlines()
        self.assertRegex(head, r"^%s: 8 ranks, \d+ threads, running for \d\d:\d\d:\d\d, [\d,]+ events, 0/s, on one host$" % run)
        self.assertEqual(headings.split(), ["in", "called", "by", "threads", "events/s", "still", "for"])
        self.assertTrue([line for line in lines if re.search(r"^ *\d  MPI_Recv +exchange +[0-9,-]*5-6 +0 +> \d+ s$", line)], text)
        self.assertRegex(lines[-1], r"^no progress for at least \d+ s; %s; .*to blame.* \(difftrace waits %s\)$" % (DEADLOCK, run))
        # The same threads as other commands have them in these calls.
        waits = {trace["trace"] for trace in self.json("waits", "--quiet", run)["traces"] if trace["call"] == "MPI_Recv"}
        classes = self.once(run)["classes"]
        self.assertEqual({trace for each in classes if each["calls"][:1] == ["MPI_Recv"] for trace in each["traces"]}, waits)

    def check_documents(self, run):
        result = self.difftrace("watch", "--json", "--period=0.2", "--until-stuck=2", run, status=1)
        documents = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertGreater(len(documents), 1)
        self.assertEqual({document["state"] for document in documents[:-1]}, {"running"})
        self.assertEqual(documents[-1]["state"], "stuck")
        self.assertGreaterEqual(documents[-1]["stuck"], 2)
        self.assertTrue(documents[-1]["waits"])
        for document in documents:
            self.assertRegex(document["waits"] or DEADLOCK, "^" + DEADLOCK)
        self.assertIn("to blame", documents[-1]["waits"])
        still = [document["still"] for document in documents]
        self.assertEqual(still, sorted(still))
        events = [document["events"] for document in documents]
        self.assertEqual(events, sorted(events))
        iterations = [each["iteration"] for each in self.once(run, "--iterations")["classes"] if each["calls"][:1] == ["MPI_Recv"]]
        self.assertEqual([iteration["of"] for iteration in iterations], ["exchange"])
        self.assertLessEqual(iterations[0]["min"], iterations[0]["max"])
        # As often as the calls are in the trace of the last of them.
        calls = [name for label, entry, name in self.events(run, "-t", "5", "--quiet") if entry and name == "exchange"]
        self.assertTrue(iterations[0]["min"] <= len(calls) <= iterations[0]["max"], (iterations, len(calls)))

    def check_page(self, run):
        page = self.path("page.html")
        watch = subprocess.Popen([DIFFTRACE, "watch", "--html", page, "--period=0.05", "--until-stuck=3", run],
                                 stdout=subprocess.PIPE, text=True, env=environment())
        once_more(lambda: os.path.exists(page), "a page")
        seen = set()
        while watch.poll() is None:
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n"))
            seen.add(text)
            time.sleep(0.01)
        # Of a job that had hung for long there is but one.
        with open(page, encoding="utf-8") as file:
            seen.add(file.read())
        self.assertTrue(all(text.endswith("</html>\n") for text in seen))
        self.assertEqual(watch.returncode, 1)
        with watch.stdout:
            verdict = watch.stdout.read()
        self.assertTrue(verdict.startswith("stuck for ") and DEADLOCK + "." in verdict, verdict)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("<code>MPI_Recv</code>", text)
        self.assertIn(DEADLOCK, text)
        self.assertGreaterEqual(int(re.search(r"stuck for (\d+) s", text)[1]), 3)
        self.assertIn('<meta http-equiv="refresh"', text)
        self.assertEqual(re.findall(r"(?:src|href)=", text), [])

    # ---- other commands ------------------------------------------------------------------------

    def check_other_commands(self, run):
        shutil.copytree(run, self.path("copy"))
        for command, word in ((["stack", run], "MPI_Recv"), (["waits", run], "to blame"), (["info", run], "oddeven"),
                              (["stats", run], "exchange"), (["compare", self.path("copy"), run, "-o", self.path("out")], "")):
            with self.subTest(command=command[0]):
                result = self.difftrace(*command)
                notes = [line for line in own_lines(result.stderr) if "still running" in line]
                self.assertEqual(notes, ["difftrace: note: %s: the job is still running: this is as of now" % run])
                self.assertIn(word, result.stdout)
                self.assertNotIn("still running:", self.difftrace(*command, "--quiet").stderr)

    # ---- the screen -----------------------------------------------------------------------------

    def check_screen(self, run):
        terminal = Terminal([DIFFTRACE, "watch", "--period=0.3", run])
        self.assertRegex(terminal.expect("MPI_Recv", "exchange", "5-6", "q end", "no progress"), COLOUR)
        terminal.press("?")
        terminal.expect("A line is a class", "Keys")
        terminal.press("w")
        terminal.expect(DEADLOCK, "held up by", "a message from rank")
        terminal.press("c")
        terminal.expect(".0", "still for")
        terminal.press("\033[4~\r")
        terminal.expect("main")
        terminal.press("\033")
        terminal.expect("choose")
        terminal.press("\033[B\033[B\033[A\033[6~\033[5~xyz")
        for rows, columns in ((50, 200), (5, 20), (1, 1), (24, 80)):
            terminal.resize(rows, columns)
            terminal.read(0.5)
        terminal.press("?")
        terminal.expect("Keys")
        terminal.press("q")
        self.assertEqual(terminal.end(), 0)
        self.assertIn("\033[?1049l", terminal.text)  # the terminal is as it was
        self.check_verdict_behind_the_screen(run)
        self.check_plain(run)

    def check_verdict_behind_the_screen(self, run):
        terminal = Terminal([DIFFTRACE, "watch", "--until-stuck=2", run], NO_COLOR="1")
        terminal.expect("q end")
        self.assertEqual(terminal.end(), 1)
        screen, _, behind = terminal.text.rpartition("\033[?1049l")
        self.assertIn("stuck for ", behind)
        self.assertNotRegex(screen, COLOUR)

    def check_plain(self, run):
        terminal = Terminal([DIFFTRACE, "watch", "--period=0.3", run], TERM="dumb")
        text = terminal.expect("MPI_Recv", "no progress")
        self.assertNotIn("\033", text)
        terminal.process.terminate()
        terminal.end()
        terminal = Terminal([DIFFTRACE, "watch", "--period=0.3", run], TERM="no-such-terminal")
        terminal.expect("difftrace: note: plain lines are shown: TERM=no-such-terminal", "MPI_Recv")
        terminal.process.terminate()
        terminal.end()
        self.check_without_ncurses(run)

    def check_without_ncurses(self, run):
        os.mkdir(self.path("bin"))
        for name in ("difftrace", "difftrace-analysis.so"):
            shutil.copy(os.path.join(os.path.dirname(DIFFTRACE), name), self.path("bin"))
        terminal = Terminal([os.path.join(self.path("bin"), "difftrace"), "watch", "--period=0.3", run], columns=400)
        terminal.expect("difftrace: note: plain lines are shown: no difftrace-screen.so", "libncurses-dev", "MPI_Recv")
        terminal.process.terminate()
        terminal.end()

    # ---- ends and beginnings ---------------------------------------------------------------------

    def check_ended(self, run):
        for options in ([], ["--once"], ["--until-stuck"], ["--once", "--until-stuck", "--period=0.1"]):
            result = self.difftrace("watch", *options, run)
            if options == ["--until-stuck"]:
                self.assertEqual(result.stdout, "")
                continue
            self.assertIn("8 ranks, ended after 00:0", result.stdout)
            self.assertIn("the job has ended: this is its end", result.stdout)
            self.assertIn("MPI_Recv", result.stdout)
        document = self.once(run)
        self.assertEqual((document["state"], document["threads"], document["stuck"]), ("ended", 0, 0))
        self.assertTrue(all(each["ended"] for each in document["classes"]))
        self.assertEqual(self.difftrace("watch", "--json", "-o", self.path("lines"), run).stdout, "")
        with open(self.path("lines"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["state"] for line in file], ["ended"])
        page = self.path("ended.html")
        self.assertEqual(self.difftrace("watch", "--html", page, run).stdout, "")
        with open(page, encoding="utf-8") as file:
            self.assertNotIn("http-equiv", file.read())
        terminal = Terminal([DIFFTRACE, "watch", run])
        terminal.expect("ended after", "MPI_Recv", "q end")
        terminal.press("q")
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn("still running", self.difftrace("waits", run).stderr)

    def test_a_healthy_job_blames_nobody(self):
        """Two ranks wait for one that computes: that is no fault."""
        run, _ = self.start(OPEN_MPI.run(3, os.path.join(APPS, "mpi-alive"), "computes", "8"))
        documents = []

        def wait_for_the_first():
            documents.append(self.once(run) if os.listdir(run) else {})
            return documents[-1].get("waits") == "2 wait, most of them for 0.0"
        once_more(wait_for_the_first, "ranks that wait")
        for document in documents:
            self.assertNotIn("blame", document.get("waits") or "")

    def test_a_job_that_ends(self):
        run, job = self.start(ENDS)
        documents = [json.loads(line) for line in self.difftrace("watch", "--json", "--period=0.3", run).stdout.splitlines()]
        self.assertEqual(documents[-1]["state"], "ended")
        self.assertEqual({document["state"] for document in documents[:-1]}, {"running"})
        self.assertGreater(len(documents), 2)
        job.wait()

    def test_a_job_that_is_killed(self):
        run, job = self.start(OPEN_MPI.run(2, example("oddeven"), "--bug", "dl"))
        once_more(lambda: self.once(run)["ranks"] == 2, "two ranks")
        watch = subprocess.Popen([DIFFTRACE, "watch", "--period=0.2", run], stdout=subprocess.PIPE, text=True, env=environment())
        time.sleep(1)
        processes = [process["pid"] for process in self.json("info", "--quiet", run)["processes"]]
        os.kill(job.pid, signal.SIGKILL)
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        text, _ = watch.communicate(timeout=LIMIT)
        self.assertEqual(watch.returncode, 0, text)
        self.assertIn("the job has ended", text.split("\n\n")[-1])

    def test_a_job_that_begins_later(self):
        """The collector is there, and its first process comes seconds later."""
        run = self.path("run")
        os.mkdir(run)
        ready = self.path("ready")
        os.mkfifo(ready)
        job = subprocess.Popen([DIFFTRACE, "collect", "-o", run, "--images", "app", "--", "sh", "-c", "read line <%s; sleep 1" % ready],
                               env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(job.wait)
        once_more(lambda: os.path.exists(os.path.join(run, ".difftrace")), "a run")
        watch = subprocess.Popen([DIFFTRACE, "watch", "--json", "--period=0.1", run], stdout=subprocess.PIPE, text=True, env=environment())
        time.sleep(1)
        with open(ready, "w", encoding="utf-8") as file:
            file.write("go\n")
        documents = [json.loads(line) for line in watch.communicate(timeout=LIMIT)[0].splitlines()]
        self.assertEqual(documents[-1]["state"], "ended")
        self.assertGreater(len(documents), 5)

    def test_nobody_reads(self):
        run, _ = self.start(["sleep", "20"])
        result = execute(["sh", "-c", '"$0" watch --json --period=0.1 "$1" | head -n 2', DIFFTRACE, run], timeout=15)
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.assertEqual(result.stderr, "")

    def test_bad_input(self):
        run, _ = self.collect("ended", ["true"])
        for options, words in ((["--period=0"], ["--period"]), (["--period=x"], ["--period"]), (["--period=-1"], ["--period"]),
                               (["--html=-"], ["--html"]), (["--html="], ["--html"]), (["--until-stuck=0"], ["--until-stuck"]), (["--format=svg"], ["text and json"]),
                               (["--html", self.path("no/such/folder")], ["--html", "No such file"])):
            with self.subTest(options=options):
                self.assert_one_error(self.difftrace("watch", *options, run, status=2), *words)
        self.assert_one_error(self.difftrace("watch", self.path("nowhere"), status=2), "no such directory")
        self.assert_one_error(self.difftrace("watch", self.path("ende"), status=2), "did you mean")
        self.assert_one_error(self.difftrace("watch", self.folder, status=2), "not a run")


if __name__ == "__main__":
    main()
