/* The declarations are public. */
#include "difftrace/nlr.h"
