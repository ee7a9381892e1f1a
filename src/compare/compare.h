/* The declarations are public. */
#include "difftrace/compare.h"
