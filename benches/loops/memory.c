/* Packing, rerolling, equivalencing, indirect addressing, structures. */
#undef CATEGORY
#define CATEGORY "memory"

LOOP(packed) { int j = 0; for (int i = 0; i < N; i++) if (ib[i] > 0) ia[j++] = ib[i]; sum = j; }
LOOP(unpacked) { int j = 0; for (int i = 0; i < N; i++) if (ib[i] > 0) ia[i] = ic[j++]; }
LOOP(unrolled_by_four) { for (int i = 0; i < N; i += 4) { a[i] = b[i] * x; a[i + 1] = b[i + 1] * x; a[i + 2] = b[i + 2] * x; a[i + 3] = b[i + 3] * x; } }
LOOP(unrolled_by_five) { for (int i = 0; i < N; i += 5) { ia[i] += ib[i]; ia[i + 1] += ib[i + 1]; ia[i + 2] += ib[i + 2]; ia[i + 3] += ib[i + 3]; ia[i + 4] += ib[i + 4]; } }
LOOP(unrolled_sum) { int s = 0; for (int i = 0; i < N; i += 4) s += ia[i] + ia[i + 1] + ia[i + 2] + ia[i + 3]; sum = s; }
LOOP(gathered) { for (int i = 0; i < N; i++) a[i] = b[any[i]] * 0.5; }
LOOP(scattered) { for (int i = 0; i < N; i++) a[any[i]] = b[i] + c[i]; }
LOOP(gathered_sum) { int s = 0; for (int i = 0; i < N; i++) s += ia[any[i]]; sum = s; }
LOOP(gathered_in_order) { for (int i = 0; i < N; i++) fa[rising[i]] += fb[i]; }
LOOP(histogram) { for (int i = 0; i < N; i++) ia[ba[i]]++; }
LOOP(table_of_bytes) { for (int i = 0; i < N; i++) ba[i] = bb[bc[i]]; }
LOOP(points_moved) { for (int i = 0; i < N / 2; i++) { points[i].x += 0.5; points[i].y += 0.25; points[i].z += 0.125; } }
LOOP(points_one_field) { for (int i = 0; i < N / 2; i++) a[i] = points[i].y * 2.0; }
LOOP(points_lengths) { for (int i = 0; i < N / 2; i++) a[i] = points[i].x * points[i].x + points[i].y * points[i].y + points[i].z * points[i].z; }
LOOP(grey) { for (int i = 0; i < N; i++) ba[i] = (uint8_t)((pixels[i].r * 77 + pixels[i].g * 150 + pixels[i].b * 29) >> 8); }
LOOP(swapped_colours) { for (int i = 0; i < N; i++) { uint8_t t = pixels[i].r; pixels[i].r = pixels[i].b; pixels[i].b = t; } }
LOOP(complex_product) { for (int i = 0; i < N; i += 2) { double r = b[i] * c[i] - b[i + 1] * c[i + 1], s = b[i] * c[i + 1] + b[i + 1] * c[i]; a[i] = r; a[i + 1] = s; } }
LOOP(interleaved) { for (int i = 0; i < N / 2; i++) { fa[2 * i] = fb[i]; fa[2 * i + 1] = fc[i]; } }
LOOP(parted) { for (int i = 0; i < N / 2; i++) { fa[i] = fd[2 * i]; fb[i] = fd[2 * i + 1]; } }
LOOP(other_type) { for (int i = 0; i < N; i++) { uint32_t bits; memcpy(&bits, &fb[i], 4); ia[i] = (int)(bits & 0x7fffffff); } }
LOOP(cleared) { for (int i = 0; i < N; i++) a[i] = 0.0; }
LOOP(filled) { for (int i = 0; i < N; i++) ia[i] = 42; }
LOOP(copied) { for (int i = 0; i < N; i++) la[i] = lb[i]; }
LOOP(moved) { for (int i = 0; i < N - 1; i++) ia[i] = ia[i + 1]; }
LOOP(bytes_reversed) { for (int i = 0; i < N; i++) ia[i] = (int)__builtin_bswap32((unsigned)ib[i]); }
LOOP(rotated_bits) { for (int i = 0; i < N; i++) { unsigned v = (unsigned)ib[i]; ia[i] = (int)(v << 7 | v >> 25); } }
