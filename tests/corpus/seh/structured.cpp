// Structured exceptions: filters that look into the frame, handlers of the end, both nested, and what leaves a block early.

extern "C" int printf(const char *, ...);
extern "C" unsigned long _exception_code();
int outside(int);
int filter(unsigned long, int *);

int simple(int *place) {
  __try {
    return *place;
  } __except (_exception_code() == 0xc0000005 ? 1 : 0) {
    return -1;
  }
}

int looks_at_the_frame(int n) {
  int tries = 0, values[3] = {n, n + 1, n + 2};
  __try {
    values[1] = outside(values[0]);
    values[2] = outside(values[1]);
  } __except (filter(_exception_code(), values) + (tries = n)) {
    printf("%d %d\n", values[0], tries);
  }
  return values[1] + values[2] + tries;
}

int at_the_end(int n) {
  int open = 1;
  __try {
    if (n > 10) return outside(n);
    outside(n + 1);
    open++;
  } __finally {
    open -= outside(open);
  }
  return open;
}

int both(int n) {
  int state = 0;
  for (int i = 0; i < n; i++) {
    __try {
      __try {
        state += outside(i);
        if (state > 100) break;
        if (state < 0) continue;
      } __finally {
        state ^= 1;
        if (_abnormal_termination()) printf("left at %d\n", i);
      }
    } __except (state > i) {
      state = -state;
      __leave_early:
      if (state == 5) return state;
    }
  }
  return state;
}

int leaves(int n) {
  int result = 0;
  __try {
    result = outside(n);
    if (result == 3) __leave;
    result = outside(result);
  } __except (1) {
    result = -2;
  }
  return result;
}
