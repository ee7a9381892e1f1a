#include "store/packed/names.h"

#include <string.h>

#include "store/packed/packed_format.h"

enum { MOST_PARTS = 6, MOST_PART_BYTES = 255 };

static gboolean is_plain(const char *part)
{
    for (const guchar *at = (const guchar *)part; *at; at++)
        if (*at < ' ' || *at == 0x7f)
            return FALSE;
    return part[0] != '\0' && strlen(part) <= MOST_PART_BYTES;
}

static gboolean is_file_of(const char *folder, const char *file)
{
    static const char *const logs[] = {".difftrace",     "manifest.json",    "ends.log",
                                       "unrecorded.log", "collectors.jsonl", NULL};
    if (g_strv_contains(logs, file))
        return TRUE;
    if (file[0] == '.' || !folder)
        return FALSE;
    return (strcmp(folder, "processes") == 0 && g_str_has_suffix(file, ".trace")) ||
           (strcmp(folder, "images") == 0 && (g_str_has_suffix(file, ".sym") || g_str_has_suffix(file, ".lines")));
}

gboolean dt_packed_name_is_good(const char *name)
{
    if (strlen(name) > DT_PACKED_NAME_BYTES)
        return FALSE;
    g_auto(GStrv) parts = g_strsplit(name, "/", MOST_PARTS + 1);
    guint count = g_strv_length(parts);
    if (count == 0 || count > MOST_PARTS)
        return FALSE;
    for (guint i = 0; i < count; i++)
        if (!is_plain(parts[i]) || (parts[i][0] == '.' && i + 1 < count))
            return FALSE;
    return is_file_of(count > 1 ? parts[count - 2] : NULL, parts[count - 1]);
}

gboolean dt_packed_name_is_trace(const char *name)
{
    return dt_packed_name_is_good(name) && g_str_has_suffix(name, ".trace");
}
