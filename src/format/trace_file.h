/* The declarations are public. */
#include "difftrace/trace_file.h"
