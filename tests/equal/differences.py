"""What a build may print otherwise than another: words that were renamed, and drifts that were repaired.

REPLACED: (pattern, replacement), on the texts of the build before. NOTES: what is in lines on stderr that do not count.
REPAIRED: {question: why its answer differs}, where a question is the words that `compare-builds` prints, and may be a
pattern of fnmatch. OPTIONS: of a command, what an option is called today, and by the build before.
"""

# Answers that are empty say why.
REPLACED = [("Nobody waits\\.", "Nobody waits: every trace has ended."), ("nobody waits\"", 'nobody waits: every trace has ended"')]
# Lines on stderr that only one of the two builds prints.
NOTES = ["no call is open at its end", "no arguments of calls were recorded", "no call was recorded", "keeps nothing", "keeps no call",
         "no suspects:"]
REPAIRED = {"waits crash*": "that every trace had ended was said of one that crashed, too",
            "report -o - openmp-openmp-llvm.result": "functions that differ by as many calls are told in the order of their numbers, and these"
                                                     " are given in the order in which functions are read"}
OPTIONS = {"export": ("--format", "--to"), "stats": ("--format dot", "--dot"), "stack": ("--format dot", "--dot")}
