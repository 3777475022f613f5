"""The structs and functions of include/lotor, declared for ctypes.

tests/python/test_layout.py compares every struct and every function with the headers.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_ubyte,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

Independent = CFUNCTYPE(c_bool, c_void_p, POINTER(c_uint32), c_size_t, c_uint32)
Pick = CFUNCTYPE(c_size_t, c_void_p, POINTER(c_double), c_size_t, POINTER(c_uint32))
Value = CFUNCTYPE(c_double, c_void_p, POINTER(c_double), POINTER(c_uint32), c_size_t)
Progress = CFUNCTYPE(c_bool, c_void_p, c_double)
RecipeIndex = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_void_p, c_void_p)
RecipeChoose = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_void_p, c_size_t, c_void_p)


class Message(ctypes.Structure):
    _fields_ = [("text", c_char * 320)]


class Ratio(ctypes.Structure):
    _fields_ = [("num", c_uint64), ("den", c_uint64)]


class Budget(ctypes.Structure):
    _fields_ = [("epsilon", c_double), ("delta", c_double)]


class Guarantee(ctypes.Structure):
    _fields_ = [
        ("is_private", c_bool),
        ("reason", c_char_p),
        ("model", c_uint32),
        ("epsilon", c_double),
        ("delta", c_double),
        ("unit", c_char * 96),
        ("mechanism", c_char * 128),
        ("scale", c_double),
        ("theorem", c_char_p),
        ("assumes", c_char_p),
        ("regret", c_char_p),
        ("noise", c_uint32),
        ("is_seed_reason", c_bool),
    ]


class CounterParams(ctypes.Structure):
    _fields_ = [
        ("mechanism", c_char_p),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("horizon", c_uint64),
        ("low", c_double),
        ("high", c_double),
    ]


class StoppingParams(ctypes.Structure):
    _fields_ = [
        ("rule", c_char_p),
        ("alpha", c_double),
        ("beta", c_double),
        ("epsilon", Ratio),
        ("range", c_double),
    ]


class PolicyParams(ctypes.Structure):
    _fields_ = [
        ("algorithm", c_char_p),
        ("arms", c_size_t),
        ("slots", c_size_t),
        ("horizon", c_uint64),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("beta", c_double),
        ("low", c_double),
        ("high", c_double),
        ("default_reward", c_double),
        ("clip", c_bool),
        ("cascade", c_bool),
        ("first", POINTER(c_double)),
        ("structure", c_uint32),
        ("group", POINTER(c_uint32)),
        ("capacity", POINTER(c_uint32)),
        ("groups", c_size_t),
        ("from", POINTER(c_uint32)),
        ("to", POINTER(c_uint32)),
        ("vertices", c_size_t),
        ("source", c_uint32),
        ("sink", c_uint32),
        ("seeds", c_size_t),
        ("vectors", POINTER(c_int64)),
        ("dimension", c_size_t),
        ("independent", Independent),
        ("context", c_void_p),
        ("rank", c_size_t),
        ("pick", Pick),
        ("value", Value),
        ("alpha", c_double),
        ("oracle_beta", c_double),
        ("context_length", c_double),
        ("theta_length", c_double),
        ("regularizer", c_double),
        ("caution", c_double),
        ("lag", c_double),
        ("half_life", c_uint64),
        ("half_life_in_seconds", c_bool),
        ("window", c_uint64),
        ("alarm", c_bool),
        ("variance", c_double),
        ("catalog", c_void_p),
    ]


class RecipeBoard(ctypes.Structure):
    _fields_ = [
        ("arms", c_size_t),
        ("slots", c_size_t),
        ("horizon", c_uint64),
        ("epsilon", c_double),
        ("delta", c_double),
        ("low", c_double),
        ("high", c_double),
        ("noise", c_double),
        ("sums", POINTER(c_double)),
        ("counts", POINTER(c_double)),
        ("batches", POINTER(c_uint64)),
        ("times", POINTER(c_uint64)),
        ("shown", POINTER(c_uint64)),
        ("batch_sums", POINTER(c_double)),
        ("batch_counts", POINTER(c_double)),
        ("batch_rows", c_size_t),
    ]


class Recipe(ctypes.Structure):
    _fields_ = [
        ("id", c_char_p),
        ("summary", c_char_p),
        ("statistic", c_char_p),
        ("problem", c_char_p),
        ("feedback", c_char_p),
        ("index", RecipeIndex),
        ("choose", RecipeChoose),
        ("context", c_void_p),
        ("asks_every_round", c_bool),
        ("weighs_unseen", c_bool),
        ("needs_horizon", c_bool),
    ]


class Decision(ctypes.Structure):
    _fields_ = [
        ("event", c_uint64),
        ("arms", POINTER(c_uint32)),
        ("count", c_size_t),
        ("asked", POINTER(c_uint32)),
        ("asked_count", c_size_t),
        ("seeds", POINTER(c_uint32)),
        ("seed_count", c_size_t),
        ("hold", c_uint64),
    ]


class Feedback(ctypes.Structure):
    _fields_ = [("rewards", POINTER(c_double)), ("count", c_size_t), ("click", c_size_t)]


class AlgorithmInfo(ctypes.Structure):
    _fields_ = [
        ("id", c_char_p),
        ("summary", c_char_p),
        ("problem", c_char_p),
        ("paper", c_char_p),
        ("model", c_uint32),
        ("is_private", c_bool),
        ("not_private", c_char_p),
        ("theorem", c_char_p),
        ("regret", c_char_p),
        ("delta", Ratio),
        ("needs_horizon", c_bool),
        ("is_simulation_only", c_bool),
        ("strength", c_char_p),
        ("feedback", c_char_p),
        ("list_feedback", c_char_p),
        ("uses_beta", c_bool),
        ("uses_clip", c_bool),
        ("uses_caution", c_bool),
        ("uses_window", c_bool),
    ]


class OwnRound(ctypes.Structure):
    _fields_ = [("run", c_uint64), ("t", c_uint64), ("seed", c_uint64)]


# Pointers are addresses here, because a pointer object for each would take too long: worlds.py reads them.
OwnReward = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)
OwnMeans = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p, c_void_p)
OwnActions = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p)


class OwnWorld(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("arms", c_size_t),
        ("low", c_double),
        ("high", c_double),
        ("reward", OwnReward),
        ("means", OwnMeans),
        ("actions", OwnActions),
        ("context", c_void_p),
        ("dimension", c_size_t),
        ("rows", c_size_t),
        ("table", POINTER(c_double)),
        ("starts", POINTER(c_uint64)),
        ("features", POINTER(c_double)),
        ("feature_count", c_size_t),
        ("labels", POINTER(c_uint32)),
        ("order", c_uint32),
        ("logged_arms", POINTER(c_uint32)),
        ("logged_rewards", POINTER(c_double)),
        ("propensities", POINTER(c_double)),
        ("logged_actions", POINTER(c_double)),
    ]


class SimulateParams(ctypes.Structure):
    _fields_ = [
        ("policy", PolicyParams),
        ("means", POINTER(c_double)),
        ("instance", c_char_p),
        ("rewards", c_char_p),
        ("concentration", c_double),
        ("world", c_char_p),
        ("has_gap", c_bool),
        ("gap", c_double),
        ("runs", c_uint64),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("checkpoints", c_size_t),
        ("noise_scale", c_double),
        ("exact_rounds", c_bool),
        ("delay", c_char_p),
        ("progress", Progress),
        ("progress_context", c_void_p),
        ("checkpoints_at", c_char_p),
        ("shown_at_checkpoints", c_bool),
        ("has_expiry", c_bool),
        ("expiry", c_uint64),
        ("missing", c_double),
        ("schedule", c_char_p),
        ("own_world", POINTER(OwnWorld)),
    ]


class SimulatePoint(ctypes.Structure):
    _fields_ = [("round", c_uint64), ("regret", c_double), ("standard_error", c_double)]


class SimulateResult(ctypes.Structure):
    _fields_ = [
        ("runs", c_uint64),
        ("horizon", c_uint64),
        ("arms", c_size_t),
        ("regret", c_double),
        ("regret_error", c_double),
        ("per_round", c_double),
        ("round_error", c_double),
        ("best_per_round", c_double),
        ("points", POINTER(SimulatePoint)),
        ("point_count", c_size_t),
        ("guarantee", Guarantee),
        ("seconds", c_double),
        ("lower_bound", c_double),
        ("favourite", POINTER(c_uint32)),
        ("favourite_count", c_size_t),
        ("best_share", c_double),
        ("best_is_bound", c_bool),
        ("lower_bound_theorem", c_char_p),
        ("favourite_seeds", POINTER(c_uint32)),
        ("favourite_seed_count", c_size_t),
        ("favourite_value", c_double),
        ("favourite_rounds", c_uint64),
        ("last_rounds", c_uint64),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("beta", c_double),
        ("slots", c_size_t),
        ("feedback", c_char_p),
        ("rounds_per_second", c_double),
        ("indefinite_rounds", c_double),
        ("late_release", c_uint64),
        ("regret_median", c_double),
        ("regret_99", c_double),
        ("regret_largest", c_double),
        ("classical_bound", c_double),
        ("classical_bound_theorem", c_char_p),
        ("regrets", POINTER(c_double)),
        ("rewards", POINTER(c_double)),
        ("shown", POINTER(c_uint64)),
        ("shown_at", POINTER(c_uint64)),
        ("clipped_share", c_double),
        ("lost_share", c_double),
        ("context_scale", c_double),
        ("logged_events", c_uint64),
        ("accepted_events", c_double),
    ]


class SimulateProblemFacts(ctypes.Structure):
    _fields_ = [
        ("arms", c_size_t),
        ("is_linear", c_bool),
        ("dimension", c_size_t),
        ("means", POINTER(c_double)),
        ("changes", c_bool),
        ("rewards", c_char_p),
        ("is_binary", c_bool),
        ("structure", c_uint32),
        ("structure_name", c_char_p),
        ("has_usual_structure", c_bool),
        ("slots", c_size_t),
        ("seeds", c_size_t),
        ("from", POINTER(c_uint32)),
        ("to", POINTER(c_uint32)),
        ("source", c_uint32),
        ("is_clipped", c_bool),
        ("arms_change", c_bool),
    ]


class AuditParams(ctypes.Structure):
    _fields_ = [
        ("algorithm", c_char_p),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("horizon", c_uint64),
        ("trials", c_uint64),
        ("view", c_char_p),
        ("confidence", c_double),
        ("is_seeded", c_bool),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("noise_scale", c_double),
        ("progress", Progress),
        ("progress_context", c_void_p),
        ("catalog", c_void_p),
    ]


class AuditResult(ctypes.Structure):
    _fields_ = [
        ("is_violated", c_bool),
        ("verdict", c_char_p),
        ("epsilon", c_double),
        ("delta", c_double),
        ("found", c_double),
        ("confidence", c_double),
        ("view", c_char_p),
        ("event", c_char * 400),
        ("setting", c_char * 200),
        ("trials", c_uint64),
        ("seconds", c_double),
        ("kind", c_uint32),
        ("estimate", c_double),
        ("looseness", c_double),
        ("inputs", c_char_p),
        ("attack", c_char_p),
        ("events", c_uint64),
        ("releases", c_uint64),
        ("seen", c_uint64),
        ("is_varied", c_bool),
        ("is_simulated", c_bool),
        ("noise_scale", c_double),
        ("exercised", c_char * 400),
        ("not_exercised", c_char * 400),
    ]


class AuditCall(ctypes.Structure):
    _fields_ = [
        ("input", c_uint32),
        ("seed", c_uint64),
        ("runs", c_size_t),
        ("capacity", c_size_t),
        ("outputs", POINTER(c_double)),
        ("counts", POINTER(c_size_t)),
    ]


Mechanism = CFUNCTYPE(c_int, c_void_p, POINTER(AuditCall), POINTER(Message))


class AuditMechanismParams(ctypes.Structure):
    _fields_ = [
        ("run", Mechanism),
        ("context", c_void_p),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("trials", c_uint64),
        ("confidence", c_double),
        ("outputs", c_size_t),
        ("batch", c_size_t),
        ("is_seeded", c_bool),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", Progress),
        ("progress_context", c_void_p),
    ]


class SamplerParams(ctypes.Structure):
    _fields_ = [("law", c_char_p), ("size", Ratio)]


class VerifyInfo(ctypes.Structure):
    _fields_ = [("id", c_char_p), ("summary", c_char_p), ("is_leak", c_bool), ("has_delta", c_bool)]


class VerifyFinding(ctypes.Structure):
    _fields_ = [
        ("mechanism", c_char_p),
        ("is_leak", c_bool),
        ("setting", c_char * 128),
        ("epsilon", Ratio),
        ("has_delta", c_bool),
        ("delta", Ratio),
        ("delta_low", c_double),
        ("delta_high", c_double),
        ("account_delta", c_double),
        ("account_covers", c_bool),
        ("exact", c_char * 128),
        ("loss", c_double),
        ("inputs", c_char * 128),
        ("output", c_char * 128),
        ("compared", c_uint64),
        ("holds", c_bool),
    ]


Take = CFUNCTYPE(None, c_void_p, POINTER(VerifyFinding))


class VerifyParams(ctypes.Structure):
    _fields_ = [
        ("mechanism", c_char_p),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("noise_scale", Ratio),
        ("take", Take),
        ("take_context", c_void_p),
    ]


class AdviseParams(ctypes.Structure):
    _fields_ = [
        ("problem", c_char_p),
        ("trust", c_uint32),
        ("epsilon", Ratio),
        ("delta", Ratio),
        ("arms", c_size_t),
        ("slots", c_size_t),
        ("dimension", c_size_t),
        ("rounds", c_uint64),
        ("means", POINTER(c_double)),
        ("seconds", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", Progress),
        ("progress_context", c_void_p),
    ]


class AdviseCandidate(ctypes.Structure):
    _fields_ = [
        ("algorithm", c_char_p),
        ("regret", c_double),
        ("standard_error", c_double),
        ("runs", c_uint64),
        ("rounds", c_uint64),
    ]


class AdviseResult(ctypes.Structure):
    _fields_ = [
        ("candidates", AdviseCandidate * 32),
        ("count", c_size_t),
        ("baseline", AdviseCandidate),
        ("random_regret", c_double),
        ("rounds", c_uint64),
        ("world", c_char_p),
        ("lower_bound", c_double),
        ("lower_bound_theorem", c_char_p),
    ]


class WatchParams(ctypes.Structure):
    _fields_ = [
        ("algorithm", c_char_p),
        ("epsilon", Ratio),
        ("arms", c_size_t),
        ("slots", c_size_t),
        ("means", POINTER(c_double)),
        ("rounds", c_uint64),
        ("frames", c_size_t),
        ("seed", c_uint64),
    ]


class CoupleParams(ctypes.Structure):
    _fields_ = [
        ("algorithm", c_char_p),
        ("traces", c_uint64),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("noise_scale", c_double),
        ("progress", Progress),
        ("progress_context", c_void_p),
        ("catalog", c_void_p),
    ]


class CoupleResult(ctypes.Structure):
    _fields_ = [
        ("is_violated", c_bool),
        ("is_claimed", c_bool),
        ("is_table", c_bool),
        ("worst", c_double),
        ("traces", c_uint64),
        ("telling", c_uint64),
        ("violations", c_uint64),
        ("releases", c_uint64),
        ("decisions", c_uint64),
        ("violating_trace", c_uint64),
        ("violation", c_char * 300),
        ("setting", c_char * 400),
        ("seconds", c_double),
    ]


class WatchArm(ctypes.Structure):
    _fields_ = [("mean", c_double), ("low", c_double), ("high", c_double), ("shown", c_uint64)]


class WatchResult(ctypes.Structure):
    _fields_ = [
        ("frames", c_size_t),
        ("arms", c_size_t),
        ("rounds", POINTER(c_uint64)),
        ("reward", POINTER(c_double)),
        ("states", POINTER(WatchArm)),
    ]


class Randomizer(ctypes.Structure):
    _fields_ = [
        ("mechanism", c_char_p),
        ("slot", c_size_t),
        ("epsilon", Ratio),
        ("scale", c_uint64),
        ("unit", c_double),
        ("low", c_double),
        ("high", c_double),
        ("slots", c_size_t),
    ]


# struct of the headers -> class here
STRUCTS: dict[str, type[ctypes.Structure]] = {
    "lotor_message": Message,
    "lotor_ratio": Ratio,
    "lotor_budget": Budget,
    "lotor_guarantee": Guarantee,
    "lotor_counter_params": CounterParams,
    "lotor_stopping_params": StoppingParams,
    "lotor_policy_params": PolicyParams,
    "lotor_recipe_board": RecipeBoard,
    "lotor_recipe": Recipe,
    "lotor_decision": Decision,
    "lotor_feedback": Feedback,
    "lotor_algorithm_info": AlgorithmInfo,
    "lotor_own_round": OwnRound,
    "lotor_own_world": OwnWorld,
    "lotor_simulate_params": SimulateParams,
    "lotor_simulate_point": SimulatePoint,
    "lotor_simulate_result": SimulateResult,
    "lotor_simulate_problem_facts": SimulateProblemFacts,
    "lotor_audit_params": AuditParams,
    "lotor_audit_result": AuditResult,
    "lotor_audit_call": AuditCall,
    "lotor_audit_mechanism_params": AuditMechanismParams,
    "lotor_couple_params": CoupleParams,
    "lotor_couple_result": CoupleResult,
    "lotor_randomizer": Randomizer,
    "lotor_sampler_params": SamplerParams,
    "lotor_verify_info": VerifyInfo,
    "lotor_verify_finding": VerifyFinding,
    "lotor_verify_params": VerifyParams,
    "lotor_advise_params": AdviseParams,
    "lotor_advise_candidate": AdviseCandidate,
    "lotor_advise_result": AdviseResult,
    "lotor_watch_params": WatchParams,
    "lotor_watch_arm": WatchArm,
    "lotor_watch_result": WatchResult,
}

_why = POINTER(Message)
_bytes_out = POINTER(POINTER(c_ubyte))
_size_out = POINTER(c_size_t)
_handle_out = POINTER(c_void_p)
_double_out = POINTER(c_double)

# function -> its result and its arguments; handles are c_void_p
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "lotor_version": (c_char_p, []),
    "lotor_bytes_free": (None, [POINTER(c_ubyte), c_size_t]),
    "lotor_ratio_of": (Ratio, [c_uint64, c_uint64]),
    "lotor_ratio_parse": (c_int, [c_char_p, _why, POINTER(Ratio)]),
    "lotor_guarantee_text": (c_size_t, [POINTER(Guarantee), c_char_p, c_size_t]),
    "lotor_guarantee_json": (c_size_t, [POINTER(Guarantee), c_char_p, c_size_t]),
    "lotor_guarantee_level": (c_int, [POINTER(Guarantee)]),
    "lotor_guarantee_level_reason": (c_char_p, [POINTER(Guarantee)]),
    "lotor_level_name": (c_char_p, [c_int]),
    "lotor_guarantee_per_user": (c_int, [POINTER(Guarantee), c_size_t, _why, POINTER(Guarantee)]),
    "lotor_counter_new": (c_int, [POINTER(CounterParams), _why, _handle_out]),
    "lotor_counter_free": (None, [c_void_p]),
    "lotor_counter_add": (c_int, [c_void_p, c_double, _why]),
    "lotor_counter_value": (c_double, [c_void_p]),
    "lotor_counter_added_count": (c_uint64, [c_void_p]),
    "lotor_counter_covered_count": (c_uint64, [c_void_p]),
    "lotor_counter_guarantee": (None, [c_void_p, POINTER(Guarantee)]),
    "lotor_counter_save": (c_int, [c_void_p, _bytes_out, _size_out]),
    "lotor_counter_load": (c_int, [c_char_p, c_size_t, _why, _handle_out]),
    "lotor_stopping_new": (c_int, [POINTER(StoppingParams), _why, _handle_out]),
    "lotor_stopping_free": (None, [c_void_p]),
    "lotor_stopping_add": (c_int, [c_void_p, c_double, _why, POINTER(c_bool)]),
    "lotor_stopping_estimate": (c_int, [c_void_p, _double_out]),
    "lotor_stopping_sample_count": (c_uint64, [c_void_p]),
    "lotor_stopping_guarantee": (None, [c_void_p, POINTER(Guarantee)]),
    "lotor_account_adversary_failure": (c_double, [Budget]),
    "lotor_account_compose_basic": (c_int, [POINTER(Budget), c_size_t, _why, POINTER(Budget)]),
    "lotor_account_compose_same": (c_int, [Budget, c_uint64, c_double, _why, POINTER(Budget)]),
    "lotor_account_compose_mixed": (c_int, [POINTER(Budget), c_size_t, c_double, _why, POINTER(Budget)]),
    "lotor_account_zcdp_of_gaussian": (c_double, [c_double, c_double]),
    "lotor_account_zcdp_of_pure": (c_double, [c_double]),
    "lotor_account_zcdp_delta": (c_int, [c_double, c_double, _why, _double_out]),
    "lotor_account_zcdp_epsilon": (c_int, [c_double, c_double, _why, _double_out]),
    "lotor_account_zcdp_rho": (c_int, [Budget, _why, _double_out]),
    "lotor_account_gaussian_delta": (c_int, [c_double, c_double, c_double, _why, _double_out]),
    "lotor_account_gaussian_sigma": (c_int, [c_double, Budget, _why, _double_out]),
    "lotor_account_group_privacy": (c_int, [Budget, c_uint64, _why, POINTER(Budget)]),
    "lotor_policy_new": (c_int, [POINTER(PolicyParams), _why, _handle_out]),
    "lotor_policy_free": (None, [c_void_p]),
    "lotor_policy_choose": (c_int, [c_void_p, POINTER(c_double), _why, POINTER(Decision)]),
    "lotor_policy_observe": (c_int, [c_void_p, c_uint64, POINTER(Feedback), _why]),
    "lotor_policy_expire": (c_int, [c_void_p, c_uint64, _why]),
    "lotor_policy_learn": (c_int, [c_void_p, c_uint64, POINTER(Feedback), _why]),
    "lotor_policy_choose_many": (c_int, [c_void_p, c_uint64, _why, POINTER(Decision), POINTER(c_uint64)]),
    "lotor_policy_learn_many": (c_int, [c_void_p, c_uint64, c_uint64, POINTER(Feedback), _why]),
    "lotor_policy_guarantee": (None, [c_void_p, POINTER(Guarantee)]),
    "lotor_policy_arms": (c_size_t, [c_void_p]),
    "lotor_policy_dimension": (c_size_t, [c_void_p]),
    "lotor_policy_algorithm": (c_char_p, [c_void_p]),
    "lotor_policy_save": (c_int, [c_void_p, _bytes_out, _size_out]),
    "lotor_policy_load": (c_int, [c_char_p, c_size_t, POINTER(PolicyParams), _why, _handle_out]),
    "lotor_lab_policy_new": (c_int, [POINTER(PolicyParams), c_uint64, _why, _handle_out]),
    "lotor_lab_policy_load": (c_int, [c_char_p, c_size_t, POINTER(PolicyParams), _why, _handle_out]),
    "lotor_algorithm_count": (c_size_t, []),
    "lotor_algorithm_at": (c_int, [c_size_t, _why, POINTER(AlgorithmInfo)]),
    "lotor_algorithm_find": (c_int, [c_char_p, _why, POINTER(AlgorithmInfo)]),
    "lotor_recipe_statistic": (c_char_p, [c_size_t]),
    "lotor_catalog_new": (c_int, [_why, _handle_out]),
    "lotor_catalog_free": (None, [c_void_p]),
    "lotor_catalog_add": (c_int, [c_void_p, POINTER(Recipe), _why]),
    "lotor_catalog_info": (c_int, [c_void_p, c_char_p, _why, POINTER(AlgorithmInfo)]),
    "lotor_simulate_run": (c_int, [POINTER(SimulateParams), _why, POINTER(POINTER(SimulateResult))]),
    "lotor_simulate_free": (None, [POINTER(SimulateResult)]),
    "lotor_couple_run": (c_int, [POINTER(CoupleParams), _why, POINTER(CoupleResult)]),
    "lotor_audit_run": (c_int, [POINTER(AuditParams), _why, POINTER(AuditResult)]),
    "lotor_audit_mechanism": (c_int, [POINTER(AuditMechanismParams), _why, POINTER(AuditResult)]),
    "lotor_randomizer_report": (
        c_int,
        [POINTER(Randomizer), POINTER(Feedback), _why, POINTER(c_int64), _size_out],
    ),
}
