/** RUN/manifest.json: one JSON object with a checksum, whoever writes it. */
#ifndef DT_WRITER_MANIFEST_H
#define DT_WRITER_MANIFEST_H

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/** An object that is open, with the version of manifests in it. */
JsonBuilder *dt_manifest_begin(void);
/** A member; `text` may be NULL, and need not be UTF-8. */
void dt_manifest_string(JsonBuilder *manifest, const char *name, const char *text);
void dt_manifest_strings(JsonBuilder *manifest, const char *name, const char *const *texts, gsize count);
void dt_manifest_boolean(JsonBuilder *manifest, const char *name, gboolean value);
void dt_manifest_int(JsonBuilder *manifest, const char *name, gint64 value);
/** Closes the object: its text, signed; g_free(). */
char *dt_manifest_end(JsonBuilder *manifest);

/** Fills in the value of the member "checksum", which is "00000000" so far: the CRC-32 of the text as it is. */
void dt_manifest_sign(char *text);
/** TRUE if the text has no checksum, or the right one. */
gboolean dt_manifest_checksum_holds(const char *text, gsize bytes);

/** Replaces RUN/manifest.json, all of it or nothing. It need not be on the disk then, no more than the traces. */
gboolean dt_manifest_replace(const char *run, const char *text, GError **error);

G_END_DECLS

#endif
