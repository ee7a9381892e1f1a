/* The declarations are public. */
#include "difftrace/decoder.h"
