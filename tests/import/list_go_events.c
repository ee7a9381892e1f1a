/* The events of a Go trace as "go tool trace -d" prints them: the reader's own, for comparison. */
#include <stdio.h>

#include "import/go/trace.h"

static void print_event(const DtGoEvent *event)
{
    const DtGoEventKind *kind = dt_go_event_kind(event->type);
    printf("%" G_GINT64_FORMAT " %s p=%" G_GINT64_FORMAT " g=%" G_GUINT64_FORMAT " off=%" G_GUINT64_FORMAT, event->time,
           kind->name, event->processor, event->goroutine, event->offset);
    for (guint i = 0; i < DT_GO_ARGUMENTS && kind->arguments[i]; i++)
        printf(" %s=%" G_GUINT64_FORMAT, kind->arguments[i], event->arguments[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    g_autofree char *data = NULL;
    gsize bytes;
    g_autoptr(GError) error = NULL;
    if (argc != 2 || !g_file_get_contents(argv[1], &data, &bytes, &error)) {
        fprintf(stderr, "%s\n", error ? error->message : "one file");
        return 2;
    }
    g_autoptr(DtGoTrace) trace = dt_go_trace_parse((const guint8 *)data, bytes, &error);
    if (!trace) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    for (guint i = 0; i < trace->events->len; i++)
        print_event(&g_array_index(trace->events, DtGoEvent, i));
    if (trace->damage || trace->forced || trace->has_odd_times)
        fprintf(stderr, "damage: %s, forced %u, odd times %d\n", trace->damage, trace->forced, trace->has_odd_times);
    return 0;
}
