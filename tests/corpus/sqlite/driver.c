/* Runs an SQL script on a database file: driver DATABASE SCRIPT. Prints each row, the failures of single statements,
   and at the end what SQLite says about the file's integrity. A line `.reopen` in the script closes and opens the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    if (text != NULL) text[fread(text, 1, (size_t)size, file)] = '\0';
    fclose(file);
    return text;
}

static void print_value(sqlite3_stmt *statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_NULL:
            fputs("NULL", stdout);
            break;
        case SQLITE_INTEGER:
            printf("%lld", (long long)sqlite3_column_int64(statement, column));
            break;
        case SQLITE_FLOAT:
            printf("%.12g", sqlite3_column_double(statement, column));
            break;
        case SQLITE_BLOB: {
            const unsigned char *bytes = sqlite3_column_blob(statement, column);
            int count = sqlite3_column_bytes(statement, column);
            fputs("x'", stdout);
            for (int i = 0; i < count && i < 64; i++) printf("%02x", bytes[i]);
            printf("'%s", count > 64 ? "..." : "");
            break;
        }
        default:
            fputs((const char *)sqlite3_column_text(statement, column), stdout);
    }
}

/* A function and an aggregate of ours: SQLite calls back into code of another file. */
static void checksum(sqlite3_context *context, int count, sqlite3_value **values) {
    unsigned sum = 17;
    for (int i = 0; i < count; i++) {
        const unsigned char *text = sqlite3_value_text(values[i]);
        for (; text != NULL && *text != 0; text++) sum = sum * 31 + *text;
    }
    sqlite3_result_int64(context, sum);
}

static void product_step(sqlite3_context *context, int count, sqlite3_value **values) {
    double *product = sqlite3_aggregate_context(context, sizeof *product);
    if (product == NULL || count != 1) return;
    if (*product == 0) *product = 1;
    *product *= sqlite3_value_double(values[0]);
}

static void product_final(sqlite3_context *context) {
    double *product = sqlite3_aggregate_context(context, 0);
    if (product == NULL) sqlite3_result_null(context);
    else sqlite3_result_double(context, *product);
}

static int backwards(void *unused, int m, const void *a, int n, const void *b) {
    (void)unused;
    int order = memcmp(b, a, (size_t)(m < n ? m : n));
    return order != 0 ? order : n - m;
}

static sqlite3 *open_database(const char *path) {
    sqlite3 *database = NULL;
    if (sqlite3_open(path, &database) != SQLITE_OK) {
        printf("cannot open: %s\n", sqlite3_errmsg(database));
        exit(3);
    }
    sqlite3_create_function(database, "checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, checksum, NULL, NULL);
    sqlite3_create_function(database, "product", 1, SQLITE_UTF8, NULL, NULL, product_step, product_final);
    sqlite3_create_collation(database, "backwards", SQLITE_UTF8, NULL, backwards);
    return database;
}

/* Runs every statement of a text; a statement that fails is reported and the next one runs. */
static void run(sqlite3 *database, const char *sql) {
    while (*sql != '\0') {
        sqlite3_stmt *statement = NULL;
        const char *rest = NULL;
        if (sqlite3_prepare_v2(database, sql, -1, &statement, &rest) != SQLITE_OK) {
            printf("error: %s\n", sqlite3_errmsg(database));
            /* The text of a statement that cannot be compiled ends at its semicolon. */
            rest = strchr(sql, ';');
            if (rest == NULL) return;
            sql = rest + 1;
            continue;
        }
        sql = rest;
        if (statement == NULL) continue;
        int status;
        while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
            int columns = sqlite3_column_count(statement);
            for (int i = 0; i < columns; i++) {
                if (i > 0) putchar('|');
                print_value(statement, i);
            }
            putchar('\n');
        }
        if (status != SQLITE_DONE) printf("error: %s\n", sqlite3_errmsg(database));
        sqlite3_finalize(statement);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s DATABASE SCRIPT\n", argv[0]);
        return 2;
    }
    char *script = read_file(argv[2]);
    if (script == NULL) {
        fprintf(stderr, "cannot read %s\n", argv[2]);
        return 2;
    }
    sqlite3 *database = open_database(argv[1]);
    for (char *part = script; part != NULL;) {
        char *mark = strstr(part, "\n.reopen\n");
        if (mark != NULL) *mark = '\0';
        run(database, part);
        part = NULL;
        if (mark != NULL) {
            part = mark + strlen("\n.reopen\n");
            if (sqlite3_close(database) != SQLITE_OK) printf("error: the database does not close\n");
            database = open_database(argv[1]);
        }
    }
    run(database, "PRAGMA integrity_check; PRAGMA page_count; PRAGMA freelist_count;");
    printf("changes %d\n", sqlite3_total_changes(database));
    int status = sqlite3_close(database);
    free(script);
    printf("memory left %lld\n", (long long)sqlite3_memory_used());
    return status == SQLITE_OK ? 0 : 1;
}
