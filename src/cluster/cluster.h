/* The declarations are public. */
#include "difftrace/cluster.h"
