/** Sizes as users write them. */
#ifndef DT_COLLECT_SIZE_H
#define DT_COLLECT_SIZE_H

#include <glib.h>

/** "4096", "64M", "1.5G": bytes, with k, M, G or T for 1024 of the unit before. FALSE: it is no size. */
gboolean dt_size_parse(const char *text, guint64 *bytes);

#endif
