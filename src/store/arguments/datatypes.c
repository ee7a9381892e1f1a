#include "store/arguments/datatypes.h"

#include <string.h>

#include "format/datatypes.h"
#include "text/text.h"

enum { LONGEST_TEXT = 300, MOST_MEMBERS = 8 };

gboolean dt_array_is_datatype(const gint64 *values, guint count)
{
    return count >= DT_DATATYPE_PARAMETERS && values[0] < DT_DATATYPE_MARK &&
           values[0] > DT_DATATYPE_MARK - DT_CONSTRUCTORS;
}

char *dt_datatype_name(gint64 number)
{
    gboolean known = number > 0 && number < dt_datatype_name_count;
    return known ? g_ascii_strdown(dt_datatype_names[number], -1) : g_strdup("unknown");
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* An array that is read from front to back. */
typedef struct {
    const gint64 *values;
    gint64 *canonical; /* the same, with what tells datatypes apart in all processes in the place of their numbers */
    guint count, next;
    const GPtrArray *known;
    gboolean bad;
} Parts;

static gint64 take(Parts *parts)
{
    if (parts->next < parts->count)
        return parts->values[parts->next++];
    parts->bad = TRUE;
    return 0;
}

static const gint64 *take_row(Parts *parts, gint64 count)
{
    if (count < 0 || count > parts->count - parts->next) {
        parts->bad = TRUE;
        return NULL;
    }
    parts->next += (guint)count;
    return parts->values + parts->next - count;
}

static void append_row(GString *text, Parts *parts, gint64 count)
{
    const gint64 *values = take_row(parts, count);
    g_autofree char *row = values ? dt_text_numbers(values, (guint)count) : NULL;
    if (row)
        g_string_append(text, row);
}

static gint64 identity_of(const DtNumbers *datatype)
{
    guint64 hash = 1;
    for (guint i = 0; i < datatype->count; i++)
        hash = (hash ^ (guint64)datatype->values[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (gint64)(hash | 1 << 16);
}

static void append_datatype(GString *text, Parts *parts)
{
    gint64 number = take(parts), at = number - DT_FIRST_DERIVED;
    const DtNumbers *derived = at >= 0 && at < parts->known->len ? parts->known->pdata[at] : NULL;
    if (derived && dt_array_is_datatype(derived->values, derived->count)) {
        parts->canonical[parts->next - 1] = identity_of(derived);
        g_string_append(text, derived->text);
        return;
    }
    g_autofree char *name = dt_datatype_name(number);
    g_string_append(text, name);
}

static void append_of(GString *text, Parts *parts)
{
    g_string_append(text, " of ");
    append_datatype(text, parts);
}

/* ---- constructors ---------------------------------------------------------------------------- */

static void append_number(GString *text, const char *before, gint64 number)
{
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT, before, number);
}

static void append_vector(GString *text, Parts *parts, const char *unit)
{
    append_number(text, "", take(parts));
    append_number(text, " x ", take(parts));
    append_number(text, " / ", take(parts));
    g_string_append(text, unit);
    append_of(text, parts);
}

static void append_indexed(GString *text, Parts *parts, gboolean blocks_are_equal, const char *unit)
{
    gint64 count = take(parts);
    if (blocks_are_equal) {
        append_number(text, "", count);
        append_number(text, " x ", take(parts));
    } else {
        append_row(text, parts, count);
    }
    g_string_append(text, " at ");
    append_row(text, parts, count);
    g_string_append(text, unit);
    append_of(text, parts);
}

static void append_struct(GString *text, Parts *parts)
{
    gint64 count = take(parts);
    const gint64 *lengths = take_row(parts, count), *places = take_row(parts, count);
    for (gint64 i = 0; !parts->bad && i < count; i++) {
        g_autoptr(GString) member = g_string_new(i > 0 ? ", " : "");
        append_number(member, "", lengths[i]);
        g_string_append_c(member, ' ');
        append_datatype(member, parts);
        append_number(member, " at ", places[i]);
        if (i < MOST_MEMBERS)
            g_string_append(text, member->str);
        else if (i == MOST_MEMBERS)
            g_string_append_printf(text, ", %" G_GINT64_FORMAT " more", count - i);
    }
}

static void append_order(GString *text, Parts *parts)
{
    gint64 order = take(parts);
    append_of(text, parts);
    if (order == 1)
        g_string_append(text, ", Fortran's order");
}

static void append_subarray(GString *text, Parts *parts)
{
    gint64 dimensions = take(parts);
    g_autoptr(GString) sizes = g_string_new(NULL);
    append_row(sizes, parts, dimensions);
    append_row(text, parts, dimensions);
    g_string_append_printf(text, " in %s at ", sizes->str);
    append_row(text, parts, dimensions);
    append_order(text, parts);
}

static void append_darray(GString *text, Parts *parts)
{
    gint64 size = take(parts), rank = take(parts), dimensions = take(parts);
    g_string_append_printf(text, "rank %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ", ", rank, size);
    append_row(text, parts, dimensions);
    g_string_append(text, ", distributed ");
    append_row(text, parts, dimensions);
    g_string_append_c(text, ' ');
    append_row(text, parts, dimensions);
    g_string_append(text, " over ");
    append_row(text, parts, dimensions);
    append_order(text, parts);
}

static void append_resized(GString *text, Parts *parts)
{
    g_autoptr(GString) datatype = g_string_new(NULL);
    append_datatype(datatype, parts);
    append_number(text, "", take(parts));
    append_number(text, " + ", take(parts));
    g_string_append_printf(text, " B of %s", datatype->str);
}

static void append_parameters(GString *text, Parts *parts, gint64 constructor)
{
    if (constructor == DT_CONSTRUCTOR_CONTIGUOUS) {
        append_number(text, "", take(parts));
        append_of(text, parts);
    } else if (constructor == DT_CONSTRUCTOR_VECTOR || constructor == DT_CONSTRUCTOR_HVECTOR) {
        append_vector(text, parts, constructor == DT_CONSTRUCTOR_HVECTOR ? " B" : "");
    } else if (constructor == DT_CONSTRUCTOR_STRUCT) {
        append_struct(text, parts);
    } else if (constructor == DT_CONSTRUCTOR_SUBARRAY) {
        append_subarray(text, parts);
    } else if (constructor == DT_CONSTRUCTOR_DARRAY) {
        append_darray(text, parts);
    } else if (constructor == DT_CONSTRUCTOR_RESIZED) {
        append_resized(text, parts);
    } else {
        gboolean in_bytes = constructor == DT_CONSTRUCTOR_HINDEXED || constructor == DT_CONSTRUCTOR_HINDEXED_BLOCK;
        append_indexed(text, parts,
                       constructor == DT_CONSTRUCTOR_INDEXED_BLOCK || constructor == DT_CONSTRUCTOR_HINDEXED_BLOCK,
                       in_bytes ? " B" : "");
    }
}

const DtNumbers *dt_datatype_intern(DtFunctions *functions, const gint64 *values, guint count, const GPtrArray *known)
{
    static const char *const names[DT_CONSTRUCTORS] = {"",        "contiguous", "vector",        "hvector",
                                                       "indexed", "hindexed",   "indexed_block", "hindexed_block",
                                                       "struct",  "subarray",   "darray",        "resized"};
    gint64 constructor = DT_DATATYPE_MARK - values[0];
    g_autofree gint64 *canonical = g_memdup2(values, count * sizeof(*values));
    g_autoptr(GString) text = g_string_new(names[constructor]);
    Parts parts = {
        .values = values, .canonical = canonical, .count = count, .next = DT_DATATYPE_PARAMETERS, .known = known};
    g_string_append_c(text, '(');
    append_parameters(text, &parts, constructor);
    if (parts.bad || parts.next != count) {
        g_string_assign(text, names[constructor]);
        g_string_append(text, "(damaged");
    } else if (text->len > LONGEST_TEXT) {
        g_string_truncate(text, LONGEST_TEXT);
        g_string_append(text, "...");
    }
    g_string_append_c(text, ')');
    return dt_functions_intern_datatype(functions, canonical, count, text->str);
}
