/**
 * Formal concept analysis: which traces share which attributes.
 *
 * A context has traces as objects and `{attribute, frequency}` pairs mined from
 * their NLRs as attributes; its concepts, ordered by inclusion, form the lattice.
 */
#ifndef DIFFTRACE_FCA_H
#define DIFFTRACE_FCA_H

#include "nlr.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_FCA_ERROR (dt_fca_error_quark())
typedef enum { DT_FCA_ERROR_UNKNOWN_ATTRIBUTES, DT_FCA_ERROR_LIMIT, DT_FCA_ERROR_IO } DtFcaError;
GQuark dt_fca_error_quark(void);

/* ---- attribute settings ------------------------------------------------------------ */

typedef enum { DT_ATTRIBUTE_SINGLE, DT_ATTRIBUTE_DOUBLE } DtAttributeUnit;
typedef enum { DT_FREQUENCY_ACTUAL, DT_FREQUENCY_LOG10, DT_FREQUENCY_NONE } DtAttributeFrequency;

/**
 * What an attribute is: `sing` = each entry's name (a loop without its count),
 * `doub` = each pair of names of consecutive entries; with its frequency
 * (`actual`: occurrences, where an entry Ln^c counts c, and places for `doub`),
 * floor(log10) of it, or without. Written "sing.noFreq".
 */
typedef struct {
    DtAttributeUnit unit;
    DtAttributeFrequency frequency;
} DtAttributeSetting;

enum { DT_ATTRIBUTE_SETTINGS = 6 };
/** All six, sing.actual first; static. */
const DtAttributeSetting *dt_attribute_settings(void);
/** "sing.noFreq"; static. */
const char *dt_attribute_setting_name(DtAttributeSetting setting);
/** By name, whatever the case; else DT_FCA_ERROR_UNKNOWN_ATTRIBUTES, and *setting stays. */
gboolean dt_attribute_setting_parse(const char *text, DtAttributeSetting *setting, GError **error);

/* ---- context -------------------------------------------------------------------------- */

typedef struct DtContext DtContext;

/** An empty context; attributes get ids 0, 1, ... by first use. */
DtContext *dt_context_new(void);
void dt_context_free(DtContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtContext, dt_context_free)

/** Adds an object without attributes; returns its index. `label` is copied. Amortised O(attributes / 64). */
guint dt_context_add_object(DtContext *context, const char *label);
/** Gives an object an attribute by name, which is copied. Of an object that is not there: a critical message. O(1), but
 * for growing. */
void dt_context_add_attribute(DtContext *context, guint object, const char *attribute);
/**
 * Adds a trace with the attributes of its NLR under a setting, by first occurrence: "MPI_Send" or
 * "MPI_Init>MPI_Comm_rank", then ":16" for the occurrences or ":10^1" for their order of magnitude.
 * Functions that share a name share the attribute. O(length).
 */
guint dt_context_add_trace(DtContext *context, const char *label, DtElements elements, const DtFunctions *functions,
                           DtAttributeSetting setting);

/** Adds an object with the attributes of another one, that is there already. */
guint dt_context_add_alike(DtContext *context, const char *label, guint object);

/** Objects, that are there under the indices 0..count-1. */
guint dt_context_objects(const DtContext *context);
/** Attributes, that are there under the indices 0..count-1. */
guint dt_context_attributes(const DtContext *context);
/** Borrowed; NULL and a critical message if there is none of that index. */
const char *dt_context_object_label(const DtContext *context, guint object);
const char *dt_context_attribute_name(const DtContext *context, guint attribute);
/** Whether the object has the attribute; of what is not there FALSE and a critical message. O(1). */
gboolean dt_context_has(const DtContext *context, guint object, guint attribute);
/**
 * The attribute set of an object as bits, dt_context_row_words() words long, unused
 * bits 0. Borrowed until an object or attribute is added. NULL and a critical message if there is no such object.
 */
const guint64 *dt_context_row(const DtContext *context, guint object);
/** Length of every row. */
gsize dt_context_row_words(const DtContext *context);

/** Burmeister's .cxt format; a line break in a name becomes a blank. g_free(). */
char *dt_context_to_cxt(const DtContext *context);
/** A cross table for people, a line per attribute, a column per object; g_free(). */
char *dt_context_to_text(const DtContext *context);

/* ---- lattice ----------------------------------------------------------------------------- */

enum { DT_LATTICE_DEFAULT_LIMIT = 100000 };

typedef struct DtLattice DtLattice;

/**
 * Godin's incremental algorithm (Godin, Missaoui & Alaoui 1995), one object at a
 * time. More than `limit` concepts (0 = the default) is DT_FCA_ERROR_LIMIT.
 * Which concepts cover which is found when all are known. For n objects, m attributes
 * and L concepts: O(n L m / 64 + L m n / 64) time, O(L (n + m)) space.
 */
DtLattice *dt_lattice_new(const DtContext *context, guint limit, GError **error);
/**
 * The upper part of the lattice: the concepts of at least so many objects that they are at most `most`, and at least
 * the top. Of objects and attributes that are new further down, none is new here. For c concepts O(c m n / 64) time.
 */
DtLattice *dt_lattice_new_upper(const DtContext *context, guint most);
/** Concepts of fewer objects are left out; 0: none is. */
guint dt_lattice_least_extent(const DtLattice *lattice);
void dt_lattice_free(DtLattice *lattice);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLattice, dt_lattice_free)

/** Concepts by descending extent, then by extent; 0 is the top (all objects). There is at least one. To ask for one
 * that is not there gives NULL and a critical message. */
guint dt_lattice_count(const DtLattice *lattice);
/** Sorted indices (element-type guint), borrowed. */
const GArray *dt_lattice_extent(const DtLattice *lattice, guint concept_index);
const GArray *dt_lattice_intent(const DtLattice *lattice, guint concept_index);
/** Concepts directly below (element-type guint), borrowed. */
const GArray *dt_lattice_children(const DtLattice *lattice, guint concept_index);
const GArray *dt_lattice_parents(const DtLattice *lattice, guint concept_index);
/**
 * Objects and attributes that are new at the concept (reduced labelling): no concept
 * below has the object, none above the attribute. Free with g_array_unref().
 */
GArray *dt_lattice_own_objects(const DtLattice *lattice, guint concept_index);
GArray *dt_lattice_own_attributes(const DtLattice *lattice, guint concept_index);

/** One concept a paragraph, reduced labels first; `context` is the lattice's. g_free(). */
char *dt_lattice_to_text(const DtLattice *lattice, const DtContext *context);

#pragma GCC visibility pop
G_END_DECLS

#endif
