/** Which characters show. Internal to the text stage. */
#ifndef DT_TEXT_CHARACTERS_H
#define DT_TEXT_CHARACTERS_H

#include <glib.h>

G_BEGIN_DECLS

/** FALSE: it must be escaped wherever text is shown. */
gboolean dt_character_shows(gunichar character);

/** How many bytes of printable ASCII there are at `at`: mostly all, so they are copied at once. */
gsize dt_plain_length(const char *at, gsize left);

enum { DT_NO_CHARACTER = 0xffffffffu };
/**
 * The character at `at`, where `left` bytes follow; *length: its bytes. DT_NO_CHARACTER and one byte where there is no
 * UTF-8. A zero is a character.
 */
gunichar dt_character_at(const char *at, gsize left, gsize *length);

/** \xNN */
void dt_append_byte_escape(GString *out, guint8 byte);
/** \xNN of ASCII, \u{N} of others. */
void dt_append_character_escape(GString *out, gunichar character);

G_END_DECLS

#endif
