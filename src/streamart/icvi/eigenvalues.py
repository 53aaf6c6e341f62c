"""All eigenvalues of a symmetric matrix, without making an array.

Householder's reflections make it tridiagonal, row by row from the last one, and QL steps with
implicit shifts make that diagonal. Both are orthogonal, so that rounding moves no eigenvalue by
more than some 1e-16 of the greatest for each row: far less than `SLACK`.
"""

import math

from .._jit import jit, jit_sums
from .._typing import Floats

# What is beside the diagonal and below this, in a matrix of trace 1, is nothing. So it is below the
# last digit of what it stands beside.
NEGLIGIBLE, LAST_DIGIT = 1e-15, 1e-16
# So many steps for one eigenvalue; two or three are enough.
MOST_STEPS = 60


@jit_sums
def dot(a: Floats, b: Floats, length: int) -> float:
    total = 0.0
    for f in range(length):
        total += a[f] * b[f]
    return total


@jit_sums
def add_multiple(target: Floats, source: Floats, factor: float, length: int) -> None:
    for f in range(length):
        target[f] += factor * source[f]


@jit_sums
def subtract_both(
    target: Floats, a: Floats, b: Floats, of_a: float, of_b: float, length: int
) -> None:
    for f in range(length):
        target[f] -= of_a * a[f] + of_b * b[f]


@jit
def make_tridiagonal(
    matrix: Floats, size: int, diagonal: Floats, beside: Floats, work: Floats
) -> None:
    """Of the lower triangle, which is overwritten. ``beside[i]`` is between i and i + 1."""
    for i in range(size - 1, 0, -1):
        row = matrix[i]
        diagonal[i] = row[i]
        rest = dot(row, row, i - 1)
        beside[i - 1] = row[i - 1]
        if rest <= NEGLIGIBLE * NEGLIGIBLE:
            continue
        # I - u u'/h takes the row to (0, ..., 0, beside); u is written in its place.
        last = row[i - 1]
        beside[i - 1] = -math.copysign(math.sqrt(rest + last * last), last)
        row[i - 1] = last - beside[i - 1]
        h = -beside[i - 1] * row[i - 1]
        for j in range(i):  # work = A u / h
            work[j] = dot(matrix[j], row, j + 1)
            add_multiple(work, matrix[j], row[j], j)
        for j in range(i):
            work[j] /= h
        add_multiple(work, row, -dot(row, work, i) / (2.0 * h), i)
        for j in range(i):
            subtract_both(matrix[j], work, row, row[j], work[j], j + 1)
    diagonal[0] = matrix[0, 0]
    beside[size - 1] = 0.0


@jit
def block_end(diagonal: Floats, beside: Floats, begin: int, size: int) -> int:
    """From `begin` to this one, nothing beside the diagonal is negligible."""
    end = begin
    while end < size - 1:
        around = abs(diagonal[end]) + abs(diagonal[end + 1])
        if abs(beside[end]) <= NEGLIGIBLE + LAST_DIGIT * around:
            break
        end += 1
    return end


@jit
def shift_step(diagonal: Floats, beside: Floats, begin: int, end: int) -> None:
    """One QL step with an implicit shift, on the rows from `begin` to `end`."""
    ahead = (diagonal[begin + 1] - diagonal[begin]) / (2.0 * beside[begin])
    root = math.sqrt(ahead * ahead + 1.0)
    g = diagonal[end] - diagonal[begin] + beside[begin] / (ahead + math.copysign(root, ahead))
    sine, cosine, carried = 1.0, 1.0, 0.0
    for i in range(end - 1, begin - 1, -1):
        f, b = sine * beside[i], cosine * beside[i]
        root = math.sqrt(f * f + g * g)
        beside[i + 1] = root
        if root == 0.0:
            diagonal[i + 1] -= carried
            beside[end] = 0.0
            return
        sine, cosine = f / root, g / root
        g = diagonal[i + 1] - carried
        root = (diagonal[i] - g) * sine + 2.0 * cosine * b
        carried = sine * root
        diagonal[i + 1] = g + carried
        g = cosine * root - b
    diagonal[begin] -= carried
    beside[begin] = g
    beside[end] = 0.0


@jit
def find_eigenvalues(
    matrix: Floats, size: int, values: Floats, beside: Floats, work: Floats
) -> bool:
    """Eigenvalues of the lower triangle of a matrix of trace 1, in no order; False: not found.

    >>> import numpy as np
    >>> values, beside, work = np.empty(2), np.empty(2), np.empty(2)
    >>> find_eigenvalues(np.array([[0.5, 0.0], [0.25, 0.5]]), 2, values, beside, work)
    True
    >>> sorted(values.round(12).tolist())
    [0.25, 0.75]
    """
    make_tridiagonal(matrix, size, values, beside, work)
    for begin in range(size):
        steps = 0
        while True:
            end = block_end(values, beside, begin, size)
            if end == begin:
                break
            if steps == MOST_STEPS:
                return False
            shift_step(values, beside, begin, end)
            steps += 1
    return True
