// Exceptions without landing pads: handlers by type, destructors, rethrown and nested exceptions, and functions that may not throw.

extern "C" int printf(const char *, ...);
extern "C" void *malloc(__SIZE_TYPE__);
extern "C" void free(void *);
int outside(int);
int quiet(int) noexcept;

struct Error {
  Error(int code) : code(code) {}
  Error(const Error &other);
  virtual ~Error();
  virtual const char *what() const;
  int code;
};

struct Worse : Error {
  using Error::Error;
  const char *what() const override;
};

struct Guard {
  explicit Guard(int *place) : place(place) { ++*place; }
  ~Guard() { --*place; outside(*place); }
  int *place;
};

int by_type(int n) {
  int depth = 0;
  try {
    Guard guard(&depth);
    return outside(n);
  } catch (const Worse &worse) {
    return worse.code * 2 + depth;
  } catch (const Error &error) {
    printf("%s\n", error.what());
    return error.code;
  } catch (int number) {
    return -number;
  } catch (...) {
    return 1000;
  }
}

int nested(int n) {
  int result = 0;
  try {
    try {
      result += outside(n);
      if (result > 3) throw Worse(result);
    } catch (Worse copy) {
      try {
        Guard guard(&result);
        outside(copy.code);
      } catch (long) {
        result += 7;
      }
      if (copy.code > 10) throw;
      throw Error(copy.code + 1);
    }
    result *= 2;
  } catch (Error &error) {
    result += error.code;
  }
  return result;
}

int in_loop(const int *numbers, int count) {
  int sum = 0, failed = 0;
  for (int i = 0; i < count; i++) {
    try {
      Guard guard(&failed);
      if (numbers[i] == 0) continue;
      if (numbers[i] < 0) break;
      sum += outside(numbers[i]);
    } catch (int code) {
      sum -= code;
      if (code > 100) return sum;
    } catch (...) {
      failed++;
    }
  }
  return sum * 31 + failed;
}

int may_not(int n) noexcept {
  Guard guard(&n);
  return outside(n) + quiet(n);
}

struct Tree {
  Tree *left, *right;
  Guard guard;
  Tree(int depth, int *count) : left(nullptr), right(nullptr), guard(count) {
    if (depth > 0) {
      left = new Tree(depth - 1, count);
      try {
        right = new Tree(depth - 1, count);
      } catch (...) {
        delete left;
        throw;
      }
    }
  }
  ~Tree() {
    delete left;
    delete right;
  }
  void *operator new(__SIZE_TYPE__ size) { return malloc(size); }
  void operator delete(void *pointer) { free(pointer); }
};

int trees(int depth) {
  int count = 0;
  try {
    Tree tree(depth, &count);
    return outside(count);
  } catch (Error &) {
    return count;
  }
}

int function_block(int n) try {
  Guard guards[] = {Guard(&n), Guard(&n), Guard(&n)};
  return outside(guards[1].place[0]);
} catch (int code) {
  return code + n;
}
