/* fuzz_reply.c - reads HTTP replies as the client does. A complete reply ends within its bytes, and
 * bytes that come later do not change it. */
#include "fuzz.h"

#include "service/client/client_reply.h"

static lotor_reply_progress read_some(const uint8_t *data, size_t length, bool ended,
                                      lotor_reply_form *out)
{
    /* of exactly that size, so that sanitizers notice reads past the end */
    char *const copy = malloc(length ? length : 1);
    CHECK(copy);
    memcpy(copy, data, length);
    memset(out, 0, sizeof *out);
    const lotor_reply_progress progress = lotor_reply_read(copy, length, ended, out);
    if (progress == LOTOR_REPLY_WHOLE) {
        CHECK(out->status >= 100 && out->status <= 999);
        CHECK(out->body_at <= length && out->body_length <= length - out->body_at);
    }
    free(copy);
    return progress;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lotor_reply_form first = {0}, form;
    bool is_whole = false, is_bad = false;
    /* not all lengths, since the time would grow with the square of the size */
    const size_t from = size > 256 ? size - 256 : 0;
    for (size_t length = from; length <= size; length++) {
        const lotor_reply_progress progress = read_some(data, length, false, &form);
        CHECK(!is_bad || progress == LOTOR_REPLY_BAD);
        CHECK(!is_whole ||
              (progress == LOTOR_REPLY_WHOLE && memcmp(&form, &first, sizeof form) == 0));
        if (progress == LOTOR_REPLY_WHOLE && !is_whole) {
            is_whole = true;
            first = form;
        }
        is_bad = progress == LOTOR_REPLY_BAD;
    }
    const lotor_reply_progress ended = read_some(data, size, true, &form);
    CHECK(ended != LOTOR_REPLY_PART || size == 0 || !is_whole);
    return 0;
}
