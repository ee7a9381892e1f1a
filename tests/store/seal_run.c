/* seal-run RUN: does with a run what the collector does when its command has ended. */
#include "store/sealed/sealed_writer.h"
#include "store/store.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    dt_run_seal(argv[1]);
    dt_run_shrink(argv[1]);
    return 0;
}
