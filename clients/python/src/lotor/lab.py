"""Experiments: what an algorithm would lose, and whether its privacy claim holds."""

from .audits import Audit, audit
from .comparison import Comparison, Difference, compare
from .couples import Couple, couple
from .seeded import Policy
from .simulation import Simulation, simulate

__all__ = ["Audit", "Comparison", "Couple", "Difference", "Policy", "Simulation", "audit", "compare", "couple", "simulate"]
