/* Nests: interchange, expansion, crossing thresholds, symbolic bounds. */
#undef CATEGORY
#define CATEGORY "nests"

LOOP(matrix_sum) { for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) aa[i][j] = bbb[i][j] + cc[i][j]; }
LOOP(matrix_by_columns) { for (int j = 0; j < M; j++) for (int i = 0; i < M; i++) aa[i][j] = bbb[i][j] * 0.5; }
LOOP(matrix_product) { for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) { double s = 0; for (int k = 0; k < M; k++) s += bbb[i][k] * cc[k][j]; aa[i][j] = s; } }
LOOP(matrix_vector) { for (int i = 0; i < M; i++) { double s = 0; for (int j = 0; j < M; j++) s += aa[i][j] * b[j]; a[i] = s; } }
LOOP(vector_matrix) { for (int i = 0; i < M; i++) a[i] = 0; for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) a[j] += b[i] * aa[i][j]; }
LOOP(transposed) { for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) aa[i][j] = bbb[j][i]; }
LOOP(transposed_in_place) { for (int i = 0; i < M; i++) for (int j = 0; j < i; j++) { double t = aa[i][j]; aa[i][j] = aa[j][i]; aa[j][i] = t; } }
LOOP(outer_product) { for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) aa[i][j] += b[i] * c[j] * 0.001; }
LOOP(lower_triangle) { for (int i = 0; i < M; i++) for (int j = 0; j <= i; j++) aa[i][j] = bbb[i][j] * c[j]; }
LOOP(upper_triangle) { for (int i = 0; i < M; i++) for (int j = i; j < M; j++) aa[i][j] = bbb[i][j] * c[j]; }
LOOP(row_depends_on_row) { for (int i = 1; i < M; i++) for (int j = 0; j < M; j++) aa[i][j] = aa[i - 1][j] * 0.5 + bbb[i][j]; }
LOOP(column_depends_on_column) { for (int i = 0; i < M; i++) for (int j = 1; j < M; j++) aa[i][j] = aa[i][j - 1] * 0.5 + bbb[i][j]; }
LOOP(column_outside) { for (int j = 1; j < M; j++) for (int i = 0; i < M; i++) aa[i][j] = aa[i][j - 1] * 0.5 + bbb[i][j]; }
LOOP(wavefront) { for (int i = 1; i < M; i++) for (int j = 1; j < M; j++) aa[i][j] = (aa[i - 1][j] + aa[i][j - 1]) * 0.5; }
LOOP(stencil) { for (int i = 1; i < M - 1; i++) for (int j = 1; j < M - 1; j++) aa[i][j] = (bbb[i - 1][j] + bbb[i + 1][j] + bbb[i][j - 1] + bbb[i][j + 1]) * 0.25; }
LOOP(stencil_of_ints) { for (int i = 1; i < M - 1; i++) for (int j = 1; j < M - 1; j++) im[i][j] = (jm[i - 1][j - 1] + 2 * jm[i][j] + jm[i + 1][j + 1]) >> 2; }
LOOP(convolution) { for (int i = 0; i < N - 8; i++) { double s = 0; for (int j = 0; j < 8; j++) s += b[i + j] * c[j]; a[i] = s; } }
LOOP(flattened) { for (int i = 0; i < M * M; i++) a[i] = b[i] + aa[i / M][i % M]; }
LOOP(linear_subscripts) { double *p = &aa[0][0]; for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) p[i * M + j] += 1.0; }
LOOP(unknown_bounds) { for (int i = 0; i < half - 760; i++) for (int j = 0; j < half - 760; j++) aa[i][j] = bbb[i][j] + cc[j][i]; }
LOOP(short_inner) { for (int i = 0; i < N / 4; i++) for (int j = 0; j < 4; j++) fa[4 * i + j] = fb[4 * i + j] * fc[j]; }
LOOP(minimum_plus) { for (int k = 0; k < M; k++) for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) { int t = im[i][k] + im[k][j]; im[i][j] = im[i][j] < t ? im[i][j] : t; } }
