// Cuts, joins, widens and triangulates made-up polygons with Clipper2, and prints what comes out.
//
// usage: clipper boolean|trees|doubles|offsets|rectangles|triangles|errors

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>

#include "clipper2/clipper.h"
#include "clipper2/clipper.triangulation.h"

using namespace Clipper2Lib;

namespace {

struct Random {
  uint64_t state;
  int64_t operator()(int64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(bound));
  }
};

Path64 polygon(Random &random, int corners, int64_t size) {
  Path64 path;
  for (int i = 0; i < corners; i++) path.emplace_back(random(size), random(size));
  return path;
}

Paths64 polygons(Random &random, int count, int corners, int64_t size) {
  Paths64 paths;
  for (int i = 0; i < count; i++) paths.push_back(polygon(random, corners, size));
  return paths;
}

/// Squares in squares, none of which touch.
Paths64 nested(int depth, int64_t x, int64_t y) {
  Paths64 paths;
  for (int i = 0; i < depth; i++) {
    int64_t a = i * 10, b = 10 * (2 * depth - i);
    Path64 square = MakePath({x + a, y + a, x + b, y + a, x + b, y + b, x + a, y + b});
    if (i % 2) std::reverse(square.begin(), square.end());
    paths.push_back(square);
  }
  return paths;
}

void show(const char *name, const Paths64 &paths) {
  uint64_t hash = 14695981039346656037u;
  size_t corners = 0;
  for (const Path64 &path : paths) {
    for (const Point64 &point : path) {
      hash = (hash ^ static_cast<uint64_t>(point.x)) * 1099511628211u;
      hash = (hash ^ static_cast<uint64_t>(point.y)) * 1099511628211u;
      corners++;
    }
    hash = (hash ^ path.size()) * 1099511628211u;
  }
  printf("%s: %zu paths, %zu corners, area %.1f, hash %016" PRIx64 "\n", name, paths.size(), corners, Area(paths), hash);
}

void show(const char *name, const PathsD &paths) {
  size_t corners = 0;
  double sum = 0;
  for (const PathD &path : paths) {
    for (const PointD &point : path) sum += point.x * 3 - point.y;
    corners += path.size();
  }
  printf("%s: %zu paths, %zu corners, area %.3f, sum %.3f\n", name, paths.size(), corners, Area(paths), sum);
}

constexpr FillRule RULES[] = {FillRule::EvenOdd, FillRule::NonZero, FillRule::Positive, FillRule::Negative};

void boolean() {
  Random random{1};
  for (int round = 0; round < 6; round++) {
    Paths64 subject = polygons(random, 3, 5 + round * 4, 1000), clip = polygons(random, 2, 4 + round * 5, 1000);
    for (FillRule rule : RULES) {
      show("intersection", Intersect(subject, clip, rule));
      show("union", Union(subject, clip, rule));
      show("difference", Difference(subject, clip, rule));
      show("xor", Xor(subject, clip, rule));
    }
    Clipper64 clipper;
    clipper.PreserveCollinear(round % 2);
    clipper.ReverseSolution(round % 3 == 0);
    clipper.AddSubject(subject);
    clipper.AddOpenSubject(polygons(random, 4, 6, 1000));
    clipper.AddClip(clip);
    Paths64 closed, open;
    clipper.Execute(ClipType::Intersection, FillRule::NonZero, closed, open);
    show("closed", closed);
    show("open", open);
    show("sum", MinkowskiSum(nested(1, 0, 0)[0], clip[0], true));
    show("simple", SimplifyPaths(clip, 40.0));
    show("fewer", RamerDouglasPeucker(subject, 60.0));
  }
}

void trees() {
  Paths64 all = nested(5, 0, 0);
  for (const Path64 &path : nested(3, 200, 40)) all.push_back(path);
  for (FillRule rule : RULES) {
    PolyTree64 tree;
    Clipper64 clipper;
    clipper.AddSubject(all);
    clipper.Execute(ClipType::Union, rule, tree);
    std::ostringstream text;
    text << tree;
    printf("%s", text.str().c_str());
    printf("%d %.1f %d\n", static_cast<int>(tree.Count()), tree.Area(), CheckPolytreeFullyContainsChildren(tree));
    show("flat", PolyTreeToPaths64(tree));
  }
}

void doubles() {
  Random random{3};
  for (int round = 0; round < 5; round++) {
    PathsD subject, clip;
    for (const Path64 &path : polygons(random, 3, 12, 90000)) {
      subject.push_back(TransformPath<double, int64_t>(path));
      for (PointD &point : subject.back()) point = PointD(point.x / 700.0, point.y / 900.0);
    }
    clip.push_back(Ellipse(PointD(60, 50), 45.0 + round, 20.0 * round + 5, 40));
    for (int precision : {0, 2, 5}) {
      show("intersection", Intersect(subject, clip, FillRule::NonZero, precision));
      show("xor", Xor(subject, clip, FillRule::EvenOdd, precision));
    }
    PolyTreeD tree;
    ClipperD clipper(3);
    clipper.AddSubject(subject);
    clipper.AddClip(clip);
    PathsD open;
    clipper.Execute(ClipType::Difference, FillRule::EvenOdd, tree, open);
    show("tree", PolyTreeToPathsD(tree));
  }
}

void offsets() {
  Random random{4};
  constexpr JoinType JOINS[] = {JoinType::Square, JoinType::Bevel, JoinType::Round, JoinType::Miter};
  constexpr EndType ENDS[] = {EndType::Polygon, EndType::Joined, EndType::Butt, EndType::Square, EndType::Round};
  Paths64 paths = nested(2, 0, 0);
  paths.push_back(polygon(random, 7, 400));
  for (JoinType join : JOINS) {
    for (EndType end : ENDS) {
      show("wider", InflatePaths(paths, 7.5, join, end));
      show("narrower", InflatePaths(paths, -4.0, join, end));
    }
  }
  ClipperOffset offset;
  offset.AddPaths(paths, JoinType::Round, EndType::Polygon);
  Paths64 result;
  int calls = 0;
  auto by_corner = [&calls](const Path64 &path, const PathD &, size_t current, size_t) {
    calls++;
    return 2.0 + static_cast<double>(current * 10 / path.size());
  };
  offset.Execute(by_corner, result);
  show("by corner", result);
  printf("%d calls\n", calls);
}

void rectangles() {
  Random random{5};
  for (int round = 0; round < 20; round++) {
    int64_t x = random(500), y = random(500);
    Rect64 rectangle(x, y, x + 50 + random(450), y + 50 + random(450));
    Paths64 paths = polygons(random, 3, 4 + round, 1000);
    show("inside", RectClip(rectangle, paths));
    show("lines", RectClipLines(rectangle, paths));
  }
}

void triangles() {
  Random random{6};
  for (int round = 0; round < 8; round++) {
    Paths64 shape = Union(polygons(random, 3, 6 + round, 2000), FillRule::NonZero);
    for (bool delaunay : {false, true}) {
      Paths64 result;
      TriangulateResult how = Triangulate(shape, result, delaunay);
      printf("result %d\n", static_cast<int>(how));
      show("triangles", result);
    }
  }
}

template <typename Work>
void attempt(const char *name, Work work) {
  try {
    work();
    printf("%s: nothing thrown\n", name);
  } catch (const Clipper2Exception &error) {
    printf("%s: %s\n", name, error.what());
  } catch (const std::exception &error) {
    printf("%s: something else\n", name);
  }
}

void errors() {
  PathsD far = {MakePathD({0.0, 0.0, 1e15, 0.0, 1e15, 1e15})}, near = {MakePathD({0.0, 0.0, 10.0, 0.0, 10.0, 10.0})};
  attempt("precision", [&] { Union(near, FillRule::NonZero, 12); });
  attempt("range", [&] { Union(far, FillRule::NonZero, 8); });
  attempt("fine", [&] { Union(near, FillRule::NonZero, 3); });
  attempt("scale", [&] {
    int code = 0;
    ScalePath<int64_t, double>(near[0], 0.0, 1.0, code);
    printf("code %d\n", code);
  });
  attempt("odd", [&] { MakePath(std::vector<int>{1, 2, 3}); });
  attempt("offset", [&] {
    ClipperOffset offset;
    offset.AddPath(nested(1, 0, 0)[0], JoinType::Miter, EndType::Polygon);
    Paths64 result;
    offset.Execute([](const Path64 &, const PathD &, size_t current, size_t) -> double {
      if (current == 2) throw Clipper2Exception("thrown by the callback");
      return 3.0;
    }, result);
  });
}

}  // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "boolean") boolean();
  else if (mode == "trees") trees();
  else if (mode == "doubles") doubles();
  else if (mode == "offsets") offsets();
  else if (mode == "rectangles") rectangles();
  else if (mode == "triangles") triangles();
  else if (mode == "errors") errors();
  else return 2;
}
