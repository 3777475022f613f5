/* spec_phase.c - the phase of a campaign in its specification: paused, archived, deleted.
 *
 * A phase that does not hold is not written. So the text of a campaign that was never paused is what
 * it was before there were phases, and an older program refuses a campaign in a phase that it does
 * not know.
 */
#include "service/spec/spec_reader.h"

static const struct {
    const char *name;
    size_t place;    /* of the flag in lotor_spec */
    bool is_ours;    /* only a server may set it */
    const char *how; /* the request that a client can make later instead */
} phases[] = {
    {"paused", offsetof(lotor_spec, paused), false, ""},
    {"archived", offsetof(lotor_spec, archived), true, "POST /v1/campaigns/NAME/archive"},
    {"deleted", offsetof(lotor_spec, deleted), true, "DELETE /v1/campaigns/NAME"},
};
enum { PHASES = sizeof phases / sizeof *phases };

lotor_code lotor_spec_read_phase(const lotor_spec_reader *reader)
{
    lotor_code code = LOTOR_CODE_NONE;
    for (size_t i = 0; code == LOTOR_CODE_NONE && i < PHASES; i++) {
        const json_t *const given = json_object_get(reader->body, phases[i].name);
        if (!given || json_is_null(given)) {
            continue;
        }
        if (phases[i].is_ours && !reader->is_kept) {
            return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, phases[i].name,
                                "a new campaign can't be %s: leave this field out; create the "
                                "campaign, then use %s",
                                phases[i].name, phases[i].how);
        }
        bool *const flag = (bool *)((char *)reader->spec + phases[i].place);
        code = lotor_field_bool(given, phases[i].name, reader->refusal, flag);
    }
    return code;
}

int lotor_spec_write_phase(const lotor_spec *spec, json_t *whole)
{
    int failed = 0;
    for (size_t i = 0; i < PHASES; i++) {
        if (*(const bool *)((const char *)spec + phases[i].place)) {
            failed |= json_object_set_new(whole, phases[i].name, json_true());
        }
    }
    return failed;
}
