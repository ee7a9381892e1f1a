#include "attach/call_origin.h"

#include <dwarf.h>

/* rdi, rsi, rdx, rcx, r8, r9 (System V ABI, AMD64 supplement, 3.2.3) */
guint8 dt_parameter_register(guint number)
{
    static const guint8 registers[DT_REGISTER_PARAMETERS] = {5, 4, 1, 2, 8, 9};
    return registers[number];
}

void dt_call_origin_free(DtCallOrigin *origin)
{
    if (!origin)
        return;
    dt_code_free(origin->code);
    g_free(origin);
}

/* ---- debug information ---------------------------------------------------------------------------------- */

static gboolean is_call_site(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

static gboolean has_address(Dwarf_Die *die, unsigned name, Dwarf_Addr address)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr value;
    return dwarf_attr(die, name, &attribute) && dwarf_formaddr(&attribute, &value) == 0 && value == address;
}

/* A jump to the callee returns to somebody else. */
static gboolean is_tail_call(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_call_tail_call) || dwarf_hasattr(die, DW_AT_GNU_tail_call);
}

static gboolean may_hold_calls(Dwarf_Die *die, Dwarf_Addr address)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
        return dwarf_haspc(die, address - 1) > 0;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return TRUE;
    default:
        return FALSE;
    }
}

/* The call site that returns to the address; *function: whose code it is in. */
static gboolean find_site(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *site, Dwarf_Die *function)
{
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return FALSE;
    do {
        if (is_call_site(&die) && !is_tail_call(&die) &&
            (has_address(&die, DW_AT_call_return_pc, address) || has_address(&die, DW_AT_low_pc, address))) {
            *site = die;
            return TRUE;
        }
        if (may_hold_calls(&die, address) && find_site(&die, address, site, function)) {
            if (dwarf_tag(&die) == DW_TAG_subprogram)
                *function = die;
            return TRUE;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return FALSE;
}

static DtExpression expression_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    DtExpression expression = {0};
    if (!dwarf_attr(die, name, &attribute) ||
        dwarf_getlocation(&attribute, &expression.operations, &expression.count) != 0)
        expression.count = 0;
    return expression;
}

/* Its number among the parameters in registers, or DT_REGISTER_PARAMETERS. */
static guint number_of_parameter(Dwarf_Die *die)
{
    DtExpression location = expression_of(die, DW_AT_location);
    guint number = 0;
    if (location.count != 1)
        return DT_REGISTER_PARAMETERS;
    while (number < DT_REGISTER_PARAMETERS && location.operations[0].atom != DW_OP_reg0 + dt_parameter_register(number))
        number++;
    return number;
}

static void add_parameters(DtCallOrigin *origin, Dwarf_Die *call)
{
    Dwarf_Die die;
    if (dwarf_child(call, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        guint number = tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter
                           ? number_of_parameter(&die)
                           : DT_REGISTER_PARAMETERS;
        if (number == DT_REGISTER_PARAMETERS)
            continue;
        DtExpression value = expression_of(&die, DW_AT_call_value);
        origin->values[number] = value.count > 0 ? value : expression_of(&die, DW_AT_GNU_call_site_value);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static void read_debug_information(DtCallOrigin *origin, DtAttachedImage *image, guint64 return_address)
{
    guint64 bias;
    DtImageLines *lines = dt_images_lines(image);
    Dwarf_Die room, call, function;
    Dwarf_Die *unit = lines ? dt_image_lines_unit(lines, return_address - 1, &room, &bias) : NULL;
    if (!unit || !find_site(unit, return_address - bias, &call, &function))
        return;
    add_parameters(origin, &call);
    origin->frame_base = expression_of(&function, DW_AT_frame_base);
}

DtCallOrigin *dt_call_origin_new(DtAttachedImage *image, guint64 return_address)
{
    DtCallOrigin *origin = g_new0(DtCallOrigin, 1);
    read_debug_information(origin, image, return_address);
    origin->code = dt_code_before(image, return_address);
    return origin;
}
