/* The smoother library of the multigrid. Version 2 colours the cells; version 1 (-DSMOOTHER_OLD) does not. */
#ifndef SMOOTHER_H
#define SMOOTHER_H

void smoother_relax(double *values, const double *right, int cells);
double smoother_norm(const double *values, int cells);

#endif
