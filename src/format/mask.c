#include "format/mask.h"

#include <stddef.h>

static const char MARK = 0x7f;

void dt_mask_mark(const regex_t *mask, char *line)
{
    regmatch_t match;
    int flags = 0;
    while (*line && regexec(mask, line, 1, &match, flags) == 0) {
        for (regoff_t i = match.rm_so; i < match.rm_eo; i++)
            line[i] = MARK;
        line += match.rm_eo;
        if (match.rm_eo == match.rm_so && *line) /* a match of nothing */
            line++;
        flags = REG_NOTBOL;
    }
}

void dt_mask_squeeze(char *line)
{
    char *to = line, before = 0;
    for (const char *from = line; *from; from++) {
        const char byte = *from;
        if (byte != MARK || before != MARK)
            *to++ = byte == MARK ? '*' : byte;
        before = byte;
    }
    *to = 0;
}
