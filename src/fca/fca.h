/* The declarations are public. */
#include "difftrace/fca.h"
