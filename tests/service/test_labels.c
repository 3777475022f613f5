/* test_labels.c - titles, descriptions and metadata of campaigns and arms, and removed arms, over HTTP. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/running.h"

static running server;

static int start_server(void **state)
{
    (void)state;
    running_start(&server, 0);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    running_stop(&server);
    return 0;
}

/* Bodies use ' instead of ". */
static unsigned call(const char *method, const char *path, const char *body)
{
    static char text[70000];
    size_t length = 0;
    for (; body[length]; length++) {
        assert_true(length + 1 < sizeof text);
        text[length] = body[length] == '\'' ? '"' : body[length];
    }
    text[length] = '\0';
    return running_call(&server, RUNNING_ADMIN, method, path, text);
}

static void must(const char *method, const char *path, const char *body)
{
    if (call(method, path, body) >= 300) {
        fail_msg("%s %s %s: %s", method, path, body, server.text);
    }
}

static void assert_refused(unsigned status, unsigned expected, const char *field, const char *words)
{
    const json_t *const error = json_object_get(server.body, "error");
    const char *const told = json_string_value(json_object_get(error, "field"));
    const char *const message = json_string_value(json_object_get(error, "message"));
    if (status != expected || !message || strcmp(told ? told : "", field) != 0 ||
        !strstr(message, words)) {
        fail_msg("%u, expected %u about %s with \"%s\": %s", status, expected, field, words,
                 server.text);
    }
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static const json_t *arm_at(size_t i)
{
    return json_array_get(json_object_get(server.body, "arms"), i);
}

#define REST "'epsilon':1,'wait_seconds':60,'max_arms':9"

TEST(test_labels_are_set_shown_and_changed)
{
    must(
        "PUT", "/v1/campaigns/home",
        "{'title':'Tee & Kaffee \xe2\x98\x95','description':'Two\\nlines','metadata':{'team':'web',"
        "'size':3,'ratio':0.5,'live':true},'arms':[{'id':'a','title':'Tea','metadata':{'sku':7}},"
        "'b']," REST "}");
    assert_string_equal(text_at(server.body, "title"), "Tee & Kaffee \xe2\x98\x95");
    assert_string_equal(text_at(server.body, "description"), "Two\nlines");
    const json_t *metadata = json_object_get(server.body, "metadata");
    assert_int_equal(json_object_size(metadata), 4);
    assert_true(json_real_value(json_object_get(metadata, "ratio")) == 0.5);
    assert_string_equal(text_at(arm_at(0), "title"), "Tea");
    assert_null(json_object_get(arm_at(1), "title"));
    must("PATCH", "/v1/campaigns/home",
         "{'title':'Drinks','metadata':null,'arms':[{'id':'b','title':'Coffee'},{'id':'a','"
         "metadata':"
         "null,'description':'green'}]}");
    assert_string_equal(text_at(server.body, "title"), "Drinks");
    assert_string_equal(text_at(server.body, "description"), "Two\nlines"); /* not named */
    assert_null(json_object_get(server.body, "metadata"));
    assert_string_equal(text_at(arm_at(0), "title"), "Tea");
    assert_string_equal(text_at(arm_at(0), "description"), "green");
    assert_null(json_object_get(arm_at(0), "metadata"));
    assert_string_equal(text_at(arm_at(1), "title"), "Coffee");
    const json_t *const list =
        json_object_get(running_fine(&server, "GET", "/v1/campaigns", NULL), "campaigns");
    assert_string_equal(text_at(json_array_get(list, 0), "title"), "Drinks");
    /* Labels make no difference when a campaign is made again, and making it changes none. */
    assert_int_equal(call("PUT", "/v1/campaigns/home",
                          "{'title':'Other','arms':[{'id':'a','title':'x'},'b']," REST "}"),
                     200);
    assert_string_equal(text_at(server.body, "title"), "Drinks");
    assert_int_equal(call("PUT", "/v1/campaigns/home", "{'arms':['a','b']," REST "}"), 200);
    must("POST", "/v1/campaigns/home/arms", "{'add':[{'id':'c','title':'Cocoa'}]}");
    assert_string_equal(text_at(arm_at(2), "title"), "Cocoa");
    must("POST", "/v1/campaigns/home/close", "{}");
    must("PATCH", "/v1/campaigns/home", "{'description':null}"); /* closed ones, too */
    assert_null(json_object_get(server.body, "description"));
    must("POST", "/v1/campaigns/home/archive", "{}");
    assert_refused(call("PATCH", "/v1/campaigns/home", "{'title':'x'}"), 409, "", "archived");
    const json_t *const acts =
        json_object_get(running_fine(&server, "GET", "/v1/audit", NULL), "acts");
    assert_string_equal(text_at(json_array_get(acts, 1), "act"), "edit");
    assert_string_equal(text_at(json_array_get(acts, 1), "change"), "title, metadata; arms b, a");
}

TEST(test_labels_have_bounds)
{
    must("PUT", "/v1/campaigns/bounds", "{'arms':['a','b']," REST "}");
    static const char path[] = "/v1/campaigns/bounds";
    char body[9000], text[4000];
    memset(text, 'x', sizeof text);
    for (int too_long = 0; too_long < 2; too_long++) {
        snprintf(body, sizeof body, "{'title':'%.*s'}", 200 + too_long, text);
        assert_int_equal(call("PATCH", path, body), too_long ? 400 : 200);
        snprintf(body, sizeof body, "{'description':'%.*s'}", 2000 + too_long, text);
        assert_int_equal(call("PATCH", path, body), too_long ? 400 : 200);
        snprintf(body, sizeof body, "{'metadata':{'k':'%.*s'}}", 500 + too_long, text);
        assert_int_equal(call("PATCH", path, body), too_long ? 400 : 200);
        snprintf(body, sizeof body, "{'metadata':{'%.*s':1}}", 64 + too_long, text);
        assert_int_equal(call("PATCH", path, body), too_long ? 400 : 200);
        strcpy(body, "{'metadata':{");
        for (int i = 0; i < 32 + too_long; i++) {
            sprintf(body + strlen(body), "%s'k%d':%d", i ? "," : "", i, i);
        }
        strcat(body, "}}");
        assert_int_equal(call("PATCH", path, body), too_long ? 400 : 200);
    }
    assert_refused(call("PATCH", path, "{'title':''}"), 400, "title", "1 to 200 bytes");
    assert_refused(call("PATCH", path, "{'title':'a\\nb'}"), 400, "title", "control");
    assert_refused(call("PATCH", path, "{'title':5}"), 400, "title", "text");
    assert_refused(call("PATCH", path, "{'description':'\\u0007'}"), 400, "description", "control");
    assert_refused(call("PATCH", path, "{'metadata':[]}"), 400, "metadata", "object");
    assert_refused(call("PATCH", path, "{'metadata':{'a':{}}}"), 400, "metadata", "\"a\"");
    assert_refused(call("PATCH", path, "{'metadata':{'a':null}}"), 400, "metadata", "\"a\"");
    assert_refused(call("PATCH", path, "{'metadata':{'a b':1}}"), 400, "metadata", "names");
    assert_refused(call("PATCH", path, "{'arms':[{'id':'z','title':'x'}]}"), 400, "arms[0].id",
                   "an arm of this campaign");
    assert_refused(call("PATCH", path, "{'arms':{}}"), 400, "arms", "array");
    assert_refused(call("PATCH", path, "{'arms':[{'id':'a','title':''}]}"), 400, "arms[0].title",
                   "1 to 200");
    assert_refused(call("PATCH", path, "{}"), 400, "", "nothing to change");
    assert_refused(call("PATCH", path, "{'epsilon':2}"), 400, "epsilon", "epsilon");
    assert_refused(call("PATCH", "/v1/campaigns/none", "{'title':'x'}"), 404, "", "no campaign");
    /* A change is made completely or not at all. */
    assert_int_equal(call("PATCH", path, "{'title':'new','arms':[{'id':'a','title':''}]}"), 400);
    running_fine(&server, "GET", path, NULL);
    assert_int_equal(strlen(text_at(server.body, "title")), 200);
}

/* The labels of all arms together have a bound, so that a specification can't grow for ever. */
TEST(test_all_labels_have_a_bound)
{
    char body[50000] = "{'epsilon':1,'arms':[", text[1901];
    for (int i = 0; i < 200; i++) {
        sprintf(body + strlen(body), "%s'a%d'", i ? "," : "", i);
    }
    strcat(body, "]}");
    must("PUT", "/v1/campaigns/many", body);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    unsigned status = 200;
    int arms = 0;
    while (arms < 200 && status == 200) { /* 20 arms at once */
        strcpy(body, "{'arms':[");
        for (int i = 0; i < 20; i++) {
            sprintf(body + strlen(body), "%s{'id':'a%d','description':'%s'}", i ? "," : "",
                    arms + i, text);
        }
        strcat(body, "]}");
        status = call("PATCH", "/v1/campaigns/many", body);
        arms += 20;
    }
    assert_int_equal(status, 413);
    assert_int_equal(arms, 140); /* 262,144 bytes are less than 140 x 1,900 */
    running_fine(&server, "GET", "/v1/campaigns/many/guarantee", NULL); /* it still works */
}

TEST(test_a_removed_arm_is_never_shown_again)
{
    static const char path[] = "/v1/campaigns/less/arms";
    must("PUT", "/v1/campaigns/less", "{'arms':['a','b','c']," REST "}");
    must("POST", path, "{'remove':['a']}");
    assert_true(json_is_true(json_object_get(arm_at(0), "removed")));
    assert_true(json_is_true(json_object_get(arm_at(0), "paused")));
    assert_null(json_object_get(arm_at(1), "removed"));
    must("POST", path, "{'remove':['a']}"); /* again is fine */
    assert_refused(call("POST", path, "{'resume':['a']}"), 400, "resume[0]", "removed for good");
    assert_refused(call("POST", path, "{'add':['a']}"), 409, "add[0]", "was removed");
    assert_refused(call("POST", path, "{'remove':['z']}"), 400, "remove[0]", "expected the id");
    assert_refused(call("POST", path, "{'remove':['b','c']}"), 409, "remove",
                   "could still be shown");
    for (int i = 0; i < 60; i++) {
        must("POST", "/v1/campaigns/less/rank", "{}");
        assert_string_not_equal(
            json_string_value(json_array_get(json_object_get(server.body, "arms"), 0)), "a");
    }
    assert_refused(call("POST", "/v1/campaigns/less/rank", "{'eligible':['a']}"), 409, "eligible",
                   "");
    assert_int_equal(call("PUT", "/v1/campaigns/less", "{'arms':['a','b','c']," REST "}"), 200);
    assert_refused(
        call("PUT", "/v1/campaigns/x", "{'arms':[{'id':'a','removed':true},'b']," REST "}"), 400,
        "arms[0].removed", "\"remove\"");
}

TEST(test_max_arms_is_raised)
{
    static const char path[] = "/v1/campaigns/room";
    must("PUT", path, "{'arms':['a','b'],'epsilon':1,'wait_seconds':60,'max_arms':2}");
    assert_refused(call("POST", "/v1/campaigns/room/arms", "{'add':['c']}"), 409, "add[0]",
                   "PATCH");
    must("PATCH", path, "{'max_arms':3,'title':'Room'}");
    assert_int_equal(json_integer_value(json_object_get(server.body, "max_arms")), 3);
    assert_string_equal(text_at(server.body, "title"), "Room");
    must("POST", "/v1/campaigns/room/arms", "{'add':['c']}");
    assert_refused(call("POST", "/v1/campaigns/room/arms", "{'add':['d']}"), 409, "add[0]", "3");
    assert_refused(call("PATCH", path, "{'max_arms':2}"), 400, "max_arms", "only be raised");
    assert_refused(call("PATCH", path, "{'max_arms':4097}"), 400, "max_arms", "4096");
    assert_refused(call("PATCH", path, "{'max_arms':null}"), 400, "max_arms", "whole number");
    must("PATCH", path, "{'max_arms':3}");
    must("PATCH", path, "{'max_arms':4096}");
    must("POST", "/v1/campaigns/room/rank", "{'eligible':['c']}");
    /* the script that made it, and one that asks for as much room */
    assert_int_equal(
        call("PUT", path, "{'arms':['a','b'],'epsilon':1,'wait_seconds':60,'max_arms':2}"), 200);
    assert_int_equal(
        call("PUT", path, "{'arms':['a','b'],'epsilon':1,'wait_seconds':60,'max_arms':4096}"), 200);
    running_fine(&server, "GET", "/v1/audit?limit=100", NULL);
    assert_non_null(strstr(server.text, "max_arms 3"));
    assert_non_null(strstr(server.text, "max_arms 4096"));
}

TEST_GROUP(start_server, stop_server);
