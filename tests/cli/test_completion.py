"""Completion in bash, and that zsh's parses where there is one."""

import os
import pty
import select
import shutil
import subprocess
import unittest

from support import DIFFTRACE, LIMIT, CommandTest, main

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "completions")


class Completion(CommandTest):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _difftrace; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        path = os.path.dirname(DIFFTRACE) + ":" + os.environ["PATH"]
        result = subprocess.run(["bash", "-c", script, "bash", os.path.join(FOLDER, "difftrace.bash"), "difftrace", *words],
                                cwd=self.folder, env=dict(os.environ, PATH=path), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_commands(self):
        self.assertEqual(self.complete("den"), ["dendrogram"])
        self.assertIn("compare", self.complete(""))
        self.assertEqual(self.complete("help", "exp"), ["export"])

    def test_options(self):
        self.assertEqual(self.complete("compare", "--base"), ["--baseline"])
        self.assertEqual(self.complete("compare", "--linkage", "w"), ["weighted", "ward"])
        self.assertEqual(self.complete("nlr", "--nlr", ""), ["plain", "count-blind", "call-tree"])
        self.assertEqual(self.complete("import", "--from", "u"), ["uftrace"])
        self.assertEqual(self.complete("collect", "--images", ""), ["main", "app", "all"])
        self.assertEqual(self.complete("lattice", "--format", "=", ""), ["text", "tsv", "dot", "svg", "json", "cxt"])
        self.assertEqual(self.complete("waits", "--format", "=", "s"), ["svg"])
        self.assertEqual(self.complete("nlr", "-a", "doub.a"), ["doub.actual"])
        self.assertEqual(self.complete("waits", "normal", "--ts"), ["--tsv"])

    def test_from_the_run(self):
        self.make("normal", "deadlock")
        self.assertEqual(self.complete("stack", "normal", "-t", "1"),
                         ["1.0"] + ["%d.0" % rank for rank in range(10, 16)])
        self.assertEqual(self.complete("nlr", "normal", "-f", "mpis"), ["mpisr"])
        self.assertEqual(self.complete("nlr", "normal", "-f", "cust", ":", "odd"), ["oddEvenSort"])
        self.assertEqual(self.complete("nlr", "normal", "-f", "c"), ["cust:", "caller:"])
        self.assertEqual(self.complete("nlr", "normal", "-f", "a"), ["all"])
        self.execute("compare", "normal", "deadlock", "-f", "mpi")
        self.assertEqual(self.complete("diffnlr", "5"), ["5.0"])
        self.assertEqual(self.complete("diffnlr", ""), ["%d.0" % rank for rank in range(16)])
        self.assertEqual(sorted(self.complete("diffnlr", "5.0", "")), ["deadlock", "difftrace.out", "normal"])

    def test_files_otherwise(self):
        self.make("normal")
        self.assertEqual(self.complete("info", "nor"), ["normal"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_parses(self):
        subprocess.run(["zsh", "-n", os.path.join(FOLDER, "_difftrace")], check=True, timeout=LIMIT)

    def read_until(self, terminal, text):
        out = b""
        while text.encode() not in out:
            self.assertTrue(select.select([terminal], [], [], LIMIT)[0], "%r does not come: %r" % (text, out))
            out += os.read(terminal, 65536)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_completes(self):
        """Typed at a terminal, with a tab at the end."""
        self.make("normal")
        with open(self.path(".zshrc"), "w", encoding="ascii") as file:
            # The prompt alone comes while the terminal still edits lines itself and would swallow the tab.
            file.write("fpath=('%s' $fpath)\nautoload -U compinit && compinit -u -d '%s'\nPS1='> '\n"
                       "zle-line-init() { print -n 'ready' }\nzle -N zle-line-init\n" %
                       (os.path.abspath(FOLDER), self.path("dump")))
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            path = os.path.dirname(DIFFTRACE) + ":" + os.environ["PATH"]
            # The search for leaks at the end of a sanitized program now and then hangs below zsh.
            os.execvpe("zsh", ["zsh", "-d", "-i"], dict(os.environ, PATH=path, ZDOTDIR=self.folder, TERM="dumb",
                                                        ASAN_OPTIONS="detect_leaks=0"))
        for typed, completed in (("difftrace nlr normal -f cust:odd", "cust:oddEvenSort"), ("difftrace dend", "dendrogram"),
                                 ("difftrace import --from uf", "uftrace"), ("difftrace nlr -f ompc", "ompcrit"),
                                 ("difftrace waits normal --ts", "--tsv")):
            self.read_until(terminal, "ready")
            os.write(terminal, typed.encode() + b"\t")
            self.read_until(terminal, completed)
            os.write(terminal, b"\x15\n")  # the line away, and a new prompt
        self.read_until(terminal, "ready")
        os.write(terminal, b"exit\n")
        os.waitpid(process, 0)
        os.close(terminal)


if __name__ == "__main__":
    main()
