/* Boxes of a diffNLR's picture: a title in its side's colour, elements, how the trace ended. */
#include "report/pictures/diffnlr_boxes.h"

#include "report/common.h"
#include "report/diffnlr_report.h"
#include "report/loops.h"
#include "report/pictures/graph.h"
#include "text/text.h"

/* Dots instead of an indentation, which viewers drop at the start of a text. */
#define BODY_START "<FONT POINT-SIZE=\"9\" COLOR=\"" DT_COLOUR_QUIET "\">\u00b7 "

enum {
    COMMON_SHOWN = 8,
    CHANGED_SHOWN = 14,
    BODY_SHOWN = 6,
    LEGEND_BODIES = 30,
    LEGEND_ELEMENTS = 24,
    NAME_WIDTH = 48,
    POINTS_A_CHARACTER = 5,
    PADDING = 16
};

typedef struct {
    const char *port, *title, *line, *area;
} Look;

static const Look looks[] = {
    [DT_BOX_BOTH] = {"both", "both runs", DT_COLOUR_COMMON, DT_COLOUR_COMMON_PALE},
    [DT_BOX_NORMAL] = {"normal", "normal only", DT_COLOUR_NORMAL, DT_COLOUR_NORMAL_PALE},
    [DT_BOX_FAULTY] = {"faulty", "faulty only", DT_COLOUR_FAULTY, DT_COLOUR_FAULTY_PALE},
};

const char *dt_box_side_colour(DtBoxSide side)
{
    return looks[side].line;
}

const char *dt_box_side_port(DtBoxSide side)
{
    return looks[side].port;
}

void dt_boxes_init(DtBoxes *boxes, const DtDiffNlrReport *what)
{
    *boxes = (DtBoxes){what, g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL)};
}

void dt_boxes_clear(DtBoxes *boxes)
{
    g_hash_table_unref(boxes->whole);
    g_hash_table_unref(boxes->named);
}

/* ---- elements ----------------------------------------------------------------------------- */

static void append_line(GString *markup, const char *text, const char *before, const char *after)
{
    g_autofree char *shortened = dt_text_shortened(text, NAME_WIDTH);
    g_autofree char *escaped = dt_text_dot_markup(shortened);
    g_string_append_printf(markup, "%s%s%s<BR ALIGN=\"LEFT\"/>", before, escaped, after);
}

static void append_note(GString *markup, const char *text)
{
    append_line(markup, text, "<I>", "</I>");
}

/* "L1 x 7" for a loop, the bare name for anything else. */
static char *element_caption(DtElement element, const DtFunctions *functions)
{
    g_autofree char *name = dt_element_name(element, functions);
    if (!dt_element_is_loop(element))
        return g_steal_pointer(&name);
    if (dt_element_count(element) == 0)
        return g_strdup_printf("%s \u00d7 *", name);
    return g_strdup_printf("%s \u00d7 %u", name, dt_element_count(element));
}

/* Up to `shown` elements of a body, each between `before` and `after`. */
static void append_body(GString *markup, const DtBoxes *boxes, guint32 body, gsize shown, const char *before,
                        const char *after)
{
    DtElements elements = dt_loop_table_body(boxes->what->table, body);
    DtElision elision = dt_elide(elements.length, shown);
    for (gsize i = 0; i < elision.head; i++) {
        g_autofree char *caption = element_caption(elements.elements[i], boxes->what->functions);
        append_line(markup, caption, before, after);
    }
    if (elision.head < elements.length) {
        g_autofree char *count = dt_grouped(elements.length - elision.head);
        g_autofree char *more = g_strdup_printf("... %s more", count);
        append_line(markup, more, before, after);
    }
}

/* What the legend has to say of a loop that a box shows. */
static void remember_body(DtBoxes *boxes, guint32 body)
{
    DtElements elements = dt_loop_table_body(boxes->what->table, body);
    gboolean whole = dt_elide(elements.length, BODY_SHOWN).left_out == 0;
    g_hash_table_add(whole ? boxes->whole : boxes->named, GUINT_TO_POINTER(body));
    dt_bodies_gather(boxes->what->table, elements, boxes->named);
}

static void append_element(GString *markup, DtBoxes *boxes, DtElement element)
{
    g_autofree char *caption = element_caption(element, boxes->what->functions);
    gboolean loop = dt_element_is_loop(element);
    append_line(markup, caption, loop ? "<B>" : "", loop ? "</B>" : "");
    if (!loop)
        return;
    append_body(markup, boxes, dt_element_body(element), BODY_SHOWN, BODY_START, "</FONT>");
    remember_body(boxes, dt_element_body(element));
}

static DtElision box_elision(const DtBox *box)
{
    return dt_elide(box->elements.length, box->side == DT_BOX_BOTH ? COMMON_SHOWN : CHANGED_SHOWN);
}

static void append_elements(GString *markup, DtBoxes *boxes, const DtBox *box)
{
    DtElision elision = box_elision(box);
    for (gsize i = 0; i < box->elements.length; i++) {
        if (i == elision.head && elision.left_out > 0) {
            g_autofree char *count = dt_grouped(elision.left_out);
            g_autofree char *more =
                g_strdup_printf("... %s more %s ...", count, elision.left_out == 1 ? "element" : "elements");
            append_note(markup, more);
            i += elision.left_out;
        }
        append_element(markup, boxes, box->elements.elements[i]);
    }
}

/* ---- boxes ------------------------------------------------------------------------------------ */

/* The last symbol that the elements expand to; 0: there are none. */
static guint32 last_symbol(const DtBoxes *boxes, DtElements elements)
{
    while (elements.length > 0 && dt_element_is_loop(elements.elements[elements.length - 1]))
        elements = dt_loop_table_body(boxes->what->table, dt_element_body(elements.elements[elements.length - 1]));
    return elements.length > 0 ? dt_element_symbol(elements.elements[elements.length - 1]) : 0;
}

static gboolean never_returned(const DtBox *box)
{
    return box->ends && box->open != 0;
}

static void append_cell(GString *markup, DtBoxSide side, const char *colour, const char *attributes,
                        const char *content)
{
    g_string_append_printf(markup, "<TD BORDER=\"1\" COLOR=\"%s\" BGCOLOR=\"%s\" %s>%s</TD>", looks[side].line, colour,
                           attributes, content);
}

static void append_title(GString *markup, const DtBox *box, guint width)
{
    const Look *look = &looks[box->side];
    g_autofree char *attributes = g_strdup_printf("PORT=\"%s\" WIDTH=\"%u\"", look->port, width);
    g_autofree char *content = g_strdup_printf("<FONT COLOR=\"white\" POINT-SIZE=\"9\"><B>%s</B></FONT>", look->title);
    append_cell(markup, box->side, look->line, attributes, content);
}

/* `rows` of the table. */
static void append_content(GString *markup, DtBoxes *boxes, const DtBox *box, guint rows)
{
    const Look *look = &looks[box->side];
    g_autoptr(GString) content = g_string_new(NULL);
    append_elements(content, boxes, box);
    if (box->elements.length == 0)
        append_note(content, "nothing here");
    if (box->ends && box->open == 0)
        append_note(content, "end of the trace");
    g_autofree char *attributes =
        g_strdup_printf("PORT=\"%s%s\" ROWSPAN=\"%u\" ALIGN=\"LEFT\" BALIGN=\"LEFT\" VALIGN=\"TOP\"", look->port,
                        never_returned(box) ? "_content" : "_end", rows);
    append_cell(markup, box->side, look->area, attributes, content->str);
}

/* The call stands out; it is among the elements too, mostly as the last one. */
static void append_ending(GString *markup, const DtBoxes *boxes, const DtBox *box)
{
    const Look *look = &looks[box->side];
    const char *last = last_symbol(boxes, box->elements) == box->open ? "the last " : "";
    g_autofree char *name = dt_text_shortened(dt_function_name(boxes->what->functions, box->open), NAME_WIDTH);
    g_autofree char *escaped = dt_text_dot_markup(name);
    g_autofree char *content =
        g_strdup_printf("<FONT COLOR=\"white\"><B>never returned: %s%s</B></FONT>", last, escaped);
    g_autofree char *attributes = g_strdup_printf("PORT=\"%s_end\" ALIGN=\"LEFT\"", look->port);
    append_cell(markup, box->side, look->line, attributes, content);
}

/* About so many points are needed. */
static guint width_of(const DtBoxes *boxes, const DtBox *box)
{
    DtElision elision = box_elision(box);
    const char *open = never_returned(box) ? dt_function_name(boxes->what->functions, box->open) : "";
    glong longest =
        (glong)strlen("never returned: the last ") * (*open != 0) + MIN(g_utf8_strlen(open, -1), NAME_WIDTH);
    for (gsize i = 0; i < box->elements.length; i++) {
        if (i >= elision.head && i < elision.head + elision.left_out)
            continue;
        g_autofree char *caption = element_caption(box->elements.elements[i], boxes->what->functions);
        longest = MAX(longest, MIN(g_utf8_strlen(caption, -1), NAME_WIDTH));
    }
    return (guint)longest * POINTS_A_CHARACTER + PADDING;
}

char *dt_boxes_table(DtBoxes *boxes, const DtBox *row, guint count)
{
    guint width = 0, endings = 0;
    for (guint i = 0; i < count; i++) {
        width = MAX(width, width_of(boxes, &row[i]));
        endings += never_returned(&row[i]) ? 1 : 0;
    }
    guint content_rows = endings > 0 ? 2 : 1;
    GString *markup = g_string_new("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\"><TR>");
    for (guint i = 0; i < count; i++) {
        if (i > 0)
            g_string_append_printf(markup, "<TD ROWSPAN=\"%u\" WIDTH=\"24\"></TD>", content_rows + 1);
        append_title(markup, &row[i], count > 1 ? width : 0);
    }
    g_string_append(markup, "</TR><TR>");
    for (guint i = 0; i < count; i++)
        append_content(markup, boxes, &row[i], never_returned(&row[i]) ? 1 : content_rows);
    for (guint i = 0, before = 0; i < count; i++) {
        if (!never_returned(&row[i]))
            continue;
        g_string_append(markup, before++ == 0 ? "</TR><TR>" : "");
        append_ending(markup, boxes, &row[i]);
    }
    g_string_append(markup, "</TR></TABLE>");
    return g_string_free(markup, FALSE);
}

/* ---- title and legend -------------------------------------------------------------------------- */

static void append_side(GString *markup, DtBoxSide side, const char *text)
{
    g_autofree char *shortened = dt_text_shortened(text, NAME_WIDTH);
    g_autofree char *escaped = dt_text_dot_markup(shortened);
    g_string_append_printf(markup,
                           "<TR><TD BGCOLOR=\"%s\"><FONT COLOR=\"white\"><B>%s</B></FONT></TD>"
                           "<TD ALIGN=\"LEFT\">%s</TD></TR>",
                           looks[side].line, looks[side].title, escaped);
}

char *dt_boxes_title(const DtBoxes *boxes)
{
    const DtDiffNlrReport *what = boxes->what;
    g_autofree char *shortened = dt_text_shortened(what->filter, 2 * NAME_WIDTH);
    g_autofree char *filter = dt_text_dot_markup(shortened);
    GString *markup = g_string_new("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\">");
    g_string_append_printf(markup, "<TR><TD COLSPAN=\"2\"><B>diffNLR of trace %s, filter %s</B></TD></TR>", what->trace,
                           filter);
    append_side(markup, DT_BOX_BOTH, "the same in both runs: the stem");
    append_side(markup, DT_BOX_NORMAL, what->normal);
    append_side(markup, DT_BOX_FAULTY, what->faulty);
    if (g_hash_table_size(boxes->whole) + g_hash_table_size(boxes->named) > 0)
        g_string_append(
            markup, "<TR><TD><B>L \u00d7 n</B></TD><TD ALIGN=\"LEFT\">the loop L, n times; small: its body</TD></TR>");
    g_string_append(markup, "</TABLE>");
    return g_string_free(markup, FALSE);
}

static void append_legend_body(GString *markup, const DtBoxes *boxes, guint32 body)
{
    g_string_append_printf(markup, "<TR><TD VALIGN=\"TOP\"><B>L%u</B></TD><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">", body);
    append_body(markup, boxes, body, LEGEND_ELEMENTS, "", "");
    g_string_append(markup, "</TD></TR>");
}

char *dt_boxes_legend(const DtBoxes *boxes)
{
    g_autoptr(GArray) bodies = dt_bodies_sorted(boxes->named);
    for (guint i = bodies->len; i-- > 0;)
        if (g_hash_table_contains(boxes->whole, GUINT_TO_POINTER(g_array_index(bodies, guint32, i))))
            g_array_remove_index(bodies, i);
    if (bodies->len == 0)
        return NULL;
    GString *markup =
        g_string_new("<TABLE BORDER=\"1\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"" DT_COLOUR_QUIET
                     "\"><TR><TD COLSPAN=\"2\">loops inside loops</TD></TR>");
    for (guint i = 0; i < MIN(bodies->len, (guint)LEGEND_BODIES); i++)
        append_legend_body(markup, boxes, g_array_index(bodies, guint32, i));
    if (bodies->len > LEGEND_BODIES)
        g_string_append_printf(markup, "<TR><TD COLSPAN=\"2\">%u more loops: see the text form</TD></TR>",
                               bodies->len - LEGEND_BODIES);
    g_string_append(markup, "</TABLE>");
    return g_string_free(markup, FALSE);
}
