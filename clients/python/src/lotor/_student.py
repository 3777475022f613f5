"""Quantiles of Student's t distribution, for intervals from few runs."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np


def t_quantile(share: float, freedom: int) -> float:
    """The number that a share of Student's law does not exceed, for a share from 1/2 to 1.

    With t = sqrt(n) tan(u), the density is a power of a cosine: c cos(u)^(n-1), for |u| < pi/2. It is added up by the
    trapezoidal rule.

    >>> round(t_quantile(0.975, 1), 3), round(t_quantile(0.975, 9), 3), round(t_quantile(0.975, 10**6), 3)
    (12.706, 2.262, 1.96)
    """
    if freedom > 10_000:
        return NormalDist().inv_cdf(share)
    u = np.linspace(0, math.pi / 2, 200_001)
    density = np.cos(u) ** (freedom - 1)
    area = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])]) * (u[1] / 2)
    constant = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return math.sqrt(freedom) * math.tan(float(np.interp((share - 0.5) / constant, area, u)))
