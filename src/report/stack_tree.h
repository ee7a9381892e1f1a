/** A stack tree inside other documents. Internal to the reports. */
#ifndef DT_REPORT_STACK_TREE_H
#define DT_REPORT_STACK_TREE_H

#include "report/json.h"
#include "report/report.h"

G_BEGIN_DECLS

/** dt_stack_tree_add() with where each frame is, or NULL: the same function at another place is another frame. `places`
 * are copied. */
void dt_stack_tree_add_placed(DtStackTree *tree, const char *trace, const guint32 *frames, const char *const *places,
                              guint depth);
/** "stacks": frames with parent, count and traces in short; at most DT_STACK_TREE_SHOWN of them. */
void dt_stack_tree_add_page_json(JsonBuilder *builder, const DtStackTree *tree);
enum { DT_STACK_TREE_SHOWN = 3000 };

G_END_DECLS

#endif
