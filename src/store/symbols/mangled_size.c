/* Reads a mangled name as the C++ runtime's demangler does, for sizes alone: Itanium C++ ABI, section 5.1, with GNU's
 * extensions. Functions are called after the rules of that grammar. */
#include "store/symbols/mangled_size.h"

#include <string.h>

enum {
    STEP = 32,    /* more than what a component prints itself, without its parts and names */
    STANDARD = 80 /* more than std::basic_string with its arguments has characters */
};

/* A component, with all that its substitutions stand for. */
typedef struct {
    guint64 size;
    guint64 parameters;  /* uses of template parameters in it, each counted as STEP */
    gboolean returns;    /* a function of this name says what it returns */
    gboolean structor;   /* constructor, destructor, or conversion */
    gboolean closure;    /* a lambda's type or one without name */
    guint64 largest;     /* of the arguments of the template that it is */
    guint64 most_nested; /* parameters in one of them */
    guint64 elements;    /* of a list of arguments */
} Part;

typedef struct {
    guint64 pack_length; /* of the longest pack */
    guint64 largest;     /* argument that a parameter may stand for */
    guint64 most_nested; /* parameters in one of them */
} Bounds;

typedef struct {
    const char *at, *end;
    gboolean failed;
    GArray *substitutions; /* Part */
    guint64 last_name;     /* size of the name that a constructor repeats */
    gboolean in_expression, in_conversion, in_trial;
    gint unresolved; /* how names after "sr" are read: 1: by the ABI; -1: the same, and some were; 0: as old GCC wrote
                        them */
    Bounds known;    /* from reading it before */
    guint64 longest_pack;         /* that was seen */
    guint64 parameters;           /* all uses */
    guint64 contexts;             /* templates whose arguments parameters may stand for */
    guint64 largest, any_largest; /* argument of such a template; of any */
    guint64 most_nested, any_most_nested;
    gboolean converts; /* a conversion's type looks into any template around it */
} Parser;

static Part read_type(Parser *parser);
static Part read_encoding(Parser *parser);
static Part read_name(Parser *parser, gboolean can_substitute);
static Part read_expression(Parser *parser);
static Part read_inner_expression(Parser *parser);
static Part read_template_args(Parser *parser);

/* ---- sizes --------------------------------------------------------------------------------- */

static guint64 sum(guint64 one, guint64 two)
{
    return one > G_MAXUINT64 - two ? G_MAXUINT64 : one + two;
}

static guint64 product(guint64 one, guint64 two)
{
    return two != 0 && one > G_MAXUINT64 / two ? G_MAXUINT64 : one * two;
}

static Part leaf(guint64 size)
{
    return (Part){.size = size};
}

static Part join(Part one, Part two)
{
    return (Part){.size = sum(STEP, sum(one.size, two.size)), .parameters = sum(one.parameters, two.parameters)};
}

static Part wrap(Part part)
{
    return join(part, leaf(0));
}

/* ---- characters ---------------------------------------------------------------------------- */

static Part fail(Parser *parser)
{
    parser->failed = TRUE;
    parser->at = parser->end;
    return leaf(G_MAXUINT64);
}

static char peek(const Parser *parser)
{
    return *parser->at;
}

static char peek_second(const Parser *parser)
{
    return *parser->at ? parser->at[1] : 0;
}

static gboolean next_are(const Parser *parser, char first, char second)
{
    return peek(parser) == first && peek_second(parser) == second;
}

static void advance(Parser *parser, gsize count)
{
    parser->at += MIN(count, (gsize)(parser->end - parser->at));
}

static gboolean take(Parser *parser, char wanted)
{
    gboolean there = peek(parser) == wanted;
    advance(parser, there ? 1 : 0);
    return there;
}

static Part expect(Parser *parser, char wanted, Part part)
{
    return take(parser, wanted) ? part : fail(parser);
}

/* Negative numbers begin with "n"; -1 is one that is too large, too. */
static gint64 read_number(Parser *parser)
{
    gboolean negative = take(parser, 'n');
    gint64 number = 0;
    for (; g_ascii_isdigit(peek(parser)); advance(parser, 1))
        number = number > G_MAXINT / 10 ? G_MAXINT : number * 10 + (peek(parser) - '0');
    return number >= G_MAXINT ? -1 : negative ? -number : number;
}

/* "_" is 0, "0_" is 1; FALSE: none. */
static gboolean skip_compact_number(Parser *parser)
{
    if (peek(parser) == 'n' || (peek(parser) != '_' && read_number(parser) < 0))
        return FALSE;
    return take(parser, '_');
}

static gboolean skip_discriminator(Parser *parser)
{
    if (!take(parser, '_'))
        return TRUE;
    gboolean second = take(parser, '_');
    gint64 number = read_number(parser);
    return number >= 0 && (!second || number < 10 || take(parser, '_'));
}

/* ---- names --------------------------------------------------------------------------------- */

static Part read_source_name(Parser *parser)
{
    gint64 length = read_number(parser);
    if (length <= 0 || length > parser->end - parser->at)
        return fail(parser);
    advance(parser, (gsize)length);
    parser->last_name = STEP + (guint64)length;
    return leaf(parser->last_name);
}

static void add_substitution(Parser *parser, Part part)
{
    g_array_append_val(parser->substitutions, part);
}

static Part read_abi_tags(Parser *parser, Part part)
{
    guint64 last_name = parser->last_name;
    while (take(parser, 'B'))
        part = join(part, read_source_name(parser));
    parser->last_name = last_name;
    return part;
}

static Part read_standard_name(Parser *parser)
{
    if (!strchr("tabsiod", peek(parser)) || !peek(parser))
        return fail(parser);
    if (peek(parser) != 't')
        parser->last_name = STANDARD;
    advance(parser, 1);
    if (peek(parser) != 'B')
        return leaf(STANDARD);
    Part part = read_abi_tags(parser, leaf(STANDARD));
    add_substitution(parser, part);
    return part;
}

/* <substitution>, in base 36 */
static Part read_substitution(Parser *parser)
{
    if (!take(parser, 'S'))
        return fail(parser);
    if (peek(parser) != '_' && !g_ascii_isdigit(peek(parser)) && !g_ascii_isupper(peek(parser)))
        return read_standard_name(parser);
    guint64 number = 0;
    gboolean first = peek(parser) == '_';
    for (; g_ascii_isdigit(peek(parser)) || g_ascii_isupper(peek(parser)); advance(parser, 1)) {
        char digit = peek(parser);
        number = MIN(number * 36 + (guint64)(digit <= '9' ? digit - '0' : digit - 'A' + 10), G_MAXUINT32);
    }
    number += first ? 0 : 1;
    if (!take(parser, '_') || number >= parser->substitutions->len)
        return fail(parser);
    return g_array_index(parser->substitutions, Part, number);
}

static Part read_structor(Parser *parser)
{
    gboolean constructor = peek(parser) == 'C', inheriting = constructor && peek_second(parser) == 'I';
    advance(parser, inheriting ? 2 : 1);
    if (!peek(parser) || !strchr(constructor ? "12345" : "01245", peek(parser)))
        return fail(parser);
    advance(parser, 1);
    if (inheriting)
        read_type(parser);
    Part part = leaf(sum(STEP, parser->last_name));
    part.structor = TRUE;
    return part;
}

static Part read_parameter_list(Parser *parser)
{
    Part list = leaf(0);
    gboolean empty = TRUE;
    while (peek(parser) && peek(parser) != 'E' && peek(parser) != '.' && !next_are(parser, 'R', 'E') &&
           !next_are(parser, 'O', 'E')) {
        list = join(list, read_type(parser));
        empty = FALSE;
    }
    return empty ? fail(parser) : list;
}

/* Parameters in its signature are printed as auto. */
static Part read_closure(Parser *parser)
{
    gboolean lambda = next_are(parser, 'U', 'l');
    if (!lambda && !next_are(parser, 'U', 't'))
        return fail(parser);
    advance(parser, 2);
    Part part = lambda ? expect(parser, 'E', read_parameter_list(parser)) : leaf(0);
    if (!skip_compact_number(parser))
        return fail(parser);
    part = leaf(sum(2 * STEP, part.size));
    part.closure = TRUE;
    if (!lambda)
        add_substitution(parser, part);
    return part;
}

/* ---- operators ----------------------------------------------------------------------------- */

typedef struct {
    Part part;
    char code[3]; /* "": a cast or a vendor's */
    gint operands;
} Operator;

/* How many operands an operator has; -1: there is none of that code. */
static gint find_operands(const char *code)
{
    static const char *const codes[] = {
        "tr",
        "adatawazcodadedlgslimmngntpppssPsZstsztw",
        "aNaSaaanccclcmdVdcdidsdtdvdxeOeoeqflfrgegtixlSlelsltmImLmimlneoRooorpLplpmptrMrSrcrmrsscss",
        "dXfLfRnanwqu",
    };
    for (gint operands = 0; operands < (gint)G_N_ELEMENTS(codes); operands++)
        for (const char *at = codes[operands]; *at; at += 2)
            if (strncmp(at, code, 2) == 0)
                return operands;
    return -1;
}

static Operator read_conversion(Parser *parser)
{
    gboolean outer = parser->in_conversion;
    parser->in_conversion = !parser->in_expression;
    Operator conversion = {.part = wrap(read_type(parser)), .operands = parser->in_conversion ? -1 : 1};
    if (parser->in_conversion) {
        conversion.part.structor = TRUE;
        parser->converts = TRUE;
        parser->contexts++;
    }
    parser->in_conversion = outer;
    return conversion;
}

static Operator read_operator(Parser *parser)
{
    Operator operator= {.code = {peek(parser), peek_second(parser)}};
    advance(parser, 2);
    if (strcmp(operator.code, "cv") == 0)
        return read_conversion(parser);
    if (operator.code[0] == 'v' && g_ascii_isdigit(operator.code[1])) {
        operator.operands = operator.code[1] - '0';
        operator.code[0] = 0;
        operator.part = wrap(read_source_name(parser));
        return operator;
    }
    operator.operands = find_operands(operator.code);
    operator.part = operator.operands<0 ? fail(parser) : leaf(STEP);
    return operator;
}

static Part read_operator_name(Parser *parser)
{
    gboolean outer = parser->in_expression;
    if (next_are(parser, 'o', 'n')) {
        advance(parser, 2);
        parser->in_expression = FALSE;
    }
    Operator operator= read_operator(parser);
    parser->in_expression = outer;
    return strcmp(operator.code, "li") == 0 ? join(operator.part, read_source_name(parser)) : operator.part;
}

/* ---- qualified names ----------------------------------------------------------------------- */

static Part read_structured_binding(Parser *parser)
{
    Part part = leaf(0);
    advance(parser, 2);
    do
        part = join(part, read_source_name(parser));
    while (!parser->failed && peek(parser) != 'E');
    return expect(parser, 'E', part);
}

static Part read_internal_name(Parser *parser)
{
    advance(parser, 1);
    Part part = read_source_name(parser);
    return skip_discriminator(parser) ? part : fail(parser);
}

static Part read_unqualified_name(Parser *parser)
{
    Part part;
    if (g_ascii_isdigit(peek(parser)))
        part = read_source_name(parser);
    else if (g_ascii_islower(peek(parser)))
        part = read_operator_name(parser);
    else if (next_are(parser, 'D', 'C'))
        part = read_structured_binding(parser);
    else if (peek(parser) == 'C' || peek(parser) == 'D')
        part = read_structor(parser);
    else if (peek(parser) == 'L')
        part = read_internal_name(parser);
    else
        part = read_closure(parser);
    return peek(parser) == 'B' ? read_abi_tags(parser, part) : part;
}

static Part scoped(Part scope, Part name)
{
    Part part = join(scope, name);
    part.structor = name.structor;
    return part;
}

static Part read_template(Parser *parser, Part name)
{
    Part arguments = read_template_args(parser), part = join(name, arguments);
    part.returns = !name.structor;
    part.largest = arguments.largest;
    part.most_nested = arguments.most_nested;
    return part;
}

static Part read_template_parameter(Parser *parser)
{
    parser->parameters++;
    if (!take(parser, 'T') || !skip_compact_number(parser))
        return fail(parser);
    return (Part){.size = STEP, .parameters = 1};
}

/* One step of a <prefix>; `first`: there is nothing before it. */
static Part read_prefix_step(Parser *parser, Part before, gboolean first)
{
    if (peek(parser) == 'I')
        return first ? fail(parser) : read_template(parser, before);
    if (first && (next_are(parser, 'D', 'T') || next_are(parser, 'D', 't')))
        return read_type(parser);
    if (first && peek(parser) == 'T')
        return read_template_parameter(parser);
    if (first && peek(parser) == 'S')
        return read_substitution(parser);
    return first ? read_unqualified_name(parser) : scoped(before, read_unqualified_name(parser));
}

/* What a substitution or "std" stands for is none of its own. */
static Part read_prefix(Parser *parser, gboolean can_substitute)
{
    Part part = leaf(0);
    gboolean first = TRUE;
    while (!parser->failed) {
        if (take(parser, 'M'))
            continue;
        gboolean known = first && peek(parser) == 'S';
        part = read_prefix_step(parser, part, first);
        first = FALSE;
        if (known)
            continue;
        if (peek(parser) == 'E')
            break;
        if (can_substitute)
            add_substitution(parser, part);
    }
    return part;
}

static gboolean next_is_qualifier(const Parser *parser)
{
    char next = peek(parser), second = peek_second(parser);
    return next == 'r' || next == 'V' || next == 'K' ||
           (next == 'D' && (second == 'x' || second == 'o' || second == 'O' || second == 'w'));
}

static Part read_qualifiers(Parser *parser)
{
    Part part = leaf(0);
    while (next_is_qualifier(parser)) {
        char kind = peek(parser) == 'D' ? peek_second(parser) : 0;
        advance(parser, kind ? 2 : 1);
        part = wrap(part);
        if (kind == 'O')
            part = join(part, expect(parser, 'E', read_expression(parser)));
        else if (kind == 'w')
            part = join(part, expect(parser, 'E', read_parameter_list(parser)));
    }
    return part;
}

static Part qualified(Part qualifiers, Part name)
{
    Part part = name;
    part.size = sum(STEP, sum(qualifiers.size, name.size));
    part.parameters = sum(qualifiers.parameters, name.parameters);
    part.structor = part.closure = FALSE;
    return part;
}

static Part read_nested_name(Parser *parser)
{
    advance(parser, 1);
    gboolean is_qualified = next_is_qualifier(parser) || peek(parser) == 'R' || peek(parser) == 'O';
    Part qualifiers = read_qualifiers(parser);
    if (peek(parser) == 'R' || peek(parser) == 'O')
        advance(parser, 1);
    Part part = read_prefix(parser, TRUE);
    return expect(parser, 'E', is_qualified ? qualified(qualifiers, part) : part);
}

static Part read_local_entity(Parser *parser)
{
    if (take(parser, 's'))
        return skip_discriminator(parser) ? leaf(STEP) : fail(parser);
    gboolean default_argument = take(parser, 'd');
    if (default_argument && !skip_compact_number(parser))
        return fail(parser);
    Part name = read_name(parser, FALSE);
    if (!name.closure && !skip_discriminator(parser))
        return fail(parser);
    if (default_argument)
        name = qualified(leaf(STEP), name);
    name.returns = name.returns && !default_argument;
    return name;
}

static Part read_local_name(Parser *parser)
{
    advance(parser, 1);
    Part function = expect(parser, 'E', read_encoding(parser)), entity = read_local_entity(parser);
    Part part = scoped(function, entity);
    part.returns = entity.returns;
    part.largest = entity.largest;
    part.most_nested = entity.most_nested;
    return part;
}

/* <unscoped-name>, <unscoped-template-name>, or a substitution with arguments */
static Part read_unscoped_name(Parser *parser, gboolean *known)
{
    gboolean in_std = next_are(parser, 'S', 't');
    advance(parser, in_std ? 2 : 0);
    *known = !in_std && peek(parser) == 'S';
    Part part = *known   ? read_substitution(parser)
                : in_std ? scoped(leaf(STEP), read_unqualified_name(parser))
                         : read_unqualified_name(parser);
    if (peek(parser) != 'I')
        return part;
    if (!*known)
        add_substitution(parser, part);
    *known = FALSE;
    return read_template(parser, part);
}

static Part read_name(Parser *parser, gboolean can_substitute)
{
    gboolean known = FALSE;
    Part part = peek(parser) == 'N'   ? read_nested_name(parser)
                : peek(parser) == 'Z' ? read_local_name(parser)
                : peek(parser) == 'U' ? read_unqualified_name(parser)
                                      : read_unscoped_name(parser, &known);
    if (can_substitute && !known)
        add_substitution(parser, part);
    return part;
}

/* ---- types --------------------------------------------------------------------------------- */

static Part read_bare_function_type(Parser *parser, gboolean returns)
{
    returns = take(parser, 'J') || returns;
    Part result = returns ? read_type(parser) : leaf(0);
    return join(result, read_parameter_list(parser));
}

static Part read_function_type(Parser *parser)
{
    advance(parser, 1);
    take(parser, 'Y');
    Part part = read_bare_function_type(parser, TRUE);
    if (peek(parser) == 'R' || peek(parser) == 'O')
        advance(parser, 1);
    return expect(parser, 'E', wrap(part));
}

static Part read_qualified_type(Parser *parser)
{
    Part qualifiers = read_qualifiers(parser);
    Part part = join(qualifiers, peek(parser) == 'F' ? read_function_type(parser) : read_type(parser));
    add_substitution(parser, part);
    return part;
}

static Part read_array_type(Parser *parser)
{
    Part size = leaf(0);
    advance(parser, 1);
    if (g_ascii_isdigit(peek(parser)))
        for (; g_ascii_isdigit(peek(parser)); size.size++)
            advance(parser, 1);
    else if (peek(parser) != '_')
        size = read_expression(parser);
    size = expect(parser, '_', size);
    return join(size, read_type(parser));
}

static Part read_vector_type(Parser *parser)
{
    Part size = leaf(STEP);
    if (take(parser, '_'))
        size = read_expression(parser);
    else
        read_number(parser);
    size = expect(parser, '_', size);
    return join(size, read_type(parser));
}

/* In a conversion the arguments behind a parameter may be the operator's own. The demangler tries, and with one such
 * try inside another it takes twice as long for each: no bound. */
static Part read_parameter_type(Parser *parser)
{
    Part parameter = read_template_parameter(parser);
    if (peek(parser) != 'I')
        return parameter;
    if (!parser->in_conversion) {
        add_substitution(parser, parameter);
        return read_template(parser, parameter);
    }
    if (parser->in_trial)
        return fail(parser);
    const char *before = parser->at;
    guint substitutions = parser->substitutions->len;
    parser->in_trial = TRUE;
    Part arguments = read_template_args(parser);
    parser->in_trial = FALSE;
    if (peek(parser) == 'I') {
        add_substitution(parser, parameter);
        return join(parameter, arguments);
    }
    if (!parser->failed)
        parser->at = before;
    g_array_set_size(parser->substitutions, substitutions);
    return parameter;
}

static Part read_pack_expansion(Parser *parser, Part pattern)
{
    Part part = leaf(sum(STEP, product(pattern.size, parser->known.pack_length + 1)));
    part.parameters = product(pattern.parameters, MAX(parser->known.pack_length, 1));
    return part;
}

static Part read_float_type(Parser *parser)
{
    read_number(parser);
    return take(parser, 'b') || take(parser, 'x') || take(parser, '_') ? leaf(STEP) : fail(parser);
}

/* Types that begin with D. */
static Part read_further_type(Parser *parser, gboolean *can_substitute)
{
    char kind = peek_second(parser);
    advance(parser, 2);
    *can_substitute = kind == 'T' || kind == 't' || kind == 'p' || kind == 'v';
    if (kind == 'T' || kind == 't')
        return wrap(expect(parser, 'E', read_expression(parser)));
    if (kind == 'p')
        return read_pack_expansion(parser, read_type(parser));
    if (kind == 'v')
        return read_vector_type(parser);
    if (kind == 'F')
        return read_float_type(parser);
    return kind && strchr("acfdehusin", kind) ? leaf(STEP) : fail(parser);
}

static Part read_vendor_qualified_type(Parser *parser)
{
    Part qualifier = read_source_name(parser);
    if (peek(parser) == 'I')
        qualifier = read_template(parser, qualifier);
    return join(read_type(parser), qualifier);
}

/* Types that begin with one letter. */
static Part read_compound_type(Parser *parser, char kind)
{
    advance(parser, 1);
    switch (kind) {
    case 'u':
        return wrap(read_source_name(parser));
    case 'U':
        return read_vendor_qualified_type(parser);
    case 'M': {
        Part class = read_type(parser);
        return join(class, read_type(parser));
    }
    default: /* O, P, R, C, G */
        return wrap(read_type(parser));
    }
}

static Part read_type(Parser *parser)
{
    char kind = peek(parser);
    gboolean can_substitute = TRUE;
    if (next_is_qualifier(parser))
        return read_qualified_type(parser);
    if (kind && strchr("abcdefghijlmnostvwxyz", kind)) {
        advance(parser, 1);
        return leaf(STEP);
    }
    if (!kind || !strchr("FATDuUMOPRCG", kind))
        return read_name(parser, TRUE);
    Part part = kind == 'F'   ? read_function_type(parser)
                : kind == 'A' ? read_array_type(parser)
                : kind == 'T' ? read_parameter_type(parser)
                : kind == 'D' ? read_further_type(parser, &can_substitute)
                              : read_compound_type(parser, kind);
    if (can_substitute)
        add_substitution(parser, part);
    return part;
}

/* ---- template arguments -------------------------------------------------------------------- */

static Part read_literal(Parser *parser)
{
    advance(parser, 1);
    if (peek(parser) == '_' || peek(parser) == 'Z') {
        take(parser, '_');
        return take(parser, 'Z') ? expect(parser, 'E', read_encoding(parser)) : fail(parser);
    }
    Part part = wrap(read_type(parser));
    for (; peek(parser) && peek(parser) != 'E'; advance(parser, 1))
        part.size = sum(part.size, 1);
    return expect(parser, 'E', part);
}

static Part read_template_arg(Parser *parser)
{
    if (take(parser, 'X'))
        return expect(parser, 'E', read_expression(parser));
    if (peek(parser) == 'L')
        return read_literal(parser);
    return peek(parser) == 'I' || peek(parser) == 'J' ? read_template_args(parser) : read_type(parser);
}

/* Up to the E, which may be the first. A list in a list is a pack. */
static Part read_template_arg_list(Parser *parser)
{
    Part list = leaf(STEP);
    guint64 last_name = parser->last_name, count = 0, largest = 0, most_nested = 0;
    for (; !parser->failed && peek(parser) != 'E'; count++) {
        gboolean pack = peek(parser) == 'I' || peek(parser) == 'J';
        Part argument = read_template_arg(parser);
        largest = MAX(largest, argument.size);
        most_nested = MAX(most_nested, argument.parameters);
        list = join(list, argument);
        list.largest = largest;
        list.most_nested = most_nested;
        if (pack)
            parser->longest_pack = MAX(parser->longest_pack, argument.elements);
    }
    list.elements = count;
    parser->any_largest = MAX(parser->any_largest, largest);
    parser->any_most_nested = MAX(parser->any_most_nested, most_nested);
    parser->last_name = last_name;
    return expect(parser, 'E', list);
}

static Part read_template_args(Parser *parser)
{
    if (peek(parser) != 'I' && peek(parser) != 'J')
        return fail(parser);
    advance(parser, 1);
    return read_template_arg_list(parser);
}

/* ---- expressions --------------------------------------------------------------------------- */

static Part read_expression_list(Parser *parser, char end)
{
    Part list = leaf(STEP);
    while (!parser->failed && peek(parser) != end)
        list = join(list, read_inner_expression(parser));
    return expect(parser, end, list);
}

static Part read_with_template_args(Parser *parser, Part name)
{
    return peek(parser) == 'I' ? read_template(parser, name) : name;
}

static Part read_unresolved_name(Parser *parser)
{
    char next = peek(parser);
    Part scope;
    if (parser->unresolved && (g_ascii_isdigit(next) || g_ascii_islower(next) || (next && strchr("CUL", next)))) {
        parser->unresolved = -1;
        scope = read_prefix(parser, FALSE);
        take(parser, 'E');
    } else {
        scope = read_type(parser);
    }
    return read_with_template_args(parser, scoped(scope, read_unqualified_name(parser)));
}

static Part read_function_parameter(Parser *parser)
{
    return take(parser, 'T') || skip_compact_number(parser) ? leaf(STEP) : fail(parser);
}

static Part read_initializer_list(Parser *parser, gboolean typed)
{
    Part type = typed ? read_type(parser) : leaf(0);
    return join(type, read_expression_list(parser, 'E'));
}

static Part read_unary_expression(Parser *parser, const Operator *operator)
{
    gboolean increment = strcmp(operator->code, "pp") == 0 || strcmp(operator->code, "mm") == 0;
    gboolean suffix = increment && !take(parser, '_');
    Part operand;
    if (strcmp(operator->code, "st") == 0)
        operand = read_type(parser);
    else if (!operator->code[0] && take(parser, '_'))
        operand = read_expression_list(parser, 'E');
    else if (strcmp(operator->code, "sP") == 0)
        operand = read_template_arg_list(parser);
    else
        operand = read_inner_expression(parser);
    return join(operator->part, suffix ? join(operand, operand) : operand);
}

static Part read_member(Parser *parser)
{
    if (next_are(parser, 'g', 's') || next_are(parser, 's', 'r'))
        return read_inner_expression(parser);
    return read_with_template_args(parser, read_unqualified_name(parser));
}

static gboolean is_one_of(const char *code, const char *codes)
{
    const char *found = *code ? strstr(codes, code) : NULL;
    return found && (found - codes) % 3 == 0;
}

static Part read_binary_expression(Parser *parser, const Operator *operator)
{
    const char *code = operator->code;
    if (!*code)
        return fail(parser);
    Part left = is_one_of(code, "sc dc cc rc") ? read_type(parser)
                : code[0] == 'f'               ? read_operator(parser).part
                : is_one_of(code, "di")        ? read_unqualified_name(parser)
                                               : read_inner_expression(parser);
    Part right = is_one_of(code, "cl")      ? read_expression_list(parser, 'E')
                 : is_one_of(code, "dt pt") ? read_member(parser)
                                            : read_inner_expression(parser);
    return join(operator->part, join(left, right));
}

static Part read_new_expression(Parser *parser)
{
    Part placement = read_expression_list(parser, '_');
    Part part = join(placement, read_type(parser));
    if (take(parser, 'E'))
        return part;
    if (next_are(parser, 'i', 'l'))
        return join(part, read_inner_expression(parser));
    if (!next_are(parser, 'p', 'i'))
        return fail(parser);
    advance(parser, 2);
    return join(part, read_expression_list(parser, 'E'));
}

static Part read_ternary_expression(Parser *parser, const Operator *operator)
{
    if (is_one_of(operator->code, "nw na"))
        return join(operator->part, read_new_expression(parser));
    if (!*operator->code)
        return fail(parser);
    Part first = operator->code[0] == 'f' ? read_operator(parser).part : read_inner_expression(parser);
    Part second = read_inner_expression(parser);
    return join(operator->part, join(first, join(second, read_inner_expression(parser))));
}

static Part read_operation(Parser *parser)
{
    Operator operator= read_operator(parser);
    switch (operator.operands) {
    case 0:
        return wrap(operator.part);
    case 1:
        return read_unary_expression(parser, &operator);
    case 2:
        return read_binary_expression(parser, &operator);
    case 3:
        return read_ternary_expression(parser, &operator);
    default:
        return fail(parser);
    }
}

/* What begins with two letters that no operator has; FALSE: it is none of these. */
static gboolean read_marked_expression(Parser *parser, Part *part)
{
    char code[] = {peek(parser), peek_second(parser), 0};
    if (!is_one_of(code, "sr sp fp il tl"))
        return FALSE;
    advance(parser, 2);
    if (strcmp(code, "sr") == 0)
        *part = read_unresolved_name(parser);
    else if (strcmp(code, "sp") == 0)
        *part = read_pack_expansion(parser, read_inner_expression(parser));
    else if (strcmp(code, "fp") == 0)
        *part = read_function_parameter(parser);
    else
        *part = read_initializer_list(parser, code[0] == 't');
    return TRUE;
}

static Part read_inner_expression(Parser *parser)
{
    Part part;
    if (peek(parser) == 'L')
        return read_literal(parser);
    if (peek(parser) == 'T')
        return read_template_parameter(parser);
    if (read_marked_expression(parser, &part))
        return part;
    if (g_ascii_isdigit(peek(parser)) || next_are(parser, 'o', 'n')) {
        advance(parser, peek(parser) == 'o' ? 2 : 0);
        return read_with_template_args(parser, read_unqualified_name(parser));
    }
    if (take(parser, 'u')) {
        part = read_source_name(parser);
        return join(part, read_template_arg_list(parser));
    }
    return read_operation(parser);
}

static Part read_expression(Parser *parser)
{
    gboolean outer = parser->in_expression;
    parser->in_expression = TRUE;
    Part part = read_inner_expression(parser);
    parser->in_expression = outer;
    return part;
}

/* ---- encodings ----------------------------------------------------------------------------- */

static gboolean skip_call_offset(Parser *parser, char kind)
{
    read_number(parser);
    if (kind == 'v') {
        if (!take(parser, '_'))
            return FALSE;
        read_number(parser);
    }
    return take(parser, '_');
}

static Part read_thunk(Parser *parser, char kind)
{
    for (gint offsets = kind == 'c' ? 2 : 1; offsets > 0; offsets--) {
        char offset = kind == 'c' ? peek(parser) : kind;
        advance(parser, kind == 'c' ? 1 : 0);
        if ((offset != 'h' && offset != 'v') || !skip_call_offset(parser, offset))
            return fail(parser);
    }
    return wrap(read_encoding(parser));
}

static Part read_construction_table(Parser *parser)
{
    Part derived = read_type(parser);
    if (read_number(parser) < 0 || !take(parser, '_'))
        return fail(parser);
    return join(derived, read_type(parser));
}

static Part read_type_table(Parser *parser, char kind)
{
    switch (kind) {
    case 'h':
    case 'v':
    case 'c':
        return read_thunk(parser, kind);
    case 'C':
        return read_construction_table(parser);
    case 'H':
    case 'W':
        return wrap(read_name(parser, FALSE));
    case 'A':
        return wrap(read_template_arg(parser));
    default: /* tables, type information */
        return kind && strchr("VTISFJ", kind) ? wrap(read_type(parser)) : fail(parser);
    }
}

static Part read_guard(Parser *parser, char kind)
{
    if (kind == 'V' || kind == 'R') {
        Part name = wrap(read_name(parser, FALSE));
        if (kind == 'R')
            read_number(parser);
        return name;
    }
    if (kind == 'T')
        advance(parser, 1);
    return kind == 'A' || kind == 'T' ? wrap(read_encoding(parser)) : fail(parser);
}

static Part read_special_name(Parser *parser)
{
    char family = peek(parser), kind = peek_second(parser);
    advance(parser, 2);
    Part part = family == 'T' ? read_type_table(parser, kind) : read_guard(parser, kind);
    return wrap(part);
}

/* Template parameters in a function's type stand for the arguments of its name; where none has parameters in it, or for
 * those of a function read before, which is known the second time. */
static Part replace_parameters(const Parser *parser, Part part)
{
    guint64 largest = MAX(parser->largest, parser->known.largest);
    part.size = sum(part.size, product(part.parameters, largest));
    part.parameters = 0;
    return part;
}

static Part read_encoding(Parser *parser)
{
    if (peek(parser) == 'G' || peek(parser) == 'T')
        return read_special_name(parser);
    Part name = read_name(parser, FALSE);
    if (!peek(parser) || peek(parser) == 'E')
        return name;
    parser->contexts++;
    parser->largest = MAX(parser->largest, name.largest);
    parser->most_nested = MAX(parser->most_nested, name.most_nested);
    Part type = read_bare_function_type(parser, name.returns);
    gboolean certain = name.largest > 0 && parser->most_nested == 0 && parser->known.most_nested == 0;
    return join(name, certain ? replace_parameters(parser, type) : type);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Each parameter is an argument, in which there may be further parameters, and so on. */
static guint64 size_of_all(const Parser *parser, const Part *part)
{
    guint64 largest = parser->converts ? parser->any_largest : parser->largest;
    guint64 nested = parser->converts ? parser->any_most_nested : parser->most_nested;
    guint64 depth = nested == 0 ? 1 : 2 * parser->parameters + parser->contexts, chains = 0, chain = 1;
    for (guint64 i = 0; i < depth && chains < G_MAXUINT64; i++) {
        chains = sum(chains, chain);
        chain = product(chain, nested);
    }
    return sum(part->size, product(part->parameters, product(largest, chains)));
}

/* `bounds` are what is known, and then what was found. */
static guint64 measure(const char *name, gint *unresolved, Bounds *bounds)
{
    g_autoptr(GArray) substitutions = g_array_new(FALSE, FALSE, sizeof(Part));
    Parser parser = {.at = name, .end = name + strlen(name), .substitutions = substitutions, .known = *bounds};
    parser.unresolved = *unresolved;
    advance(&parser, 2);
    Part part = read_encoding(&parser);
    *unresolved = parser.unresolved;
    *bounds = (Bounds){parser.longest_pack, parser.largest, parser.most_nested};
    return parser.failed || peek(&parser) ? G_MAXUINT64 : size_of_all(&parser, &part);
}

guint64 dt_mangled_size(const char *name)
{
    gint unresolved = 1;
    Bounds bounds = {.pack_length = 1};
    guint64 size = measure(name, &unresolved, &bounds);
    if (size == G_MAXUINT64 && unresolved == -1) {
        unresolved = 0;
        size = measure(name, &unresolved, &bounds);
    }
    return size == G_MAXUINT64 ? size : measure(name, &unresolved, &bounds);
}
