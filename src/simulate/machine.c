/* Machines: of a file, or of a few words. */
#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "base/modules.h"
#include "simulate/timing.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_timed_error, dt_timed_error)

enum { MOST_HOSTS = 1000000 };

typedef struct {
    gint64 hosts, cores;
    gdouble speed, bandwidth, latency; /* flop/s, B/s, s */
} Cluster;

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    gdouble factor;
} Unit;
static const Unit speeds[] = {{"Tf", 1e12}, {"Gf", 1e9}, {"Mf", 1e6}, {"f", 1}, {NULL, 0}};
static const Unit bandwidths[] = {{"GBps", 1e9},    {"MBps", 1e6},    {"kBps", 1e3},    {"Bps", 1},
                                  {"Gbps", 1.25e8}, {"Mbps", 1.25e5}, {"kbps", 1.25e2}, {NULL, 0}};
static const Unit durations[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {NULL, 0}};

static gboolean read_amount(const char *text, const Unit *units, gdouble *amount)
{
    char *end;
    errno = 0;
    gdouble number = g_ascii_strtod(text, &end);
    for (guint i = 0; end != text && errno == 0 && units[i].name; i++)
        if (g_str_equal(end, units[i].name)) {
            *amount = number * units[i].factor;
            return *amount > 0 && *amount < 1e18;
        }
    return FALSE;
}

static gboolean read_word(Cluster *cluster, const char *word)
{
    const char *value = strchr(word, '=') ? strchr(word, '=') + 1 : "";
    if (g_str_has_prefix(word, "speed="))
        return read_amount(value, speeds, &cluster->speed);
    if (g_str_has_prefix(word, "bandwidth="))
        return read_amount(value, bandwidths, &cluster->bandwidth);
    if (g_str_has_prefix(word, "latency="))
        return read_amount(value, durations, &cluster->latency);
    if (g_str_has_prefix(word, "cores="))
        return g_ascii_string_to_signed(value, 10, 1, MOST_HOSTS, &cluster->cores, NULL);
    return FALSE;
}

static gboolean read_cluster(const char *platform, Cluster *cluster, GError **error)
{
    g_auto(GStrv) words = g_strsplit(platform + strlen("cluster:"), ",", -1);
    gboolean good = words[0] && g_ascii_string_to_signed(words[0], 10, 1, MOST_HOSTS, &cluster->hosts, NULL);
    for (guint i = 1; good && words[i]; i++)
        good = read_word(cluster, words[i]);
    if (!good)
        dt_set_error(error, DT_TIMED_ERROR, DT_TIMED_ERROR_PLATFORM,
                     "--platform %s: not cluster:N[,speed=1Gf][,bandwidth=10Gbps][,latency=1us][,cores=1]", platform);
    return good;
}

/* Links go both ways apart; a message crosses two, and half of the latency is each one's. */
static char *cluster_text(const Cluster *cluster)
{
    char speed[G_ASCII_DTOSTR_BUF_SIZE], bandwidth[G_ASCII_DTOSTR_BUF_SIZE], latency[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(speed, sizeof speed, cluster->speed);
    g_ascii_dtostr(bandwidth, sizeof bandwidth, cluster->bandwidth);
    g_ascii_dtostr(latency, sizeof latency, cluster->latency / 2);
    return g_strdup_printf("<?xml version='1.0'?>\n"
                           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                           "<platform version=\"4.1\">\n"
                           "<cluster id=\"cluster\" prefix=\"host\" suffix=\"\" radical=\"0-%" G_GINT64_FORMAT
                           "\" speed=\"%sf\" core=\"%" G_GINT64_FORMAT
                           "\" bw=\"%sBps\" lat=\"%ss\" loopback_bw=\"10GBps\" loopback_lat=\"200ns\"/>\n"
                           "</platform>\n",
                           cluster->hosts - 1, speed, cluster->cores, bandwidth, latency);
}

/* ---- machines -------------------------------------------------------------------------------- */

static const DtMachineFunctions *load_module(GError **error)
{
    void *opened = dt_module_open(DT_MODULE_SIMGRID, error);
    DtMachineGet get = NULL;
    if (opened)
        *(gpointer *)&get = dt_module_function(DT_MODULE_SIMGRID, opened, "dt_machine_functions", error);
    return get ? get() : NULL;
}

static DtSimulatedMachine *load_file(const DtMachineFunctions *functions, const char *path, const char *name,
                                     GError **error)
{
    g_autofree char *why = NULL;
    DtMachine *loaded = functions->load(path, &why);
    if (!loaded) {
        dt_set_error(error, DT_TIMED_ERROR, DT_TIMED_ERROR_PLATFORM, "--platform %s: SimGrid refuses it: %s", name,
                     why);
        return NULL;
    }
    DtSimulatedMachine *machine = g_new0(DtSimulatedMachine, 1);
    *machine = (DtSimulatedMachine){functions, loaded};
    return machine;
}

static DtSimulatedMachine *load_cluster(const DtMachineFunctions *functions, const char *platform, GError **error)
{
    Cluster cluster = {.cores = 1, .speed = 1e9, .bandwidth = 1.25e9, .latency = 1e-6};
    g_autofree char *path = NULL;
    if (!read_cluster(platform, &cluster, error))
        return NULL;
    g_autofree char *text = cluster_text(&cluster);
    gint file = g_file_open_tmp("difftrace-XXXXXX.xml", &path, error);
    DtSimulatedMachine *machine = NULL;
    if (file < 0)
        return NULL;
    (void)close(file);
    if (g_file_set_contents(path, text, -1, error))
        machine = load_file(functions, path, platform, error);
    (void)g_unlink(path);
    return machine;
}

DtSimulatedMachine *dt_simulated_machine_new(const char *platform, GError **error)
{
    const gboolean is_cluster = g_str_has_prefix(platform, "cluster:");
    if (!is_cluster && access(platform, R_OK) != 0) {
        dt_set_error(error, DT_TIMED_ERROR, DT_TIMED_ERROR_PLATFORM, "--platform %s: %s; give a file, or cluster:N",
                     platform, g_strerror(errno));
        return NULL;
    }
    const DtMachineFunctions *functions = load_module(error);
    if (!functions)
        return NULL;
    return is_cluster ? load_cluster(functions, platform, error) : load_file(functions, platform, platform, error);
}

void dt_simulated_machine_free(DtSimulatedMachine *machine)
{
    if (!machine)
        return;
    machine->functions->free(machine->machine);
    g_free(machine);
}
