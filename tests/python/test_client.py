"""The client against a real `lotor serve`, and against servers that fail."""

import http.server
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from contextlib import suppress
from fractions import Fraction
from unittest import mock

import lotor
import numpy as np
from support import PATIENCE, ROOT, Server, free_port

ARMS = ["tea", "coffee", "cocoa", "water"]
BIT = {"mechanism": "bit", "slot": 2, "epsilon": 20, "scale": 0, "unit": 0, "low": 0, "high": 1, "slots": 2}


class Real(unittest.TestCase):
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        cls.client = lotor.Client(cls.server.url, cls.server.key)
        cls.addClassCleanup(cls.client.close)

    def campaign(self, name: str, **more: object) -> None:
        fields = {"algorithm": "batch-klucb", "arms": ARMS, "epsilon": 1, "slots": 2, "wait_seconds": 600, **more}
        self.client.create_campaign(name, **fields)

    def test_rank_and_reward(self) -> None:
        self.assertTrue(self.client.ready())
        self.campaign("home")
        self.campaign("home")  # the same again is fine
        ranking = self.client.rank("home")
        self.assertEqual(len(set(ranking.arms)), 2)
        self.assertTrue(set(ranking.arms) <= set(ARMS))
        self.assertGreater(ranking.expires, time.time())
        self.client.reward(ranking, [1, 0])
        self.client.reward(ranking, rewards=np.array([1.0, 0.0]))  # once more changes nothing
        rankings = self.client.rank_batch("home", 5)
        self.assertEqual(len({each.event for each in rankings}), 5)
        self.client.rewards([each.feedback([0, 1]) for each in rankings])
        many = self.client.rank_batch("home", 1001)  # two requests, and the feedback is longer than a body may be
        self.client.rewards([each.feedback([1, 0]) for each in many])
        state = self.client.campaign("home")
        self.assertEqual((state["decisions"], state["closed"]), (1007, False))
        self.assertIn("home", [each["name"] for each in self.client.campaigns()])
        self.assertTrue(self.client.guarantee("home")["private"])
        self.assertIn("epsilon", self.client.guarantee("home")["statement"])

    def test_lift(self) -> None:
        self.campaign("lift", evaluation={"share": 0.5, "control": ["water", "tea"]})
        rankings = self.client.rank_batch("lift", 200)
        roles = {each.role for each in rankings}
        self.assertEqual(roles, {"learn", "measure", "control"})
        for each in rankings:
            if each.role == "control":
                self.assertEqual(each.arms, ("water", "tea"))
            self.assertEqual(each.propensity, 1 if each.role == "control" else None)
            self.assertEqual(lotor.Ranking.of(each.fields()), each)
        self.client.rewards([each.feedback([1, 0]) for each in rankings])
        self.assertEqual(self.client.campaign("lift")["lift"]["policy"], {"mean": None, "interval": None, "rounds": 0})
        self.campaign("none")
        self.assertIsNone(self.client.rank("none").role)

    def test_lift_of_a_local_campaign(self) -> None:
        self.campaign("bits", algorithm="rr-imed", epsilon=5, early_release=True, evaluation={"share": 0.5})
        for _ in range(2):
            rankings = self.client.rank_batch("bits", 200)
            for each in rankings:
                if each.role != "learn":
                    self.assertEqual((each.randomizer.mechanism, each.randomizer.slot), ("sum-bit", 0))  # type: ignore[union-attr]
                if each.role == "control":
                    self.assertAlmostEqual(each.propensity, 1 / (len(ARMS) * (len(ARMS) - 1)))  # type: ignore[arg-type]
            self.client.rewards([each.feedback([float(arm == "cocoa") for arm in each.arms]) for each in rankings])
        for _ in range(200 * PATIENCE):  # rounds end with their block, up to ten seconds after the reply
            lift = self.client.campaign("bits")["lift"]
            if lift["policy"]["rounds"] > 50 and lift["control"]["rounds"] > 50:
                break
            time.sleep(0.1)
        self.assertGreater(lift["policy"]["rounds"], 50)
        # Two of four arms at random have cocoa in half of the lists: a value of 0.5, and 100 bits of a range of 2.
        self.assertLess(abs(lift["control"]["mean"] - 0.5), 0.6)
        self.assertLessEqual(lift["absolute"]["interval"]["low"], lift["absolute"]["mean"])

    def test_lift_example(self) -> None:
        told = subprocess.run(
            [sys.executable, str(ROOT / "examples" / "lift.py"), self.server.url, self.server.key],
            capture_output=True, text=True, timeout=300 * PATIENCE, check=True,
        ).stdout
        self.assertIn("decided: better", told)
        self.assertRegex(told, r"clicks: [0-9.]+% with Lotor, [0-9.]+% with articles at random")

    def test_estimates(self) -> None:
        # There is almost no noise (of scale 1/1000 on a sum), rounds end with their feedback, and one arm always
        # pays.
        self.campaign("learn", epsilon=1000, slots=1, early_release=True)
        for _ in range(60):
            rankings = self.client.rank_batch("learn", 5)
            self.client.rewards([each.feedback([float(each.arms[0] == "cocoa")]) for each in rankings])
        for _ in range(200 * PATIENCE):  # rounds end with their block
            estimates = self.client.estimates("learn")
            if estimates.count.min() > 0:
                break
            time.sleep(0.1)
        self.assertEqual(estimates.arms, tuple(ARMS))
        self.assertTrue(np.allclose(estimates.mean, [0.0, 0.0, 1.0, 0.0], atol=0.05))
        self.assertTrue((estimates.low - 0.05 < estimates.mean).all())
        self.assertTrue((estimates.mean < estimates.high + 0.05).all())
        self.assertTrue((estimates.low < estimates.high).all())
        self.assertEqual(estimates.shown.sum(), 300)
        self.assertFalse(estimates.paused.any())
        releases = list(self.client.releases("learn"))
        self.assertGreater(len(releases), 0)

    def test_nothing_released_yet(self) -> None:
        self.campaign("new")
        self.assertTrue(np.isnan(self.client.estimates("new").mean).all())

    def test_clicks(self) -> None:
        self.campaign("list", feedback="clicks")
        ranking = self.client.rank("list")
        self.client.reward(ranking, click=ranking.arms[1])
        self.client.reward(self.client.rank("list"), click=None)
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.reward(self.client.rank("list"), click="juice")
        self.assertEqual((caught.exception.code, caught.exception.field), ("bad_value", "click"))

    def test_contexts_and_users(self) -> None:
        self.campaign("linear", algorithm="jdp-batch", slots=1, dimension=2, horizon=1000)
        context = {arm: np.array([0.1 * i, 0.5]) for i, arm in enumerate(ARMS)}
        self.assertEqual(len(self.client.rank("linear", context=context).arms), 1)
        self.campaign("capped", rounds_per_user=1)
        first, second = (self.client.rank("capped", user="ann") for _ in range(2))
        self.assertTrue(self.client.reward(first, [1, 0]))
        self.assertTrue(self.client.reward(second, [1, 0]))  # nobody learns that it does not count
        self.campaign("kept", rounds_per_user=1, sticky_seconds=1)
        self.client.rank("kept", user="ann", eligible=["tea", "water"])
        past = self.client.rank("kept", user="ann", eligible=["coffee", "cocoa"])
        self.assertIsNone(past.event)
        self.client.reward(past, [1, 0])  # nothing to send
        with self.assertRaises(lotor.InvalidError):
            past.feedback([1, 0])
        self.assertEqual(set(self.client.rank("capped", user="bob", eligible=["tea", "water"]).arms), {"tea", "water"})

    def test_arms_change_and_close(self) -> None:
        self.campaign("shelf")
        changed = self.client.change_arms("shelf", add=["juice"], pause=["water"])
        self.assertEqual([arm["id"] for arm in changed["arms"]], [*ARMS, "juice"])
        self.assertEqual(self.client.estimates("shelf").paused.tolist(), [False, False, False, True, False])
        self.assertTrue(self.client.close_campaign("shelf")["closed"])
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.rank("shelf")
        self.assertEqual((caught.exception.code, caught.exception.http_status), ("closed", 409))

    def test_pausing_and_archiving(self) -> None:
        self.campaign("phases")
        ranking = self.client.rank("phases")
        self.assertTrue(self.client.pause_campaign("phases")["paused"])
        with self.assertRaises(lotor.ServiceError) as refused:
            self.client.rank("phases")
        self.assertEqual((refused.exception.code, refused.exception.http_status), ("paused", 409))
        self.assertTrue(self.client.reward(ranking, [1, 0]))
        self.assertTrue(self.client.archive_campaign("phases")["archived"])
        self.assertNotIn("phases", [each["name"] for each in self.client.campaigns()])
        self.assertIn("phases", [each["name"] for each in self.client.campaigns(archived=True)])
        self.assertFalse(self.client.unarchive_campaign("phases")["archived"])
        self.assertFalse(self.client.resume_campaign("phases")["paused"])
        self.client.rank("phases")

    def test_labels_and_removed_arms(self) -> None:
        self.campaign("labels", title="Drinks", metadata={"team": "web"})
        edited = self.client.edit_campaign("labels", description="hot", metadata=None, arms=[{"id": "tea", "title": "Tea"}])
        self.assertEqual((edited["title"], edited["description"]), ("Drinks", "hot"))
        self.assertNotIn("metadata", edited)
        self.assertEqual(edited["arms"][0]["title"], "Tea")
        removed = self.client.change_arms("labels", remove=["tea"])["arms"][0]
        self.assertEqual((removed["id"], removed["removed"], removed["paused"]), ("tea", True, True))
        for ranking in self.client.rank_batch("labels", 50):
            self.assertNotIn("tea", ranking.arms)

    def test_raising_max_arms(self) -> None:
        self.campaign("room", max_arms=len(ARMS))
        more = [f"new{i}" for i in range(9)]
        with self.assertRaises(lotor.ServiceError) as refused:
            self.client.change_arms("room", add=more)
        self.assertEqual(refused.exception.code, "full")
        raised = self.client.edit_campaign("room", max_arms=len(ARMS) + 9)
        self.assertEqual(raised["max_arms"], len(ARMS) + 9)
        self.assertEqual(len(self.client.change_arms("room", add=more)["arms"]), len(ARMS) + 9)
        with self.assertRaises(lotor.ServiceError) as refused:
            self.client.edit_campaign("room", max_arms=len(ARMS))
        self.assertEqual(refused.exception.field, "max_arms")

    def test_statement(self) -> None:
        self.campaign("stated", purpose="Choose drinks", rounds_per_user=3)
        self.client.edit_campaign("stated", contact="x@example.org", purpose=None)
        statement = self.client.statement("stated")
        self.assertEqual(statement["operator"]["contact"], "x@example.org")
        self.assertIsNone(statement["operator"]["purpose"])
        self.assertIn("all feedback of one user", statement["summary"])
        guarantee = self.client.guarantee("stated")
        self.assertEqual(guarantee["epsilon"], 3 * guarantee["per_round"]["epsilon"])
        self.assertEqual(statement["claim"]["epsilon"], guarantee["epsilon"])

    def test_deleting(self) -> None:
        self.campaign("deleted")
        ranking = self.client.rank("deleted")
        self.assertTrue(self.client.delete_campaign("deleted")["deleted"])
        self.assertTrue(self.client.delete_campaign("deleted")["deleted"])  # again is fine
        for call in (lambda: self.client.rank("deleted"), lambda: self.client.reward(ranking, [1, 0])):
            with self.assertRaises(lotor.ServiceError) as refused:
                call()
            self.assertEqual((refused.exception.code, refused.exception.http_status), ("deleted", 410))
        self.assertEqual(list(self.client.releases("deleted")), [])
        self.assertIn("deleted", self.client.guarantee("deleted")["statement"])
        self.assertNotIn("deleted", [each["name"] for each in self.client.campaigns()])

    def test_putting_a_campaign_again(self) -> None:
        for _ in range(2):
            made = self.client.put_campaign("put", arms=ARMS, epsilon="0.5", algorithm="jdp-batch", dimension=2,
                                            horizon=1000, delta="0.001")
            self.assertEqual((made["name"], made["epsilon"], made["delta"]), ("put", 0.5, 0.001))
        with self.assertRaises(lotor.ServiceError) as refused:
            self.client.put_campaign("put", arms=ARMS, epsilon=1)
        self.assertEqual((refused.exception.code, refused.exception.http_status), ("exists", 409))

    def test_a_budget_over_campaigns(self) -> None:
        told = self.client.create_budget("people", epsilon=Fraction(3, 2))
        self.assertEqual((told["epsilon"], told["delta"], told["campaigns"]), (1.5, 0.0, []))
        self.assertEqual(self.client.create_budget("people", epsilon=1.5)["name"], "people")
        self.campaign("paid", slots=1, budget="people", epsilon=1, sticky_seconds=60)
        self.campaign("paid-too", slots=1, budget="people", epsilon=1, sticky_seconds=60)
        self.assertIsNotNone(self.client.rank("paid", user="ann").event)
        self.assertIsNone(self.client.rank("paid-too", user="ann").event)
        self.assertEqual(self.client.budget("people")["campaigns"][0]["rounds"], 1)
        self.assertEqual([each["name"] for each in self.client.budgets()], ["people"])
        with self.assertRaises(lotor.ServiceError) as refused:
            self.client.create_budget("people", epsilon=2)
        self.assertEqual((refused.exception.code, refused.exception.field), ("exists", "epsilon"))

    def test_the_algorithm_can_be_left_out(self) -> None:
        made = self.client.create_campaign("default", arms=ARMS, epsilon=1)
        self.assertEqual(made["algorithm"], "lik-imed")

    def test_local(self) -> None:
        for name, algorithm, answer in (
            ("bit", "rr-imed", {"rewards": [1, 0]}),
            ("rr", "rr-klucb", {"rewards": [1, 0]}),
            ("rr-click", "rr-klucb", {"click": "tea"}),
            ("position", "cascade-ldp-rr", {"click": None}),
            ("laplace", "cucb-ldp2", {"rewards": [1, 0.5]}),
            ("cube", "cucb-ldp-box", {"rewards": [1, 0.5]}),
        ):
            with self.subTest(algorithm=algorithm):
                more = {"rr-click": {"feedback": "clicks"}, "laplace": {"horizon": 1000}}.get(name, {})
                self.campaign(name, algorithm=algorithm, **more)
                ranking = self.client.rank(name)
                if answer.get("click"):
                    answer = {"click": ranking.arms[0]}
                self.assertIsNotNone(ranking.randomizer)
                self.assertEqual(set(ranking.feedback(**answer)), {"event", "report"})
                self.client.reward(ranking, **answer)

    def test_refusals(self) -> None:
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.rank("nothing")
        self.assertEqual((caught.exception.code, caught.exception.http_status), ("no_such_campaign", 404))
        with self.assertRaises(lotor.ServiceError) as caught:
            lotor.Client(self.server.url, "wrong").campaigns()
        self.assertEqual(caught.exception.code, "unauthorized")
        with self.assertRaises(lotor.ServiceError) as caught:
            self.campaign("bad", epsilon=-1)
        self.assertEqual(caught.exception.field, "epsilon")
        self.assertTrue(str(caught.exception).startswith("epsilon: "))
        self.campaign("range")
        ranking = self.client.rank("range")
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.reward(ranking, [7, 0])
        self.assertEqual(caught.exception.field, "rewards[0]")
        self.client.reward(ranking, [1, 0])  # still open

    def test_refused_rewards_of_a_list(self) -> None:
        self.campaign("partly")
        rankings = self.client.rank_batch("partly", 4)
        answers = [each.feedback([1, 0]) for each in rankings]
        answers[1] = {**answers[1], "rewards": [7, 0]}
        answers[3] = {**answers[3], "event": "nonsense"}
        with self.assertRaises(lotor.RefusedError) as caught:
            self.client.rewards(answers)
        error = caught.exception
        self.assertEqual({place: each.code for place, each in error.refused.items()}, {1: "bad_value", 3: "no_such_event"})
        self.assertEqual((error.late, error.code, error.field, error.http_status), (0, "bad_value", "rewards[1].rewards[0]", 200))
        self.assertNotIn("7", str(error))
        with self.assertRaises(lotor.RefusedError) as caught:  # nothing is accepted
            self.client.rewards([answers[3], answers[1]])
        self.assertEqual([(place, each.http_status) for place, each in caught.exception.refused.items()], [(0, 404), (1, 404)])
        many = self.client.rank_batch("partly", 1200)  # in the second request, too
        answers = [each.feedback([1, 0]) for each in many]
        answers[2]["event"] = answers[1190]["event"] = "nonsense"
        with self.assertRaises(lotor.RefusedError) as caught:
            self.client.rewards(answers)
        self.assertEqual(list(caught.exception.refused), [2, 1190])
        self.client.rewards([each.feedback([1, 0]) for each in many])  # all are accepted, or were before

    def test_batches_with_users_contexts_and_eligible_arms(self) -> None:
        self.campaign("people", slots=1, rounds_per_user=1)
        requests = [{"user": "ann"}, {"user": "bob", "eligible": ("tea",)}, {"user": "ann"}]
        rankings = self.client.rank_batch("people", requests=requests)
        self.assertEqual(len({each.event for each in rankings} - {None}), 3)
        self.assertEqual(rankings[1].arms, ("tea",))
        self.campaign("features", algorithm="jdp-batch", slots=1, dimension=2, horizon=10_000)
        rows = {arm: np.array([0.1 * place, 0.5]) for place, arm in enumerate(ARMS)}
        rankings = self.client.rank_batch("features", requests=({"context": rows} for _ in range(1001)))
        self.assertEqual(len({each.event for each in rankings}), 1001)
        self.assertEqual(self.client.rewards([each.feedback([0.5]) for each in rankings]), 0)
        self.assertEqual(self.client.rank_batch("people", requests=[]), [])
        with self.assertRaises(TypeError):
            self.client.rank_batch("people")
        with self.assertRaises(TypeError):
            self.client.rank_batch("people", 2, requests=requests)
        with self.assertRaises(TypeError):
            self.client.rank_batch("people", requests=[{"usr": "ann"}])
        with self.assertRaises(lotor.RangeError):
            self.client.rank_batch("features", requests=[{"context": {"tea": [float("nan"), 0]}}])
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.rank_batch("people", requests=[{"user": "cleo"}, {}])
        self.assertEqual(caught.exception.field, "requests[1].user")

    def test_exact_budgets(self) -> None:
        self.campaign("quarter", epsilon=Fraction(1, 4))
        self.assertEqual(self.client.guarantee("quarter")["epsilon"], 0.25)
        with self.assertRaises(lotor.InvalidError):
            self.campaign("third", epsilon=Fraction(1, 3))

    def test_threads(self) -> None:
        self.campaign("many")
        events: list[str] = []

        def work() -> None:
            for _ in range(25):
                ranking = self.client.rank("many")
                assert ranking.event is not None
                events.append(ranking.event)
                self.client.reward(ranking, [1, 0])

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(events)), 100)


class Failing(unittest.TestCase):
    """A server that follows a list with one item for each request. An item is one of these:

    - the status of a reply, or the bytes of a reply
    - "lose" (reads, and closes the connection)
    - "late" (a reply after the client's time limit)
    - "drip" (a byte from time to time, without end)
    """

    def setUp(self) -> None:
        self.script: list[object] = []
        self.heard: list[tuple[str, str, bytes]] = []
        self.connections: set[object] = set()
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                test.connections.add(self.client_address)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                test.heard.append((self.command, self.path, body))
                action = test.script.pop(0) if test.script else 200
                if action == "lose":
                    self.close_connection = True
                    return
                if action == "late":
                    time.sleep(2.5 * PATIENCE)
                    self.close_connection = True
                    return
                if action == "drip" or isinstance(action, bytes):
                    self.close_connection = True
                    self.wfile.write(action if isinstance(action, bytes) else b"HTTP/1.1 200 OK\r\n")
                    with suppress(OSError):  # the client closes the connection
                        for _ in range(100 * PATIENCE if action == "drip" else 0):
                            self.wfile.write(b"a")
                            time.sleep(0.1)
                    return
                status = int(str(action))
                content = b"<html>" if status == 502 else json.dumps(test.reply(status)).encode()
                self.send_response(status)
                if status in (429, 503):
                    self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_: object) -> None:
                pass

        self.served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.served.daemon_threads = True
        thread = threading.Thread(target=self.served.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.served.server_close)
        self.addCleanup(self.served.shutdown)
        self.client = lotor.Client(f"http://127.0.0.1:{self.served.server_port}/base/", "KEY", timeout=2.0 * PATIENCE, retries=2)
        self.addCleanup(self.client.close)

    def reply(self, status: int) -> object:
        if status >= 400:
            return {"error": {"code": "store", "field": None, "message": "no room"}}
        return {"event": "E" * 64, "arms": ["a", "b"], "expires": 1.0, "propensity": None, "randomizer": BIT}

    def ranking(self) -> lotor.Ranking:
        return lotor.Ranking("E" * 64, ("a", "b"))

    def hostile(self, randomizer: object, arms: object = ("a", "b")) -> None:
        one = {"event": "E" * 64, "arms": list(arms), "randomizer": randomizer}
        self.reply = lambda status: {**one, "decisions": [one]}

    def test_a_client_sends_what_it_was_pinned_to_or_nothing(self) -> None:
        url = self.client._wire.url
        pinned = lotor.Client(url, local=True, max_epsilon=20, reward_range=(0, 1))
        self.addCleanup(pinned.close)
        self.hostile(BIT)
        pinned.reward(pinned.rank("c"), click="b")
        self.assertEqual(json.loads(self.heard[-1][2]).keys(), {"report"})
        self.heard.clear()
        epsilons = [{**BIT, "epsilon": epsilon} for epsilon in (20.5, 1e18, "inf")]
        for told in (None, *epsilons, {**BIT, "high": 0.5}):
            with self.subTest(told=told):
                self.hostile(told)
                with self.assertRaises(lotor.InvalidError):
                    pinned.rank("c")
                with self.assertRaises(lotor.InvalidError):
                    pinned.rank_batch("c", 1)
                with self.assertRaises(lotor.InvalidError):
                    pinned.reward(self.client.rank("c"), [1, 0])
        with self.assertRaises(lotor.InvalidError):
            pinned.reward(self.ranking(), [1, 0])
        for raw in ({"rewards": [1, 0]}, {"click": "b"}, {"report": 1, "click": "b"}):
            with self.assertRaises(lotor.InvalidError):
                pinned.rewards([{"event": "E" * 64, **raw}])
        self.assertFalse([path for _, path, _ in self.heard if path.endswith(("reward", "rewards"))])
        self.reply = lambda status: {"event": None, "arms": ["a"]}
        self.assertIsNone(pinned.rank("c").event)  # no feedback is wanted, so nothing is refused

    def test_what_is_refused_does_not_depend_on_the_answer(self) -> None:
        # A click beyond the slots would have no report, and that would reveal the click.
        for mechanism in ("bit", "position"):
            self.hostile({**BIT, "mechanism": mechanism}, ("a", "b", "c", "d"))
            for click in ("a", "b", "c", "d", None):
                ranking = self.client.rank("c")
                with self.subTest(mechanism=mechanism, click=click), self.assertRaises(lotor.InvalidError):
                    ranking.feedback(click=click)

    def test_a_randomizer_that_makes_no_sense_is_refused(self) -> None:
        for wrong in (
            {"mechanism": 3},
            {"mechanism": None},
            {"mechanism": "laplace\0"},
            {"mechanism": "raw"},
            {"low": "0"},
            {"high": None},
            {"high": float("nan")},
            {"unit": [1]},
            {"slots": 4097},
            {"epsilon": 0},
            {"epsilon": float("inf")},
        ):
            with self.subTest(wrong=wrong), self.assertRaises(lotor.InvalidError):
                lotor.randomize({**BIT, **wrong}, click=1)

    def test_no_error_tells_the_answer(self) -> None:
        told = lotor.Ranking.of({"event": "E", "arms": ["a", "b"], "randomizer": BIT})
        for answer in ({"click": "secret"}, {"rewards": [0, 37.625]}, {"rewards": [37.625]}):
            with self.assertRaises(lotor.Error) as caught:
                told.feedback(**answer)
            self.assertNotRegex(str(caught.exception), "secret|37")
        for click in ("secret", -37, 37.625, 37):
            with self.assertRaises((lotor.Error, TypeError)) as caught:
                lotor.randomize(BIT, click=click)
            self.assertNotRegex(str(caught.exception), "secret|37")

    def test_connections_are_kept(self) -> None:
        for _ in range(5):
            self.client.rank("c")
        self.assertEqual(len(self.connections), 1)
        self.assertEqual(self.heard[0][:2], ("POST", "/base/v1/campaigns/c/rank"))

    def test_rewards_are_sent_again(self) -> None:
        self.script = ["lose", "late", 200]
        self.client.reward(self.ranking(), [1, 0])
        self.assertEqual(len(self.heard), 3)
        self.assertEqual(len(set(self.heard)), 1)

    def test_late_rewards_are_told(self) -> None:
        self.reply = lambda status: {"event": "E" * 64, "status": "late"}
        self.assertFalse(self.client.reward(self.ranking(), [1, 0]))
        self.reply = lambda status: {"event": "E" * 64, "status": "acknowledged"}
        self.assertTrue(self.client.reward(self.ranking(), [1, 0]))
        self.assertFalse(self.client.reward(lotor.Ranking(None, ("a", "b")), [1, 0]))
        self.reply = lambda status: {"acknowledged": 1, "late": 1}
        answers = [self.ranking().feedback([1, 0]), self.ranking().feedback([1, 0])]
        self.assertEqual(self.client.rewards(answers), 1)
        self.assertEqual(len(self.heard), 3)

    def test_rewards_of_a_list_that_are_refused_for_now_are_sent_again(self) -> None:
        def refused(*items: tuple[int, str]) -> dict[str, object]:
            return {"late": 0, "refused": [{"index": i, "code": code, "field": None, "message": "m"} for i, code in items]}

        answers = [{"event": str(i), "rewards": [1, 0]} for i in range(5)]
        replies = [refused((1, "not_recorded_yet"), (2, "bad_value"), (4, "campaign_broken")), refused((0, "store")), refused()]
        self.reply = lambda status: replies.pop(0)
        with self.assertRaises(lotor.RefusedError) as caught:
            self.client.rewards(answers)
        self.assertEqual({place: error.code for place, error in caught.exception.refused.items()}, {2: "bad_value"})
        sent = [[item["event"] for item in json.loads(body)["rewards"]] for _, _, body in self.heard]
        self.assertEqual(sent, [["0", "1", "2", "3", "4"], ["1", "4"], ["1"]])
        # as often as a whole request, which this client sends three times at most
        self.heard.clear()
        self.reply = lambda status: refused((0, "store"))
        with self.assertRaises(lotor.RefusedError) as caught:
            self.client.rewards(answers)
        self.assertEqual({place: error.code for place, error in caught.exception.refused.items()}, {0: "store"})
        self.assertEqual(len(self.heard), 3)
        # if all are refused for now, the reply is an error, and was tried again already
        self.heard.clear()
        self.script = [503] * 3
        self.reply = lambda status: {**refused((0, "store"), (1, "bad_value")), "error": {"code": "store", "field": None, "message": "m"}}
        with self.assertRaises(lotor.RefusedError):
            self.client.rewards(answers[:2])
        self.assertEqual(len(self.heard), 3)

    def test_a_rank_that_may_have_arrived_is_not_sent_again(self) -> None:
        for lost in ("lose", "late"):
            self.heard.clear()
            self.script = [lost]
            with self.assertRaises(lotor.UnreachableError):
                self.client.rank("c")
            self.assertEqual(len(self.heard), 1)
        self.client.rank("c")

    def test_what_is_put_off_is_sent_again(self) -> None:
        self.script = [503, 429, 200]
        self.client.rank("c")
        self.assertEqual(len(self.heard), 3)
        self.script = [503] * 3
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.rank("c")
        self.assertEqual((caught.exception.code, str(caught.exception)), ("store", "no room"))
        self.assertEqual(len(self.heard), 6)

    def test_a_connection_that_was_closed_meanwhile(self) -> None:
        self.client.rank("c")
        (connection, _), = self.client._wire._idle
        connection.sock.shutdown(socket.SHUT_RDWR)
        self.client.rank("c")
        self.assertEqual(len(self.connections), 2)

    def test_an_error_that_names_no_refused_reward(self) -> None:
        for refused in ([], {}, "x", None, 5):
            self.reply = lambda status: {"error": {"code": "bad_value", "field": None, "message": "m"}, "refused": refused}
            self.script = [400]
            with self.assertRaises(lotor.ServiceError) as caught:
                self.client.rewards([self.ranking().feedback([1, 0])] * 2)
            self.assertEqual(caught.exception.code, "bad_value")
            self.assertNotIsInstance(caught.exception, lotor.RefusedError)

    def test_no_server(self) -> None:
        nobody = lotor.Client(f"http://127.0.0.1:{free_port()}", retries=1)
        with self.assertRaises(lotor.UnreachableError) as caught:
            nobody.rank("c")
        self.assertIsInstance(caught.exception, ConnectionError)

    def test_not_a_service(self) -> None:
        self.script = [502]
        with self.assertRaises(lotor.ServiceError) as caught:
            self.client.rank("c")
        self.assertEqual(caught.exception.http_status, 502)

    def test_replies_of_another_shape(self) -> None:
        def whole(content: bytes) -> bytes:
            return b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(content) + content

        rankings = (b"{}", b"[]", b"1", b'{"event": 1, "arms": []}', b'{"event": "a", "arms": "ab"}', b"[" * 100_000,
                    b'{"event": "a", "arms": [1]}', b'{"event": "a", "arms": [], "randomizer": 1}', b"\xff", b"")
        for content in rankings:
            self.script = [whole(content)]
            with self.subTest(content=content[:50]), self.assertRaises(lotor.ServiceError):
                self.client.rank("c")
        for content, call in (
            (b'{"decisions": []}', lambda: self.client.rank_batch("c", 5)),  # further requests would never end
            (b'{"decisions": [{"event": "a", "arms": []}, {"event": "b", "arms": []}]}',
             lambda: self.client.rank_batch("c", 1)),
            (b'{"decisions": [{"event": "a", "arms": []}]}', lambda: self.client.rank_batch("c", requests=[{}, {}])),
            (b'{"late": 0, "refused": [{}]}', lambda: self.client.rewards([self.ranking().feedback([1, 0])] * 2)),
            (b'{"late": 0, "refused": [{"index": "x"}]}', lambda: self.client.rewards([self.ranking().feedback([1, 0])] * 2)),
            (b'{"late": 0, "refused": 5}', lambda: self.client.rewards([self.ranking().feedback([1, 0])] * 2)),
            (b'{"releases": [], "next": 0}', lambda: list(self.client.releases("c"))),  # nor would these
            (b"[1]", lambda: self.client.campaign("c")),
            (b"{}", lambda: self.client.campaigns()),
            (b'{"arms": [{}]}', lambda: self.client.estimates("c")),
        ):
            self.script = [whole(content), "lose", "lose", "lose"]
            with self.subTest(content=content), self.assertRaises(lotor.ServiceError) as caught:
                call()
            self.assertNotIsInstance(caught.exception, lotor.UnreachableError)
            self.script = []
        self.script = [b"HTTP/1.1 503 Busy\r\nConnection: close\r\nRetry-After: \xb2\r\nContent-Length: 0\r\n\r\n", 200]
        self.client.rank("c")

    def test_a_reply_without_end(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
        replies = ("drip", head + b"Content-Length: 9\r\n\r\n{", head + b"Content-Length: %d\r\n\r\n{}" % 10**30,
                   head + b"Transfer-Encoding: chunked\r\n\r\n9\r\n{")
        for reply in replies:
            self.script = [reply]
            start = time.monotonic()
            with self.subTest(reply=reply), self.assertRaises(lotor.UnreachableError):
                self.client.rank("c")
            self.assertLess(time.monotonic() - start, 5 * PATIENCE)
        self.client.rank("c")

    def test_a_reply_of_unknown_length(self) -> None:
        content = json.dumps(self.reply(200)).encode()
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in content) + b"0\r\n\r\n"
        for rest in (b"Transfer-Encoding: chunked\r\n\r\n" + chunks, b"\r\n" + content):
            self.script = [b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + rest]
            self.assertEqual(self.client.rank("c").arms, ("a", "b"))

    def test_only_the_report_is_sent(self) -> None:
        ranking = self.client.rank("c")
        self.script = ["lose", 200]
        self.client.reward(ranking, [0.123456, 0.654321])
        bodies = {json.dumps(json.loads(body)) for _, path, body in self.heard if path.endswith("/reward")}
        self.assertEqual(len(bodies), 1)
        self.assertIn(bodies.pop(), ('{"report": 0}', '{"report": 1}'))
        self.assertNotIn("0.123456", str(self.heard))

    def test_a_local_client_sends_nothing_raw(self) -> None:
        url = f"http://127.0.0.1:{self.served.server_port}/base/"
        with lotor.Client(url, local=True, max_epsilon=20) as device:
            ranking = device.rank("c")  # epsilon is 20
            device.reward(ranking, [0, 1])
            device.rewards([device.rank("c").feedback([0, 1]) for _ in range(2)])
            for raw in ([{"event": "E", "rewards": [1.0]}], [ranking.feedback([0, 1]), {"event": "E", "click": "a"}]):
                with self.assertRaisesRegex(lotor.InvalidError, "reports alone"):
                    device.rewards(raw)
            with self.assertRaisesRegex(lotor.InvalidError, "no randomizer"):
                device.reward(self.ranking(), [0, 1])
            self.reply = lambda status: {"event": "E", "arms": ["a", "b"]}  # the service leaves the randomizer out
            with self.assertRaisesRegex(lotor.InvalidError, "no randomizer"):
                device.rank("c")
            self.reply = lambda status: {"decisions": [{"event": "E", "arms": ["a", "b"]}]}
            with self.assertRaisesRegex(lotor.InvalidError, "no randomizer"):
                device.rank_batch("c", 1)
        for epsilon in (20.5, "20.00000000000000001", 21, "inf"):
            self.reply = lambda status: {"event": "E", "arms": ["a", "b"], "randomizer": {**BIT, "epsilon": epsilon}}
            with self.subTest(epsilon=epsilon), lotor.Client(url, max_epsilon=20) as device:
                with self.assertRaisesRegex(lotor.InvalidError, "max_epsilon"):
                    device.rank("c")
                with self.assertRaisesRegex(lotor.InvalidError, "max_epsilon"):
                    device.reward(self.client.rank("c"), [0, 1])
        self.assertFalse([body for _, path, body in self.heard if b"rewards\": [" in body and b"report" not in body])

    def test_a_report_is_made_once(self) -> None:
        # At epsilon 20 the report of 0 is 0 and that of 1 is 1, but once in 400 million.
        ranking = self.client.rank("c")
        self.assertEqual(ranking.feedback([0, 0])["report"], 0)
        self.assertEqual(ranking.feedback([0, 1])["report"], 0)
        kept = json.loads(json.dumps(ranking.fields()))
        for copied in (pickle.loads(pickle.dumps(ranking)), lotor.Ranking.of(kept)):
            self.assertEqual(copied, ranking)
            self.assertEqual(copied.feedback([0, 1])["report"], 0)

    def test_an_event_that_comes_again_has_the_same_report(self) -> None:
        first, again = self.client.rank("c"), self.client.rank("c")
        self.assertEqual(first.event, again.event)
        self.assertEqual(first.feedback([0, 0])["report"], 0)
        self.assertEqual(again.feedback([0, 1])["report"], 0)
        self.assertEqual(self.client.rank("c").feedback(click="b")["report"], 0)
        kept = first.fields()
        del kept["report"]  # an app that stored only the ranking
        self.client.reward(lotor.Ranking.of(kept), [0, 1])
        self.assertEqual(json.loads(self.heard[-1][2]), {"report": 0})
        url = f"http://127.0.0.1:{self.served.server_port}/base/"
        with lotor.Client(url) as restarted:  # a report that was stored counts, though the event was ranked again
            self.assertIsNone(restarted.rank("c").fields()["report"])
            restarted.reward(lotor.Ranking.of(first.fields()), [0, 1])
            self.assertEqual(json.loads(self.heard[-1][2]), {"report": 0})
            self.assertEqual(restarted.rank("c").feedback([0, 1])["report"], 0)

    def test_the_oldest_events_are_forgotten(self) -> None:
        with mock.patch("lotor.client._MOST_KEPT", 2):
            for number in range(5):
                self.client._checked(lotor.Ranking.of({"event": str(number), "arms": ["a", "b"], "randomizer": BIT}))
        self.assertEqual(list(self.client._reports), ["3", "4"])

    def test_the_slot_that_is_asked(self) -> None:
        fresh = [lotor.Ranking.of({**self.client.rank("c").fields(), "event": str(number)}) for number in range(4)]
        self.assertEqual(fresh[0].feedback([1, 0])["report"], 0)
        self.assertEqual(fresh[1].feedback([0, 1])["report"], 1)
        self.assertEqual(fresh[2].feedback(click="b")["report"], 1)
        self.assertEqual(fresh[3].feedback(click="a")["report"], 0)
        for wrong in ({"rewards": [1]}, {"click": "c"}, {"rewards": [1, 0, 1]}):
            with self.assertRaises(lotor.InvalidError):
                self.client.rank("c").feedback(**wrong)
        with self.assertRaises(lotor.RangeError):
            self.client.rank("c").feedback([0, 5])
        with self.assertRaises(lotor.RangeError):
            self.ranking().feedback([0, float("nan")])
        with self.assertRaises(TypeError):
            self.ranking().feedback()

    def test_the_key_is_not_shown(self) -> None:
        self.assertNotIn("KEY", repr(self.client))

    def test_wrong_addresses(self) -> None:
        for url in ("127.0.0.1:8080", "ftp://a", "http://", "http://a/?b", "http://a:99999", "http://[a", "http://a:b@c"):
            with self.subTest(url=url), self.assertRaises(lotor.InvalidError):
                lotor.Client(url)
        for key in ("key\r\nHost: b", "a b", "\u00fc"):
            with self.subTest(key=key), self.assertRaises(lotor.InvalidError):
                lotor.Client("http://a", key)
        for timeout in (0, -1, float("nan"), float("inf")):
            with self.subTest(timeout=timeout), self.assertRaises(lotor.InvalidError):
                lotor.Client("http://a", timeout=timeout)

    def test_after_a_fork_connections_are_not_shared(self) -> None:
        self.client.rank("c")
        child = os.fork()
        if child == 0:
            code = 1
            signal.alarm(20 * PATIENCE)
            try:
                self.client.rank("c")
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(self.connections), 2)


if __name__ == "__main__":
    unittest.main()
