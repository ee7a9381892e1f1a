#include "report/times/units.h"

char *dt_duration_text(gdouble ns)
{
    if (ns >= 1e9)
        return g_strdup_printf("%.3f s", ns / 1e9);
    if (ns >= 1e6)
        return g_strdup_printf("%.*f ms", ns >= 1e8 ? 0 : ns >= 1e7 ? 1 : 2, ns / 1e6);
    if (ns >= 1e3)
        return g_strdup_printf("%.*f us", ns >= 1e5 ? 0 : ns >= 1e4 ? 1 : 2, ns / 1e3);
    return g_strdup_printf("%.0f ns", ns);
}

void dt_table_add_duration(DtTable *table, gboolean tsv, gboolean known, gdouble ns)
{
    if (!known) {
        dt_table_add(table, NULL);
    } else if (tsv) {
        dt_table_add_format(table, "%.9f", ns / 1e9);
    } else {
        g_autofree char *text = dt_duration_text(ns);
        dt_table_add(table, text);
    }
}

void dt_table_add_share(DtTable *table, gboolean tsv, gdouble part, gdouble of)
{
    if (of <= 0)
        dt_table_add(table, NULL);
    else if (tsv)
        dt_table_add_format(table, "%.6f", part / of);
    else
        dt_table_add_format(table, "%.1f %%", 100 * part / of);
}

void dt_table_add_amount(DtTable *table, gboolean tsv, gboolean known, gdouble amount, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    guint prefix = 0;
    if (!known) {
        dt_table_add(table, NULL);
        return;
    }
    if (tsv) {
        dt_table_add_format(table, "%.0f", amount);
        return;
    }
    for (; amount >= 999.95 && prefix + 1 < G_N_ELEMENTS(prefixes); prefix++)
        amount /= 1000;
    dt_table_add_format(table, "%.*f %s%s", prefix == 0 ? 0 : 1, amount, prefixes[prefix], unit);
}
