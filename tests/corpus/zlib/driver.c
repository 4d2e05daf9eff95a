/* Round trips through zlib: driver CASE. Prints sizes and checksums; status 1 when data comes back different. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zlib.h"

#define SIZE 120000

static unsigned char data[SIZE], packed[SIZE + SIZE / 8 + 1024], back[SIZE];
static int failures;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Fills `data`: runs, text of few words, noise, slowly growing numbers, and a mixture. */
static void generate(int kind) {
    static const char *const words[] = {"region ", "node ", "gamma ", "theta ", "of ", "the ", "a ", "state\n"};
    unsigned state = 12345u + (unsigned)kind;
    size_t at = 0;
    while (at < SIZE) {
        int way = kind == 4 ? (int)(next_random(&state) % 4) : kind;
        size_t count = 1 + next_random(&state) % 300;
        if (count > SIZE - at) count = SIZE - at;
        const char *word = words[next_random(&state) % 8];
        unsigned char byte = (unsigned char)next_random(&state);
        for (size_t i = 0; i < count; i++) {
            switch (way) {
                case 0: data[at + i] = byte; break;
                case 1: data[at + i] = (unsigned char)word[i % strlen(word)]; break;
                case 2: data[at + i] = (unsigned char)next_random(&state); break;
                default: data[at + i] = (unsigned char)((at + i) >> ((at + i) % 4 * 8)); break;
            }
        }
        at += count;
    }
}

static void check(const char *what, int same) {
    if (!same) {
        printf("%s: DIFFERENT\n", what);
        failures++;
    }
}

static void checksums(void) {
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        unsigned long crc = crc32(0, Z_NULL, 0), adler = adler32(0, Z_NULL, 0);
        for (size_t at = 0, step = 1; at < SIZE; at += step, step = step * 3 % 7919 + 1) {
            uInt count = (uInt)(step < SIZE - at ? step : SIZE - at);
            crc = crc32(crc, data + at, count);
            adler = adler32(adler, data + at, count);
        }
        check("crc", crc == crc32(0, data, SIZE));
        check("adler", adler == adler32(1, data, SIZE));
        unsigned long front = crc32(0, data, 1000), rest = crc32(0, data + 1000, SIZE - 1000);
        check("combined", crc32_combine(front, rest, SIZE - 1000) == crc);
        printf("kind %d crc %08lx adler %08lx\n", kind, crc, adler);
    }
}

static void levels(void) {
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        for (int level = -1; level <= 9; level++) {
            uLongf packed_size = sizeof packed, size = SIZE;
            int status = compress2(packed, &packed_size, data, SIZE, level);
            memset(back, 0, sizeof back);
            int undone = uncompress(back, &size, packed, packed_size);
            check("data", status == Z_OK && undone == Z_OK && size == SIZE && memcmp(data, back, SIZE) == 0);
            printf("kind %d level %d size %lu crc %08lx\n", kind, level, packed_size, crc32(0, packed, (uInt)packed_size));
        }
    }
    packed[100] ^= 0x55;
    uLongf size = SIZE;
    printf("damaged: %d\n", uncompress(back, &size, packed, 1000));
}

/* Deflates and inflates in small steps, with the given strategy, window and memory. */
static void stream_once(int strategy, int window, int memory, unsigned step, int flush) {
    z_stream out = {0}, in = {0};
    int status = deflateInit2(&out, 6, Z_DEFLATED, window, memory, strategy);
    size_t packed_size = 0, given = 0;
    while (status == Z_OK) {
        if (out.avail_in == 0 && given < SIZE) {
            out.next_in = data + given;
            out.avail_in = (uInt)(step < SIZE - given ? step : SIZE - given);
            given += out.avail_in;
        }
        out.next_out = packed + packed_size;
        out.avail_out = 700;
        status = deflate(&out, given == SIZE ? Z_FINISH : flush);
        packed_size += 700 - out.avail_out;
        if (status == Z_BUF_ERROR) status = Z_OK;
    }
    printf("deflate %d in %lu out %lu\n", status, out.total_in, out.total_out);
    deflateEnd(&out);

    memset(back, 0, sizeof back);
    status = inflateInit2(&in, window);
    in.next_out = back;
    size_t taken = 0;
    while (status == Z_OK && (taken < packed_size || in.avail_in > 0)) {
        if (in.avail_in == 0) {
            in.next_in = packed + taken;
            in.avail_in = (uInt)(step < packed_size - taken ? step : packed_size - taken);
            taken += in.avail_in;
        }
        in.avail_out = (uInt)(SIZE - in.total_out < 1111 ? SIZE - in.total_out : 1111);
        status = inflate(&in, Z_SYNC_FLUSH);
    }
    check("data", status == Z_STREAM_END && in.total_out == SIZE && memcmp(data, back, SIZE) == 0);
    printf("inflate %d size %lu crc %08lx\n", status, in.total_out, crc32(0, packed, (uInt)packed_size));
    inflateEnd(&in);
}

static unsigned pull(void *from, z_const unsigned char **bytes) {
    size_t *left = from;
    *bytes = packed;
    unsigned count = (unsigned)*left;
    *left = 0;
    return count;
}

static int push(void *to, unsigned char *bytes, unsigned count) {
    size_t *at = to;
    if (*at + count > SIZE) return 1;
    memcpy(back + *at, bytes, count);
    *at += count;
    return 0;
}

static void stream(void) {
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        for (int i = 0; i < 5; i++) {
            stream_once(strategies[i], 15 - i, 9 - i, 97u + 501u * (unsigned)i, i % 2 ? Z_SYNC_FLUSH : Z_NO_FLUSH);
        }
        stream_once(Z_DEFAULT_STRATEGY, -15, 8, 4096, Z_FULL_FLUSH);
    }

    z_stream raw = {0};
    deflateInit2(&raw, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    raw.next_in = data, raw.avail_in = SIZE, raw.next_out = packed, raw.avail_out = sizeof packed;
    deflate(&raw, Z_FINISH);
    size_t left = raw.total_out, at = 0;
    deflateEnd(&raw);
    static unsigned char window[32768];
    z_stream calls = {0};
    inflateBackInit(&calls, 15, window);
    int status = inflateBack(&calls, pull, &left, push, &at);
    inflateBackEnd(&calls);
    check("calls", at == SIZE && memcmp(data, back, SIZE) == 0);
    printf("inflateBack %d size %zu\n", status, at);

    z_stream with = {0}, without = {0};
    deflateInit(&with, 9);
    deflateSetDictionary(&with, data, 20000);
    with.next_in = data + 1000, with.avail_in = 5000, with.next_out = packed, with.avail_out = sizeof packed;
    deflate(&with, Z_FINISH);
    printf("dictionary %08lx size %lu\n", with.adler, with.total_out);
    inflateInit(&without);
    without.next_in = packed, without.avail_in = (uInt)with.total_out, without.next_out = back, without.avail_out = SIZE;
    status = inflate(&without, Z_FINISH);
    printf("inflate asks %d\n", status);
    inflateSetDictionary(&without, data, 20000);
    status = inflate(&without, Z_FINISH);
    check("dictionary", status == Z_STREAM_END && memcmp(data + 1000, back, 5000) == 0);
    deflateEnd(&with);
    inflateEnd(&without);
}

static void gzip(void) {
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        gzFile file = gzopen("data.gz", kind % 2 ? "wb9" : "wb1f");
        if (file == NULL) exit(3);
        size_t at = 0;
        for (size_t step = 1; at < SIZE; step = step * 5 % 4099 + 1) {
            unsigned count = (unsigned)(step < SIZE - at ? step : SIZE - at);
            if (gzwrite(file, data + at, count) != (int)count) break;
            at += count;
        }
        gzprintf(file, "%d %s %5.2f\n", kind, "tail", kind / 3.0);
        gzputs(file, "one line\n");
        gzputc(file, '!');
        printf("written %zu, closed %d\n", at, gzclose(file));

        file = gzopen("data.gz", "rb");
        if (file == NULL) exit(3);
        char line[100];
        int count = gzread(file, back, SIZE);
        check("file", count == SIZE && memcmp(data, back, SIZE) == 0);
        printf("read %d then %s", count, gzgets(file, line, sizeof line));
        printf("and %s", gzgets(file, line, sizeof line));
        printf("and %c, end %d\n", gzgetc(file), gzeof(file));
        printf("seek %ld", (long)gzseek(file, 5000, SEEK_SET));
        int byte = gzgetc(file);
        printf(" %d %d", byte == data[5000], gzungetc('u', file));
        printf(" %c tell %ld\n", gzgetc(file), (long)gztell(file));
        gzclose(file);
    }
    gzFile none = gzopen("nowhere/data.gz", "rb");
    printf("missing: %s\n", none == NULL ? "no file" : "a file");
}

int main(int argc, char **argv) {
    const char *name = argc == 2 ? argv[1] : "";
    if (strcmp(name, "checksums") == 0) checksums();
    else if (strcmp(name, "levels") == 0) levels();
    else if (strcmp(name, "stream") == 0) stream();
    else if (strcmp(name, "gzip") == 0) gzip();
    else {
        fprintf(stderr, "usage: %s checksums|levels|stream|gzip\n", argv[0]);
        return 2;
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
