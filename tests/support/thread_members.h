/** Teams whose members are threads, linked by queues. */
#ifndef DT_TEST_THREAD_MEMBERS_H
#define DT_TEST_THREAD_MEMBERS_H

#include "parallel/parallel.h"

typedef void (*DtThreadMember)(const DtParallel *parallel, gpointer user_data);
/** `be` is called by `size` threads, as the members of one parallel analysis. What was sent must have been received in
 * the end. */
void dt_thread_members_run(guint size, DtThreadMember be, gpointer user_data);

#endif
