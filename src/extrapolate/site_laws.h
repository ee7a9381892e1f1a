/**
 * How often each rank makes each call, and with how many bytes, as a law in the number of ranks: also of programs whose
 * skeleton has no formula. The idea of comparing a run with what its scale lets expect is Vrisha's and WuKong's (Zhou,
 * Kulkarni, Bagchi: Vrisha, HPDC 2011; Zhou, Too, Kulkarni, Bagchi: WuKong, HPDC 2013); counts here are exact.
 */
#ifndef DT_EXTRAPOLATE_SITE_LAWS_H
#define DT_EXTRAPOLATE_SITE_LAWS_H

#include "extrapolate/extrapolate.h"

G_BEGIN_DECLS

/** What a rank does at a place in the source otherwise than its law says. */
typedef struct {
    guint rank;
    char *site; /* "MPI_Send at farm.c:40 in work" */
    char *law;  /* "2 + 16/P", "constant", of rank 0 or of others if these have laws of their own */
    gboolean is_bytes;
    gdouble found, expected, tolerance;
    gdouble score; /* 0 to 1: how far it is out of what the law leaves room for, less what most ranks are */
} DtSiteDeparture;

/**
 * The departures of a run from the laws of the sizes, of each rank the greatest one, greatest first (element-type
 * DtSiteDeparture); those of ranks that keep to all laws are left out. Of some simple forms that law is taken that
 * tells each size best when it is chosen without it; twice its greatest error there is what it leaves room for. O(calls
 * + sites * ranks).
 */
GPtrArray *dt_site_departures(const DtSize *sizes, guint count, const DtSkeleton *faulty);

G_END_DECLS

#endif
