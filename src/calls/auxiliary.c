/* The C library's calls that serve a program's own: text, the environment, dates; and memory. */
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"

/* clang-format off */
static const char *const text_calls[] = {
    "__asprintf_chk", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "__fgets_chk", "__fprintf_chk",
    "__isoc23_fscanf", "__isoc23_sscanf", "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul",
    "__isoc23_strtoull", "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__printf_chk", "__snprintf_chk",
    "__sprintf_chk", "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk", "__strncpy_chk",
    "__vasprintf_chk", "__vfprintf_chk", "__vprintf_chk", "__vsnprintf_chk", "__xpg_basename", "asctime", "asctime_r",
    "asprintf", "atof", "atoi", "atol", "atoll", "basename", "clearenv", "closelog", "ctime", "ctime_r", "difftime",
    "dirname", "dprintf", "fclose", "fdopen", "feof", "ferror", "fflush", "fgetc", "fgets", "fileno", "fmemopen",
    "fopen", "fopen64", "fprintf", "fputc", "fputs", "freopen", "fscanf", "fseek", "fseeko", "ftell", "ftello",
    "fwrite_unlocked", "getc", "getchar", "getdelim", "getenv", "getline", "getopt", "getopt_long",
    "getopt_long_only", "gets", "gettext", "gmtime", "gmtime_r", "index", "isalnum", "isalpha", "isatty", "isdigit",
    "islower", "isprint", "ispunct", "isspace", "isupper", "localeconv", "localtime", "localtime_r", "memchr",
    "mktime", "open_memstream", "openlog", "perror", "printf", "putc", "putchar", "putenv", "puts", "putw", "regcomp",
    "regexec", "regfree", "rewind", "rindex", "scanf", "secure_getenv", "setbuf", "setenv", "setlinebuf", "setlocale",
    "setvbuf", "snprintf", "sprintf", "sscanf", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr",
    "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strerror_r", "strftime", "strlen",
    "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strptime", "strrchr", "strsep",
    "strspn", "strstr", "strtod", "strtof", "strtok", "strtok_r", "strtol", "strtold", "strtoll", "strtoul",
    "strtoull", "syslog", "time", "tolower", "toupper", "ungetc", "unsetenv", "vasprintf", "vdprintf", "vfprintf",
    "vprintf", "vsnprintf", "vsprintf", "vsscanf", "vsyslog", "warn", "warnx", "wprintf",
};

static const char *const memory_calls[] = {
    "__memcpy_chk", "aligned_alloc", "bcmp", "bcopy", "bzero", "calloc", "free", "malloc", "malloc_usable_size",
    "memalign", "memcmp", "memcpy", "memmove", "mempcpy", "memset", "posix_memalign", "realloc", "reallocarray",
    "valloc",
};
/* clang-format on */

static int compare_names(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

#define IS_AMONG(name, names)                                                                                          \
    (bsearch(name, names, sizeof(names) / sizeof *(names), sizeof *(names), compare_names) != NULL)

bool dt_call_manages_memory(const char *name)
{
    return IS_AMONG(name, memory_calls);
}

bool dt_call_is_auxiliary(const char *name)
{
    return IS_AMONG(name, text_calls) || IS_AMONG(name, memory_calls);
}
