/** The texts of the manual's pages, made of docs/man/ by manual_pages.cmake. */
#ifndef DT_CLI_MANUAL_PAGES_H
#define DT_CLI_MANUAL_PAGES_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    const char *name; /* of the file, without ".md" */
    const char *text;
} DtManualText;

/** The last one has no name. */
extern const DtManualText dt_manual_texts[];

G_END_DECLS

#endif
