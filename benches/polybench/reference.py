#!/usr/bin/env python3
"""What the kernels compute, from their mathematical definitions: an independent second opinion, slow and short.

reference.py KERNEL DATASET prints the arrays that hold the result, in the format of the kernels' own dumps but with all digits;
`?` stands for a number that the definition leaves open. Matrices are lists of rows. Only Python's own library is used.
"""

import json
import math
import pathlib
import sys
from operator import mul


def vector(n, f):
    return [f(i) for i in range(n)]


def matrix(rows, columns, f):
    return [[f(i, j) for j in range(columns)] for i in range(rows)]


def t(a):
    """The transpose."""
    return [list(row) for row in zip(*a)]


def dot(x, y):
    return math.fsum(map(mul, x, y))


def times(a, b):
    """The product of two matrices."""
    columns = t(b)
    return [[dot(row, column) for column in columns] for row in a]


def apply(a, x):
    """The product of a matrix and a vector."""
    return [dot(row, x) for row in a]


def combine(*terms):
    """The sum of multiples of vectors or matrices of one shape; each term is a factor and a summand."""
    if isinstance(terms[0][1][0], list):
        rows = zip(*(summand for _, summand in terms))
        return [combine(*zip((factor for factor, _ in terms), row)) for row in rows]
    factors = [factor for factor, _ in terms]
    return [dot(factors, column) for column in zip(*(summand for _, summand in terms))]


def flat(a):
    return [x for row in a for x in row]


def lower(new, old):
    """The lower triangle of one matrix, the rest of another."""
    return matrix(len(new), len(new), lambda i, j: new[i][j] if j <= i else old[i][j])


def solve(a, b):
    """X with A*X = B, by elimination with partial pivoting."""
    rows = [list(row) + list(right) for row, right in zip(a, b)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


def recurrence(inputs, feed, back):
    """y[i] = sum of feed[k]*x[i-k] + sum of back[k]*y[i-1-k], where whatever lies before the start is 0."""
    result = []
    for i in range(len(inputs)):
        fed = [feed[k] * inputs[i - k] for k in range(min(len(feed), i + 1))]
        result.append(math.fsum(fed + [back[k] * result[i - 1 - k] for k in range(min(len(back), i))]))
    return result


# Matrix and vector products.


def gemm(NI, NJ, NK):
    c = matrix(NI, NJ, lambda i, j: (i * j + 1) % NI / NI)
    a = matrix(NI, NK, lambda i, j: i * (j + 1) % NK / NK)
    b = matrix(NK, NJ, lambda i, j: i * (j + 2) % NJ / NJ)
    return {"C": flat(combine((1.5, times(a, b)), (1.2, c)))}


def two_mm(NI, NJ, NK, NL):
    a = matrix(NI, NK, lambda i, j: (i * j + 1) % NI / NI)
    b = matrix(NK, NJ, lambda i, j: i * (j + 1) % NJ / NJ)
    c = matrix(NJ, NL, lambda i, j: (i * (j + 3) + 1) % NL / NL)
    d = matrix(NI, NL, lambda i, j: i * (j + 2) % NK / NK)
    return {"D": flat(combine((1.5, times(times(a, b), c)), (1.2, d)))}


def three_mm(NI, NJ, NK, NL, NM):
    a = matrix(NI, NK, lambda i, j: (i * j + 1) % NI / (5 * NI))
    b = matrix(NK, NJ, lambda i, j: (i * (j + 1) + 2) % NJ / (5 * NJ))
    c = matrix(NJ, NM, lambda i, j: i * (j + 3) % NL / (5 * NL))
    d = matrix(NM, NL, lambda i, j: (i * (j + 2) + 2) % NK / (5 * NK))
    return {"G": flat(times(times(a, b), times(c, d)))}


def atax(M, N):
    a = matrix(M, N, lambda i, j: (i + j) % N / (5 * M))
    return {"y": apply(t(a), apply(a, vector(N, lambda i: 1 + i / N)))}


def bicg(M, N):
    a = matrix(N, M, lambda i, j: i * (j + 1) % N / N)
    return {"s": apply(t(a), vector(N, lambda i: i / N)), "q": apply(a, vector(M, lambda i: i / M))}


def mvt(N):
    a = matrix(N, N, lambda i, j: i * j % N / N)
    x1, x2, y1, y2 = (vector(N, lambda i: (i + start) % N / N) for start in (0, 1, 3, 4))
    return {"x1": combine((1, x1), (1, apply(a, y1))), "x2": combine((1, x2), (1, apply(t(a), y2)))}


def gemver(N):
    ramp = lambda divisor: vector(N, lambda i: (i + 1) / N / divisor)
    v1, v2, u2, y, z = ramp(4), ramp(6), ramp(2), ramp(8), ramp(9)
    a = matrix(N, N, lambda i, j: i * j % N / N + i * v1[j] + u2[i] * v2[j])
    x = combine((1.2, apply(t(a), y)), (1, z))
    return {"w": combine((1.5, apply(a, x)))}


def gesummv(N):
    a = matrix(N, N, lambda i, j: (i * j + 1) % N / N)
    b = matrix(N, N, lambda i, j: (i * j + 2) % N / N)
    return {"y": apply(combine((1.5, a), (1.2, b)), vector(N, lambda i: i / N))}


def symm(M, N):
    c = matrix(M, N, lambda i, j: (i + j) % 100 / M)
    b = matrix(M, N, lambda i, j: (N + i - j) % 100 / M)
    a = matrix(M, M, lambda i, j: (i + j) % 100 / M)
    return {"C": flat(combine((1.5, times(a, b)), (1.2, c)))}


def syrk(M, N):
    a = matrix(N, M, lambda i, j: (i * j + 1) % N / N)
    c = matrix(N, N, lambda i, j: (i * j + 2) % M / M)
    return {"C": flat(lower(combine((1.5, times(a, t(a))), (1.2, c)), c))}


def syr2k(M, N):
    a = matrix(N, M, lambda i, j: (i * j + 1) % N / N)
    b = matrix(N, M, lambda i, j: (i * j + 2) % M / M)
    c = matrix(N, N, lambda i, j: (i * j + 3) % N / M)
    product = times(a, t(b))
    return {"C": flat(lower(combine((1.5, product), (1.5, t(product)), (1.2, c)), c))}


def trmm(M, N):
    a = matrix(M, M, lambda i, j: (i + j) % M / M if j < i else float(i == j))
    b = matrix(M, N, lambda i, j: (N + i - j) % N / N)
    return {"B": flat(combine((1.5, times(t(a), b))))}


def doitgen(NQ, NR, NP):
    c4 = matrix(NP, NP, lambda i, j: i * j % NP / NP)
    slices = [matrix(NQ, NP, lambda j, k: (i * j + k) % NP / NP) for i in range(NR)]
    return {"A": [x for a in slices for x in flat(times(a, c4))]}


# Solvers. The matrix of three of them is made as L*Lt with a known L.


def known_factor(n):
    return matrix(n, n, lambda i, j: 0 if j > i else 1 if j == i else 1 - j / n)


def cholesky(N):
    return {"A": [x for i, row in enumerate(known_factor(N)) for x in row[: i + 1]]}


def lu(N):
    factor = known_factor(N)
    return {"A": flat(lower(factor, t(factor)))}


def ludcmp(N):
    factor = known_factor(N)
    right = [[(i + 1) / N / 2 + 4] for i in range(N)]
    return {"x": flat(solve(t(factor), solve(factor, right)))}


def trisolv(N):
    a = matrix(N, N, lambda i, j: (i + N - j + 1) * 2 / N if j <= i else 0)
    return {"x": flat(solve(a, [[i] for i in range(N)]))}


def durbin(N):
    r = vector(N, lambda i: N + 1 - i)
    a = matrix(N, N, lambda i, j: 1 if i == j else r[abs(i - j) - 1])
    return {"y": flat(solve(a, [[-x] for x in r]))}


def gramschmidt(M, N):
    """By reflections. From the first column that depends on those before it, Q is the direction of a rounding error."""
    a = t(matrix(M, N, lambda i, j: i * j % M / M * 100 + 10))
    basis = t(matrix(M, M, lambda i, j: float(i == j)))
    independent = 0
    while independent < min(M, N):
        k = independent
        length = math.sqrt(dot(a[k][k:], a[k][k:]))
        if length < 1e-8:
            break
        mirror = [0.0] * k + a[k][k:]
        mirror[k] += math.copysign(length, mirror[k])
        scale = 2 / dot(mirror, mirror)
        reflect = lambda x: combine((1, x), (-scale * dot(mirror, x), mirror))
        a, basis = [reflect(x) for x in a], [reflect(x) for x in basis]
        independent += 1
    sign = lambda k: math.copysign(1, a[k][k])
    r = matrix(N, N, lambda k, j: 0 if j < k else sign(k) * a[j][k] if k < independent else None)
    q = matrix(M, N, lambda i, k: sign(k) * basis[i][k] if k < independent else None)
    return {"R": flat(r), "Q": flat(q)}


# Data mining.


def centred(rows):
    means = [math.fsum(column) / len(column) for column in t(rows)]
    return [[x - mean for x, mean in zip(row, means)] for row in rows]


def covariance(M, N):
    data = centred(matrix(N, M, lambda i, j: i * j / M))
    return {"cov": [x / (N - 1) for x in flat(times(t(data), data))]}


def correlation(M, N):
    columns = t(centred(matrix(N, M, lambda i, j: i * j / M + i)))
    deviations = [math.sqrt(dot(column, column) / N) for column in columns]
    scaled = [[x / (1 if d <= 0.1 else d) for x in column] for d, column in zip(deviations, columns)]
    return {"corr": flat(matrix(M, M, lambda i, j: 1 if i == j else dot(scaled[i], scaled[j]) / N))}


# Medley.


def deriche(W, H):
    alpha = 0.25
    e1, e2 = math.exp(-alpha), math.exp(-2 * alpha)
    k = (1 - e1) ** 2 / (1 + 2 * alpha * e1 - math.exp(2 * alpha))
    back = [2**-alpha, -e2]

    def smooth(line):
        there = recurrence(line, [k, k * e1 * (alpha - 1)], back)
        again = recurrence(line[::-1], [0, k * e1 * (alpha + 1), -k * e2], back)[::-1]
        return combine((1, there), (1, again))

    image = matrix(W, H, lambda i, j: (313 * i + 991 * j) % 65536 / 65535)
    rows = [smooth(row) for row in image]
    return {"imgOut": flat(t([smooth(column) for column in t(rows)]))}


def floyd_warshall(N):
    """Walks of at most 1, 2, 4, ... steps, until longer ones are no shorter."""
    far = lambda i, j: any((i + j) % divisor == 0 for divisor in (7, 11, 13))
    walks, before = matrix(N, N, lambda i, j: 999 if far(i, j) else i * j % 7 + 1), None
    while walks != before:
        before, columns = walks, t(walks)
        joined = lambda row, column: min(x + y for x, y in zip(row, column))
        walks = [[min(x, joined(row, column)) for x, column in zip(row, columns)] for row in before]
    return {"path": flat(walks)}


def nussinov(N):
    """Either the ends of a stretch pair, or it falls into two parts; shorter stretches first."""
    sequence = vector(N, lambda i: (i + 1) % 4)
    best = matrix(N, N, lambda i, j: 0)
    for length in range(1, N):
        for i in range(N - length):
            j = i + length
            pair = length > 1 and sequence[i] + sequence[j] == 3
            parts = max(best[i][k] + best[k + 1][j] for k in range(i, j))
            best[i][j] = max(parts, best[i + 1][j - 1] + pair)
    return {"table": [best[i][j] for i in range(N) for j in range(i, N)]}


# Stencils.


def inner(array, f):
    """The array with f of the position in place of each inner element."""
    n = len(array)
    border = (0, n - 1)
    if not isinstance(array[0], list):
        return [x if i in border else f(i) for i, x in enumerate(array)]
    return [row if i in border else inner(row, lambda *rest: f(i, *rest)) for i, row in enumerate(array)]


def jacobi_1d(TSTEPS, N):
    a, b = (vector(N, lambda i: (i + start) / N) for start in (2, 3))
    near = lambda x: lambda i: 0.33333 * sum(x[i - 1 : i + 2])
    for _ in range(TSTEPS):
        b = inner(b, near(a))
        a = inner(a, near(b))
    return {"A": a}


def jacobi_2d(TSTEPS, N):
    a, b = (matrix(N, N, lambda i, j: (i * (j + start) + start) / N) for start in (2, 3))
    cross = lambda x: lambda i, j: 0.2 * (sum(x[i][j - 1 : j + 2]) + x[i - 1][j] + x[i + 1][j])
    for _ in range(TSTEPS):
        b = inner(b, cross(a))
        a = inner(a, cross(b))
    return {"A": flat(a)}


def heat_3d(TSTEPS, N):
    def step(x):
        sides = lambda i, j, k: x[i - 1][j][k] + x[i + 1][j][k] + x[i][j - 1][k] + x[i][j + 1][k] + sum(x[i][j][k - 1 : k + 2])
        return inner(x, lambda i, j, k: 0.125 * sides(i, j, k) + 0.125 * x[i][j][k])

    a = [matrix(N, N, lambda j, k: (i + j + N - k) * 10 / N) for i in range(N)]
    for _ in range(2 * TSTEPS):
        a = step(a)
    return {"A": [x for plane in a for x in flat(plane)]}


def seidel_2d(TSTEPS, N):
    """Along a row each element takes a ninth of the new one before it: a recurrence over what the other eight give."""
    a = matrix(N, N, lambda i, j: (i * (j + 2) + 2) / N)
    for _ in range(TSTEPS):
        for i in range(1, N - 1):
            given = [sum(a[i - 1][j - 1 : j + 2] + a[i][j : j + 2] + a[i + 1][j - 1 : j + 2]) / 9 for j in range(1, N - 1)]
            a[i][:-1] = recurrence([a[i][0]] + given, [1], [1 / 9])
    return {"A": flat(a)}


def fdtd_2d(TMAX, NX, NY):
    ex = matrix(NX, NY, lambda i, j: i * (j + 1) / NX)
    ey = matrix(NX, NY, lambda i, j: i * (j + 2) / NY)
    hz = matrix(NX, NY, lambda i, j: i * (j + 3) / NX)
    along = lambda a: [[0] + [x - before for before, x in zip(row, row[1:])] for row in a]
    for time in range(TMAX):
        ex = combine((1, ex), (-0.5, along(hz)))
        ey = [[time] * NY] + combine((1, ey), (-0.5, t(along(t(hz)))))[1:]
        curl = combine((1, [row[1:] for row in along(ex)[:-1]]), (1, [row[:-1] for row in t(along(t(ey)))[1:]]))
        changed = combine((1, [row[:-1] for row in hz[:-1]]), (-0.7, curl))
        hz = [new + old[-1:] for new, old in zip(changed, hz)] + hz[-1:]
    return {"ex": flat(ex), "ey": flat(ey), "hz": flat(hz)}


def adi(TSTEPS, N):
    """Half a step solves (1 - D)*x = (1 + D')*y per line; D and D' are second differences along the two directions, scaled."""
    implicit, explicit = 2 * N * N / TSTEPS, N * N / TSTEPS
    inside = N - 2

    def inverse(scale):
        line = lambda i, j: 1 + scale if i == j else -scale / 2 if abs(i - j) == 1 else 0
        return solve(matrix(inside, inside, line), matrix(inside, inside, lambda i, j: float(i == j)))

    def half(inverted, scale, other, a):
        """Solves along the columns; both ends of each are 1."""
        rows = [combine(*((1 - other, a[i]), (other / 2, [0] + a[i][:-1]), (other / 2, a[i][1:] + [0]))) for i in range(N)]
        right = [row[1:-1] for row in rows[1:-1]]
        for end in (0, -1):
            right[end] = [x + scale / 2 for x in right[end]]
        return times(inverted, right)

    u = matrix(N, N, lambda i, j: (i + N - j) / N)
    first, second = inverse(implicit), inverse(explicit)
    frame = lambda a, ends: [ends] + [[1] + row + [1] for row in a] + [ends]
    for _ in range(TSTEPS):
        v = frame(half(first, implicit, explicit, u), [1] * N)
        solved = half(second, explicit, implicit, t(v))
        u = u[:1] + frame(t(solved), [])[1:-1] + u[-1:]
    return {"u": flat(u)}


NAMES = {"2mm": two_mm, "3mm": three_mm}


def dump(arrays):
    yield "==BEGIN DUMP_ARRAYS=="
    for name, numbers in arrays.items():
        yield f"begin dump: {name}"
        texts = ["?" if x is None else repr(x + 0) for x in numbers]
        yield from (" ".join(texts[start : start + 20]) for start in range(0, len(texts), 20))
        yield f"end   dump: {name}"
    yield "==END   DUMP_ARRAYS=="


def main():
    name, dataset = sys.argv[1:]
    kernels = json.loads((pathlib.Path(__file__).parent / "kernels.json").read_text())
    sizes = next(kernel["datasets"][dataset] for kernel in kernels if kernel["name"] == name)
    compute = NAMES.get(name) or globals()[name.replace("-", "_")]
    print("\n".join(dump(compute(**sizes))))


if __name__ == "__main__":
    main()
