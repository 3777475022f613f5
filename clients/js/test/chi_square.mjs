// chi_square.mjs - tests whether counts fit a law.

// log Gamma, by Stirling's series after moving x up: within 1e-12 for x > 0.
function logGamma(x) {
  let shift = 0;
  while (x < 15) {
    shift -= Math.log(x);
    x += 1;
  }
  const y = 1 / (x * x);
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - y * (1 / 360 - y / 1260)) / x;
}

/** P(chi-square with so many degrees of freedom >= value): the regularized upper incomplete gamma function. */
export function tail(value, freedom) {
  const a = freedom / 2, x = value / 2;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x <= 0) {
    return 1;
  }
  if (x < a + 1) { // the series of the lower one
    let term = 1 / a, sum = term;
    for (let n = 1; term > sum * 1e-15; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  let fraction = 0; // the continued fraction of the upper one, from far inside
  for (let n = 500; n > 0; n--) {
    fraction = (n * (n - a)) / (x + 2 * n + 1 - a - fraction);
  }
  return front / (x + 1 - a - fraction);
}

/** The p-value of counts under probabilities that sum to 1; cells that expect below 10 are joined. */
export function fit(counts, probabilities) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let statistic = 0, cells = 0, restSeen = 0, restExpected = 0;
  const take = (seen, expected) => {
    statistic += (seen - expected) ** 2 / expected;
    cells++;
  };
  probabilities.forEach((probability, i) => {
    if (probability * total < 10) {
      restSeen += counts[i];
      restExpected += probability * total;
    } else {
      take(counts[i], probability * total);
    }
  });
  if (restExpected >= 1) {
    take(restSeen, restExpected);
  } else if (restSeen > restExpected + 10) { // cells that expect almost no counts
    return 0;
  }
  return tail(statistic, cells - 1);
}
