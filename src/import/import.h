/* The declarations are public. */
#include "difftrace/import.h"
