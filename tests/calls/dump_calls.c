/* Prints the table of calls for test_headers.py: class, name, number of parameters, properties, kinds. */
#include <stdio.h>

#include "calls/calls.h"

int main(void)
{
    static const char *const classes[] = {"", "mpi", "openmp", "pthread", "end", "system", "go"};
    for (enum dt_call_class class = DT_CALL_MPI; class <= DT_CALL_GO; class ++) {
        const struct dt_call_rows rows = dt_calls_of_class(class);
        for (size_t i = 0; i < rows.count; i++) {
            const struct dt_call *call = &rows.calls[i];
            printf("%s\t%s\t%u\t", classes[class], call->name, (unsigned)call->properties);
            for (const uint8_t *parameter = call->parameters; *parameter; parameter++)
                printf(" %d", *parameter);
            printf("\n");
        }
    }
    return 0;
}
