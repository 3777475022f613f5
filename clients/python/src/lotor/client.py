"""A client of the decision service, `lotor serve`. It needs only Python's own library, and liblotor for local
campaigns."""

from __future__ import annotations

import json
import math
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterable, Iterator, Mapping, Sequence, SupportsIndex
from urllib.parse import quote

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._numbers import Budget, array_of, ratio_of, whole
from ._wire import AllRefused, Wire, refusal_of
from .errors import InvalidError, RangeError, RefusedError, ServiceError
from .randomizer import Randomizer, randomize

_MOST_AT_ONCE = 1000  # decisions or rewards in one request
_MOST_KEPT = 10_000  # reports that a client keeps by their event
_MOST_BYTES = 65_000  # of the rewards in a request; the service reads 65,536
_FOR_NOW = frozenset({"store", "not_recorded_yet", "campaign_broken", "stopping"})  # codes of rewards that may be accepted later


class _NotGiven:
    """`click=None` means that nothing was clicked."""

    def __repr__(self) -> str:
        return "not given"


NOT_GIVEN = _NotGiven()


class _Once:
    """A report that is made only once. Sending it again reveals nothing new, but a second report would."""

    def __init__(self, report: int | list[int] | None = None) -> None:
        self.report = report
        self._lock = threading.Lock()

    def make(self, randomizer: Randomizer, rewards: ArrayLike | None, click: int | None) -> int | list[int]:
        with self._lock:
            if self.report is None:
                self.report = randomize(randomizer, rewards, click=click)
            return self.report

    def __reduce__(self) -> tuple[Any, ...]:
        return _Once, (self.report,)


@dataclass(frozen=True)
class Ranking:
    """A decision of the service. It can be pickled, or stored as JSON: `Ranking.of(ranking.fields())`."""

    event: str | None  # names the decision in a reward; None: no feedback is wanted
    arms: tuple[str, ...]  # the arms to show, in this order
    expires: float | None = None  # Unix seconds
    randomizer: Randomizer | None = None  # local campaigns: how feedback is randomized here before it is sent
    role: str | None = None  # campaigns with an evaluation: "learn", "measure" or "control"
    propensity: float | None = None  # of a control round: the probability of this list; None: not known
    _once: _Once = field(default_factory=_Once, repr=False, compare=False)

    @staticmethod
    def of(fields: Mapping[str, Any]) -> Ranking:
        """From JSON: the service's reply to rank, or `fields()`."""
        if not isinstance(fields, Mapping) or not {"event", "arms"} <= set(fields):
            raise InvalidError("a ranking is an object with an event and arms")
        told, event, arms = fields.get("randomizer"), fields["event"], fields["arms"]
        if not (event is None or isinstance(event, str)) or not isinstance(arms, (list, tuple)):
            raise InvalidError("a ranking's event is a text or null, and its arms are an array")
        if not all(isinstance(arm, str) for arm in arms):
            raise InvalidError("a ranking's arms are texts")
        return Ranking(
            event=event,
            arms=tuple(arms),
            expires=fields.get("expires"),
            randomizer=None if told is None else Randomizer.of(told),
            role=fields.get("role"),
            propensity=fields.get("propensity"),
            _once=_Once(fields.get("report")),
        )

    def fields(self) -> dict[str, Any]:
        """The fields for JSON, with the report if there is one already."""
        fields: dict[str, Any] = {"event": self.event, "arms": list(self.arms), "expires": self.expires}
        if self.randomizer is not None:
            fields["randomizer"] = dict(vars(self.randomizer))
            fields["report"] = self._once.report
        if self.role is not None:
            fields["role"] = self.role
        if self.propensity is not None:
            fields["propensity"] = self.propensity
        return fields

    def feedback(self, rewards: ArrayLike | None = None, *, click: str | None | _NotGiven = NOT_GIVEN) -> dict[str, Any]:
        """The body with the feedback for this ranking: `rewards`, one for each shown arm in their order, or
        `click`, the id of the clicked arm, None for no click.

        In a local campaign the body is a randomized report, without raw feedback. It is made once: later calls
        return the same report, whatever their feedback.

        >>> from lotor import Ranking
        >>> Ranking('EVENT', ('tea', 'coffee')).feedback([1, 0])
        {'event': 'EVENT', 'rewards': [1.0, 0.0]}
        """
        if (rewards is None) == isinstance(click, _NotGiven):
            raise TypeError("give either rewards, or click (an arm's id; None: no click)")
        if self.event is None:
            raise InvalidError("this ranking wants no feedback: its event is None")
        if rewards is not None:
            rewards = array_of(np.atleast_1d(np.asanyarray(rewards)), np.float64, "rewards", (None,))
            if not np.isfinite(rewards).all():
                raise RangeError("a reward is not a finite number: give a number in the campaign's range")
        if self.randomizer is not None and len(self.arms) > self.randomizer.slots:  # for any feedback
            raise InvalidError(
                f"the randomizer is for lists of {self.randomizer.slots} at most, and this one has {len(self.arms)}: "
                "a click beyond would have no report, and so would be told"
            )
        if self.randomizer is None:
            told: dict[str, Any] = {"click": click} if rewards is None else {"rewards": rewards.tolist()}
            return {"event": self.event, **told}
        if rewards is not None:
            report = self._once.make(self.randomizer, self._asked(rewards, self.randomizer.slot), None)
        else:
            assert not isinstance(click, _NotGiven)
            report = self._once.make(self.randomizer, None, self._place(click))
        return {"event": self.event, "report": report}

    def _asked(self, rewards: NDArray[np.float64], slot: int) -> NDArray[np.float64]:
        """The rewards that the report is about."""
        if len(rewards) != len(self.arms):
            raise InvalidError(f"{len(rewards)} rewards for {len(self.arms)} arms: give one for each")
        return rewards[slot - 1 : slot] if slot else rewards

    def _place(self, click: str | None) -> int:
        if click is not None and click not in self.arms:
            raise InvalidError(f"the click is on an arm that was not shown: {', '.join(self.arms)} were")
        return 0 if click is None else self.arms.index(click) + 1


@dataclass(frozen=True, eq=False)
class Estimates:
    """The releases about a campaign's arms; NaN: nothing was released yet."""

    arms: tuple[str, ...]
    mean: NDArray[np.float64]  # averages of rewards, noise included
    low: NDArray[np.float64]  # and a 95% confidence interval of each
    high: NDArray[np.float64]
    count: NDArray[np.int64]  # observations behind the mean
    shown: NDArray[np.int64]  # decisions that showed the arm
    paused: NDArray[np.bool_]


class Client:
    """Requests decisions from a service, and sends feedback to it.

        client = lotor.Client('http://127.0.0.1:8080', key)
        ranking = client.rank('home')
        client.reward(ranking, rewards=[1, 0])

    In a local campaign `reward` randomizes the feedback here, and sends only the report. The service chooses
    the randomizer, and you can limit this choice. `local=True` refuses rankings without a randomizer, for which
    raw feedback would be sent. `max_epsilon` refuses a larger epsilon, and `reward_range` refuses rewards of
    another range. If the service gives the same event again, the client sends the same report again.

    Some requests are tried again up to `retries` times, with longer and longer pauses:

    - requests that certainly did not arrive,
    - requests that the server refused for now,
    - requests that may be sent twice (rewards, and requests that only read).

    `rank` is not sent twice, since a lost decision would count as a round without
    feedback. After an `UnreachableError`, call it again. `timeout` is in seconds, for making a connection and
    for a whole reply. Threads may share a client. Redirects and proxies are not followed. Use TLS (https://)
    between machines.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        local: bool = False,
        max_epsilon: Budget | None = None,
        reward_range: tuple[float, float] | None = None,
        timeout: float = 10.0,
        retries: int = 4,
    ) -> None:
        self._wire = Wire(url, key, timeout, whole(retries, "retries"))
        self._local, self._range = local, reward_range
        self._most = None if max_epsilon is None else _budget(max_epsilon)
        self._reports: dict[str, _Once] = {}
        self._reports_lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Client({self._wire.url!r})"

    def close(self) -> None:
        """Closes all kept connections. The client can still be used."""
        self._wire.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _checked(self, ranking: Ranking) -> Ranking:
        """Checks that feedback for this ranking may be sent, whatever the feedback is."""
        told = ranking.randomizer
        if ranking.event is None:
            return ranking  # no feedback is sent
        if told is None:
            if self._local:
                raise InvalidError("this client is for local campaigns, and the ranking has no randomizer")
        elif self._most is not None and _budget(told.epsilon) > self._most:
            most = float(self._most)
            raise InvalidError(f"the randomizer's epsilon is {told.epsilon}, and this client takes {most:g} at most (max_epsilon)")
        elif self._range is not None and (told.low, told.high) != tuple(self._range):
            raise InvalidError(
                f"the randomizer's rewards are from {told.low} to {told.high}, and this client's from "
                f"{self._range[0]} to {self._range[1]}"
            )
        return ranking if told is None else self._with_known_report(ranking)

    def _with_known_report(self, ranking: Ranking) -> Ranking:
        """The ranking with the report of its event. A service may give the same event twice, and two reports of one
        event reveal more than epsilon. So all rankings of one event share one report. The oldest events are forgotten
        if there are too many."""
        assert ranking.event is not None
        with self._reports_lock:
            known = self._reports.get(ranking.event)
            if known is None or (known.report is None and ranking._once.report is not None):
                known = self._reports[ranking.event] = ranking._once
            if len(self._reports) > _MOST_KEPT:
                del self._reports[next(iter(self._reports))]
        return ranking if known is ranking._once else replace(ranking, _once=known)

    # Decisions and feedback

    def rank(
        self,
        campaign: str,
        *,
        user: str | None = None,
        context: Mapping[str, ArrayLike] | None = None,
        eligible: Iterable[str] | None = None,
    ) -> Ranking:
        """Requests a decision. `user` is for campaigns with a cap per user. `context` is for linear campaigns,
        and maps the id of each arm to its numbers. `eligible` are the arms that may be shown."""
        body = _request(user, context, eligible)
        reply = self._wire.send("POST", f"{_at(campaign)}/rank", body, again=False)
        with _understanding():
            ranking = Ranking.of(reply)
        return self._checked(ranking)

    def rank_batch(
        self,
        campaign: str,
        count: SupportsIndex | None = None,
        *,
        requests: Iterable[Mapping[str, Any]] | None = None,
    ) -> list[Ranking]:
        """Several rankings at once: `count` of them, or one for each of `requests`, in their order. A request has
        the options of `rank`: `client.rank_batch('home', requests=[{'user': 'ann'}, {'user': 'bob'}])`. Long lists
        are sent in parts."""
        if (count is None) == (requests is None):
            raise TypeError("give either count, or requests")
        bodies: Iterator[tuple[dict[str, Any], int]]
        if count is not None:
            bodies = _counts(whole(count, "count", 1))
        else:
            assert requests is not None
            parts = _parts([_request_of(each) for each in requests])
            bodies = (({"requests": part}, len(part)) for part in parts)
        rankings: list[Ranking] = []
        for body, wanted in bodies:
            reply = self._wire.send("POST", f"{_at(campaign)}/rank-batch", body, again=False)
            with _understanding():
                made = [Ranking.of(each) for each in reply["decisions"]]
                if len(made) != wanted:
                    raise ValueError(f"{len(made)} decisions where {wanted} were asked for")
            rankings += made
        return [self._checked(each) for each in rankings]

    def reward(
        self, ranking: Ranking, rewards: ArrayLike | None = None, *, click: str | None | _NotGiven = NOT_GIVEN
    ) -> bool:
        """Sends feedback; see `Ranking.feedback`. True: the feedback is on disk. False: it came after its round
        was over and does not count, or the ranking wants no feedback and nothing was sent."""
        return ranking.event is not None and self.rewards([self._checked(ranking).feedback(rewards, click=click)]) == 0

    def rewards(self, feedback: Iterable[Mapping[str, Any]]) -> int:
        """Sends several items of feedback, each made by `Ranking.feedback`. Returns how many came after their
        rounds were over and do not count; the others are on disk. Long lists are sent in parts. If some items are
        refused, the others are accepted, and a `RefusedError` names the refused ones. Items that the service can't
        accept for now are sent again, as often as a whole request is."""
        waiting = list(feedback)
        if self._local and any(set(each) != {"event", "report"} for each in waiting):
            raise InvalidError("this client is for local campaigns and sends reports alone: take Ranking.feedback's")
        if len(waiting) == 1:
            body = {name: value for name, value in waiting[0].items() if name != "event"}
            reply = self._object("POST", f"/v1/events/{quote(waiting[0]['event'], safe='')}/reward", body)
            return int(reply.get("status") == "late")
        late = done = 0
        refused: dict[int, ServiceError] = {}
        for part in _parts(waiting):
            came_late, errors = self._send_part(part)
            late += came_late
            refused |= {done + place: error for place, error in errors.items()}
            done += len(part)
        if refused:
            raise RefusedError(refused, late)
        return late

    def _send_part(self, part: list[Mapping[str, Any]]) -> tuple[int, dict[int, ServiceError]]:
        """Returns the number of late items, and the errors of refused items by their place. Items that the service can't
        accept for now are sent again, unchanged. If it accepts none of them for now (503), the wire did so already."""
        late = 0
        refused: dict[int, ServiceError] = {}
        places = list(range(len(part)))
        for attempt in range(self._wire.retries + 1):
            if attempt > 0:
                self._wire.wait(attempt)
            told, status = self._send_rewards([part[place] for place in places])
            with _understanding():
                late += int(told.get("late", 0))
                now = {places[each["index"]]: refusal_of(each, status) for each in told.get("refused", [])}
            for place in places:
                refused.pop(place, None)
            refused |= now
            places = [place for place, error in now.items() if error.code in _FOR_NOW]
            if not places or status == 503:
                break
        return late, dict(sorted(refused.items()))

    def _send_rewards(self, part: list[Mapping[str, Any]]) -> tuple[dict[str, Any], int]:
        """The reply and its status. If all are refused, the reply is an error with the list."""
        try:
            return self._object("POST", "/v1/rewards", {"rewards": part}), 200
        except AllRefused as error:
            return {"late": 0, "refused": error.refused}, error.http_status

    # Campaigns; these calls need an admin's key

    def create_campaign(
        self,
        name: str,
        *,
        arms: Sequence[str | Mapping[str, Any]],
        epsilon: Budget,
        algorithm: str | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """Makes a campaign. Without an algorithm the service takes lik-imed; if people do not trust the server,
        name rr-imed. Making the same campaign again is not an error. Other fields: slots, delta, feedback,
        reward_range, wait_seconds, default_reward, oracle, dimension, normalize, horizon, rounds_per_user,
        early_release, max_arms, max_open, evaluation, half_life, paused, budget, sticky_seconds, prior,
        title, description, metadata, purpose, controller, legal_basis, contact (docs/service.md)."""
        return self._object("POST", "/v1/campaigns", _campaign(name, arms, epsilon, algorithm, fields))

    def put_campaign(
        self,
        name: str,
        *,
        arms: Sequence[str | Mapping[str, Any]],
        epsilon: Budget,
        algorithm: str | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """`create_campaign` as a PUT request: for programs that make their campaigns at every start."""
        return self._object("PUT", _at(name), _campaign(name, arms, epsilon, algorithm, fields))

    def campaigns(self, *, archived: bool = False) -> list[dict[str, Any]]:
        """All campaigns, in the order they were made; archived and deleted ones only with
        `archived=True`."""
        reply = self._object("GET", "/v1/campaigns?archived=true" if archived else "/v1/campaigns")
        with _understanding():
            return list(reply["campaigns"])

    def campaign(self, name: str) -> dict[str, Any]:
        """A campaign: parameters, released statistics, counts, guarantee."""
        return self._object("GET", _at(name))

    def guarantee(self, name: str) -> dict[str, Any]:
        """The guarantee of a campaign. With rounds_per_user, `["epsilon"]` is for one user, and `["per_round"]` for one
        round. `["level"]` says how strong it is."""
        return self._object("GET", f"{_at(name)}/guarantee")

    def statement(self, name: str) -> dict[str, Any]:
        """The privacy statement of a campaign, for a reviewer (docs/statement.md). `["summary"]` is its first paragraph, in
        plain words; `["headline"]` is a warning unless the campaign is private."""
        return self._object("GET", f"{_at(name)}/statement?format=json")

    def estimates(self, name: str) -> Estimates:
        """The releases about each arm."""
        with _understanding():
            return self._estimates(self.campaign(name)["arms"])

    @staticmethod
    def _estimates(arms: list[dict[str, Any]]) -> Estimates:
        intervals = [arm["interval"] or {} for arm in arms]
        return Estimates(
            arms=tuple(arm["id"] for arm in arms),
            mean=_numbers(arm["mean"] for arm in arms),
            low=_numbers(each.get("low") for each in intervals),
            high=_numbers(each.get("high") for each in intervals),
            count=np.array([arm["count"] for arm in arms], np.int64),
            shown=np.array([arm["shown"] for arm in arms], np.int64),
            paused=np.array([arm["paused"] for arm in arms], np.bool_),
        )

    def releases(self, name: str) -> Iterator[dict[str, Any]]:
        """All releases so far, the oldest first."""
        after: int | None = 0
        while after is not None:
            releases, after = self._releases_after(name, after)
            yield from releases

    def _releases_after(self, name: str, after: int) -> tuple[list[dict[str, Any]], int | None]:
        """A page of releases, and `after` for the next page; None: that was the last."""
        page = self._object("GET", f"{_at(name)}/releases?after={after}&limit=100")
        with _understanding():
            releases, following = list(page["releases"]), page["next"]
            if following is not None and not following > after:
                raise ValueError(f"after {after} comes {following}")
        return releases, following

    def change_arms(
        self,
        name: str,
        *,
        add: Sequence[str | Mapping[str, Any]] = (),
        pause: Sequence[str] = (),
        resume: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Adds, pauses and resumes arms, and removes arms for good: all or nothing."""
        changes = {"add": list(add), "pause": list(pause), "resume": list(resume), "remove": list(remove)}
        body = {what: arms for what, arms in changes.items() if arms}
        reply = self._wire.send("POST", f"{_at(name)}/arms", body, again=False)
        with _understanding():
            return dict(reply)

    def edit_campaign(
        self,
        name: str,
        *,
        title: str | None | _NotGiven = NOT_GIVEN,
        description: str | None | _NotGiven = NOT_GIVEN,
        metadata: Mapping[str, str | float | bool] | None | _NotGiven = NOT_GIVEN,
        purpose: str | None | _NotGiven = NOT_GIVEN,
        controller: str | None | _NotGiven = NOT_GIVEN,
        legal_basis: str | None | _NotGiven = NOT_GIVEN,
        contact: str | None | _NotGiven = NOT_GIVEN,
        arms: Iterable[Mapping[str, Any]] = (),
        max_arms: int | None = None,
    ) -> dict[str, Any]:
        """Changes what people call the campaign and its arms, and what its statement says about the operator
        (purpose, controller, legal_basis, contact). None removes a label. An arm is a mapping with its id and
        the labels to change: `{'id': 'tea', 'title': 'Green tea'}`. `max_arms` raises the number of arms that the
        campaign has room for; it can't be lowered."""
        given = {
            "title": title,
            "description": description,
            "metadata": metadata,
            "purpose": purpose,
            "controller": controller,
            "legal_basis": legal_basis,
            "contact": contact,
        }
        body: dict[str, Any] = {what: value for what, value in given.items() if not isinstance(value, _NotGiven)}
        changed = [dict(arm) for arm in arms]
        if changed:
            body["arms"] = changed
        if max_arms is not None:
            body["max_arms"] = max_arms
        return self._object("PATCH", _at(name), body)

    def close_campaign(self, name: str) -> dict[str, Any]:
        """Closes the campaign: it makes no more decisions, but still accepts feedback for open events."""
        return self._object("POST", f"{_at(name)}/close", {})

    def pause_campaign(self, name: str) -> dict[str, Any]:
        """Pauses the campaign: it makes no decisions until it is resumed, but still accepts feedback for open
        events."""
        return self._object("POST", f"{_at(name)}/pause", {})

    def resume_campaign(self, name: str) -> dict[str, Any]:
        """Lets a paused campaign make decisions again."""
        return self._object("POST", f"{_at(name)}/resume", {})

    def archive_campaign(self, name: str) -> dict[str, Any]:
        """Makes the campaign read-only, and leaves it out of `campaigns()`."""
        return self._object("POST", f"{_at(name)}/archive", {})

    def unarchive_campaign(self, name: str) -> dict[str, Any]:
        """Makes an archived campaign as it was before."""
        return self._object("POST", f"{_at(name)}/unarchive", {})

    def delete_campaign(self, name: str) -> dict[str, Any]:
        """Erases the campaign's key, state and feedback for good. Its releases and its guarantee can still be read, and
        its name stays taken."""
        return self._object("DELETE", _at(name))

    def create_budget(self, name: str, *, epsilon: Budget, delta: Budget = 0) -> dict[str, Any]:
        """Makes a budget: what one user can spend in all campaigns that join it (`budget=name`) together. Making the
        same budget again is not an error."""
        body = {"name": name, "epsilon": _decimal(epsilon, "epsilon"), "delta": _decimal(delta, "delta")}
        return self._object("POST", "/v1/budgets", body)

    def budgets(self) -> list[dict[str, Any]]:
        """All budgets, in the order they were made."""
        reply = self._object("GET", "/v1/budgets")
        with _understanding():
            return list(reply["budgets"])

    def budget(self, name: str) -> dict[str, Any]:
        """A budget: its campaigns, and what one user can spend at most."""
        return self._object("GET", f"/v1/budgets/{quote(name, safe='')}")

    def ready(self) -> bool:
        """True if the service replies; needs no key."""
        return bool(self._object("GET", "/readyz").get("status") == "ready")

    def _object(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        reply = self._wire.send(method, path, body)
        with _understanding():
            return dict(reply)


@contextmanager
def _understanding() -> Iterator[None]:
    """Encloses code that reads the fields of a reply."""
    try:
        yield
    except ServiceError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ServiceError(f"the reply is not what a Lotor service says: {error!r}") from error


def _campaign(
    name: str, arms: Iterable[Any], epsilon: Budget, algorithm: str | None, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """The body that makes a campaign."""
    body = {"name": name, "arms": list(arms), "epsilon": _decimal(epsilon, "epsilon"), **fields}
    if algorithm is not None:
        body["algorithm"] = algorithm
    if "delta" in fields:
        body["delta"] = _decimal(fields["delta"], "delta")
    return body


def _budget(value: Budget) -> Fraction | float:
    """An epsilon for comparisons: an exact fraction, or infinity."""
    ratio = ratio_of(value, "epsilon")
    return Fraction(ratio.num, ratio.den) if ratio.den else math.inf


def _at(campaign: str) -> str:
    return f"/v1/campaigns/{quote(campaign, safe='')}"


def _request(
    user: str | None, context: Mapping[str, ArrayLike] | None, eligible: Iterable[str] | None
) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if user is not None:
        body["user"] = user
    if context is not None:
        rows = {arm: array_of(row, np.float64, "context", (None,)) for arm, row in context.items()}
        if not all(np.isfinite(row).all() for row in rows.values()):
            raise RangeError("a context has a value that is not a finite number: give finite numbers")
        body["context"] = {arm: row.tolist() for arm, row in rows.items()}
    if eligible is not None:
        body["eligible"] = list(eligible)
    return body


def _request_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """A request of a batch, from the options of `rank`."""
    unknown = set(options) - {"user", "context", "eligible"}
    if unknown:
        raise TypeError("a request has user, context and eligible, and no other options")
    return _request(options.get("user"), options.get("context"), options.get("eligible"))


def _counts(wanted: int) -> Iterator[tuple[dict[str, Any], int]]:
    """The bodies of requests for `wanted` decisions, and how many each asks for."""
    for done in range(0, wanted, _MOST_AT_ONCE):
        count = min(wanted - done, _MOST_AT_ONCE)
        yield {"count": count}, count


def _parts(feedback: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Splits a list into parts of the largest size that a request may have."""
    part: list[Mapping[str, Any]] = []
    size = 0
    for item in feedback:
        length = len(json.dumps(item)) + 2
        if part and (len(part) == _MOST_AT_ONCE or size + length > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(item)
        size += length
    if part:
        yield part


def _numbers(values: Iterable[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _decimal(value: Budget, name: str) -> int | float | str:
    """A budget for JSON: a number, or a decimal as text."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Fraction):
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        if Fraction(decimal) != value:
            raise InvalidError(f"{name} is {value}: the service takes decimals, such as 0.333")
        return str(decimal)
    if isinstance(value, (int, str)):
        return value
    return "inf" if float(value) == float("inf") else float(value)
