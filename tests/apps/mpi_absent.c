/* Started by a launcher, but never calls MPI_Init. */
#include <stdio.h>
#include <unistd.h>

int steps(int n)
{
    return n == 0 ? 0 : 1 + steps(n - 1);
}

int main(void)
{
    printf("%d steps\n", steps(12));
    usleep(300 * 1000); /* Hydra fails if ranks end while it starts others */
    return 0;
}
