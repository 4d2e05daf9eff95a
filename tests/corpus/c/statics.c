/* State that outlives calls: statics in functions, globals of all kinds, constant tables, pointers between them, sections. */
#include <stdio.h>
#include <string.h>

static int counter(void) {
    static int count = 41;
    return ++count;
}

static const char *name_of(int month) {
    static const char *const names[] = {"jan", "feb", "mar", "apr"};
    static char buffer[16];
    if (month < 0 || month > 3) {
        sprintf(buffer, "month %d", month);
        return buffer;
    }
    return names[month];
}

int zeroed[8];
int partly[5] = {1, 2};
const double table[3][2] = {{1.5, 2.5}, {3.5}};
static struct Link { const char *label; struct Link *next; int *where; } links[] = {
    {"first", &links[1], &partly[1]}, {"second", &links[2], zeroed + 3}, {"third", 0, &zeroed[7]}};
__attribute__((aligned(64))) static char buffer[10] = "0123456789";
__attribute__((section(".data.special"))) int placed = 77;
extern int forward;
static int *const to_forward = &forward;
int forward = 12;
static const unsigned char bytes[] = {0xff, 0, 1, [10] = 7};
char common[3];
static long difference = (long)sizeof table;
static int (*operation)(void) = counter;
const char *const shared_text = "shared tail", *const tail = "tail";
static volatile int lowered = 3;

__attribute__((constructor)) static void early(void) { zeroed[0] = 5; }
__attribute__((destructor)) static void late(void) { printf("late %d\n", zeroed[0]); }

static int fibonacci(int n) {
    static int known[40];
    if (n < 2) return n;
    if (known[n] != 0) return known[n];
    return known[n] = fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
    counter();
    printf("%d %d %d\n", counter(), operation(), counter());
    printf("%s %s", name_of(2), name_of(9));
    printf(" %s\n", name_of(-1));
    for (struct Link *l = links; l != NULL; l = l->next) {
        *l->where += 10;
        printf("%s %d ", l->label, *l->where);
    }
    printf("\n%d %d %d\n", zeroed[3], zeroed[7], partly[1]);
    printf("%.1f %.1f %ld %d %d\n", table[1][0], table[2][1], difference, placed, *to_forward);
    *to_forward = 13;
    printf("%d %d %zu %d\n", forward, bytes[10], sizeof bytes, ((unsigned long)buffer & 63) == 0);
    lowered--;
    while (lowered-- > 0) common[lowered] = (char)('a' + lowered);
    printf("%s %.10s %s %s\n", common, buffer, shared_text, tail);
    printf("%d\n", fibonacci(35));
    zeroed[0]++;
    return 0;
}
