"""Lotor: learn what people like, without telling what anyone answered.

>>> import lotor
>>> policy = lotor.Policy('dp-se', arms=5, epsilon=1.0, horizon=10**6)
>>> decision = policy.choose()               # what to show
>>> policy.learn(decision, 1.0)              # what came back
>>> policy.guarantee.private
True
"""

from ._library import VERSION as __version__
from .counter import Counter
from .errors import (
    DamagedError,
    DuplicateError,
    EntropyError,
    Error,
    HorizonError,
    InvalidError,
    LateError,
    NoMemoryError,
    RangeError,
    ReleasedError,
    ServiceError,
    TooLargeError,
    UnfinishedError,
    UnknownError,
    UnreachableError,
    VersionError,
)
from .guarantee import Guarantee
from .policy import Decision, Policy
from .structures import Coverage, Graphic, Independent, Influence, Matroid, Oracle, Partition, Path, Structure
