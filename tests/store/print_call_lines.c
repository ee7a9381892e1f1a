/* Prints the return addresses of the calls of one function by another in an image, for test_call_lines.py. */
#include <stdio.h>

#include "store/symbols/image_lines.h"

int main(int argc, char **argv)
{
    g_autoptr(DtImageLines) image = argc == 4 ? dt_image_lines_open_any(argv[1]) : NULL;
    g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(guint64));
    if (image)
        dt_image_lines_calls(image, argv[2], argv[3], addresses);
    for (guint i = 0; i < addresses->len; i++)
        printf("%" G_GINT64_MODIFIER "x\n", g_array_index(addresses, guint64, i));
    return image ? 0 : 1;
}
