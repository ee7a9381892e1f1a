/* The declarations are public. */
#include "difftrace/filters.h"
