/* The declarations are public. */
#include "difftrace/export.h"
