/* The declarations are public. */
#include "difftrace/store.h"
