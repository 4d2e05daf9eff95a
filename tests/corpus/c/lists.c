/* Data structures on the heap: lists, trees, hash tables, heaps, graphs; everything is freed again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Tree { struct Tree *left, *right; int key, count; } Tree;

static Tree *insert(Tree *tree, int key) {
    Tree **place = &tree;
    while (*place != NULL) {
        if ((*place)->key == key) {
            (*place)->count++;
            return tree;
        }
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    }
    *place = calloc(1, sizeof(Tree));
    if (*place == NULL) abort();
    (*place)->key = key;
    return tree;
}

static Tree *take(Tree *tree, int key) {
    if (tree == NULL) return NULL;
    if (key != tree->key) {
        if (key < tree->key) tree->left = take(tree->left, key);
        else tree->right = take(tree->right, key);
        return tree;
    }
    if (tree->left == NULL || tree->right == NULL) {
        Tree *rest = tree->left != NULL ? tree->left : tree->right;
        free(tree);
        return rest;
    }
    Tree *least = tree->right;
    while (least->left != NULL) least = least->left;
    tree->key = least->key, tree->count = least->count;
    tree->right = take(tree->right, least->key);
    return tree;
}

static int depth(const Tree *tree) {
    if (tree == NULL) return 0;
    int l = depth(tree->left), r = depth(tree->right);
    return 1 + (l > r ? l : r);
}

static unsigned walk(const Tree *tree, unsigned h) {
    for (; tree != NULL; tree = tree->right) {
        h = walk(tree->left, h);
        h = h * 31 + (unsigned)(tree->key * 7 + tree->count);
    }
    return h;
}

typedef struct Entry { struct Entry *next; char key[12]; int value; } Entry;
static Entry *buckets[37];

static Entry **find(const char *key) {
    unsigned h = 0;
    for (const char *p = key; *p; p++) h = h * 131 + (unsigned char)*p;
    Entry **place = &buckets[h % 37];
    while (*place != NULL && strcmp((*place)->key, key) != 0) place = &(*place)->next;
    return place;
}

typedef struct List { struct List *next; int value; } List;

static List *merge(List *a, List *b) {
    List head, *last = &head;
    for (; a != NULL && b != NULL; last = last->next) {
        if (a->value <= b->value) last->next = a, a = a->next;
        else last->next = b, b = b->next;
    }
    last->next = a != NULL ? a : b;
    return head.next;
}

static List *sort(List *list) {
    if (list == NULL || list->next == NULL) return list;
    List *slow = list, *fast = list->next;
    while (fast != NULL && (fast = fast->next) != NULL) slow = slow->next, fast = fast->next;
    List *second = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(second));
}

enum { N = 12 };
static int shortest(int weights[N][N], int from, int to) {
    int best[N], done[N] = {0};
    for (int i = 0; i < N; i++) best[i] = 1 << 20;
    best[from] = 0;
    for (;;) {
        int at = -1;
        for (int i = 0; i < N; i++)
            if (!done[i] && (at < 0 || best[i] < best[at])) at = i;
        if (at < 0 || best[at] == 1 << 20) break;
        if (at == to) return best[at];
        done[at] = 1;
        for (int i = 0; i < N; i++)
            if (weights[at][i] > 0 && best[at] + weights[at][i] < best[i]) best[i] = best[at] + weights[at][i];
    }
    return -1;
}

int main(void) {
    unsigned seed = 17;
    Tree *tree = NULL;
    for (int i = 0; i < 400; i++) tree = insert(tree, (int)((seed = seed * 1103515245u + 12345u) >> 20) % 300);
    printf("%d %u\n", depth(tree), walk(tree, 1));
    for (int i = 0; i < 300; i += 2) tree = take(tree, i);
    printf("%d %u\n", depth(tree), walk(tree, 1));
    while (tree != NULL) tree = take(tree, tree->key);
    for (int i = 0; i < 200; i++) {
        char key[12];
        sprintf(key, "key%d", i * i % 61);
        Entry **place = find(key);
        if (*place == NULL) {
            *place = calloc(1, sizeof(Entry));
            strcpy((*place)->key, key);
        }
        (*place)->value += i;
    }
    int total = 0, chains = 0;
    for (int i = 0; i < 37; i++) {
        while (buckets[i] != NULL) {
            Entry *entry = buckets[i];
            total = total * 3 + entry->value & 0xffffff;
            buckets[i] = entry->next;
            free(entry);
            chains++;
        }
    }
    printf("%d %d\n", total, chains);
    List *list = NULL;
    for (int i = 0; i < 100; i++) {
        List *node = malloc(sizeof *node);
        *node = (List){list, i * 7919 % 101};
        list = node;
    }
    list = sort(list);
    int ordered = 1, sum = 0;
    for (List *node = list; node != NULL; node = node->next) {
        if (node->next != NULL && node->next->value < node->value) ordered = 0;
        sum = sum * 5 + node->value & 0xfffff;
    }
    while (list != NULL) {
        List *rest = list->next;
        free(list);
        list = rest;
    }
    printf("%d %d\n", ordered, sum);
    int weights[N][N] = {{0}};
    for (int i = 0; i < N; i++)
        for (int k = 1; k < 4; k++) weights[i][(i * k + k) % N] = i + k;
    for (int to = 0; to < N; to++) printf("%d ", shortest(weights, 1, to));
    printf("\n");
    return 0;
}
