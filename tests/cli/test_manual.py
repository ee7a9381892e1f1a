"""The manual: pages and --help, made from docs/man, say what the parser accepts, and say the same."""

import glob
import os
import re
import shutil
import subprocess
import unittest

from support import CommandTest, command_source, main, read

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGES = os.path.join(SOURCE, "docs", "man")
OPTION = re.compile(r"^  ((?:-\w, )?--([\w-]+)\S*)(?:$|\s+)")


def plain(roff):
    """The text of man(7), by other means than the program's: a line a block."""
    blocks = []
    for line in roff.replace("\\\n", "").splitlines():
        if line.startswith("."):
            blocks.append([line])
        else:
            blocks[-1].append(line)
    text = "\n".join(" ".join(block) for block in blocks)
    for escape, character in (("\\-", "-"), ("\\&", ""), ("\\e", "\\"), ("\\(aq", "'"), ("\\(ha", "^"), ("\\(ti", "~")):
        text = text.replace(escape, character)
    return re.sub(r"\\f[BIR]", "", text)


class Manual(CommandTest):
    def commands(self):
        return dict(re.findall(r"^  (\w+) +(.*)", self.difftrace("help"), re.MULTILINE))

    def options_of_help(self, command):
        """The terms and texts of the options that the parser has."""
        options = {}
        for line in self.lines(command, "--help"):
            option = OPTION.match(line)
            if option:
                name, rest = option.group(2), line[option.end():]
                options[name] = [option.group(1), rest]
            elif line.startswith(" " * 24):
                options[name][1] += " " + line.strip()
            elif options:
                break
        return {name: (term, text.strip()) for name, (term, text) in options.items()}

    def options_of_parser(self, command):
        """Those that the command's source has, other than what dt_cli_parse() gives to all."""
        sources = os.path.join(SOURCE, "src", "commands")
        text = read(command_source(command))
        for function, source in (("dt_similarity_command(", "similarity_command.c"), ("dt_selection_entries(", "selection_options.c"),
                                 ("DT_REPORT_OPTIONS(", "report_options.h"), ("DT_ATTACHED_OPTIONS(", "attached.h")):
            text += read(os.path.join(sources, source)) if function in text else ""
        return set(re.findall(r'(?:DT_OPTION\(|\{)"([\w-]+)", (?:G_OPTION_ARG_)?[A-Z0-9_]+, &', text))

    def test_every_option_is_documented(self):
        for command in self.commands():
            with self.subTest(command=command):
                options = self.options_of_help(command)
                self.assertEqual(set(options), self.options_of_parser(command) | {"quiet", "help"})
                for name, (term, text) in options.items():
                    self.assertTrue(text, "--%s has no text" % name)
                page = self.difftrace("help", command).split("\nOPTIONS\n")[1].split("\n\n")
                documented = {re.match(r"    (?:-\w, )?--([\w-]+)", block).group(1) for block in page
                              if block.startswith("    -")}
                self.assertEqual(set(options), documented)

    def test_options_take_the_arguments_that_the_manual_says(self):
        """An option with an argument in the manual asks for one; one without refuses it."""
        for command in self.commands():
            for name, (term, _) in self.options_of_help(command).items():
                if "[=" in term:
                    continue
                with self.subTest(command=command, option=name):
                    if "=" in term:
                        self.assertIn("Missing argument for --" + name, self.error(command, "--" + name))
                    else:
                        self.assertIn("--%s takes no value" % name, self.error(command, "--%s=x" % name))

    def test_pages_say_what_help_says(self):
        overview = plain(self.difftrace("help", "--roff"))
        for command, summary in self.commands().items():
            with self.subTest(command=command):
                page = plain(self.difftrace("help", "--roff", command))
                self.assertIn("\n.SH NAME difftrace-%s - %s\n" % (command, summary), page)
                self.assertIn("\n.TP difftrace-%s(1) %s\n" % (command, summary), overview + "\n")
                synopsis = self.lines(command, "--help")[0].replace("Usage: ", "")
                self.assertIn("\n.SH SYNOPSIS %s\n" % synopsis, page)
                for term, text in self.options_of_help(command).values():
                    quoted = re.escape(text).replace("'", "'?")  # code stands in quotes in --help alone
                    self.assertRegex(page, r"\n\.TP %s %s" % (re.escape(term), quoted))

    def test_a_page_for_each_command(self):
        names = {os.path.basename(page) for page in glob.glob(os.path.join(PAGES, "difftrace*.md"))}
        self.assertEqual(names - {"difftrace-collect.md"},
                         {"difftrace-%s.md" % command for command in set(self.commands()) - {"collect"}} | {"difftrace.md"})

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_pages_are_clean(self):
        for command in ["difftrace", *self.commands()]:
            page = self.path(command + ".1")
            with open(page, "w", encoding="utf-8") as file:
                file.write(self.difftrace("help", "--roff", command))
            result = subprocess.run(["mandoc", "-Tlint", page], stdout=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual((result.stdout, result.returncode), ("", 0))

    def test_date_of_a_page(self):
        os.environ["SOURCE_DATE_EPOCH"] = "86400"
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        self.assertIn(' "1970-01-02" ', self.difftrace("help", "--roff", "rank").splitlines()[0])


if __name__ == "__main__":
    main()
