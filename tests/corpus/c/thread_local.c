/* Thread-local variables of several models, in one thread and in a second one. */
#include <pthread.h>
#include <stdio.h>

static _Thread_local int local = 7;
_Thread_local int zeroed[4];
static __thread const char *text __attribute__((tls_model("local-exec"))) = "start";
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *address(void) { return &local; }

static int bump(int by) {
    static _Thread_local int calls;
    calls++;
    local += by;
    zeroed[calls & 3] += local;
    return calls;
}

static void *work(void *argument) {
    for (int i = 0; i < 100; i++) {
        bump(i);
        pthread_mutex_lock(&lock);
        shared += 3;
        pthread_mutex_unlock(&lock);
    }
    text = "changed";
    *(int *)argument = local + zeroed[1] + *address();
    return NULL;
}

int main(void) {
    pthread_t thread;
    int result = 0;
    bump(5);
    if (pthread_create(&thread, NULL, work, &result) != 0) return 3;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        shared += 7;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    *address() += 1000;
    int calls = bump(1);
    printf("%d %d %d %d %d %s\n", result, shared, local, zeroed[2], calls, text);
    return 0;
}
