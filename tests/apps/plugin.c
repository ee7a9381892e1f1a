/* A library opened by plugins.c; its constructor runs before dlopen returns. */
int plugin_loaded;

int plugin_step(int value);

static int twice(int value)
{
    return 2 * value;
}

__attribute__((constructor)) static void loaded(void)
{
    plugin_loaded = twice(21);
}

int plugin_step(int value)
{
    return twice(value) + plugin_loaded;
}
