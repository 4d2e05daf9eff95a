// Graphs: breadth-first search, Dijkstra with a heap, Floyd-Warshall, union-find, topological order, and a maze.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 600, EDGES = 3000, SMALL = 48, MAZE = 64 };

struct edge {
    int to, weight, next;
};

static struct edge edges[EDGES];
static int first[NODES], distance[NODES], queue[NODES];
static int parent[NODES], matrix[SMALL][SMALL], incoming[NODES];

static long breadth(int start) {
    int head = 0, tail = 0;
    long sum = 0;
    memset(distance, -1, sizeof distance);
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int at = queue[head++];
        sum += distance[at];
        for (int e = first[at]; e >= 0; e = edges[e].next)
            if (distance[edges[e].to] < 0) {
                distance[edges[e].to] = distance[at] + 1;
                queue[tail++] = edges[e].to;
            }
    }
    return sum;
}

struct item {
    int cost, node;
};

static struct item heap[EDGES + 1];
static int size;

static void push(struct item item) {
    int at = size++;
    for (; at > 0 && heap[(at - 1) / 2].cost > item.cost; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

static struct item pop(void) {
    struct item top = heap[0], last = heap[--size];
    int at = 0;
    for (int child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && heap[child + 1].cost < heap[child].cost)
            child++;
        if (heap[child].cost >= last.cost)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

static long shortest(int start) {
    long sum = 0;
    for (int i = 0; i < NODES; i++)
        distance[i] = INT_MAX;
    distance[start] = 0;
    push((struct item){0, start});
    while (size > 0) {
        struct item now = pop();
        if (now.cost != distance[now.node])
            continue;
        sum += now.cost;
        for (int e = first[now.node]; e >= 0; e = edges[e].next) {
            int cost = now.cost + edges[e].weight;
            if (cost < distance[edges[e].to]) {
                distance[edges[e].to] = cost;
                push((struct item){cost, edges[e].to});
            }
        }
    }
    return sum;
}

static int root(int node) {
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

static int components(int limit) {
    int count = NODES;
    for (int i = 0; i < NODES; i++)
        parent[i] = i;
    for (int i = 0; i < NODES; i++)
        for (int e = first[i]; e >= 0; e = edges[e].next)
            if (edges[e].weight < limit && root(i) != root(edges[e].to)) {
                parent[root(i)] = root(edges[e].to);
                count--;
            }
    return count;
}

static long all_pairs(int seed) {
    long sum = 0;
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < SMALL; j++)
            matrix[i][j] = i == j ? 0 : (i * 31 + j * 17 + seed) % 101 + 1;
    for (int k = 0; k < SMALL; k++)
        for (int i = 0; i < SMALL; i++)
            for (int j = 0; j < SMALL; j++)
                if (matrix[i][k] + matrix[k][j] < matrix[i][j])
                    matrix[i][j] = matrix[i][k] + matrix[k][j];
    for (int i = 0; i < SMALL; i++)
        sum += matrix[i][seed % SMALL];
    return sum;
}

static char maze[MAZE][MAZE];

static int reach(int x, int y) {
    if (x < 0 || y < 0 || x >= MAZE || y >= MAZE || maze[y][x])
        return 0;
    maze[y][x] = 1;
    return 1 + reach(x + 1, y) + reach(x - 1, y) + reach(x, y + 1) + reach(x, y - 1);
}

static int fill(unsigned seed) {
    for (int y = 0; y < MAZE; y++)
        for (int x = 0; x < MAZE; x++) {
            seed = seed * 1664525 + 1013904223;
            maze[y][x] = seed >> 30 == 0;
        }
    maze[32][32] = 0;
    return reach(32, 32);
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    unsigned random = 1;
    memset(first, -1, sizeof first);
    for (int e = 0; e < EDGES; e++) {
        random = random * 1664525 + 1013904223;
        int from = random % NODES;
        edges[e] = (struct edge){(random >> 12) % NODES, (random >> 24) + 1, first[from]};
        first[from] = e;
    }
    long sum = 0;
    for (int i = 0; i < repeat; i++)
        sum += breadth(i % NODES) + shortest(i * 7 % NODES) + components(i % 200) + all_pairs(i) + fill(i);
    printf("%ld\n", sum);
    return 0;
}
