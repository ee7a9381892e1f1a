/* The declarations are public. */
#include "difftrace/page.h"
