/** What a process's file says, as it was recorded: its header, and arguments with the tables of what their numbers are.
 */
#ifndef DT_STORE_SYMBOLS_RECORDED_H
#define DT_STORE_SYMBOLS_RECORDED_H

#include "store/process_file.h"

G_BEGIN_DECLS

/** Reads the file again, which the run has let go of; NULL and an error of the store if it cannot be read any more.
 * O(headers and tables). dt_process_file_free(). */
DtProcessFile *dt_run_recorded(const DtRun *run, const DtProcess *process, GError **error);

G_END_DECLS

#endif
