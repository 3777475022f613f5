/* api_handlers.h - the handlers of all requests, in several files, and how they read and reply. */
#ifndef LOTOR_SERVICE_API_HANDLERS_H
#define LOTOR_SERVICE_API_HANDLERS_H

#include "service/http/api.h"

/* Parses the body into request->json. Returns false if the body was refused. */
bool lotor_api_read(lotor_request *request);

/* Reads true or false from the query. Returns false if it is something else. */
bool lotor_api_read_flag(lotor_request *request, size_t place, bool *out);

/* Makes the reply from a JSON value, and takes the reference. NULL: replies with job.refusal, or
 * with "out of memory" if no refusal is set. */
void lotor_api_reply_json(lotor_request *request, json_t *value);
/* Makes the reply from bytes allocated with malloc, and takes them. NULL: replies "out of
 * memory". If `type` is NULL the bytes are JSON, and must have room for one more byte: a newline
 * is added so that replies look right in a terminal. */
void lotor_api_reply_bytes(lotor_request *request, char *bytes, size_t length, const char *type);

/* Refuses a campaign that the request's key is not for. */
lotor_code lotor_api_check_campaign(lotor_request *request, const char *campaign);

lotor_completion lotor_api_rank(lotor_request *request);
lotor_completion lotor_api_rank_batch(lotor_request *request);
void lotor_api_finish_rank(lotor_request *request);
/* Requests the one decision that request->json describes; NULL: the body is empty. */
lotor_completion lotor_api_rank_one(lotor_request *request);

lotor_completion lotor_api_statement(lotor_request *request);
void lotor_api_finish_statement(lotor_request *request);

lotor_completion lotor_api_ofrep(lotor_request *request);
lotor_completion lotor_api_ofrep_all(lotor_request *request);
void lotor_api_finish_ofrep(lotor_request *request);

lotor_completion lotor_api_reward(lotor_request *request);
lotor_completion lotor_api_rewards(lotor_request *request);
void lotor_api_finish_reward(lotor_request *request);

lotor_completion lotor_api_create(lotor_request *request);
void lotor_api_finish_create(lotor_request *request); /* 201, or 200 of a dry run */
lotor_completion lotor_api_put(lotor_request *request);
void lotor_api_finish_put(lotor_request *request); /* 201, or 200 if the campaign existed */
lotor_completion lotor_api_sandbox(lotor_request *request);
lotor_completion lotor_api_act(lotor_request *request); /* close, pause, ... */
lotor_completion lotor_api_edit(lotor_request *request);
lotor_completion lotor_api_delete(lotor_request *request);
lotor_completion lotor_api_change_arms(lotor_request *request);
void lotor_api_finish_change(lotor_request *request);

lotor_completion lotor_api_list(lotor_request *request);
lotor_completion lotor_api_describe(lotor_request *request);
void lotor_api_finish_outlook(lotor_request *request);
lotor_completion lotor_api_guarantee(lotor_request *request);
lotor_completion lotor_api_releases(lotor_request *request);
void lotor_api_finish_releases(lotor_request *request);
lotor_completion lotor_api_advise(lotor_request *request);
lotor_completion lotor_api_simulate(lotor_request *request);
lotor_completion lotor_api_audit(lotor_request *request);
void lotor_api_finish_read(lotor_request *request);

lotor_completion lotor_api_create_budget(lotor_request *request);
lotor_completion lotor_api_list_budgets(lotor_request *request);
lotor_completion lotor_api_budget(lotor_request *request);

lotor_completion lotor_api_me(lotor_request *request);
lotor_completion lotor_api_list_keys(lotor_request *request);
lotor_completion lotor_api_make_key(lotor_request *request);
void lotor_api_finish_make_key(lotor_request *request);
lotor_completion lotor_api_revoke_key(lotor_request *request);
void lotor_api_finish_revoke_key(lotor_request *request);

lotor_completion lotor_api_event(lotor_request *request);
lotor_completion lotor_api_health(lotor_request *request);
lotor_completion lotor_api_ready(lotor_request *request);
lotor_completion lotor_api_metrics(lotor_request *request);
lotor_completion lotor_api_version(lotor_request *request);
lotor_completion lotor_api_openapi(lotor_request *request);

#endif
