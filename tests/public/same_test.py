"""The same seed gives the same numbers in C, by the command, in Python and over HTTP, to the last bit.

usage: same_test.py SOURCE LOTOR SAME LIBRARY

There are two seeded calculations, and no client offers both:

    lotor_simulate_run    C (same.c), `lotor run --json`, Python's lotor.simulate
    lotor_watch_run       C (same.c), `POST /v1/simulate`, and Python, which has the function without a
                          wrapper

They take different random numbers from a seed: `lotor run` plays many runs, each with its own streams, and
/v1/simulate plays one campaign. `lotor advise` is not compared, since Python does not offer it, and since its
result depends on the time that it has.

If anything is missing (NumPy, the library, the service), the test fails.
"""

import ctypes
import json
import math
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

source, lotor_path, same_path, library_path = Path(sys.argv[1]), *sys.argv[2:5]
os.environ.update(LOTOR=lotor_path, LOTOR_LIBRARY=library_path)
sys.dont_write_bytecode = True
sys.path[:0] = [str(source / "clients" / "python" / "src"), str(source / "tests" / "python")]

import lotor  # noqa: E402
from lotor import _native  # noqa: E402
from lotor._library import library  # noqa: E402
from support import Server  # noqa: E402

# algorithm, horizon, epsilon, seed, runs, slots (0: not given), clicks, world
SIMULATED = [
    ("dp-se", 5000, "0.5", 7, 4, 0, False, "means:0.5,0.6,0.7"),
    ("ucb", 2000, "1", 1, 3, 0, False, "means:0.5,0.6,0.7"),
    ("batch-klucb", 4000, "1", 11, 5, 2, False, "means:0.1,0.4,0.2,0.3"),
    ("rr-klucb", 3000, "2", 5, 3, 2, True, "means:0.1,0.4,0.2,0.3"),
    ("dpucb-mat", 1000, "0.25", 3, 2, 0, False, "instance:table-6.1"),
    ("cucb-dp2", 300, "1", 4, 3, 0, False, "instance:grid:3x3"),
    ("jdp-batch", 400, "1", 6, 3, 0, False, "linear:3:0.1"),
    ("jdp-bayes", 400, "1", 6, 3, 0, False, "linear:3:0.1"),
]

# algorithm, rounds, epsilon, seed, slots, means
WATCHED = [
    ("batch-klucb", 2000, "1", 3, 1, "0.7,0.4,0.5"),
    ("rr-klucb", 1500, "0.5", 8, 2, "0.2,0.9,0.4,0.6"),
]
FRAMES = 80  # of /v1/simulate

failures = 0
compared = 0


def same(what: str, first: Any, second: Any) -> None:
    """Notes a failure unless two numbers, or lists of them, are equal; NaN equals NaN, and None is NaN."""
    global failures, compared
    if isinstance(first, list):
        if len(first) != len(second):
            failures += 1
            print(f"{what}: {len(first)} numbers, and {len(second)}")
        for place, (one, other) in enumerate(zip(first, second)):
            same(f"{what}[{place}]", one, other)
        return
    one, other = (math.nan if number is None else float(number) for number in (first, second))
    compared += 1
    if one != other and not (math.isnan(one) and math.isnan(other)):
        failures += 1
        print(f"{what}: {one!r}, and {other!r}")


def by_c(*words: Any) -> dict[str, list[list[float]]]:
    """name -> the numbers of each line of that name"""
    done = subprocess.run([same_path, *map(str, words)], check=True, capture_output=True, text=True)
    lines: dict[str, list[list[float]]] = {}
    for line in done.stdout.splitlines():
        name, *numbers = line.split()
        values = [float.fromhex(text) if "x" in text or "n" in text else float(text) for text in numbers]
        lines.setdefault(name, []).append(values)
    return lines


def by_command(algorithm: str, horizon: int, epsilon: str, seed: int, runs: int, slots: int, clicks: bool,
               world: str) -> Any:
    kind, value = world.split(":", 1)
    words = ["run", algorithm, "--horizon", horizon, "--seed", seed, "--runs", runs, "--json"]
    if algorithm != "ucb":
        words += ["--epsilon", epsilon]
    if kind == "linear":
        words += ["--dimension", value.split(":")[0], "--gap", value.split(":")[1]]
    else:
        words += [f"--{kind}", value]
    words += ["--slots", slots] if slots else []
    words += ["--feedback", "cascade"] if clicks else []
    done = subprocess.run([lotor_path, *map(str, words)], check=True, capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


def by_python(algorithm: str, horizon: int, epsilon: str, seed: int, runs: int, slots: int, clicks: bool,
              world: str) -> lotor.Simulation:
    kind, value = world.split(":", 1)
    more: dict[str, Any] = {}
    if kind == "means":
        more["means"] = [float(text) for text in value.split(",")]
    elif kind == "instance":
        more["instance"] = value
    else:
        more["dimension"], more["gap"] = int(value.split(":")[0]), float(value.split(":")[1])
    return lotor.simulate(algorithm, horizon=horizon, epsilon=epsilon, seed=seed, runs=runs,
                          slots=slots or None, cascade=clicks, **more)


def compare_simulated(case: tuple) -> None:
    name = f"{case[0]} on {case[-1]}"
    c, command, python = by_c("simulate", *case[:6], int(case[6]), case[7]), by_command(*case), by_python(*case)
    is_linear = case[-1].startswith("linear:")
    bound, classical = command["lower_bound"], command["classical_bound"]
    told = {
        "runs": [command["runs"]],
        "arms": [command["settings"]["arms"]],
        "regret": [command["regret"]["mean"], command["regret"]["stderr"]],
        "per_round": [command["return_per_round"]["mean"], command["return_per_round"]["stderr"]],
        "best": [None if is_linear else command["regret_against"]["per_round"]],
        "lower_bound": [bound and bound["per_log_t"]],
        "classical_bound": [classical and classical["per_log_t"]],
        "epsilon": [math.inf if command["guarantee"]["epsilon"] is None else command["guarantee"]["epsilon"]],
        "favourite": [] if is_linear else command["most_shown"]["arms"],
    }
    seen = {
        "runs": [python.runs],
        "arms": [python.arms],
        "regret": [python.regret[-1], python.standard_error[-1]],
        "per_round": [python.per_round, python.per_round_error],
        "best": [python.best_per_round],
        "lower_bound": [python.lower_bound],
        "classical_bound": [python.classical_bound],
        "epsilon": [python.guarantee.epsilon],
        "favourite": [] if python.favourite is None else list(python.favourite),
    }
    for field, numbers in c.items():
        if field != "point":
            same(f"{name}, {field}: C, and the command", numbers[0], told[field])
            same(f"{name}, {field}: C, and Python", numbers[0], seen[field])
    curve = [[point["t"], point["mean"], point["stderr"]] for point in command["checkpoints"]]
    same(f"{name}, points: C, and the command", c["point"], curve)
    curve = [list(point) for point in zip(python.rounds, python.regret, python.standard_error)]
    same(f"{name}, points: C, and Python", c["point"], curve)


def watch_by_python(algorithm: str, rounds: int, epsilon: str, seed: int, slots: int, means: str) -> tuple:
    """The frames and the arms, as by_c has them."""
    numbers = [float(text) for text in means.split(",")]
    ratio, why = _native.Ratio(), _native.Message()
    assert library().lotor_ratio_parse(epsilon.encode(), ctypes.byref(why), ctypes.byref(ratio)) == 0, why.text
    params = _native.WatchParams(algorithm=algorithm.encode(), epsilon=ratio, arms=len(numbers), slots=slots,
                                 means=(ctypes.c_double * len(numbers))(*numbers), rounds=rounds, frames=FRAMES,
                                 seed=seed)
    result = ctypes.POINTER(_native.WatchResult)()
    run, free = library().lotor_watch_run, library().lotor_watch_free
    run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    free.argtypes, free.restype = [ctypes.c_void_p], None
    assert run(ctypes.byref(params), ctypes.byref(why), ctypes.byref(result)) == 0, why.text
    raw = result.contents
    frames = [[raw.rounds[i], raw.reward[i]] for i in range(raw.frames)]
    states = [raw.states[i] for i in range(raw.frames * raw.arms)]
    arms = [[state.shown, state.mean, state.low, state.high] for state in states]
    free(result)
    return frames, arms


def watch_by_http(server: Server, algorithm: str, rounds: int, epsilon: str, seed: int, slots: int, means: str) -> Any:
    body = {"algorithm": algorithm, "rounds": rounds, "epsilon": float(epsilon), "seed": seed, "slots": slots,
            "means": [float(text) for text in means.split(",")]}
    request = urllib.request.Request(f"{server.url}/v1/simulate", json.dumps(body).encode(),
                                     {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def compare_watched(server: Server, case: tuple) -> None:
    reply = watch_by_http(server, *case)
    for side, epsilon in (("private", case[2]), ("not_private", "inf")):
        name = f"{case[0]}, {side}"
        played = (*case[:2], epsilon, *case[3:])
        c = by_c("watch", *played[:5], FRAMES, played[5])
        frames, arms = watch_by_python(*played)
        same(f"{name}, frames: C, and Python", c["frame"], frames)
        same(f"{name}, arms: C, and Python", c["arm"], arms)
        told = reply[side]
        same(f"{name}, frames: C, and HTTP", c["frame"], [list(row) for row in zip(reply["rounds"], told["reward"])])
        columns = [sum(told[column], []) for column in ("shown", "mean", "low", "high")]
        same(f"{name}, arms: C, and HTTP", c["arm"], [list(row) for row in zip(*columns)])


for simulated in SIMULATED:
    compare_simulated(simulated)
with Server() as running:
    for watched in WATCHED:
        compare_watched(running, watched)
print(f"{compared} numbers compared, {failures} differ")
sys.exit(1 if failures or compared < 1000 else 0)
