/* accept4(), strcasestr() */
#define _GNU_SOURCE
#include "export/served_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/text.h"

enum { MOST_REQUEST = 8192, PATIENCE_SECONDS = 10, WAITING = 8 };

struct DtServedFile {
    int file, listener;
    gsize bytes;
    char *name; /* as in a request: "/solver.pftrace" */
    char *address, *origin;
};

/* ---- requests --------------------------------------------------------------------------------- */

/* A page of another name that was made to mean this machine has no business here. */
static gboolean is_asked_of_us(const DtServedFile *file, const char *request)
{
    const char *host = strcasestr(request, "\r\nHost:");
    if (!host)
        return FALSE;
    host += strlen("\r\nHost:");
    host += strspn(host, " ");
    const char *own = file->address + strlen("http://");
    const gsize bytes = strcspn(own, "/");
    return strncmp(host, own, bytes) == 0 && host[bytes] == '\r';
}

static gboolean asks_for(const char *request, const char *method, const char *name)
{
    const gsize method_bytes = strlen(method), name_bytes = strlen(name);
    return strncmp(request, method, method_bytes) == 0 && strncmp(request + method_bytes, name, name_bytes) == 0 &&
           request[method_bytes + name_bytes] == ' ';
}

/* Until the empty line; FALSE: it never came. */
static gboolean read_request(int connection, char *request)
{
    gsize bytes = 0;
    request[0] = '\0';
    while (!strstr(request, "\r\n\r\n")) {
        gssize more = bytes < MOST_REQUEST ? recv(connection, request + bytes, MOST_REQUEST - bytes, 0) : 0;
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return FALSE;
        bytes += (gsize)more;
        request[bytes] = '\0';
    }
    return TRUE;
}

/* ---- answers ---------------------------------------------------------------------------------- */

static gboolean send_text(int connection, const char *text)
{
    for (gsize bytes = strlen(text); bytes > 0;) {
        gssize sent = send(connection, text, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return FALSE;
        text += sent;
        bytes -= (gsize)sent;
    }
    return TRUE;
}

static gboolean send_head(const DtServedFile *file, int connection, const char *status, gsize bytes)
{
    g_autofree char *head = g_strdup_printf("HTTP/1.1 %s\r\n"
                                            "Access-Control-Allow-Origin: %s\r\n"
                                            "Access-Control-Allow-Private-Network: true\r\n"
                                            "Cache-Control: no-cache\r\n"
                                            "Content-Type: application/octet-stream\r\n"
                                            "Content-Length: %" G_GSIZE_FORMAT "\r\n"
                                            "Connection: close\r\n\r\n",
                                            status, file->origin, bytes);
    return send_text(connection, head);
}

static gboolean send_file(const DtServedFile *file, int connection)
{
    off_t at = 0;
    while ((gsize)at < file->bytes) {
        gssize sent = sendfile(connection, file->file, &at, file->bytes - (gsize)at);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return FALSE;
    }
    return TRUE;
}

/* Until the other side has closed: what is sent is lost if the connection ends before it was read. */
static void drain(int connection)
{
    char rest[512];
    shutdown(connection, SHUT_WR);
    while (recv(connection, rest, sizeof(rest), 0) > 0)
        ;
}

/* TRUE: the file was fetched. */
static gboolean answer(const DtServedFile *file, int connection)
{
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    char request[MOST_REQUEST + 1];
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (!read_request(connection, request))
        return FALSE;
    const gboolean ours = is_asked_of_us(file, request);
    gboolean fetched = FALSE;
    if (ours && asks_for(request, "GET ", file->name))
        fetched = send_head(file, connection, "200 OK", file->bytes) && send_file(file, connection);
    else if (ours && asks_for(request, "HEAD ", file->name))
        send_head(file, connection, "200 OK", file->bytes);
    else if (ours && asks_for(request, "OPTIONS ", file->name))
        send_head(file, connection, "204 No Content", 0);
    else
        send_head(file, connection, "404 Not Found", 0);
    drain(connection);
    return fetched;
}

gboolean dt_served_file_wait(DtServedFile *file, GError **error)
{
    for (gboolean fetched = FALSE; !fetched;) {
        int connection = accept4(file->listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0 && errno != EINTR && errno != ECONNABORTED) {
            dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_SERVE, "%s: cannot be served: %s", file->address,
                         g_strerror(errno));
            return FALSE;
        }
        if (connection < 0)
            continue;
        fetched = answer(file, connection);
        close(connection);
    }
    return TRUE;
}

/* ---- listening -------------------------------------------------------------------------------- */

static int listen_on(guint16 port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const int yes = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(listener, (const struct sockaddr *)(gconstpointer)&address, sizeof(address)) == 0 &&
        listen(listener, WAITING) == 0)
        return listener;
    const int failure = errno;
    close(listener);
    errno = failure;
    return -1;
}

static gboolean open_file(DtServedFile *file, const char *path)
{
    struct stat status;
    file->file = open(path, O_RDONLY | O_CLOEXEC);
    if (file->file < 0 || fstat(file->file, &status) != 0)
        return FALSE;
    file->bytes = (gsize)status.st_size;
    return TRUE;
}

DtServedFile *dt_served_file_new(const char *path, guint16 port, const char *origin, GError **error)
{
    g_autoptr(DtServedFile) file = g_new0(DtServedFile, 1);
    g_autofree char *base = g_path_get_basename(path);
    g_autofree char *escaped = g_uri_escape_string(base, NULL, FALSE);
    file->file = file->listener = -1;
    file->origin = g_strdup(origin);
    file->name = g_strconcat("/", escaped, NULL);
    file->address = g_strdup_printf("http://127.0.0.1:%u%s", port, file->name);
    if (!open_file(file, path)) {
        dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_SERVE, "%s: cannot be read: %s", path, g_strerror(errno));
        return NULL;
    }
    file->listener = listen_on(port);
    if (file->listener < 0) {
        dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_SERVE,
                     "--open: port %u of this machine: %s; the page of %s asks no other: end who has it", port,
                     g_strerror(errno), origin);
        return NULL;
    }
    return g_steal_pointer(&file);
}

void dt_served_file_free(DtServedFile *file)
{
    if (!file)
        return;
    if (file->file >= 0)
        close(file->file);
    if (file->listener >= 0)
        close(file->listener);
    g_free(file->name);
    g_free(file->address);
    g_free(file->origin);
    g_free(file);
}

const char *dt_served_file_address(const DtServedFile *file)
{
    return file->address;
}
