/** Protocol buffers, as far as writing them goes: fields appended to a text. Internal to the exports.
 * protobuf.dev/programming-guides/encoding */
#ifndef DT_EXPORT_PROTOBUF_H
#define DT_EXPORT_PROTOBUF_H

#include <glib.h>

G_BEGIN_DECLS

/** Integers, enumerations and truth values. */
void dt_protobuf_number(GString *message, guint field, guint64 value);
/** fixed64. */
void dt_protobuf_fixed(GString *message, guint field, guint64 value);
/** A string; `text` is UTF-8. */
void dt_protobuf_text(GString *message, guint field, const char *text);
/** A message within the message. */
void dt_protobuf_message(GString *message, guint field, const GString *inner);

G_END_DECLS

#endif
