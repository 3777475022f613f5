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
from .async_client import AsyncClient
from .catalog import Algorithm, algorithm, algorithms
from .client import Client, Estimates, Ranking
from .counter import Counter
from .decision import Decision, Decisions
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
    RefusedError,
    ReleasedError,
    ServiceError,
    StoppedError,
    TooLargeError,
    UnfinishedError,
    UnknownError,
    UnreachableError,
    UnusedOptionWarning,
    VersionError,
)
from .guarantee import Guarantee
from .lab import Audit, Comparison, Couple, Difference, Simulation, audit, compare, couple, simulate
from .policy import Policy
from .randomizer import Randomizer, randomize
from .rules import Board, IndexRule, statistics
from .stopping import Stopping
from .structures import Coverage, Graphic, Influence, Linear, Matroid, Oracle, Partition, Path, Structure
from .worlds import World

__all__ = [
    "__version__",
    "account",
    "algorithm",
    "Algorithm",
    "algorithms",
    "AsyncClient",
    "audit",
    "Audit",
    "Board",
    "BusyError",
    "Client",
    "compare",
    "Comparison",
    "Counter",
    "couple",
    "Couple",
    "Coverage",
    "DamagedError",
    "Decision",
    "Decisions",
    "Difference",
    "DuplicateError",
    "EntropyError",
    "Error",
    "Estimates",
    "Graphic",
    "Guarantee",
    "HorizonError",
    "IndexRule",
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
    "RefusedError",
    "ReleasedError",
    "ServiceError",
    "simulate",
    "Simulation",
    "statistics",
    "StoppedError",
    "Stopping",
    "Structure",
    "TooLargeError",
    "UnfinishedError",
    "UnknownError",
    "UnreachableError",
    "UnusedOptionWarning",
    "VersionError",
    "World",
]
