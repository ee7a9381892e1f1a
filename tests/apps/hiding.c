/* A library whose function hides one of the C library's, and is no leaf. */
void called_back(void);
double cbrt(double value);

double cbrt(double value)
{
    called_back();
    return value / 3;
}
