"""What a build may print otherwise than another: words that were renamed, and drifts that were repaired.

REPLACED: (pattern, replacement), on the texts of the build before. REPAIRED: {question: why its answer differs}, where a
question is the words that `compare-builds` prints, and may be a pattern of fnmatch. OPTIONS: of a command, what an
option is called today, and by the build before.
"""

REPLACED = []
REPAIRED = {}
OPTIONS = {"export": ("--format", "--to"), "stats": ("--format dot", "--dot"), "stack": ("--format dot", "--dot")}
