/* The manifest of a run: what is kept of it. */
#include "store/manifest.h"

enum { DEEPEST_NESTING = 64 };

gboolean dt_json_nests_too_deeply(const char *text, gsize bytes)
{
    guint depth = 0;
    gboolean quoted = FALSE;
    for (gsize i = 0; i < bytes; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > DEEPEST_NESTING)
            return TRUE;
        else if (!quoted && (text[i] == ']' || text[i] == '}') && depth > 0)
            depth--;
    }
    return FALSE;
}

static void clear_seen_end(gpointer data)
{
    DtSeenEnd *seen = data;
    g_free(seen->host);
}

static void clear_seen_thread(gpointer data)
{
    DtSeenThread *seen = data;
    g_free(seen->host);
    g_free(seen->thread);
}

DtManifestFile *dt_manifest_file_new(void)
{
    DtManifestFile *file = g_new0(DtManifestFile, 1);
    file->ends = g_array_new(FALSE, FALSE, sizeof(DtSeenEnd));
    g_array_set_clear_func(file->ends, clear_seen_end);
    file->threads = g_array_new(FALSE, FALSE, sizeof(DtSeenThread));
    g_array_set_clear_func(file->threads, clear_seen_thread);
    return file;
}

void dt_manifest_file_free(DtManifestFile *file)
{
    if (!file)
        return;
    g_strfreev(file->manifest.command);
    g_strfreev(file->manifest.warnings);
    g_free((char *)file->manifest.version);
    g_free((char *)file->manifest.images);
    g_free((char *)file->manifest.codec);
    g_free((char *)file->manifest.only);
    g_free((char *)file->manifest.engine);
    g_free((char *)file->manifest.stuck);
    g_free(file->pseudonyms);
    g_array_unref(file->ends);
    g_array_unref(file->threads);
    g_free(file);
}
