/** What the parts of the run writer share. */
#ifndef DT_SUPPORT_TEST_RUN_PRIVATE_H
#define DT_SUPPORT_TEST_RUN_PRIVATE_H

#include "test_run.h"

G_BEGIN_DECLS

/** Writes the process's trace file. */
void dt_write_process(DtTestProcess *process);

G_END_DECLS

#endif
