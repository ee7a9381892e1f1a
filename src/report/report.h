/* The declarations are public. */
#include "difftrace/report.h"
