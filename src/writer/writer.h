/* The declarations are public. */
#include "difftrace/writer.h"
