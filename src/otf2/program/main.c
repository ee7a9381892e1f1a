/* difftrace-otf2 read ANCHOR | write FOLDER: started by difftrace, with a socket as its standard input. */
#include <otf2/otf2.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "otf2/program/program.h"

/* The first thing that the library complained of: the rest follows from it. */
static OTF2_ErrorCode keep_error(void *user_data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    char **kept = user_data;
    (void)file;
    (void)line;
    (void)function;
    if (!*kept && code != OTF2_SUCCESS && code > 0) {
        g_autofree char *text = g_strdup_vprintf(format, arguments);
        g_strdelimit(text, "\r\n", ' ');
        *kept = g_strdup_printf("%s%s%s", OTF2_Error_GetDescription(code), *text ? ": " : "", text);
    }
    return code;
}

int main(int argc, char **argv)
{
    char *problem = NULL, *of_library = NULL;
    if (argc != 3)
        return 2;
    gboolean reads = strcmp(argv[1], "read") == 0;
    g_autoptr(DtOtf2Stream) stream = dt_otf2_stream_new(STDIN_FILENO);
    OTF2_Error_RegisterCallback(keep_error, &of_library);
    gboolean done = (reads ? dt_otf2_read_archive : dt_otf2_write_archive)(argv[2], stream, &problem);
    OTF2_Error_RegisterCallback(NULL, NULL);
    if (done) {
        DT_OTF2_PUT(stream, DT_OTF2_DONE, 0);
    } else {
        g_autofree char *text = of_library && problem ? g_strdup_printf("%s: %s", problem, of_library)
                                                      : g_strdup(problem ? problem : of_library);
        const char *const texts[] = {text ? text : "OTF2's library gave up"};
        dt_otf2_put(stream, DT_OTF2_ERROR, NULL, 0, texts, 1);
    }
    dt_otf2_flush(stream);
    g_free(problem);
    g_free(of_library);
    return done ? 0 : 1;
}
