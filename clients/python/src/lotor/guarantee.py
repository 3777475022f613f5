"""A privacy guarantee as a value."""

from __future__ import annotations

import json
from ctypes import byref, create_string_buffer
from dataclasses import dataclass, field
from typing import SupportsIndex

from . import _native
from ._html import BAD, GOOD, box
from ._library import bytes_of, check, library, text_of
from ._numbers import whole

MODELS = ("none", "central", "local", "joint")
_NOISES = ("exact", "simulation")
_VERY_WEAK = "very weak"
_NOISE_TEXTS = {"exact": "exact, from the operating system", "simulation": "simulated: it protects nobody"}
_TRUST = {
    "none": "everybody: it is not protected",
    "central": "the program that runs the policy, and nobody else",
    "local": "nobody: the person's own device randomizes it",
    "joint": "the program that runs the policy; a person's own context shapes what that person sees",
}


def _written(raw: _native.Guarantee, function: str) -> str:
    write = getattr(library(), function)
    room = write(byref(raw), None, 0) + 1
    buffer = create_string_buffer(room)
    write(byref(raw), buffer, room)
    return buffer.value.decode("utf-8", "replace")


@dataclass(frozen=True, repr=False)
class Guarantee:
    """The guarantee of an algorithm: what is guaranteed, to whom, and what proves it.

    `str()` is the library's text for people, `json()` its JSON. A notebook shows a table.

    >>> import lotor
    >>> promise = lotor.Policy('dp-se', arms=5, epsilon=0.5, horizon=1000).guarantee
    >>> promise.private, promise.model, promise.epsilon, promise.unit
    (True, 'central', 0.5, "one round's feedback")
    >>> print(promise)  # doctest: +ELLIPSIS
    private: epsilon = 0.5, central model, unit: one round's feedback
      mechanism  ...
    """

    private: bool  # a proof holds, and its level is not "very weak"
    reason: str | None  # the reason if it is not private
    model: str  # "central", "local", "joint"; "none": nobody is protected
    epsilon: float  # math.inf: there is no noise
    delta: float
    unit: str  # the unit of privacy
    mechanism: str
    scale: float  # of the noise on one released number, in the values' own unit
    theorem: str | None
    assumes: str | None
    regret: str | None  # "proved" or "measured"
    noise: str  # "exact"; "simulation" protects nobody
    level: str  # "strong", "moderate", "weak", "very weak"; "none": it is not private
    level_reason: str
    meaning: str | None  # how often an attacker guesses wrong; None: nobody is protected
    _is_proved: bool = field(repr=False, compare=False)
    _proof_reason: str | None = field(repr=False, compare=False)
    _is_seed_reason: bool = field(repr=False, compare=False)
    _text: str = field(repr=False, compare=False)
    _json: str = field(repr=False, compare=False)

    @staticmethod
    def _of(raw: _native.Guarantee) -> Guarantee:
        level = library().lotor_level_name(library().lotor_guarantee_level(byref(raw))).decode()
        level_reason = library().lotor_guarantee_level_reason(byref(raw)).decode()
        is_weak = level == _VERY_WEAK
        text = _written(raw, "lotor_guarantee_json").rstrip("\n")
        return Guarantee(
            private=raw.is_private and not is_weak,
            reason=level_reason if is_weak else text_of(raw.reason),
            model=MODELS[raw.model],
            epsilon=raw.epsilon,
            delta=raw.delta,
            unit=raw.unit.decode(),
            mechanism=raw.mechanism.decode(),
            scale=raw.scale,
            theorem=text_of(raw.theorem),
            assumes=text_of(raw.assumes),
            regret=text_of(raw.regret),
            noise=_NOISES[raw.noise],
            level=level,
            level_reason=level_reason,
            meaning=json.loads(text)["meaning"],
            _is_proved=raw.is_private,
            _proof_reason=text_of(raw.reason),
            _is_seed_reason=raw.is_seed_reason,
            _text=_written(raw, "lotor_guarantee_text").rstrip("\n"),
            _json=text,
        )

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<lotor.Guarantee: {self._headline()}>"

    def _headline(self) -> str:
        if not self._is_proved:
            return "not private"
        delta = f", delta = {self.delta:g}" if self.delta else ""
        simulated = "; simulated noise, which protects nobody" if self.noise == "simulation" else ""
        headline = "private" if self.private else "warning, very weak privacy"
        return f"{headline}: epsilon = {self.epsilon:g}{delta}, {self.model} model{simulated}"

    def _repr_html_(self) -> str:
        holds = self.private and self.noise == "exact"
        rows = (
            ("why not", self.reason),
            ("level", f"{self.level}: {self.level_reason}" if holds else None),
            ("meaning", self.meaning),
            ("protected", self.unit if self.private else None),
            ("trusted with the feedback", _TRUST[self.model] if self.private else None),
            ("mechanism", self.mechanism or None),
            ("proved in", self.theorem),
            ("assumes", self.assumes if self.private else None),
            ("regret", self.regret),
            ("noise", _NOISE_TEXTS[self.noise] if self.private else None),
        )
        return box(self._headline(), rows, GOOD if holds else BAD)

    def json(self) -> str:
        """One JSON object, as the library and the service write it; epsilon is null at infinity."""
        return self._json

    def per_user(self, rounds: SupportsIndex) -> Guarantee:
        """The same guarantee for a person who takes part in up to `rounds` rounds.

        >>> import lotor
        >>> print(lotor.Counter('tree', epsilon=0.5, horizon=100).guarantee.per_user(3))  # doctest: +ELLIPSIS
        private: epsilon = 1.5, central model, unit: one user, up to 3 rounds
        ...
        """
        out, why = _native.Guarantee(), _native.Message()
        raw = self._to_raw()
        check(library().lotor_guarantee_per_user(byref(raw), whole(rounds, "rounds"), byref(why), byref(out)), why)
        return Guarantee._of(out)

    def _to_raw(self) -> _native.Guarantee:
        return _native.Guarantee(
            is_private=self._is_proved,
            reason=bytes_of(self._proof_reason),
            model=MODELS.index(self.model),
            epsilon=self.epsilon,
            delta=self.delta,
            unit=self.unit.encode(),
            mechanism=self.mechanism.encode(),
            scale=self.scale,
            theorem=bytes_of(self.theorem),
            assumes=bytes_of(self.assumes),
            regret=bytes_of(self.regret),
            noise=_NOISES.index(self.noise),
            is_seed_reason=self._is_seed_reason,
        )
