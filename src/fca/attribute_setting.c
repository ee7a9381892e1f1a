/* The six attribute settings and their names. */
#include "fca/fca.h"

#include "text/text.h"

G_DEFINE_QUARK(dt_fca_error, dt_fca_error)

static const DtAttributeSetting settings[DT_ATTRIBUTE_SETTINGS] = {
    {DT_ATTRIBUTE_SINGLE, DT_FREQUENCY_ACTUAL}, {DT_ATTRIBUTE_SINGLE, DT_FREQUENCY_LOG10},
    {DT_ATTRIBUTE_SINGLE, DT_FREQUENCY_NONE},   {DT_ATTRIBUTE_DOUBLE, DT_FREQUENCY_ACTUAL},
    {DT_ATTRIBUTE_DOUBLE, DT_FREQUENCY_LOG10},  {DT_ATTRIBUTE_DOUBLE, DT_FREQUENCY_NONE},
};

static const char *const setting_names[DT_ATTRIBUTE_SETTINGS] = {
    "sing.actual", "sing.log10", "sing.noFreq", "doub.actual", "doub.log10", "doub.noFreq",
};

const DtAttributeSetting *dt_attribute_settings(void)
{
    return settings;
}

const char *dt_attribute_setting_name(DtAttributeSetting setting)
{
    for (guint i = 0; i < DT_ATTRIBUTE_SETTINGS; i++) {
        if (settings[i].unit == setting.unit && settings[i].frequency == setting.frequency) {
            return setting_names[i];
        }
    }
    g_return_val_if_reached(NULL);
}

gboolean dt_attribute_setting_parse(const char *text, DtAttributeSetting *setting, GError **error)
{
    for (guint i = 0; i < DT_ATTRIBUTE_SETTINGS; i++) {
        if (g_ascii_strcasecmp(text, setting_names[i]) == 0) {
            *setting = settings[i];
            return TRUE;
        }
    }
    dt_set_error(error, DT_FCA_ERROR, DT_FCA_ERROR_UNKNOWN_ATTRIBUTES,
                 "attributes '%s': unknown; use sing or doub with .actual, .log10 or .noFreq, e.g. sing.noFreq", text);
    return FALSE;
}
