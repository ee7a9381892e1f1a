/* A library whose function hides one of the C library's, and does not surely terminate. */
void called_back(void);
double cbrt(double value);

double cbrt(double value)
{
    called_back();
    return value / 3;
}
