/* key_line.c - reads and writes a line of the key file. See key_line.h. */
#include "service/http/key_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "service/spec/fields.h"

enum { HEX = 2 * LOTOR_KEY_HASH };

/* --- roles ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    lotor_role role;
} known[] = {{"rank", LOTOR_ROLE_RANK},
             {"reward", LOTOR_ROLE_REWARD},
             {"read", LOTOR_ROLE_READ},
             {"metrics", LOTOR_ROLE_METRICS},
             {"admin", LOTOR_ROLE_ADMIN}};

enum { ROLES = sizeof known / sizeof *known };

const char *lotor_role_name(lotor_role role)
{
    for (size_t i = 0; i < ROLES; i++) {
        if (known[i].role == role) {
            return known[i].name;
        }
    }
    return role == LOTOR_ROLE_ANY ? "any" : "none";
}

static bool find(const char *name, size_t length, lotor_role *out)
{
    for (size_t i = 0; i < ROLES; i++) {
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0) {
            *out = known[i].role;
            return true;
        }
    }
    return false;
}

bool lotor_role_find(const char *name, lotor_role *out)
{
    return find(name, strlen(name), out);
}

bool lotor_roles_read(const char *text, size_t length, lotor_role *out)
{
    unsigned all = LOTOR_ROLE_NONE;
    for (size_t at = 0;;) {
        const char *const comma = memchr(text + at, ',', length - at);
        const size_t end = comma ? (size_t)(comma - text) : length;
        lotor_role role = LOTOR_ROLE_NONE;
        if (!find(text + at, end - at, &role)) {
            return false;
        }
        all |= (unsigned)role;
        if (!comma) {
            *out = (lotor_role)all;
            return true;
        }
        at = end + 1;
    }
}

const char *lotor_roles_write(lotor_role roles, char text[LOTOR_ROLES_ROOM])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ROLES; i++) {
        if ((unsigned)roles & (unsigned)known[i].role) {
            length += (size_t)snprintf(text + length, LOTOR_ROLES_ROOM - length, "%s%s",
                                       length ? "," : "", known[i].name);
        }
    }
    return text;
}

bool lotor_role_covers(lotor_role has, lotor_role needed)
{
    return ((unsigned)has & ((unsigned)needed | LOTOR_ROLE_ADMIN)) != 0;
}

/* --- times ------------------------------------------------------------------------------------ */

static bool is_leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_in(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* The days from 1970 to the beginning of a year. */
static uint64_t days_before(unsigned year)
{
    const unsigned last = year - 1;
    return (uint64_t)(year - 1970) * 365 + (last / 4 - last / 100 + last / 400) -
           (1969 / 4 - 1969 / 100 + 1969 / 400);
}

/* Reads the digits of a pattern such as "dddd-dd-dd": d is a digit, the rest stands for itself. */
static bool read_digits(const char *pattern, const char *text, size_t length, unsigned *numbers)
{
    size_t count = 0;
    if (strlen(pattern) != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (pattern[i] != 'd') {
            count++;
            if (pattern[i] != text[i]) {
                return false;
            }
        } else if (text[i] < '0' || text[i] > '9') {
            return false;
        } else {
            numbers[count] = numbers[count] * 10 + (unsigned)(text[i] - '0');
        }
    }
    return true;
}

static bool seconds_of(const unsigned part[6], uint64_t *seconds)
{
    if (part[0] < 1970 || part[1] < 1 || part[1] > 12 || part[2] < 1 ||
        part[2] > days_in(part[0], part[1]) || part[3] > 23 || part[4] > 59 || part[5] > 59) {
        return false;
    }
    uint64_t days = days_before(part[0]) + part[2] - 1;
    for (unsigned month = 1; month < part[1]; month++) {
        days += days_in(part[0], month);
    }
    *seconds = ((days * 24 + part[3]) * 60 + part[4]) * 60 + part[5];
    return true;
}

bool lotor_key_time_read(const char *text, size_t length, uint64_t *seconds)
{
    unsigned part[8] = {0};
    return read_digits("dddd-dd-ddTdd:dd:ddZ", text, length, part) && seconds_of(part, seconds);
}

void lotor_key_time_write(uint64_t seconds, char text[LOTOR_KEY_TIME_LENGTH + 1])
{
    uint64_t days = seconds / 86400;
    unsigned year = 1970, month = 1;
    while (year < 9999 && days_before(year + 1) <= days) {
        year++;
    }
    days -= days_before(year);
    while (month < 12 && days >= days_in(year, month)) {
        days -= days_in(year, month++);
    }
    char all[64];
    snprintf(all, sizeof all, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month, (unsigned)(days + 1),
             (unsigned)(seconds / 3600 % 24), (unsigned)(seconds / 60 % 60),
             (unsigned)(seconds % 60));
    snprintf(text, LOTOR_KEY_TIME_LENGTH + 1, "%.20s", all);
}

/* A key lives for at most this time, if its life is given as a duration. */
static const uint64_t life_most = UINT64_C(100) * 366 * 86400;

bool lotor_key_expiry_read(const char *text, uint64_t now, uint64_t *seconds)
{
    static const char units[] = "mhd";
    static const unsigned lengths[] = {60, 3600, 86400};
    unsigned part[8] = {0};
    const size_t length = strlen(text), digits = strspn(text, "0123456789");
    const char *const unit =
        digits > 0 && digits <= 8 && length == digits + 1 ? strchr(units, text[digits]) : NULL;
    if (unit) {
        const uint64_t life = strtoull(text, NULL, 10) * lengths[unit - units];
        *seconds = now + life;
        return life > 0 && life <= life_most;
    }
    if (read_digits("dddd-dd-dd", text, length, part)) {
        return seconds_of(part, seconds) && *seconds > 0;
    }
    return lotor_key_time_read(text, length, seconds) && *seconds > 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Reads "campaign=NAME" or "expires=TIME". Each may be given once. */
static bool read_limit(const char *text, size_t length, lotor_key_grant *out)
{
    static const char campaign[] = "campaign=", expires[] = "expires=";
    const size_t before_name = sizeof campaign - 1, before_time = sizeof expires - 1;
    if (length > before_name && memcmp(text, campaign, before_name) == 0) {
        if (out->campaign[0] || !lotor_is_name(text + before_name, length - before_name)) {
            return false;
        }
        memcpy(out->campaign, text + before_name, length - before_name);
        out->campaign[length - before_name] = '\0';
        return true;
    }
    return length > before_time && memcmp(text, expires, before_time) == 0 && out->expires == 0 &&
           lotor_key_time_read(text + before_time, length - before_time, &out->expires) &&
           out->expires > 0;
}

static bool read_terms(const char *text, size_t length, lotor_key_grant *out)
{
    const char *semicolon = memchr(text, ';', length);
    size_t end = semicolon ? (size_t)(semicolon - text) : length;
    bool fine = lotor_roles_read(text, end, &out->roles);
    while (fine && end < length) {
        const size_t at = end + 1;
        semicolon = memchr(text + at, ';', length - at);
        end = semicolon ? (size_t)(semicolon - text) : length;
        fine = read_limit(text + at, end - at, out);
    }
    return fine;
}

/* The name is printed and kept in the store. So bytes of an older file that are not printable
 * ASCII become question marks. */
static void take_name(const char *text, lotor_key_grant *out)
{
    size_t length = 0;
    for (; length < LOTOR_KEY_NAME_MAX && text[length]; length++) {
        out->name[length] = text[length] >= ' ' && text[length] <= '~' ? text[length] : '?';
    }
    out->name[length] = '\0';
    if (length == 0) {
        memcpy(out->name, "-", 2);
    }
}

bool lotor_key_line_read(const char *line, size_t length, unsigned char hash[LOTOR_KEY_HASH],
                         lotor_key_grant *out)
{
    size_t bytes = 0;
    *out = (lotor_key_grant){.roles = LOTOR_ROLE_NONE};
    if (length >= LOTOR_KEY_LINE_ROOM || strlen(line) != length) {
        return false;
    }
    const size_t terms = strcspn(line, " ");
    const char *const hex = line + terms + 1;
    if (length < terms + 1 + HEX || strcspn(hex, " ") != HEX || !read_terms(line, terms, out) ||
        sodium_hex2bin(hash, LOTOR_KEY_HASH, hex, HEX, NULL, &bytes, NULL) != 0 ||
        bytes != LOTOR_KEY_HASH) {
        return false;
    }
    char digits[HEX + 1];
    sodium_bin2hex(digits, sizeof digits, hash, LOTOR_KEY_HASH);
    memcpy(out->id, digits, LOTOR_KEY_ID_LENGTH);
    out->id[LOTOR_KEY_ID_LENGTH] = '\0';
    take_name(hex + HEX + (hex[HEX] == ' '), out); /* the hash ends with a space or with the line */
    return true;
}

void lotor_key_line_write(const lotor_key_grant *grant, const unsigned char hash[LOTOR_KEY_HASH],
                          char line[LOTOR_KEY_LINE_ROOM])
{
    char hex[HEX + 1], all[LOTOR_ROLES_ROOM], time[LOTOR_KEY_TIME_LENGTH + 1] = "";
    sodium_bin2hex(hex, sizeof hex, hash, LOTOR_KEY_HASH);
    if (grant->expires > 0) {
        lotor_key_time_write(grant->expires, time);
    }
    snprintf(line, LOTOR_KEY_LINE_ROOM, "%s%s%s%s%s %s %s\n", lotor_roles_write(grant->roles, all),
             grant->campaign[0] ? ";campaign=" : "", grant->campaign,
             grant->expires > 0 ? ";expires=" : "", time, hex, grant->name);
}
