/** Functions by their names: what the options leave out, and what is no function of the program. */
#ifndef DT_IMAGES_FUNCTION_FILTER_H
#define DT_IMAGES_FUNCTION_FILTER_H

#include <stdbool.h>

/** True if --include and --exclude leave the function out. */
bool dt_is_filtered_out(const char *name);
/** Of the runtimes of AddressSanitizer and its kin, which read return addresses and stop threads, also when they are
 * linked in. */
bool dt_is_sanitizer_function(const char *name);
/** _start and the like: no function of the program. */
bool dt_is_startup_code(const char *name);

#endif
