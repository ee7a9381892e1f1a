/* The declarations are public. */
#include "difftrace/waitfor.h"
