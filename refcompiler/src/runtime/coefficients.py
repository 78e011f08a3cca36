#!/usr/bin/env python3
"""Prints the constants of exp, log, pow, sin and cos for the runtime. Needs mpmath.

A polynomial is the interpolation at Chebyshev's points, which is close to the best one. Its coefficients alternate in sign or
are all positive; only magnitudes are printed. A constant is two limbs of 30 bits, the upper one first, of a number below 1.
"""
from mpmath import mp, mpf, chebyfit, exp, expm1, log, pi, cos, sin, sqrt, floor, nint, atanh

mp.prec = 400
LIMB = 1 << 30


def limbs(value, count, scale=0):
    """Returns the limbs of value / 2^scale, rounded to nearest."""
    whole = int(nint(abs(value) / mpf(2) ** scale * mpf(2) ** (30 * count)))
    return [whole >> 30 * k & LIMB - 1 for k in reversed(range(count))]


def polynomial(name, function, end, terms):
    coefficients, error = chebyfit(function, [mpf(0), end], terms, error=True)
    print(f"{name}: {terms} terms, error 2^{float(log(error, 2)):.1f}, the highest power first")
    for c in coefficients:
        print("   ", "-" if c < 0 else "+", limbs(c, 2))


def series(f, limit):
    """Returns f, or its limit near 0, where f divides by 0."""
    return lambda x: f(x) if x > mpf(10) ** -60 else limit


ln2 = log(mpf(2))
polynomial("(2^f - 1) / f", series(lambda f: expm1(f * ln2) / f, ln2), mpf(1), 12)
s2 = (sqrt(mpf(2)) - 1) ** 2 / (sqrt(mpf(2)) + 1) ** 2
polynomial("(atanh(s) / s - 1) / s^2, in s^2", series(lambda z: (atanh(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 3), s2, 8)
quarter = (pi / 4) ** 2
polynomial("(1 - sin(y) / y) / y^2, in y^2", series(lambda z: (1 - sin(sqrt(z)) / sqrt(z)) / z, mpf(1) / 6), quarter, 7)
polynomial("(1 - cos(y)) / y^2, in y^2", series(lambda z: (1 - cos(sqrt(z))) / z, mpf(1) / 2), quarter, 7)
print("ln 2", limbs(ln2, 3))
print("log2(e) / 2", limbs(1 / ln2 / 2, 3))
print("log2(e) - 1", limbs(1 / ln2 - 1, 3))
print("pi / 4", limbs(pi / 4, 2))
bits = int(floor(2 / pi * mpf(2) ** 270))
print("2 / pi", [bits >> 30 * k & LIMB - 1 for k in reversed(range(9))])
