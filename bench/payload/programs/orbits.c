/* Bodies that pull each other: blocks of structures go round a ring by persistent requests. */
#include "values.h"
#include <math.h>
#include <stddef.h>

enum { BODIES = 5, STEPS = 5 };

typedef struct {
    int id;
    double mass, x, y;
    float charge;
} Body;

static Body own[BODIES], guests[BODIES], next[BODIES];
static double vx[BODIES], vy[BODIES], fx[BODIES], fy[BODIES];

static MPI_Datatype body_type(void)
{
    int lengths[] = {1, 3, 1};
    MPI_Aint places[] = {offsetof(Body, id), offsetof(Body, mass), offsetof(Body, charge)};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT}, made, whole;
    MPI_Type_create_struct(3, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof(Body), &whole);
    MPI_Type_commit(&whole);
    MPI_Type_free(&made);
    return whole;
}

static void pull(int step)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = 0; j < BODIES; j++) {
            double dx = guests[j].x - own[i].x, dy = guests[j].y - own[i].y, d = dx * dx + dy * dy + 0.1;
            double mass = fault_now("wrong_mass", step) && i == 1 ? own[i].mass : guests[j].mass;
            fx[i] += mass * dx / (d * sqrt(d));
            fy[i] += mass * dy / (d * sqrt(d));
        }
}

static void move(int step)
{
    for (int i = 0; i < BODIES; i++) {
        vx[i] += 0.01 * fx[i];
        vy[i] += 0.01 * fy[i];
        own[i].x += 0.01 * (fault_from("wrong_axis", step) && i == 2 ? vy[i] : vx[i]);
        own[i].y += 0.01 * vy[i];
        if (!(fault_now("force_kept", step) && i == 0))
            fx[i] = fy[i] = 0;
    }
    if (fault_now("unset_charge", step))
        own[3].charge = (float)garbage;
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    begin(&argc, &argv);
    MPI_Datatype type = body_type();
    for (int i = 0; i < BODIES; i++) {
        memset(&own[i], 0x40 + own_rank + (int)(getpid() % 16), sizeof own[i]); /* holes of a structure hold anything */
        own[i].id = own_rank * BODIES + i;
        own[i].mass = 1 + i;
        own[i].x = cos(own[i].id);
        own[i].y = sin(own[i].id * 1.3);
        own[i].charge = 0.5f;
    }
    MPI_Send_init(guests, BODIES, type, (own_rank + 1) % ranks, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(next, BODIES, type, (own_rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, &requests[1]);
    for (int step = 0; step < STEPS; step++) {
        memcpy(guests, own, sizeof own);
        for (int turn = 0; turn < ranks; turn++) {
            pull(step);
            MPI_Startall(2, requests);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            memcpy(guests, next, sizeof guests);
        }
        move(step);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
