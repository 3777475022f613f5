"""Lotor: learn what people like, without revealing any person's feedback.

>>> import lotor
>>> policy = lotor.Policy('dp-se', arms=5, epsilon=1.0, horizon=10**6)
>>> decision = policy.choose()               # what to show
>>> policy.learn(decision, 1.0)              # what came back
>>> policy.guarantee.private
True
"""

from . import account
from ._library import VERSION as __version__
from .catalog import Algorithm, algorithm, algorithms
from .client import Client, Estimates, Ranking
from .counter import Counter
from .errors import (
    BusyError,
    DamagedError,
    DuplicateError,
    EntropyError,
    Error,
    HorizonError,
    InvalidError,
    IoError,
    LateError,
    NoMemoryError,
    RangeError,
    ReleasedError,
    ServiceError,
    StoppedError,
    TooLargeError,
    UnfinishedError,
    UnknownError,
    UnreachableError,
    VersionError,
)
from .guarantee import Guarantee
from .lab import Audit, Simulation, audit, simulate
from .policy import Decision, Policy
from .randomizer import Randomizer, randomize
from .stopping import Stopping
from .structures import Coverage, Graphic, Influence, Linear, Matroid, Oracle, Partition, Path, Structure

__all__ = [
    "__version__",
    "account",
    "algorithm",
    "Algorithm",
    "algorithms",
    "audit",
    "Audit",
    "BusyError",
    "Client",
    "Counter",
    "Coverage",
    "DamagedError",
    "Decision",
    "DuplicateError",
    "EntropyError",
    "Error",
    "Estimates",
    "Graphic",
    "Guarantee",
    "HorizonError",
    "Influence",
    "InvalidError",
    "IoError",
    "LateError",
    "Linear",
    "Matroid",
    "NoMemoryError",
    "Oracle",
    "Partition",
    "Path",
    "Policy",
    "randomize",
    "Randomizer",
    "RangeError",
    "Ranking",
    "ReleasedError",
    "ServiceError",
    "simulate",
    "Simulation",
    "StoppedError",
    "Stopping",
    "Structure",
    "TooLargeError",
    "UnfinishedError",
    "UnknownError",
    "UnreachableError",
    "VersionError",
]
