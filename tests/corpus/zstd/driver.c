/* Round trips through zstd: driver CASE. Prints sizes and checksums; status 1 when data comes back different. */
#define ZSTD_STATIC_LINKING_ONLY
#define ZDICT_STATIC_LINKING_ONLY
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zdict.h"
#include "zstd.h"

#define SIZE 200000

static unsigned char data[SIZE], packed[SIZE * 2], back[SIZE];
static int failures;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Fills `data`: runs, text of few words, noise, slowly growing numbers, and a mixture. */
static void generate(int kind) {
    static const char *const words[] = {"region ", "node ", "gamma ", "theta ", "of ", "the ", "a ", "state\n"};
    unsigned state = 777u + (unsigned)kind;
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

static unsigned sum(const unsigned char *bytes, size_t count) {
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static void check(const char *what, int same) {
    if (!same) {
        printf("%s: DIFFERENT\n", what);
        failures++;
    }
}

static const char *outcome(size_t code) {
    return ZSTD_isError(code) ? ZSTD_getErrorName(code) : "ok";
}

static void levels(void) {
    static const int tried[] = {-50, -7, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 22};
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
            size_t size = tried[i] > 15 ? SIZE / 4 : SIZE;
            size_t packed_size = ZSTD_compress(packed, sizeof packed, data, size, tried[i]);
            memset(back, 0, sizeof back);
            size_t result = ZSTD_decompress(back, sizeof back, packed, packed_size);
            check("data", result == size && memcmp(data, back, size) == 0);
            printf("kind %d level %d size %zu hash %08x\n", kind, tried[i], packed_size, sum(packed, packed_size));
        }
    }
}

static size_t stream_in(ZSTD_CCtx *context, size_t step, int flush_each) {
    ZSTD_outBuffer out = {packed, 0, 0};
    for (size_t at = 0; at < SIZE; at += step) {
        size_t count = step < SIZE - at ? step : SIZE - at;
        ZSTD_inBuffer in = {data + at, count, 0};
        ZSTD_EndDirective directive = at + count == SIZE ? ZSTD_e_end : flush_each ? ZSTD_e_flush : ZSTD_e_continue;
        size_t left;
        do {
            out.size = out.pos + 500 < sizeof packed ? out.pos + 500 : sizeof packed;
            left = ZSTD_compressStream2(context, &out, &in, directive);
            if (ZSTD_isError(left)) {
                printf("compressStream2: %s\n", ZSTD_getErrorName(left));
                failures++;
                return out.pos;
            }
        } while (in.pos < in.size || (directive != ZSTD_e_continue && left != 0));
    }
    return out.pos;
}

static void stream_out(size_t packed_size, size_t step) {
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_outBuffer out = {back, 0, 0};
    ZSTD_inBuffer in = {packed, 0, 0};
    size_t code = 1;
    memset(back, 0, sizeof back);
    while (!ZSTD_isError(code) && (in.pos < packed_size || out.pos < SIZE) && code != 0) {
        in.size = in.pos + step < packed_size ? in.pos + step : packed_size;
        out.size = out.pos + 777 < SIZE ? out.pos + 777 : SIZE;
        code = ZSTD_decompressStream(context, &out, &in);
    }
    check("stream", code == 0 && out.pos == SIZE && memcmp(data, back, SIZE) == 0);
    ZSTD_freeDCtx(context);
}

static void streaming(void) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        for (int strategy = ZSTD_fast; strategy <= ZSTD_btultra2; strategy++) {
            ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
            ZSTD_CCtx_setParameter(context, ZSTD_c_strategy, strategy);
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, strategy % 2);
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 12 + strategy);
            ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, strategy == ZSTD_dfast ? 1 : 0);
            ZSTD_CCtx_setParameter(context, ZSTD_c_targetCBlockSize, strategy == ZSTD_lazy ? 2000 : 0);
            size_t size = stream_in(context, 997u * (unsigned)strategy, strategy % 3 == 0);
            stream_out(size, 333);
            printf("kind %d strategy %d size %zu hash %08x\n", kind, strategy, size, sum(packed, size));
        }
    }
    ZSTD_freeCCtx(context);
}

static void dictionary(void) {
    static unsigned char samples[400 * 300], dictionary[8000];
    static size_t sizes[400];
    size_t total = 0;
    unsigned state = 99;
    for (int i = 0; i < 400; i++) {
        int count = sprintf((char *)samples + total, "{\"id\": %d, \"name\": \"user%u\", \"tags\": [\"%s\", \"%s\"], \"score\": %u}\n", i,
                            next_random(&state) % 50, i % 3 ? "graph" : "region", i % 5 ? "node" : "edge", next_random(&state) % 9999);
        sizes[i] = (size_t)count;
        total += (size_t)count;
    }
    size_t size = ZDICT_trainFromBuffer(dictionary, sizeof dictionary, samples, sizes, 400);
    printf("train %s size %zu id %u hash %08x\n", outcome(size), size, ZDICT_getDictID(dictionary, size), sum(dictionary, size));
    ZDICT_cover_params_t cover = {.k = 200, .d = 8};
    size_t second = ZDICT_trainFromBuffer_cover(packed, 4000, samples, sizes, 400, cover);
    printf("cover %s size %zu hash %08x\n", outcome(second), second, sum(packed, second));

    ZSTD_CCtx *in = ZSTD_createCCtx();
    ZSTD_DCtx *out = ZSTD_createDCtx();
    ZSTD_DDict *undo = ZSTD_createDDict(dictionary, size);
    for (int level = 1; level <= 19; level += 3) {
        ZSTD_CDict *use = ZSTD_createCDict(dictionary, size, level);
        size_t packed_total = 0, at = 0;
        unsigned hash = 0;
        for (int i = 0; i < 400; i += 7) {
            size_t packed_size = ZSTD_compress_usingCDict(in, packed, sizeof packed, samples + at, sizes[i], use);
            size_t result = ZSTD_decompress_usingDDict(out, back, sizeof back, packed, packed_size, undo);
            check("sample", result == sizes[i] && memcmp(samples + at, back, sizes[i]) == 0);
            hash = hash * 31 + sum(packed, packed_size);
            packed_total += packed_size;
            for (int k = i; k < i + 7 && k < 400; k++) at += sizes[k];
        }
        printf("level %d total %zu hash %08x\n", level, packed_total, hash);
        ZSTD_freeCDict(use);
    }
    size_t wrong = ZSTD_decompress(back, sizeof back, packed, ZSTD_compressCCtx(in, packed, sizeof packed, samples, 1000, 3) - 3);
    printf("short: %s\n", outcome(wrong));
    ZSTD_freeDDict(undo);
    ZSTD_freeDCtx(out);
    ZSTD_freeCCtx(in);
}

static void frames(void) {
    size_t end = 0;
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        end += ZSTD_compress(packed + end, sizeof packed - end, data, 3000, 5);
        unsigned magic = ZSTD_MAGIC_SKIPPABLE_START + (unsigned)kind, length = 10;
        for (int i = 0; i < 4; i++) packed[end + (size_t)i] = (unsigned char)(magic >> (8 * i));
        for (int i = 0; i < 4; i++) packed[end + 4 + (size_t)i] = (unsigned char)(length >> (8 * i));
        memset(packed + end + 8, 'x', length);
        end += 8 + length;
    }
    printf("frames %zu, size %llu, bound %llu\n", end, ZSTD_findDecompressedSize(packed, end), ZSTD_decompressBound(packed, end));
    size_t result = ZSTD_decompress(back, sizeof back, packed, end);
    printf("all %zu hash %08x\n", result, sum(back, ZSTD_isError(result) ? 0 : result));
    ZSTD_frameHeader header;
    printf("header %zu", ZSTD_getFrameHeader(&header, packed, end));
    printf(" window %llu content %llu block %u\n", header.windowSize, header.frameContentSize, header.blockSizeMax);
    unsigned state = 4711;
    for (int i = 0; i < 60; i++) {
        size_t at = next_random(&state) % end;
        unsigned char kept = packed[at];
        packed[at] ^= (unsigned char)(1 + next_random(&state) % 255);
        result = ZSTD_decompress(back, sizeof back, packed, end);
        printf("damage at %zu: %s\n", at, ZSTD_isError(result) ? ZSTD_getErrorName(result) : "unnoticed");
        packed[at] = kept;
    }
    for (int version = 1; version <= 7; version++) {
        static const unsigned char magics[][4] = {{0xfd, 0x2f, 0xb5, 0x1e}, {0x22, 0xb5, 0x2f, 0xfd}, {0x23, 0xb5, 0x2f, 0xfd}, {0x24, 0xb5, 0x2f, 0xfd},
                                                  {0x25, 0xb5, 0x2f, 0xfd}, {0x26, 0xb5, 0x2f, 0xfd}, {0x27, 0xb5, 0x2f, 0xfd}};
        for (int kind = 0; kind < 40; kind++) {
            memcpy(packed, magics[version - 1], 4);
            for (int i = 4; i < 60; i++) packed[i] = (unsigned char)(next_random(&state) & (unsigned)(kind % 4 == 0 ? 3 : 255));
            result = ZSTD_decompress(back, sizeof back, packed, 60);
            if (!ZSTD_isError(result)) printf("old format %d: %zu bytes, hash %08x\n", version, result, sum(back, result));
            else if (kind < 4) printf("old format %d: %s\n", version, ZSTD_getErrorName(result));
        }
    }
}

int main(int argc, char **argv) {
    const char *name = argc == 2 ? argv[1] : "";
    if (strcmp(name, "levels") == 0) levels();
    else if (strcmp(name, "streaming") == 0) streaming();
    else if (strcmp(name, "dictionary") == 0) dictionary();
    else if (strcmp(name, "frames") == 0) frames();
    else {
        fprintf(stderr, "usage: %s levels|streaming|dictionary|frames\n", argv[0]);
        return 2;
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
