// Structures of nodes from malloc: binary trees, a search tree, linked lists sorted, reversed and merged, and allocations that nobody reads.
#include <stdio.h>
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
};

static struct tree *grow(int depth) {
    struct tree *t = malloc(sizeof *t);
    t->left = depth ? grow(depth - 1) : NULL;
    t->right = depth ? grow(depth - 1) : NULL;
    return t;
}

static int count(const struct tree *t) { return t ? 1 + count(t->left) + count(t->right) : 0; }

static void fell(struct tree *t) {
    if (!t)
        return;
    fell(t->left);
    fell(t->right);
    free(t);
}

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *n, int key) {
    if (!n) {
        n = malloc(sizeof *n);
        *n = (struct node){key, NULL, NULL};
    } else if (key < n->key)
        n->left = insert(n->left, key);
    else if (key > n->key)
        n->right = insert(n->right, key);
    return n;
}

static int height(const struct node *n) {
    if (!n)
        return 0;
    int l = height(n->left), r = height(n->right);
    return 1 + (l > r ? l : r);
}

static void clear(struct node *n) {
    if (n) {
        clear(n->left);
        clear(n->right);
        free(n);
    }
}

struct list {
    struct list *next;
    int value;
};

static struct list *merge(struct list *a, struct list *b) {
    struct list head, *tail = &head;
    while (a && b) {
        struct list **least = a->value <= b->value ? &a : &b;
        tail->next = *least;
        tail = *least;
        *least = (*least)->next;
    }
    tail->next = a ? a : b;
    return head.next;
}

static struct list *sort(struct list *l) {
    if (!l || !l->next)
        return l;
    struct list *slow = l, *fast = l->next;
    while (fast && fast->next)
        slow = slow->next, fast = fast->next->next;
    struct list *half = slow->next;
    slow->next = NULL;
    return merge(sort(l), sort(half));
}

static struct list *reverse(struct list *l) {
    struct list *done = NULL;
    while (l) {
        struct list *next = l->next;
        l->next = done;
        done = l;
        l = next;
    }
    return done;
}

static int unread(int x) {
    int *p = malloc(16 * sizeof *p);
    p[0] = x;
    p[1] = p[0] + 1;
    int result = p[1];
    free(p);
    return result;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static struct list nodes[1000];
    long sum = 0;
    for (int i = 0; i < repeat; i++) {
        struct tree *t = grow(9 + i % 2);
        sum += count(t);
        fell(t);
        struct node *n = NULL;
        unsigned random = i;
        struct list *l = NULL;
        for (int k = 0; k < 1000; k++) {
            random = random * 1664525 + 1013904223;
            n = k % 2 ? insert(n, random >> 16) : n;
            nodes[k] = (struct list){l, random >> 20};
            l = &nodes[k];
        }
        sum += height(n);
        clear(n);
        l = reverse(sort(l));
        for (int k = 0; l; l = l->next)
            sum += l->value * ++k % 7;
        for (int k = 0; k < 2000; k++)
            sum += unread(k) & 1;
    }
    printf("%ld\n", sum);
    return 0;
}
