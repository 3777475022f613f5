/* test_spec.c - a campaign's specification: what is accepted, what is refused with which
 * message, and that the written JSON reads back as the same. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/http/dump.h"
#include "service/spec/spec.h"
#include "support/failing_memory.h"

static lotor_refusal refusal;

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *const body = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!body) {
        fail_msg("the test's own JSON is broken: %s", error.text);
    }
    return body;
}

static lotor_spec *taken(const char *text)
{
    json_t *const body = parse(text);
    lotor_spec *spec = NULL;
    if (lotor_spec_read(body, &refusal, &spec) != LOTOR_CODE_NONE) {
        fail_msg("refused: %s: %s", refusal.field, refusal.message.text);
    }
    json_decref(body);
    return spec;
}

static char *written(const lotor_spec *spec)
{
    json_t *const json = lotor_spec_write(spec);
    assert_non_null(json);
    char *const text = lotor_dump(json, NULL);
    json_decref(json);
    return text;
}

TEST(test_defaults_are_filled_in)
{
    lotor_spec *const spec = taken("{\"name\":\"shop\",\"algorithm\":\"batch-klucb\",\"arms\":"
                                   "[\"a\",\"b\"],\"epsilon\":0.1}");
    char *const text = written(spec);
    assert_string_equal(
        text,
        "{\"name\": \"shop\", \"algorithm\": \"batch-klucb\", \"arms\": [{\"id\": \"a\", "
        "\"paused\": "
        "false}, {\"id\": \"b\", \"paused\": false}], \"max_arms\": 6, \"slots\": 1, \"epsilon\": "
        "0.1, "
        "\"delta\": 0, \"oracle\": {\"kind\": \"top\"}, \"feedback\": \"rewards\", \"dimension\": "
        "null, \"horizon\": null, \"reward_range\": [0, 1], \"default_reward\": 0, "
        "\"wait_seconds\": 3600, \"rounds_per_user\": null, \"early_release\": false, "
        "\"max_open\": 1000000}");
    assert_int_equal(spec->epsilon.num, 1);
    assert_int_equal(spec->epsilon.den, 10);
    free(text);
    lotor_spec_free(spec);
}

/* The written specification always names the algorithm, so another default in a later version
 * does not change a campaign that is stored. */
TEST(test_the_algorithm_if_none_is_named)
{
    static const struct {
        const char *given, *found;
    } cases[] = {
        {"", "lik-imed"},
        {",\"algorithm\":null", "lik-imed"},
        {",\"feedback\":\"clicks\",\"slots\":2", "lik-imed"},
        {",\"dimension\":null", "lik-imed"},
        {",\"dimension\":3,\"horizon\":1000", "jdp-batch"},
        {",\"algorithm\":\"rr-imed\"", "rr-imed"},
        {",\"algorithm\":\"batch-klucb\"", "batch-klucb"}, /* as stores of older versions have it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200], named[60];
        snprintf(body, sizeof body, "{\"name\":\"a\",\"arms\":[\"a\",\"b\"],\"epsilon\":1%s}",
                 cases[i].given);
        snprintf(named, sizeof named, "\"algorithm\": \"%s\"", cases[i].found);
        lotor_spec *const spec = taken(body);
        assert_string_equal(spec->algorithm, cases[i].found);
        char *const text = written(spec);
        assert_non_null(strstr(text, named));
        lotor_spec *const again = taken(text);
        assert_string_equal(again->algorithm, cases[i].found);
        lotor_spec_free(again);
        free(text);
        lotor_spec_free(spec);
    }
}

TEST(test_how_many_may_be_open)
{
    static const struct {
        const char *given;
        uint64_t found;
    } cases[] = {{"", 1000000}, /* as in stores of the previous version */
                 {",\"max_open\":null", 1000000},
                 {",\"max_open\":1", 1},
                 {",\"max_open\":10000000", 10000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "{\"name\":\"a\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\"],\"epsilon\":1%s}",
                 cases[i].given);
        lotor_spec *const spec = taken(body);
        assert_int_equal(spec->max_open, cases[i].found);
        lotor_spec_free(spec);
    }
}

/* A specification without a half-life has the text of versions that knew none. */
TEST(test_half_lives)
{
    static const struct {
        const char *algorithm, *given;
        uint64_t half_life;
        bool in_seconds;
        const char *again;
    } cases[] = {
        {"lik-imed", "", 0, false, NULL},
        {"lik-imed", ",\"half_life\":null", 0, false, NULL},
        {"lik-imed", ",\"half_life\":1", 1, false, "\"half_life\": 1}"},
        {"rr-imed", ",\"half_life\":2e4", 20000, false, "\"half_life\": 20000}"},
        {"lik-imed", ",\"half_life\":\"7d\"", 604800, true, "\"half_life\": \"7d\"}"},
        {"rr-imed", ",\"half_life\":\"48h\"", 172800, true, "\"half_life\": \"2d\"}"},
        {"lik-imed", ",\"half_life\":\"90m\"", 5400, true, "\"half_life\": \"90m\"}"},
        {"lik-imed", ",\"half_life\":\"1s\"", 1, true, "\"half_life\": \"1s\"}"},
        {"lik-imed", ",\"half_life\":\"3650d\"", 315360000, true, "\"half_life\": \"3650d\"}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "{\"name\":\"a\",\"algorithm\":\"%s\",\"arms\":[\"a\"],\"epsilon\":1%s}",
                 cases[i].algorithm, cases[i].given);
        lotor_spec *const spec = taken(body);
        lotor_policy_params params;
        lotor_spec_params(spec, &params);
        assert_int_equal(params.half_life, cases[i].half_life);
        assert_int_equal(params.half_life_in_seconds, cases[i].in_seconds);
        char *const text = written(spec);
        const char *const found = strstr(text, "\"half_life\"");
        assert_true((found != NULL) == (cases[i].again != NULL));
        if (cases[i].again) {
            assert_string_equal(found, cases[i].again);
        }
        free(text);
        lotor_spec_free(spec);
    }
}

/* Groups are numbered by value: 1 has arms a and c, 7 has b. */
TEST(test_a_partition_by_a_feature)
{
    lotor_spec *const spec =
        taken("{\"name\":\"p\",\"algorithm\":\"batch-klucb\",\"epsilon\":2,\"arms\":[{\"id\":\"a\","
              "\"features\":[5,1]},{\"id\":\"b\",\"features\":[5,7]},{\"id\":\"c\",\"features\":[6,"
              "1]}],\"oracle\":{\"kind\":\"partition\",\"feature\":1,\"capacities\":{\"7\":4,\"1\":"
              "1}}}");
    assert_int_equal(spec->groups, 2);
    assert_int_equal(spec->group[0], 0);
    assert_int_equal(spec->group[1], 1);
    assert_int_equal(spec->group[2], 0);
    assert_int_equal(spec->capacities[0], 1);
    assert_int_equal(spec->capacities[1], 4);
    assert_int_equal(spec->slots, 2); /* one of {a, c}, and b */
    assert_int_equal(spec->capacity, 3);
    lotor_policy_params params;
    lotor_spec_params(spec, &params);
    assert_int_equal(params.structure, LOTOR_STRUCTURE_PARTITION);
    assert_ptr_equal(params.group, spec->group);
    assert_int_equal(params.groups, 2);
    lotor_spec_free(spec);
}

TEST(test_vectors_that_are_independent)
{
    lotor_spec *const spec = taken(
        "{\"name\":\"l\",\"algorithm\":\"dpucb-mat\",\"epsilon\":\"0.25\",\"arms\":[{\"id\":"
        "\"a\",\"features\":[1,0]},{\"id\":\"b\",\"features\":[2,0]},{\"id\":\"c\",\"features\":"
        "[-3,1]}],\"oracle\":{\"kind\":\"linear\"}}");
    assert_int_equal(spec->slots, 2); /* a and b have the same direction */
    assert_int_equal(spec->epsilon.den, 4);
    lotor_spec_free(spec);
}

static const char *const fine[] = {
    "{\"name\":\"a\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\"],\"epsilon\":1}",
    /* more digits than a double has */
    "{\"name\":\"a\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\"],\"epsilon\":\"0."
    "123456789012345678\"}",
    "{\"name\":\"a\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"epsilon\":1e-9,"
    "\"feedback\":\"clicks\",\"slots\":2,\"rounds_per_user\":3,\"early_release\":true,\"max_arms\":"
    "100,\"wait_seconds\":0.5,\"max_open\":1}",
    "{\"name\":\"A.b_c-9\",\"algorithm\":\"rr-klucb\",\"arms\":[{\"id\":\"x\",\"paused\":true},"
    "\"y\"],\"epsilon\":1,\"reward_range\":[2,5],\"default_reward\":3.5,\"horizon\":1e6}",
    "{\"name\":\"p\",\"algorithm\":\"cucb-dp-lazy\",\"epsilon\":2,\"arms\":[{\"id\":\"a\","
    "\"features\":[-1]},{\"id\":\"b\",\"features\":[7]}],\"oracle\":{\"kind\":\"partition\","
    "\"capacities\":{\"-1\":1,\"7\":1}}}",
    "{\"name\":\"l\",\"algorithm\":\"batch-klucb\",\"epsilon\":2,\"arms\":[{\"id\":\"a\","
    "\"features\":[1,2]},{\"id\":\"b\",\"features\":[2,4.0]}],\"oracle\":{\"kind\":\"linear\"}}",
    "{\"name\":\"i\",\"arms\":[\"a\",\"b\",\"c\"],\"epsilon\":0.5,\"feedback\":\"clicks\","
    "\"slots\":2}",
    "{\"name\":\"r\",\"algorithm\":\"rr-imed\",\"arms\":[\"a\",\"b\"],\"epsilon\":1}",
    "{\"name\":\"j\",\"algorithm\":\"jdp-batch\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
    "\"dimension\":"
    "3,\"horizon\":1000}",
    "{\"name\":\"c\",\"algorithm\":\"cascade-ldp-rr\",\"arms\":[\"a\",\"b\",\"c\"],\"epsilon\":1,"
    "\"slots\":3,\"oracle\":{\"kind\":\"top\"},\"horizon\":null}",
    "{\"name\":\"t\",\"algorithm\":\"batch-klucb\",\"arms\":[{\"id\":\"a\",\"title\":\"A\","
    "\"metadata\":"
    "{\"k\":1.5}},\"b\"],\"epsilon\":1,\"paused\":true,\"title\":\"T\",\"description\":\"\u00e4\","
    "\"metadata\":{\"s\":\"x\",\"b\":false}}",
};

TEST(test_what_is_written_reads_back_as_the_same)
{
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        lotor_spec *const first = taken(fine[i]);
        char *const text = written(first);
        lotor_spec *const second = taken(text);
        char *const again = written(second);
        assert_string_equal(text, again);
        assert_int_equal(first->epsilon.num, second->epsilon.num);
        assert_int_equal(first->epsilon.den, second->epsilon.den);
        assert_int_equal(first->delta.num, second->delta.num);
        assert_int_equal(first->capacity, second->capacity);
        free(text);
        free(again);
        lotor_spec_free(first);
        lotor_spec_free(second);
    }
}

/* A body is {name, algorithm, arms, epsilon}, changed by `change`. */
typedef struct refused {
    const char
        *change; /* an object whose fields replace those of the plain body; null removes a field */
    lotor_code code;
    const char *field;
    const char *says; /* a part of the message */
} refused;

static const refused cases[] = {
    {"{\"name\":null}", LOTOR_CODE_MISSING_FIELD, "name", "expected a name"},
    {"{\"name\":\"\"}", LOTOR_CODE_BAD_VALUE, "name", "1 to 64"},
    {"{\"name\":\"a/b\"}", LOTOR_CODE_BAD_VALUE, "name", "letters"},
    {"{\"name\":\"..\"}", LOTOR_CODE_BAD_VALUE, "name", "begins"},
    {"{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123x\"}",
     LOTOR_CODE_BAD_VALUE, "name", "64"},
    {"{\"name\":7}", LOTOR_CODE_BAD_VALUE, "name", "name"},
    {"{\"algorithm\":7}", LOTOR_CODE_BAD_VALUE, "algorithm", "name"},
    {"{\"algorithm\":null,\"dimension\":3}", LOTOR_CODE_MISSING_FIELD, "horizon", "missing"},
    {"{\"algorithm\":\"ucb\"}", LOTOR_CODE_NOT_OFFERED, "algorithm", "lik-imed"},
    {"{\"algorithm\":\"dp-se\"}", LOTOR_CODE_NOT_OFFERED, "algorithm", "lik-imed"},
    {"{\"algorithm\":\"cucb-ldp-gauss\"}", LOTOR_CODE_NOT_OFFERED, "algorithm", "rr-imed"},
    {"{\"algorithm\":\"nothing\"}", LOTOR_CODE_NOT_OFFERED, "algorithm", "no algorithm"},
    {"{\"max_open\":0}", LOTOR_CODE_BAD_VALUE, "max_open", "from 1 to 10000000"},
    {"{\"max_open\":10000001}", LOTOR_CODE_BAD_VALUE, "max_open", "from 1 to 10000000"},
    {"{\"max_open\":2.5}", LOTOR_CODE_BAD_VALUE, "max_open", "whole"},
    {"{\"max_open\":\"2\"}", LOTOR_CODE_BAD_VALUE, "max_open", "whole"},
    {"{\"half_life\":7}", LOTOR_CODE_BAD_VALUE, "half_life", "lik-imed and rr-imed, not for"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":0}", LOTOR_CODE_BAD_VALUE, "half_life", "whole"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":1.5}", LOTOR_CODE_BAD_VALUE, "half_life", "whole"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":true}", LOTOR_CODE_BAD_VALUE, "half_life", "7d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"0d\"}", LOTOR_CODE_BAD_VALUE, "half_life", "7d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"d\"}", LOTOR_CODE_BAD_VALUE, "half_life", "7d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"7\"}", LOTOR_CODE_BAD_VALUE, "half_life", "7d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"7 d\"}", LOTOR_CODE_BAD_VALUE, "half_life", "7d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"-7d\"}", LOTOR_CODE_BAD_VALUE, "half_life", "7d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"3651d\"}", LOTOR_CODE_BAD_VALUE, "half_life",
     "3650d"},
    {"{\"algorithm\":\"lik-imed\",\"half_life\":\"99999999999d\"}", LOTOR_CODE_BAD_VALUE,
     "half_life", "3650d"},
    {"{\"arms\":null}", LOTOR_CODE_MISSING_FIELD, "arms",
     "arms is missing: expected an array of 1 to 4096"},
    {"{\"arms\":[]}", LOTOR_CODE_BAD_VALUE, "arms", "1 to 4096"},
    {"{\"arms\":{}}", LOTOR_CODE_BAD_VALUE, "arms", "array"},
    {"{\"arms\":[\"a\",\"a\"]}", LOTOR_CODE_BAD_VALUE, "arms", "two arms"},
    {"{\"arms\":[\"a\",7]}", LOTOR_CODE_BAD_VALUE, "arms[1]", "an arm"},
    {"{\"arms\":[\"a\",\"b c\"]}", LOTOR_CODE_BAD_VALUE, "arms[1]", "letters"},
    {"{\"arms\":[\"a\",{\"features\":[1]}]}", LOTOR_CODE_MISSING_FIELD, "arms[1].id", "name"},
    {"{\"arms\":[{\"id\":\"a\",\"feature\":[1]}]}", LOTOR_CODE_UNKNOWN_FIELD, "arms[0].feature",
     "\"features\""},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[]}]}", LOTOR_CODE_BAD_VALUE, "arms[0].features",
     "1 to 64 whole numbers"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":\"x\"}]}", LOTOR_CODE_BAD_VALUE, "arms[0].features",
     "1 to 64 whole numbers"},
    {"{\"arms\":[\"a\",{\"id\":\"b\",\"features\":[1]}]}", LOTOR_CODE_BAD_VALUE, "arms[1].features",
     "first arm has no features"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1,2]},{\"id\":\"b\",\"features\":[1]}]}",
     LOTOR_CODE_BAD_VALUE, "arms[1].features", "2"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1,2]},{\"id\":\"b\",\"features\":[1,0.5]}]}",
     LOTOR_CODE_BAD_VALUE, "arms[1].features[1]", "whole"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]},\"b\"]}", LOTOR_CODE_MISSING_FIELD,
     "arms[1].features", "1 feature"},
    {"{\"arms\":[\"b\",{\"id\":\"a\",\"features\":[1]}]}", LOTOR_CODE_BAD_VALUE, "arms[1].features",
     "first arm"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[2e9]}]}", LOTOR_CODE_BAD_VALUE, "arms[0].features[0]",
     "2^30"},
    {"{\"arms\":[{\"id\":\"a\",\"paused\":1}]}", LOTOR_CODE_BAD_VALUE, "arms[0].paused", "true"},
    {"{\"slots\":0}", LOTOR_CODE_BAD_VALUE, "slots", "1"},
    {"{\"slots\":-1}", LOTOR_CODE_BAD_VALUE, "slots", "whole number"},
    {"{\"slots\":1.5}", LOTOR_CODE_BAD_VALUE, "slots", "whole number"},
    {"{\"slots\":4}", LOTOR_CODE_BAD_VALUE, "slots",
     "has 3 arms that can be shown: expected 1 to 3"},
    {"{\"slots\":3,\"arms\":[\"a\",\"b\",{\"id\":\"c\",\"paused\":true}]}", LOTOR_CODE_BAD_VALUE,
     "slots", "has 2 arms that can be shown"},
    {"{\"epsilon\":null}", LOTOR_CODE_MISSING_FIELD, "epsilon", "expected a finite number"},
    {"{\"epsilon\":0}", LOTOR_CODE_BAD_VALUE, "epsilon",
     "expected a finite number above 0, such as 0.5"},
    {"{\"epsilon\":-1}", LOTOR_CODE_BAD_VALUE, "epsilon",
     "expected a finite number above 0, such as 0.5"},
    {"{\"epsilon\":1e-300}", LOTOR_CODE_BAD_VALUE, "epsilon",
     "such as 0.5; the smallest is 1e-18, because it has at most 18 decimals"},
    {"{\"epsilon\":1e30}", LOTOR_CODE_BAD_VALUE, "epsilon", "such as 0.5; the largest is 2^63"},
    {"{\"arms\":null}", LOTOR_CODE_MISSING_FIELD, "arms",
     "arms is missing: expected an array of 1 to"},
    {"{\"epsilon\":\"inf\"}", LOTOR_CODE_BAD_VALUE, "epsilon", "finite"},
    {"{\"epsilon\":\"1/3\"}", LOTOR_CODE_BAD_VALUE, "epsilon", "such as 0.5"},
    {"{\"epsilon\":[1]}", LOTOR_CODE_BAD_VALUE, "epsilon", "number"},
    {"{\"delta\":1}", LOTOR_CODE_BAD_VALUE, "delta", "1"},
    {"{\"delta\":0.001}", LOTOR_CODE_BAD_VALUE, "delta", "pure"},
    {"{\"oracle\":[]}", LOTOR_CODE_BAD_VALUE, "oracle", "object"},
    {"{\"oracle\":{}}", LOTOR_CODE_MISSING_FIELD, "oracle.kind", "top"},
    {"{\"oracle\":{\"kind\":\"best\"}}", LOTOR_CODE_BAD_VALUE, "oracle.kind", "partition"},
    {"{\"oracle\":{\"kind\":\"partition\"}}", LOTOR_CODE_MISSING_FIELD, "arms[0].features",
     "features"},
    {"{\"oracle\":{\"kind\":\"top\",\"feature\":0}}", LOTOR_CODE_BAD_VALUE, "oracle.feature",
     "partition"},
    {"{\"oracle\":{\"kind\":\"partition\",\"groups\":0}}", LOTOR_CODE_UNKNOWN_FIELD,
     "oracle.groups", "kind, feature"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"oracle\":{\"kind\":\"partition\"}}",
     LOTOR_CODE_MISSING_FIELD, "oracle.capacities", "object"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"oracle\":{\"kind\":\"partition\","
     "\"capacities\":"
     "{\"2\":1}}}",
     LOTOR_CODE_MISSING_FIELD, "oracle.capacities.1", "the capacity of the value 1 is missing"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"oracle\":{\"kind\":\"partition\","
     "\"capacities\":"
     "{\"1\":1,\"2\":1}}}",
     LOTOR_CODE_BAD_VALUE, "oracle.capacities", "no other"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"oracle\":{\"kind\":\"partition\","
     "\"capacities\":"
     "{\"1\":0}}}",
     LOTOR_CODE_BAD_VALUE, "oracle.capacities.1", "from 1"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"oracle\":{\"kind\":\"partition\",\"feature\":1,"
     "\"capacities\":{\"1\":1}}}",
     LOTOR_CODE_BAD_VALUE, "oracle.feature", "from 0 to 0"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"slots\":2,\"oracle\":{\"kind\":\"linear\"}}",
     LOTOR_CODE_BAD_VALUE, "slots", "expected 1, the number of arms"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"max_arms\":2,\"oracle\":{\"kind\":\"linear\"}}",
     LOTOR_CODE_BAD_VALUE, "max_arms", "allows no new arms"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1]}],\"feedback\":\"clicks\",\"oracle\":{\"kind\":"
     "\"linear\"}}",
     LOTOR_CODE_BAD_VALUE, "oracle.kind", "clicks"},
    {"{\"arms\":[{\"id\":\"a\",\"features\":[1],\"paused\":true}],\"oracle\":{\"kind\":\"linear\"}"
     "}",
     LOTOR_CODE_BAD_VALUE, "arms", "at least one"},
    {"{\"horizon\":1}", LOTOR_CODE_BAD_VALUE, "horizon", "from 2"},
    {"{\"algorithm\":\"cucb-ldp1\"}", LOTOR_CODE_MISSING_FIELD, "horizon", "missing"},
    {"{\"feedback\":\"likes\"}", LOTOR_CODE_BAD_VALUE, "feedback", "clicks"},
    {"{\"algorithm\":\"cascade-ldp-rr\",\"feedback\":\"rewards\"}", LOTOR_CODE_BAD_VALUE,
     "feedback", "clicks"},
    {"{\"algorithm\":\"dpucb-mat\",\"feedback\":\"clicks\"}", LOTOR_CODE_BAD_VALUE, "feedback",
     "rewards"},
    {"{\"reward_range\":[1,0]}", LOTOR_CODE_BAD_VALUE, "reward_range", "low below"},
    {"{\"reward_range\":[0]}", LOTOR_CODE_BAD_VALUE, "reward_range", "two numbers"},
    {"{\"reward_range\":[0,\"1\"]}", LOTOR_CODE_BAD_VALUE, "reward_range", "two numbers"},
    {"{\"reward_range\":[0,1e13]}", LOTOR_CODE_BAD_VALUE, "reward_range", "1e12"},
    {"{\"feedback\":\"clicks\",\"reward_range\":[0,2]}", LOTOR_CODE_BAD_VALUE, "reward_range",
     "[0, 1]"},
    {"{\"default_reward\":2}", LOTOR_CODE_BAD_VALUE, "default_reward", "inside reward_range"},
    {"{\"feedback\":\"clicks\",\"default_reward\":1}", LOTOR_CODE_BAD_VALUE, "default_reward", "0"},
    {"{\"default_reward\":\"0\"}", LOTOR_CODE_BAD_VALUE, "default_reward", "number"},
    {"{\"wait_seconds\":0}", LOTOR_CODE_BAD_VALUE, "wait_seconds", "0.001"},
    {"{\"wait_seconds\":1e9}", LOTOR_CODE_BAD_VALUE, "wait_seconds", "year"},
    {"{\"rounds_per_user\":0}", LOTOR_CODE_BAD_VALUE, "rounds_per_user", "from 1"},
    {"{\"algorithm\":\"rr-klucb\",\"sticky_seconds\":60}", LOTOR_CODE_BAD_VALUE, "sticky_seconds",
     "rr-klucb is of the local model"},
    {"{\"early_release\":1}", LOTOR_CODE_BAD_VALUE, "early_release", "true or false"},
    {"{\"max_arms\":2}", LOTOR_CODE_BAD_VALUE, "max_arms", "3 arms"},
    {"{\"max_arms\":5000}", LOTOR_CODE_BAD_VALUE, "max_arms", "4096"},
    {"{\"dimension\":2}", LOTOR_CODE_BAD_VALUE, "dimension", "no contexts"},
    {"{\"algorithm\":\"jdp-batch\",\"horizon\":100}", LOTOR_CODE_MISSING_FIELD, "dimension",
     "missing"},
    {"{\"algorithm\":\"jdp-batch\",\"horizon\":100,\"dimension\":2,\"slots\":2}",
     LOTOR_CODE_BAD_VALUE, "slots", "one arm"},
    {"{\"epsilom\":1}", LOTOR_CODE_UNKNOWN_FIELD, "epsilom", "did you mean \"epsilon\"?"},
    {"{\"zzzzzzzz\":1}", LOTOR_CODE_UNKNOWN_FIELD, "zzzzzzzz",
     "max_open and others (docs/http.md lists all)"},
    {"{\"a\\u001b[2J\":1}", LOTOR_CODE_UNKNOWN_FIELD, "a?[2J", "\\x1b"},
};

TEST(test_a_missing_epsilon_is_called_missing)
{
    json_t *const body = parse("{\"name\":\"n\",\"arms\":[\"a\",\"b\"]}");
    lotor_spec *spec = NULL;
    assert_int_equal(lotor_spec_read(body, &refusal, &spec), LOTOR_CODE_MISSING_FIELD);
    assert_string_equal(refusal.field, "epsilon");
    assert_non_null(strstr(refusal.message.text, "epsilon is missing: expected a finite number"));
    json_decref(body);
}

static json_t *changed(const char *change)
{
    json_t *const body =
        parse("{\"name\":\"n\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\","
              "\"c\"],\"epsilon\":1}");
    json_t *const changes = parse(change);
    json_object_update(body, changes);
    json_decref(changes);
    return body;
}

TEST(test_refusals_name_the_field_and_what_was_expected)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *const body = changed(cases[i].change);
        lotor_spec *spec = (lotor_spec *)&refusal;
        const lotor_code code = lotor_spec_read(body, &refusal, &spec);
        if (code != cases[i].code || refusal.code != code || spec ||
            strcmp(refusal.field, cases[i].field) != 0 ||
            !strstr(refusal.message.text, cases[i].says)) {
            fail_msg("%s: got %s in \"%s\": %s", cases[i].change, lotor_code_name(code),
                     refusal.field, refusal.message.text);
        }
        json_decref(body);
    }
}

TEST(test_what_is_no_object)
{
    lotor_spec *spec;
    json_t *const list = json_array();
    assert_int_equal(lotor_spec_read(list, &refusal, &spec), LOTOR_CODE_BAD_VALUE);
    json_decref(list);
}

/* --- changes ---------------------------------------------------------------------------------- */

static lotor_code change(lotor_spec *spec, const char *text)
{
    json_t *const body = parse(text);
    const lotor_code code = lotor_spec_change(spec, body, &refusal);
    json_decref(body);
    return code;
}

TEST(test_arms_are_added_paused_and_resumed)
{
    lotor_spec *const spec = taken("{\"name\":\"n\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\","
                                   "\"b\"],\"epsilon\":1,\"max_arms\":4,\"slots\":2}");
    assert_int_equal(change(spec,
                            "{\"add\":[\"c\",{\"id\":\"d\",\"paused\":true}],\"pause\":[\"a\"]"
                            "}"),
                     LOTOR_CODE_NONE);
    assert_int_equal(spec->arm_count, 4);
    assert_int_equal(lotor_spec_arm(spec, "c"), 2);
    assert_true(spec->arms[0].paused);
    assert_true(spec->arms[3].paused);
    assert_int_equal(change(spec, "{\"resume\":[\"a\",\"d\"]}"), LOTOR_CODE_NONE);
    assert_false(spec->arms[0].paused);
    assert_int_equal(lotor_spec_arm(spec, "e"), SIZE_MAX);
    lotor_spec_free(spec);
}

TEST(test_a_refused_change_changes_nothing)
{
    static const struct {
        const char *body;
        lotor_code code;
        const char *field;
    } refusals[] = {
        {"{\"pause\":[\"a\"],\"resume\":[\"x\"]}", LOTOR_CODE_BAD_VALUE, "resume[0]"},
        {"{\"add\":[\"d\",\"b\"]}", LOTOR_CODE_EXISTS, "add[1]"},
        {"{\"add\":[\"d\",\"d\"]}", LOTOR_CODE_EXISTS, "add[1]"},
        {"{\"add\":[\"d\",\"e\",\"f\"]}", LOTOR_CODE_FULL, "add[2]"},
        {"{\"add\":[\"d\"],\"pause\":[\"a\",\"b\",\"c\"]}", LOTOR_CODE_TOO_FEW_ARMS, "pause"},
        {"{\"pause\":\"a\"}", LOTOR_CODE_BAD_VALUE, "pause"},
        {"{\"stop\":[]}", LOTOR_CODE_UNKNOWN_FIELD, "stop"},
        {"{\"delete\":[\"a\"]}", LOTOR_CODE_UNKNOWN_FIELD, "delete"},
        {"{\"pause\":[\"a\"],\"remove\":[\"x\"]}", LOTOR_CODE_BAD_VALUE, "remove[0]"},
        {"{\"remove\":[\"a\",\"b\"]}", LOTOR_CODE_TOO_FEW_ARMS, "remove"},
        {"{\"add\":[{\"id\":\"d\",\"title\":\"D\"},\"b\"]}", LOTOR_CODE_EXISTS, "add[1]"},
        {"{\"add\":[{\"id\":\"d\",\"title\":\"\"}]}", LOTOR_CODE_BAD_VALUE, "add[0].title"},
        {"{\"max_arms\":40}", LOTOR_CODE_BAD_VALUE, "max_arms"},
        {"{\"unpause\":[\"a\"]}", LOTOR_CODE_UNKNOWN_FIELD, "unpause"},
        {"{}", LOTOR_CODE_MISSING_FIELD, ""},
    };
    lotor_spec *const spec = taken("{\"name\":\"n\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\","
                                   "\"b\",\"c\"],\"epsilon\":1,\"max_arms\":5,\"slots\":2}");
    char *const before = written(spec);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        assert_int_equal(change(spec, refusals[i].body), refusals[i].code);
        assert_string_equal(refusal.field, refusals[i].field);
        assert_null(strstr(refusal.message.text, "did you mean")); /* none is a misspelling */
        char *const after = written(spec);
        assert_string_equal(before, after);
        free(after);
    }
    free(before);
    lotor_spec_free(spec);
}

TEST(test_every_allocation_can_fail)
{
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        json_t *const body = parse(fine[i]);
        const size_t live = failing_memory_live();
        size_t failures = 0;
        for (bool failed = true; failed;) {
            lotor_spec *spec = NULL;
            failing_memory_start(failures + 1);
            const lotor_code code = lotor_spec_read(body, &refusal, &spec);
            failing_memory_stop();
            assert_true(code == LOTOR_CODE_NONE || code == LOTOR_CODE_INTERNAL);
            assert_int_equal(code == LOTOR_CODE_NONE, spec != NULL);
            failed = !spec;
            failures += failed;
            lotor_spec_free(spec);
            assert_int_equal(failing_memory_live(), live);
        }
        assert_true(failures >= 5);
        json_decref(body);
    }
    lotor_spec *const spec = taken(fine[0]);
    failing_memory_start(1);
    assert_int_equal(change(spec, "{\"add\":[\"z\"]}"), LOTOR_CODE_INTERNAL);
    failing_memory_stop();
    assert_int_equal(spec->arm_count, 1);
    lotor_spec_free(spec);
}
