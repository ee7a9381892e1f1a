/* Linked with the older kind of hash table only. */
int sysv_one(void);
int sysv_two(void);
__attribute__((visibility("hidden"))) int sysv_hidden(void);
int sysv_data = 3;

int sysv_hidden(void)
{
    return sysv_data;
}

int sysv_one(void)
{
    return sysv_hidden();
}

int sysv_two(void)
{
    return sysv_one() + 1;
}
