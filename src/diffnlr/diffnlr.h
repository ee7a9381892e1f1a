/* The declarations are public. */
#include "difftrace/diffnlr.h"
