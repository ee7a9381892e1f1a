/* The declarations are public. */
#include "difftrace/arguments.h"
