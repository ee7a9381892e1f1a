/* The declarations are public. */
#include "difftrace/verdict.h"
