/* Functions that generated programs need: each program has those that it calls. */
#include <string.h>

#include "generate/generating.h"

/* A piece of C, the functions by which programs use it, and for which programs it is. */
typedef struct {
    const char *words, *text;
    enum { ALWAYS, FEW, MANY, IN_MESH } when;
} Helper;

/* In the order in which they stand; each may use those before it. */
static const Helper helpers[] = {
    {"PLACES", "enum { PLACES = 1 << 16 }; /* of requests */\n", ALWAYS},
    {"no_statuses",
     "static MPI_Status *volatile no_statuses = MPI_STATUSES_IGNORE; /* compilers take it for an array */\n", ALWAYS},
    {"scaled",
     "static int scaled(long count)\n"
     "{\n"
     "    long part = count * size_percent / 100;\n"
     "    return (int)(count <= 0 || part > 0 ? part : 1);\n"
     "}\n",
     ALWAYS},
    {"spin",
     "static void spin(double seconds)\n"
     "{\n"
     "    struct timespec start, now;\n"
     "    timespec_get(&start, TIME_UTC);\n"
     "    do\n"
     "        timespec_get(&now, TIME_UTC);\n"
     "    while (difftime(now.tv_sec, start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) < seconds);\n"
     "}\n",
     ALWAYS},
    {"compute",
     "/* Uses the processor for so long. Others may have it meanwhile, but seldom in so short a time that reading "
     "this\n"
     " * clock would count. */\n"
     "static void compute(double seconds)\n"
     "{\n"
     "    const double whole = seconds * compute_percent / 100;\n"
     "    const int is_long = whole > 1e-4;\n"
     "    const clock_t start = is_long ? clock() : 0;\n"
     "    double lacks = whole;\n"
     "    do {\n"
     "        spin(lacks);\n"
     "        lacks = is_long ? whole - (double)(clock() - start) / CLOCKS_PER_SEC : 0;\n"
     "    } while (lacks > 0);\n"
     "}\n",
     ALWAYS},
    {"rank_in",
     "static int rank_in(MPI_Comm comm)\n"
     "{\n"
     "    int own;\n"
     "    MPI_Comm_rank(comm, &own);\n"
     "    return own;\n"
     "}\n",
     ALWAYS},
    {"size_of",
     "static int size_of(MPI_Comm comm)\n"
     "{\n"
     "    int members;\n"
     "    MPI_Comm_size(comm, &members);\n"
     "    return members;\n"
     "}\n",
     ALWAYS},
    {"bytes",
     "/* A datatype of so many bytes. */\n"
     "static MPI_Datatype bytes(long count)\n"
     "{\n"
     "    static struct {\n"
     "        long count;\n"
     "        MPI_Datatype type;\n"
     "    } known[256];\n"
     "    static int made;\n"
     "    int i = 0;\n"
     "    if (count == 1 || count == 4 || count == 8)\n"
     "        return count == 1 ? MPI_BYTE : count == 4 ? MPI_INT : MPI_DOUBLE;\n"
     "    while (i < made && known[i].count != count)\n"
     "        i++;\n"
     "    if (i == made) {\n"
     "        made += made < 255; /* what is more is made again */\n"
     "        known[i].count = count;\n"
     "        MPI_Type_contiguous((int)count, MPI_BYTE, &known[i].type);\n"
     "        MPI_Type_commit(&known[i].type);\n"
     "    }\n"
     "    return known[i].type;\n"
     "}\n",
     ALWAYS},
    {"own_operation",
     "static void ignore_data(void *in_data, void *data, int *count, MPI_Datatype *type)\n"
     "{\n"
     "    (void)in_data;\n"
     "    (void)data;\n"
     "    (void)count;\n"
     "    (void)type;\n"
     "}\n"
     "\n"
     "/* An operation of the program's own: it does nothing here. */\n"
     "static MPI_Op own_operation(const char *name)\n"
     "{\n"
     "    static const char *names[64];\n"
     "    static MPI_Op operations[64];\n"
     "    int i = 0;\n"
     "    while (i < 63 && names[i] && strcmp(names[i], name) != 0)\n"
     "        i++;\n"
     "    if (!names[i]) {\n"
     "        names[i] = name;\n"
     "        MPI_Op_create(ignore_data, 1, &operations[i]);\n"
     "    }\n"
     "    return operations[i];\n"
     "}\n",
     ALWAYS},
    {"numbers_of",
     "/* \"<0 2-4 7^3>\" is 0 2 3 4 7 7 7. */\n"
     "static int numbers_of(const char *text, int *numbers, int most)\n"
     "{\n"
     "    int count = 0, is_list = *text == '<';\n"
     "    for (text += is_list; count < most && ((*text >= '0' && *text <= '9') || *text == '-');) {\n"
     "        char *end;\n"
     "        long first = strtol(text, &end, 10), last = first, times = 1;\n"
     "        if (is_list && *end == '-')\n"
     "            last = strtol(end + 1, &end, 10);\n"
     "        if (is_list && *end == '^')\n"
     "            times = strtol(end + 1, &end, 10);\n"
     "        for (; times > 0; times--)\n"
     "            for (long number = first; number <= last && count < most; number++)\n"
     "                numbers[count++] = (int)number;\n"
     "        if (!is_list)\n"
     "            break;\n"
     "        text = end + (*end == ' ');\n"
     "    }\n"
     "    return count;\n"
     "}\n",
     ALWAYS},
    {"group_of",
     "static MPI_Group group_of(const char *list)\n"
     "{\n"
     "    MPI_Group world, group;\n"
     "    int *ranks = calloc((size_t)size, sizeof *ranks), count = numbers_of(list, ranks, size);\n"
     "    MPI_Comm_group(MPI_COMM_WORLD, &world);\n"
     "    MPI_Group_incl(world, count, ranks, &group);\n"
     "    MPI_Group_free(&world);\n"
     "    free(ranks);\n"
     "    return group;\n"
     "}\n",
     ALWAYS},
    {"neighbours_of",
     "/* Ranks that are told less the own one. */\n"
     "static int *neighbours_of(const char *list, MPI_Comm graph, int *count)\n"
     "{\n"
     "    enum { MORE = 64 };\n"
     "    int members = size_of(graph), own = rank_in(graph), *ranks = calloc((size_t)members + MORE, sizeof *ranks);\n"
     "    *count = numbers_of(list, ranks, members + MORE);\n"
     "    for (int i = 0; i < *count; i++)\n"
     "        ranks[i] = ((own + ranks[i]) % members + members) % members;\n"
     "    return ranks;\n"
     "}\n",
     ALWAYS},
    {"create_adjacent_graph",
     "static void create_adjacent_graph(MPI_Comm graph, const char *from, const char *to, MPI_Comm *made)\n"
     "{\n"
     "    int in_count, out_count, *volatile weights = MPI_UNWEIGHTED; /* no array, as compilers think */\n"
     "    int *sources = neighbours_of(from, graph, &in_count), *targets = neighbours_of(to, graph, &out_count);\n"
     "    MPI_Dist_graph_create_adjacent(graph, in_count, sources, weights, out_count, targets, weights, "
     "MPI_INFO_NULL,\n"
     "                                   0, made);\n"
     "    free(sources);\n"
     "    free(targets);\n"
     "}\n",
     ALWAYS},
    {"create_graph",
     "static void create_graph(MPI_Comm graph, const char *from, const char *degrees, const char *to, MPI_Comm *made)\n"
     "{\n"
     "    int sources_count, edges, *volatile weights = MPI_UNWEIGHTED; /* no array, as compilers think */\n"
     "    int *sources = neighbours_of(from, graph, &sources_count), *targets = neighbours_of(to, graph, &edges);\n"
     "    int *numbers = calloc((size_t)sources_count + 1, sizeof *numbers);\n"
     "    numbers_of(degrees, numbers, sources_count);\n"
     "    MPI_Dist_graph_create(graph, sources_count, sources, numbers, targets, weights, MPI_INFO_NULL, 0, made);\n"
     "    free(sources);\n"
     "    free(targets);\n"
     "    free(numbers);\n"
     "}\n",
     ALWAYS},
    {"parts_of counts places",
     "/* Counts of members, and where their data begin; kept, as calls that have not completed may read them. */\n"
     "struct parts {\n"
     "    const char *list;\n"
     "    struct parts *next;\n"
     "    int *counts, *places;\n"
     "};\n"
     "\n"
     "static struct parts *parts_of(const char *list)\n"
     "{\n"
     "    static struct parts *known;\n"
     "    struct parts *parts = known;\n"
     "    enum { MORE = 64 }; /* neighbours may be more than ranks */\n"
     "    while (parts && parts->list != list)\n"
     "        parts = parts->next;\n"
     "    if (parts)\n"
     "        return parts;\n"
     "    parts = calloc(1, sizeof *parts);\n"
     "    parts->list = list;\n"
     "    parts->next = known;\n"
     "    parts->counts = calloc((size_t)size + MORE, sizeof *parts->counts);\n"
     "    parts->places = calloc((size_t)size + MORE, sizeof *parts->places);\n"
     "    numbers_of(list, parts->counts, size + MORE);\n"
     "    for (int i = 0, place = 0; i < size + MORE; i++) {\n"
     "        parts->counts[i] = scaled(parts->counts[i]);\n"
     "        parts->places[i] = place;\n"
     "        place += parts->counts[i];\n"
     "    }\n"
     "    return known = parts;\n"
     "}\n"
     "\n",
     ALWAYS},
    {"counts",
     "static const int *counts(const char *list)\n"
     "{\n"
     "    return parts_of(list)->counts;\n"
     "}\n"
     "\n",
     ALWAYS},
    {"places",
     "static const int *places(const char *list)\n"
     "{\n"
     "    return parts_of(list)->places;\n"
     "}\n",
     ALWAYS},
    {"is_among",
     "/* Whether the rank is one of \"0-3,8-14/2\". */\n"
     "static bool is_among(const char *ranks)\n"
     "{\n"
     "    for (;; ranks++) {\n"
     "        char *end;\n"
     "        long first = strtol(ranks, &end, 10), last = first, step = 1;\n"
     "        if (*end == '-')\n"
     "            last = strtol(end + 1, &end, 10);\n"
     "        if (*end == '/')\n"
     "            step = strtol(end + 1, &end, 10);\n"
     "        if (rank >= first && rank <= last && (rank - first) % step == 0)\n"
     "            return true;\n"
     "        if (*end != ',')\n"
     "            return false;\n"
     "        ranks = end;\n"
     "    }\n"
     "}\n",
     ALWAYS},
    {"own_values",
     "/* Behind \"1,3-9/2: \" where the rank is one of these. */\n"
     "static const char *own_values(const char *text)\n"
     "{\n"
     "    const char *values = strstr(text, \": \"), *next;\n"
     "    for (; values; text = next + 2, values = strstr(text, \": \")) {\n"
     "        if (is_among(text))\n"
     "            return values + 2;\n"
     "        next = strchr(text, ';');\n"
     "        if (!next)\n"
     "            return \"\";\n"
     "    }\n"
     "    return text;\n"
     "}\n",
     ALWAYS},
    {"next_text",
     "/* The next value of a row; behind the last one that one again. */\n"
     "static const char *next_text(struct row *row)\n"
     "{\n"
     "    const char *at = row->at ? row->at : own_values(row->text);\n"
     "    while (row->left == 0 && *at != ';' && *at) {\n"
     "        char *end;\n"
     "        if (*at == ' ') {\n"
     "            at++;\n"
     "        } else if (*at == '(') {\n"
     "            row->from[row->depth] = ++at;\n"
     "            row->rounds[row->depth++] = 1;\n"
     "        } else if (*at == ')') {\n"
     "            long rounds = strtol(at + 2, &end, 10);\n"
     "            at = row->rounds[row->depth - 1]++ < rounds ? row->from[row->depth - 1] : end;\n"
     "            row->depth -= at == end;\n"
     "        } else {\n"
     "            row->value = at;\n"
     "            row->number = strtol(at + (*at == '=' || *at == '^'), &end, 10);\n"
     "            row->step = 0;\n"
     "            row->left = 1;\n"
     "            at += *at == '<' ? strcspn(at, \">\") + 1 : 1 + strcspn(at + 1, \" ;)^.\");\n"
     "            if (*at == '^') {\n"
     "                row->left = strtol(at + 1, &end, 10);\n"
     "                at = end;\n"
     "            } else if (*at == '.') {\n"
     "                long last = strtol(at + 2, &end, 10);\n"
     "                row->step = *end == '/' ? strtol(end + 1, &end, 10) : 1;\n"
     "                row->left = (last - row->number) / row->step + 1;\n"
     "                row->number -= row->step;\n"
     "                at = end;\n"
     "            }\n"
     "        }\n"
     "    }\n"
     "    row->at = at;\n"
     "    if (row->left > 0) {\n"
     "        row->left--;\n"
     "        row->number += row->step;\n"
     "    }\n"
     "    if (row->step != 0 && *row->value >= '0' && *row->value <= '9') {\n"
     "        snprintf(row->shown, sizeof row->shown, \"%ld\", row->number);\n"
     "        return row->shown;\n"
     "    }\n"
     "    return row->value ? row->value : \"\";\n"
     "}\n",
     ALWAYS},
    {"next",
     "static long next(struct row *row)\n"
     "{\n"
     "    next_text(row);\n"
     "    return row->number;\n"
     "}\n",
     ALWAYS},
    {"by_steps",
     "/* \"x+1y-1\": steps from a rank's place in the mesh. */\n"
     "static int by_steps(const char *text, int own)\n"
     "{\n"
     "    static const int mesh[] = {MESH};\n"
     "    static const char axes[] = \"xyzt\";\n"
     "    int place[4], rest = own, peer = 0, count = (int)(sizeof mesh / sizeof *mesh);\n"
     "    for (int i = count; i-- > 0; rest /= mesh[i])\n"
     "        place[i] = rest % mesh[i];\n"
     "    while (*text && strchr(axes, *text)) {\n"
     "        char *end;\n"
     "        place[strchr(axes, *text) - axes] += (int)strtol(text + 1, &end, 10);\n"
     "        text = end;\n"
     "    }\n"
     "    for (int i = 0; i < count; i++)\n"
     "        peer = peer * mesh[i] + (place[i] % mesh[i] + mesh[i]) % mesh[i];\n"
     "    return peer;\n"
     "}\n",
     IN_MESH},
    {"at", NULL, /* made of the mesh */
     IN_MESH},
    {"next_peer",
     "/* The next peer of a row: +1 is the next rank, =1 rank 1, ^1 the rank with the lowest bit turned. */\n"
     "static int next_peer(struct row *row, int own, int members)\n"
     "{\n"
     "    const char *text = next_text(row);\n"
     "    long number = row->number;\n"
     "    if (*row->value == '=' || *row->value == '^')\n"
     "        return (int)(*row->value == '=' ? number : own ^ number) % members;\n"
     "    if (strncmp(text, \"any\", 3) == 0)\n"
     "        return MPI_ANY_SOURCE;\n"
     "    if (strncmp(text, \"last\", 4) == 0)\n"
     "        return LAST_SOURCE;\n"
     "    if (*text >= 'a' && *text <= 'z' && text[1] != '+' && text[1] != '-')\n"
     "        return strncmp(text, \"null\", 4) == 0 || !*text ? MPI_PROC_NULL : members;\n"
     "    if (*text >= 'a' && *text <= 'z')\n"
     "        return BY_STEPS(text, own);\n"
     "    return (int)(((own + number) % members + members) % members);\n"
     "}\n",
     ALWAYS},
    {"new_request wait_oldest wait_all",
     "static MPI_Request requests[PLACES];\n"
     "static int first_request, last_request; /* those from the first one on are not complete */\n",
     FEW},
    {"new_request",
     "static MPI_Request *new_request(void)\n"
     "{\n"
     "    if (last_request == PLACES) {\n"
     "        memmove(requests, requests + first_request, (size_t)(PLACES - first_request) * sizeof *requests);\n"
     "        last_request -= first_request;\n"
     "        first_request = 0;\n"
     "    }\n"
     "    return &requests[last_request++];\n"
     "}\n",
     FEW},
    {"wait_oldest",
     "static void wait_oldest(void)\n"
     "{\n"
     "    MPI_Wait(&requests[first_request++], MPI_STATUS_IGNORE);\n"
     "    if (first_request == last_request)\n"
     "        first_request = last_request = 0;\n"
     "}\n",
     FEW},
    {"wait_all",
     "static void wait_all(void)\n"
     "{\n"
     "    MPI_Waitall(last_request - first_request, requests + first_request, no_statuses);\n"
     "    first_request = last_request = 0;\n"
     "}\n",
     FEW},
    {"new_request positions_of",
     "/* Requests that are not complete, the oldest first. Each stays in the place that it was made in, as MPIs have "
     "one\n"
     " * handle for many that are complete when they are made. */\n"
     "static MPI_Request places_of_requests[2 * PLACES];\n"
     "static int live[PLACES], live_count;\n"
     "static bool is_live[PLACES], is_persistent[PLACES];\n",
     MANY},
    {"new_request",
     "static MPI_Request *new_request(void)\n"
     "{\n"
     "    static int next_place;\n"
     "    if (live_count == 0)\n"
     "        next_place = 0;\n"
     "    if (live_count == PLACES) {\n"
     "        fprintf(stderr, \"rank %d: more than %d requests\\n\", rank, PLACES);\n"
     "        MPI_Abort(MPI_COMM_WORLD, 1);\n"
     "    }\n"
     "    while (is_live[next_place % PLACES])\n"
     "        next_place++;\n"
     "    int place = next_place++ % PLACES;\n"
     "    is_live[place] = true;\n"
     "    is_persistent[place] = false;\n"
     "    live[live_count++] = place;\n"
     "    return &places_of_requests[place];\n"
     "}\n",
     MANY},
    {"new_persistent_request",
     "static MPI_Request *new_persistent_request(void)\n"
     "{\n"
     "    MPI_Request *request = new_request();\n"
     "    is_persistent[request - places_of_requests] = true;\n"
     "    return request;\n"
     "}\n",
     MANY},
    {"line_up",
     "/* What a call names: positions among the live ones, and where these stand in the array that it is given. */\n"
     "static struct {\n"
     "    int count, total, position[PLACES], at[PLACES], done, order[PLACES];\n"
     "    bool is_done[PLACES], came[PLACES], is_pinned[PLACES], is_taken[2 * PLACES];\n"
     "    MPI_Request *array, row[2 * PLACES], kept[2 * PLACES], copy[PLACES];\n"
     "    MPI_Status status[2 * PLACES];\n"
     "    int index[2 * PLACES];\n"
     "} named;\n"
     "\n"
     "static int positions_of(const char *text, int *positions)\n"
     "{\n"
     "    int count = 0;\n"
     "    if (*text != 'a') /* \"all\" */\n"
     "        return numbers_of(text, positions, live_count);\n"
     "    for (; count < live_count; count++)\n"
     "        positions[count] = count;\n"
     "    return count;\n"
     "}\n"
     "\n"
     "/* \"all\", or \"<0 2-4>\"; those of `done` completed when it was recorded. */\n"
     "static void name_requests(const char *which, long total, const char *done)\n"
     "{\n"
     "    static int positions[PLACES];\n"
     "    named.count = positions_of(which, named.position);\n"
     "    named.total = total > PLACES ? PLACES : total > named.count ? (int)total : named.count;\n"
     "    named.done = 0;\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        named.is_done[k] = named.came[k] = false;\n"
     "    int count = positions_of(*done == 'a' ? which : done, positions);\n"
     "    for (int i = 0; i < count; i++)\n"
     "        for (int k = 0; k < named.count; k++)\n"
     "            if (named.position[k] == positions[i]) {\n"
     "                named.is_done[k] = true;\n"
     "                named.order[named.done++] = k;\n"
     "            }\n"
     "}\n"
     "\n"
     "static MPI_Request *place_of(int k)\n"
     "{\n"
     "    return &places_of_requests[live[named.position[k]]];\n"
     "}\n"
     "\n"
     "static bool has_own_handle(int k)\n"
     "{\n"
     "    for (int i = 0; i < live_count; i++)\n"
     "        if (i != named.position[k] && places_of_requests[live[i]] == *place_of(k))\n"
     "            return false;\n"
     "    return true;\n"
     "}\n"
     "\n"
     "static void put(int k, int at)\n"
     "{\n"
     "    named.at[k] = at;\n"
     "    named.array[at] = named.copy[k];\n"
     "    named.is_taken[at] = true;\n"
     "}\n"
     "\n"
     "static void put_next(int k, int *next)\n"
     "{\n"
     "    if (named.at[k] >= 0)\n"
     "        return;\n"
     "    while (named.is_taken[*next])\n"
     "        ++*next;\n"
     "    put(k, *next);\n"
     "}\n"
     "\n"
     "/* Makes the array: a part of the places if the requests stand there in line, else one in which those that "
     "share\n"
     " * their handle with others stand where they are. */\n"
     "static void line_up(bool done_first)\n"
     "{\n"
     "    bool is_line = named.count > 0;\n"
     "    int first = -1, last = -1, before = 0, next = 0;\n"
     "    for (int k = 0; k < named.count && is_line; k++)\n"
     "        is_line = place_of(k) == place_of(0) + k && !(done_first && k < named.done && named.order[k] != k);\n"
     "    for (int k = 0; k < named.count && !is_line; k++) {\n"
     "        int place = (int)(place_of(k) - places_of_requests);\n"
     "        named.is_pinned[k] = !has_own_handle(k);\n"
     "        if (named.is_pinned[k]) {\n"
     "            first = first < 0 || place < first ? place : first;\n"
     "            last = place > last ? place : last;\n"
     "        } else {\n"
     "            before += done_first && named.is_done[k];\n"
     "        }\n"
     "    }\n"
     "    if (is_line)\n"
     "        first = (int)(place_of(0) - places_of_requests);\n"
     "    else if (first >= 0)\n"
     "        first = first > before ? first - before : 0;\n"
     "    if (!is_line && first >= 0 && last - first + 1 > named.total)\n"
     "        named.total = last - first + 1;\n"
     "    named.array = first >= 0 ? &places_of_requests[first] : named.row;\n"
     "    for (int k = 0; k < named.count; k++) {\n"
     "        named.copy[k] = *place_of(k);\n"
     "        named.at[k] = -1;\n"
     "    }\n"
     "    for (int i = 0; i < named.total; i++) {\n"
     "        named.kept[i] = named.array[i];\n"
     "        named.array[i] = MPI_REQUEST_NULL;\n"
     "        named.is_taken[i] = false;\n"
     "    }\n"
     "    for (int k = 0; k < named.count && first >= 0; k++)\n"
     "        if (is_line || named.is_pinned[k])\n"
     "            put(k, (int)(place_of(k) - places_of_requests) - first);\n"
     "    for (int i = 0; i < named.done && done_first; i++)\n"
     "        put_next(named.order[i], &next);\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        put_next(k, &next);\n"
     "}\n"
     "\n"
     "static void put_back(void)\n"
     "{\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        named.copy[k] = named.array[named.at[k]];\n"
     "    for (int i = 0; i < named.total; i++)\n"
     "        named.array[i] = named.kept[i];\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        *place_of(k) = named.copy[k];\n"
     "}\n"
     "\n"
     "/* Takes off the list what is complete, or freed. */\n"
     "static void take_off(bool all, bool freed)\n"
     "{\n"
     "    int kept = 0;\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        if ((all || named.is_done[k]) && (freed || !is_persistent[live[named.position[k]]]))\n"
     "            is_live[live[named.position[k]]] = false;\n"
     "    for (int i = 0; i < live_count; i++)\n"
     "        if (is_live[live[i]])\n"
     "            live[kept++] = live[i];\n"
     "    live_count = kept;\n"
     "}\n",
     MANY},
    {"wait_one",
     "static void wait_one(const char *which)\n"
     "{\n"
     "    name_requests(which, 1, \"\");\n"
     "    line_up(false);\n"
     "    MPI_Wait(named.array, MPI_STATUS_IGNORE);\n"
     "    put_back();\n"
     "    take_off(true, false);\n"
     "}\n",
     MANY},
    {"wait_all",
     "static void wait_all(const char *which, long total)\n"
     "{\n"
     "    name_requests(which, total, \"\");\n"
     "    line_up(false);\n"
     "    MPI_Waitall(named.total, named.array, no_statuses);\n"
     "    put_back();\n"
     "    take_off(true, false);\n"
     "}\n",
     MANY},
    {"start_one",
     "static void start_one(const char *which)\n"
     "{\n"
     "    name_requests(which, 1, \"\");\n"
     "    line_up(false);\n"
     "    MPI_Start(named.array);\n"
     "    put_back();\n"
     "}\n",
     MANY},
    {"start_all",
     "static void start_all(const char *which, long total)\n"
     "{\n"
     "    name_requests(which, total, \"\");\n"
     "    line_up(false);\n"
     "    MPI_Startall(named.total, named.array);\n"
     "    put_back();\n"
     "}\n",
     MANY},
    {"cancel",
     "static void cancel(const char *which)\n"
     "{\n"
     "    name_requests(which, 1, \"\");\n"
     "    line_up(false);\n"
     "    MPI_Cancel(named.array);\n"
     "    put_back();\n"
     "}\n",
     MANY},
    {"free_request",
     "static void free_request(const char *which)\n"
     "{\n"
     "    name_requests(which, 1, \"\");\n"
     "    line_up(false);\n"
     "    MPI_Request_free(named.array);\n"
     "    put_back();\n"
     "    take_off(true, true);\n"
     "}\n",
     MANY},
    {"complete",
     "/* What only asks is asked by PMPI: tools do not see it. */\n"
     "static bool is_complete(int k)\n"
     "{\n"
     "    int flag = 0;\n"
     "    MPI_Status status;\n"
     "    return *place_of(k) == MPI_REQUEST_NULL ||\n"
     "           (PMPI_Request_get_status(*place_of(k), &flag, &status) == MPI_SUCCESS && flag);\n"
     "}\n"
     "\n"
     "enum how { WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME };\n"
     "\n"
     "/* How many have completed; their places in the array are in named.index. */\n"
     "static int ask(enum how how, MPI_Request *array)\n"
     "{\n"
     "    int count = 0, flag = 0, index = MPI_UNDEFINED;\n"
     "    if (how == WAITANY)\n"
     "        MPI_Waitany(named.total, array, &index, named.status);\n"
     "    else if (how == WAITSOME)\n"
     "        MPI_Waitsome(named.total, array, &count, named.index, named.status);\n"
     "    else if (how == TEST)\n"
     "        MPI_Test(array, &flag, named.status);\n"
     "    else if (how == TESTALL)\n"
     "        MPI_Testall(named.total, array, &flag, named.status);\n"
     "    else if (how == TESTANY)\n"
     "        MPI_Testany(named.total, array, &index, &flag, named.status);\n"
     "    else\n"
     "        MPI_Testsome(named.total, array, &count, named.index, named.status);\n"
     "    if (flag && (how == TEST || how == TESTALL))\n"
     "        for (; count < named.total; count++)\n"
     "            named.index[count] = count;\n"
     "    if ((how == WAITANY || how == TESTANY) && index != MPI_UNDEFINED)\n"
     "        named.index[count++] = index;\n"
     "    return count == MPI_UNDEFINED ? 0 : count;\n"
     "}\n"
     "\n"
     "/* A call that found nothing when it was recorded asks for nothing if it would find something here. */\n"
     "static void ask_in_vain(enum how how)\n"
     "{\n"
     "    int complete = 0;\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        complete += is_complete(k);\n"
     "    if (complete > 0 && (how != TESTALL || complete == named.count)) {\n"
     "        for (int i = 0; i < named.total; i++)\n"
     "            named.row[i] = MPI_REQUEST_NULL;\n"
     "        ask(how, named.row);\n"
     "        return;\n"
     "    }\n"
     "    line_up(false);\n"
     "    ask(how, named.array);\n"
     "    put_back();\n"
     "}\n"
     "\n"
     "/* Waits until what completed when it was recorded is complete, and then makes the call, with these in front. "
     "*/\n"
     "static void complete(enum how how, const char *which, long total, const char *done)\n"
     "{\n"
     "    bool waits = how == WAITANY || how == WAITSOME;\n"
     "    int count;\n"
     "    name_requests(which, total, done);\n"
     "    if (named.done == 0 && (!waits || named.count == 0)) {\n"
     "        ask_in_vain(how);\n"
     "        return;\n"
     "    }\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        while (named.is_done[k] && !is_complete(k))\n"
     "            ;\n"
     "    do {\n"
     "        line_up(how != TESTALL && how != TEST);\n"
     "        count = ask(how, named.array);\n"
     "        for (int i = 0; i < count; i++)\n"
     "            for (int k = 0; k < named.count; k++)\n"
     "                named.came[k] = named.came[k] || named.at[k] == named.index[i];\n"
     "        put_back();\n"
     "    } while (count == 0 && !waits);\n"
     "    for (int k = 0; k < named.count; k++)\n"
     "        if (named.is_done[k] && !named.came[k])\n"
     "            PMPI_Wait(place_of(k), MPI_STATUS_IGNORE);\n"
     "    take_off(named.done == 0, false);\n"
     "}\n",
     MANY},
    {"look",
     "/* Looks for a message, and gives whom one is from. PMPI_Probe, which tools do not see, waits for the one that "
     "was\n"
     " * found when this was recorded. */\n"
     "static int look(int source, int tag, MPI_Comm members, int found)\n"
     "{\n"
     "    int flag;\n"
     "    MPI_Status seen;\n"
     "    if (found != MPI_PROC_NULL)\n"
     "        PMPI_Probe(found, tag, members, MPI_STATUS_IGNORE);\n"
     "    MPI_Iprobe(source, tag, members, &flag, &seen);\n"
     "    return flag ? seen.MPI_SOURCE : found;\n"
     "}\n",
     ALWAYS},
    {"now_returned",
     "static void now_returned(const char *call)\n"
     "{\n"
     "    fprintf(stderr, \"rank %d: %s did not return when it was recorded, and does now\\n\", rank, call);\n"
     "    PMPI_Finalize();\n"
     "    exit(0);\n"
     "}\n",
     ALWAYS},
    {"stay",
     "/* Where the recording ended, in no call of MPI. */\n"
     "static void stay(void)\n"
     "{\n"
     "    for (;;)\n"
     "        ;\n"
     "}\n",
     ALWAYS},
    {"attach_buffer",
     "static void attach_buffer(void)\n"
     "{\n"
     "    enum { BYTES = 1 << 26 };\n"
     "    PMPI_Buffer_attach(malloc(BYTES), BYTES);\n"
     "}\n",
     ALWAYS},
};

gboolean dt_text_uses(const char *text, const char *word)
{
    gsize length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        gboolean begins = at == text || !(g_ascii_isalnum(at[-1]) || at[-1] == '_');
        if (begins && !(g_ascii_isalnum(at[length]) || at[length] == '_'))
            return TRUE;
    }
    return FALSE;
}

/* A function's name stands before a parenthesis; in comments it does not. */
static gboolean calls(const char *text, const char *word)
{
    gboolean is_variable = g_ascii_isupper(*word) || g_str_has_prefix(word, "no_");
    g_autofree char *call = is_variable ? g_strdup(word) : g_strdup_printf("%s(", word);
    for (const char *at = strstr(text, call); at; at = strstr(at + 1, call))
        if (at == text || !(g_ascii_isalnum(at[-1]) || at[-1] == '_'))
            return TRUE;
    return FALSE;
}

static char *without_comments(const char *program)
{
    GString *text = g_string_new(NULL);
    for (const char *at = program; *at;) {
        const char *comment = strstr(at, "  // "), *end = comment ? strchr(comment, '\n') : NULL;
        g_string_append_len(text, at, comment ? comment - at : (gssize)strlen(at));
        if (!end)
            break;
        at = end;
    }
    return g_string_free(text, FALSE);
}

static gboolean is_for(const DtGenerating *generating, const Helper *helper)
{
    return helper->when == ALWAYS || (helper->when == FEW && generating->few_requests) ||
           (helper->when == MANY && !generating->few_requests) ||
           (helper->when == IN_MESH && dt_has_mesh(generating->skeleton));
}

/* The rank at a place, around the ends of the mesh. */
static char *place_helper(const DtMesh *mesh)
{
    GString *text = g_string_new("/* The rank at a place in the mesh, whose ends are joined. */\nstatic int at(");
    for (guint axis = 0; axis < mesh->axes; axis++)
        g_string_append_printf(text, "%sint to_%c", axis > 0 ? ", " : "", "xyzt"[axis]);
    g_string_append(text, ")\n{\n    return ");
    for (guint axis = 0; axis + 2 < mesh->axes; axis++)
        g_string_append_c(text, '(');
    for (guint axis = 0; axis < mesh->axes; axis++) {
        char name = "xyzt"[axis], size = "XYZT"[axis];
        if (axis > 0)
            g_string_append_printf(text, "%s * %c + ", axis > 1 ? ")" : "", size);
        g_string_append_printf(text, "(to_%c + %c) %% %c", name, size, size);
    }
    g_string_append(text, ";\n}\n");
    return g_string_free(text, FALSE);
}

/* What depends on the program. */
static char *helper_text(const DtGenerating *generating, const Helper *helper)
{
    if (!helper->text)
        return place_helper(&generating->skeleton->mesh);
    g_autoptr(GString) text = g_string_new(helper->text), mesh = g_string_new(NULL);
    for (guint axis = 0; axis < generating->skeleton->mesh.axes; axis++)
        g_string_append_printf(mesh, "%s%u", axis > 0 ? ", " : "", generating->skeleton->mesh.size[axis]);
    g_string_replace(text, "{MESH}", "{@}", 0);
    g_string_replace(text, "@", mesh->str, 0);
    g_string_replace(text, "LAST_SOURCE", generating->uses_last ? "last" : "MPI_PROC_NULL", 0);
    g_string_replace(text, "BY_STEPS(text, own)", dt_has_mesh(generating->skeleton) ? "by_steps(text, own)" : "own", 0);
    return g_strdup(text->str);
}

static gboolean is_used(const Helper *helper, const char *text)
{
    g_auto(GStrv) words = g_strsplit(helper->words, " ", -1);
    for (guint i = 0; words[i]; i++)
        if (calls(text, words[i]))
            return TRUE;
    return FALSE;
}

char *dt_helpers_text(const DtGenerating *generating, const char *program)
{
    g_autofree char *bare = without_comments(program);
    g_autoptr(GString) uses = g_string_new(bare);
    GString *text = g_string_new(NULL);
    for (guint i = G_N_ELEMENTS(helpers); i-- > 0;) {
        if (!is_for(generating, &helpers[i]) || !is_used(&helpers[i], uses->str))
            continue;
        g_autofree char *own = helper_text(generating, &helpers[i]);
        g_string_append(uses, own);
        g_string_prepend(text, "\n");
        g_string_prepend(text, own);
    }
    return g_string_free(text, FALSE);
}
