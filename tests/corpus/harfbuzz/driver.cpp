// Shapes text with a font that is made here, and asks the library about characters, sets, tags and outlines.
//
// usage: harfbuzz shape|characters|sets|names|outlines|tables

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "hb-ot.h"
#include "hb.h"

namespace {

/// Bytes in the order of fonts.
struct Bytes {
  std::string text;
  Bytes &u8(unsigned n) { return text.push_back(static_cast<char>(n)), *this; }
  Bytes &u16(unsigned n) { return u8(n >> 8 & 255).u8(n & 255); }
  Bytes &u32(unsigned n) { return u16(n >> 16).u16(n & 0xffff); }
  hb_blob_t *blob() const {
    return hb_blob_create(text.data(), static_cast<unsigned>(text.size()), HB_MEMORY_MODE_DUPLICATE, nullptr, nullptr);
  }
};

constexpr unsigned GLYPHS = 0x700;

/// The glyph of a character: most of the first blocks of Unicode, modulo their number.
unsigned glyph_of(unsigned character) { return character % (GLYPHS - 1) + 1; }

void add(hb_face_t *builder, const char *tag, const Bytes &bytes) {
  hb_blob_t *blob = bytes.blob();
  hb_face_builder_add_table(builder, HB_TAG(tag[0], tag[1], tag[2], tag[3]), blob);
  hb_blob_destroy(blob);
}

/// A ligature of f and i.
Bytes substitutions() {
  Bytes gsub;
  gsub.u16(1).u16(0).u16(10).u16(44).u16(58);
  gsub.u16(1).u32(HB_TAG('D', 'F', 'L', 'T')).u16(8);
  gsub.u16(4).u16(0).u16(0).u16(0xffff).u16(1).u16(0).u16(0).u16(0).u16(0).u16(0).u16(0);
  gsub.text.resize(44);
  gsub.u16(1).u32(HB_TAG('l', 'i', 'g', 'a')).u16(8).u16(0).u16(1).u16(0);
  gsub.text.resize(58);
  gsub.u16(1).u16(4).u16(4).u16(0).u16(1).u16(8);
  gsub.u16(1).u16(18).u16(1).u16(8).u16(1).u16(4).u16(GLYPHS - 1).u16(2).u16(glyph_of('i'));
  gsub.u16(1).u16(1).u16(glyph_of('f'));
  return gsub;
}

hb_face_t *make_face() {
  hb_face_t *builder = hb_face_builder_create();
  Bytes head, hhea, maxp, hmtx, cmap, glyf, loca;
  head.u32(0x10000).u32(0x10000).u32(0).u32(0x5f0f3cf5).u16(0).u16(1000).u32(0).u32(0).u32(0).u32(0);
  head.u16(0).u16(0).u16(1000).u16(1000).u16(0).u16(8).u16(2).u16(1).u16(0);
  hhea.u32(0x10000).u16(800).u16(static_cast<unsigned>(-200)).u16(90).u16(1000);
  for (int i = 0; i < 11; i++) hhea.u16(0);
  hhea.u16(GLYPHS);
  maxp.u32(0x10000).u16(GLYPHS);
  for (int i = 0; i < 13; i++) maxp.u16(1);
  for (unsigned glyph = 0; glyph < GLYPHS; glyph++) {
    hmtx.u16(300 + glyph % 400).u16(glyph % 50);
    loca.u32(static_cast<unsigned>(glyf.text.size()));
    unsigned x = 100 + glyph % 300, y = 50 + glyph % 700;
    // A triangle whose second edge is a curve.
    glyf.u16(1).u16(0).u16(0).u16(x).u16(y).u16(3).u16(0).u8(1).u8(1).u8(0).u8(1);
    glyf.u16(0).u16(x).u16(0).u16(0x10000 - x).u16(0).u16(y / 2).u16(y - y / 2).u16(0x10000 - y);
    if (glyf.text.size() % 2) glyf.u8(0);
  }
  loca.u32(static_cast<unsigned>(glyf.text.size()));
  Bytes groups;
  unsigned count = 0;
  for (unsigned start = 1; start < 0x20000; count++) {
    unsigned end = start + (GLYPHS - 1 - glyph_of(start));
    groups.u32(start).u32(end).u32(glyph_of(start));
    start = end + 1;
  }
  cmap.u16(0).u16(1).u16(3).u16(10).u32(12).u16(12).u16(0).u32(16 + 12 * count).u32(0).u32(count);
  cmap.text += groups.text;
  add(builder, "head", head);
  add(builder, "hhea", hhea);
  add(builder, "maxp", maxp);
  add(builder, "hmtx", hmtx);
  add(builder, "cmap", cmap);
  add(builder, "glyf", glyf);
  add(builder, "loca", loca);
  add(builder, "GSUB", substitutions());
  hb_blob_t *file = hb_face_reference_blob(builder);
  hb_face_t *face = hb_face_create(file, 0);
  hb_blob_destroy(file);
  hb_face_destroy(builder);
  return face;
}

struct Hash {
  uint64_t value = 14695981039346656037u;
  void operator()(uint64_t n) { value = (value ^ n) * 1099511628211u; }
};

constexpr const char *TEXTS[] = {
    "office affirms fi f i",
    "e\u0301 \u00e9 o\u0302\u0323 \u1ed9",
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0650\u0633\u0652\u0645\u0650 \u0644\u0627",
    "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd (abc) 123",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f \u0930\u094d\u0915",
    "\u09ac\u09be\u0982\u09b2\u09be \u0995\u09cb\u09a8 \u0bae\u0bca\u0bb4\u0bbf \u0c95\u0ccb",
    "\u0e01\u0e33\u0e19\u0e49\u0e33 \u0e9e\u0eb3",
    "\u1019\u103c\u1014\u103a\u1019\u102c \u1780\u17d2\u1798\u17c2\u179a \u1782\u17d2\u179a\u17bf",
    "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab \u1100\u1160",
    "\u1820\u1828\u180b\u182d \u0f56\u0f7c\u0f51\u0f0b\u0f66\u0f90\u0f51 \ua9b2\ua9c0\ua9a4",
    "a\u200db\u200cc\u00ad \u2044 1\u20442 \u202e\ufe0f",
};

void shape() {
  hb_face_t *face = make_face();
  hb_font_t *font = hb_font_create(face);
  printf("%u glyphs, %u per em\n", hb_face_get_glyph_count(face), hb_face_get_upem(face));
  hb_feature_t features[2];
  hb_feature_from_string("-liga[3:9]", -1, &features[0]);
  hb_feature_from_string("kern=0", -1, &features[1]);
  for (const char *text : TEXTS) {
    for (unsigned wanted = 0; wanted < 3; wanted++) {
      hb_buffer_t *buffer = hb_buffer_create();
      hb_buffer_set_flags(buffer, static_cast<hb_buffer_flags_t>(HB_BUFFER_FLAG_BOT | HB_BUFFER_FLAG_EOT | HB_BUFFER_FLAG_VERIFY));
      hb_buffer_add_utf8(buffer, text, -1, 0, -1);
      hb_buffer_guess_segment_properties(buffer);
      if (wanted == 2) hb_buffer_set_direction(buffer, HB_DIRECTION_TTB);
      hb_shape(font, buffer, features, wanted);
      char line[4096];
      hb_buffer_serialize_glyphs(buffer, 0, hb_buffer_get_length(buffer), line, sizeof line, nullptr, font,
                                 wanted ? HB_BUFFER_SERIALIZE_FORMAT_JSON : HB_BUFFER_SERIALIZE_FORMAT_TEXT,
                                 static_cast<hb_buffer_serialize_flags_t>(HB_BUFFER_SERIALIZE_FLAG_GLYPH_EXTENTS | HB_BUFFER_SERIALIZE_FLAG_GLYPH_FLAGS));
      Hash hash;
      for (const char *c = line; *c; c++) hash(static_cast<unsigned char>(*c));
      printf("%u glyphs, %016llx %.100s\n", hb_buffer_get_length(buffer), static_cast<unsigned long long>(hash.value), line);
      hb_buffer_destroy(buffer);
    }
  }
  hb_font_destroy(font);
  hb_face_destroy(face);
}

void characters() {
  hb_unicode_funcs_t *functions = hb_unicode_funcs_get_default();
  for (unsigned block = 0; block < 0x20000; block += 0x1000) {
    Hash hash;
    unsigned composed = 0, decomposed = 0;
    for (unsigned c = block; c < block + 0x1000; c++) {
      hash(hb_unicode_general_category(functions, c));
      hash(hb_unicode_combining_class(functions, c));
      hash(hb_unicode_mirroring(functions, c));
      hash(hb_unicode_script(functions, c));
      hb_codepoint_t a, b, back;
      if (hb_unicode_decompose(functions, c, &a, &b)) {
        decomposed++;
        hash(a * 31 + b);
        if (hb_unicode_compose(functions, a, b, &back) && back == c) composed++;
      }
    }
    printf("%05x: %016llx, %u of %u composed again\n", block, static_cast<unsigned long long>(hash.value), composed, decomposed);
  }
}

void sets() {
  hb_set_t *odd = hb_set_create(), *large = hb_set_create();
  for (unsigned n = 1; n < 30000; n += 2) hb_set_add(odd, n * n % 65521);
  hb_set_add_range(large, 5000, 40000);
  hb_set_del_range(large, 7000, 7100);
  auto show = [](const char *name, const hb_set_t *set) {
    Hash hash;
    hb_codepoint_t first = HB_SET_VALUE_INVALID, last = HB_SET_VALUE_INVALID;
    unsigned ranges = 0;
    for (; hb_set_next_range(set, &first, &last); ranges++) hash(first * 65536ull + last);
    printf("%s: %u in %u ranges, %u to %u, %016llx\n", name, hb_set_get_population(set), ranges, hb_set_get_min(set),
           hb_set_get_max(set), static_cast<unsigned long long>(hash.value));
  };
  show("odd", odd);
  show("large", large);
  void (*const operations[])(hb_set_t *, const hb_set_t *) = {hb_set_union, hb_set_intersect, hb_set_subtract, hb_set_symmetric_difference};
  for (auto operation : operations) {
    hb_set_t *copy = hb_set_copy(odd);
    operation(copy, large);
    show("result", copy);
    hb_set_invert(copy);
    printf("%d %d %u\n", hb_set_is_subset(copy, odd), hb_set_is_equal(copy, odd), hb_set_hash(copy));
    hb_set_destroy(copy);
  }
  hb_map_t *map = hb_map_create();
  for (unsigned n = 0; n < 5000; n++) hb_map_set(map, n * 2654435761u, n);
  for (unsigned n = 0; n < 5000; n += 3) hb_map_del(map, n * 2654435761u);
  uint64_t sum = 0;
  for (unsigned n = 0; n < 6000; n++) sum += hb_map_get(map, n * 2654435761u) % 10007;
  printf("%u left, sum %llu\n", hb_map_get_population(map), static_cast<unsigned long long>(sum));
  hb_map_destroy(map);
  hb_set_destroy(odd);
  hb_set_destroy(large);
}

void names() {
  for (const char *tag : {"en", "de-CH-1996", "zh-Hant-HK", "ar-x-hbotabcd", "fa", "mn-Mong", "x-hbsc-41424344", "sr-Latn-RS"}) {
    hb_language_t language = hb_language_from_string(tag, -1);
    hb_tag_t scripts[4], languages[4];
    unsigned script_count = 4, language_count = 4;
    hb_ot_tags_from_script_and_language(HB_SCRIPT_ARABIC, language, &script_count, scripts, &language_count, languages);
    printf("%s:", hb_language_to_string(language));
    for (unsigned i = 0; i < script_count; i++) printf(" %08x", scripts[i]);
    for (unsigned i = 0; i < language_count; i++) printf(" %08x", languages[i]);
    printf("\n");
  }
  for (const char *text : {"kern", "+liga", "-calt[2:]", "aalt[3:5]=2", "\"ss01\"=off", "bad tag", "smcp[:]=", ""}) {
    hb_feature_t feature;
    char back[128] = "no feature";
    if (hb_feature_from_string(text, -1, &feature)) hb_feature_to_string(&feature, back, sizeof back);
    hb_variation_t variation;
    char value[128] = "no variation";
    if (hb_variation_from_string(text, -1, &variation)) hb_variation_to_string(&variation, value, sizeof value);
    printf("%s: %s, %s\n", text, back, value);
  }
  for (unsigned script = 0; script < 26; script++) {
    hb_script_t found = hb_script_from_iso15924_tag(HB_TAG('A' + script, 'r', 'a', 'b'));
    printf("%08x %s\n", found, hb_direction_to_string(hb_script_get_horizontal_direction(found)));
  }
}

struct Path {
  std::string text;
};

void outlines() {
  hb_face_t *face = make_face();
  hb_font_t *font = hb_font_create(face);
  hb_font_set_scale(font, 2048, 1024);
  hb_font_set_synthetic_slant(font, 0.25f);
  hb_draw_funcs_t *draw = hb_draw_funcs_create();
  hb_draw_funcs_set_move_to_func(draw, [](hb_draw_funcs_t *, void *data, hb_draw_state_t *, float x, float y, void *) {
    static_cast<Path *>(data)->text += "M" + std::to_string(x) + "," + std::to_string(y);
  }, nullptr, nullptr);
  hb_draw_funcs_set_line_to_func(draw, [](hb_draw_funcs_t *, void *data, hb_draw_state_t *, float x, float y, void *) {
    static_cast<Path *>(data)->text += "L" + std::to_string(x) + "," + std::to_string(y);
  }, nullptr, nullptr);
  hb_draw_funcs_set_quadratic_to_func(draw, [](hb_draw_funcs_t *, void *data, hb_draw_state_t *, float a, float b, float x, float y, void *) {
    static_cast<Path *>(data)->text += "Q" + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(x) + "," + std::to_string(y);
  }, nullptr, nullptr);
  for (unsigned glyph : {0u, 1u, 77u, 500u, 1790u, 5000u}) {
    Path path;
    hb_font_draw_glyph(font, glyph, draw, &path);
    hb_glyph_extents_t extents = {};
    bool known = hb_font_get_glyph_extents(font, glyph, &extents);
    char name[64];
    hb_font_glyph_to_string(font, glyph, name, sizeof name);
    printf("%s: advance %d, %d: %d %d %d %d, %s\n", name, hb_font_get_glyph_h_advance(font, glyph), known, extents.x_bearing,
           extents.y_bearing, extents.width, extents.height, path.text.c_str());
  }
  hb_draw_funcs_destroy(draw);
  hb_font_destroy(font);
  hb_face_destroy(face);
}

/// Tables in which bytes are wrong must be refused or read within their bounds.
void tables() {
  hb_face_t *face = make_face();
  hb_blob_t *file = hb_face_reference_blob(face);
  unsigned length;
  const char *data = hb_blob_get_data(file, &length);
  printf("%u bytes, %u faces\n", length, hb_face_count(file));
  hb_tag_t tags[16];
  unsigned count = 16;
  printf("%u tables\n", hb_face_get_table_tags(face, 0, &count, tags));
  uint64_t state = 1;
  for (int round = 0; round < 60; round++) {
    std::string broken(data, length);
    for (int i = 0; i < 4; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at = (state >> 33) % (round % 2 ? 400 : length);
      broken[at] = static_cast<char>(state >> 20);
    }
    hb_blob_t *blob = hb_blob_create(broken.data(), length - round % 5 * 100, HB_MEMORY_MODE_READONLY, nullptr, nullptr);
    hb_face_t *other = hb_face_create(blob, 0);
    hb_font_t *font = hb_font_create(other);
    hb_buffer_t *buffer = hb_buffer_create();
    hb_buffer_add_utf8(buffer, TEXTS[round % 5], -1, 0, -1);
    hb_buffer_guess_segment_properties(buffer);
    hb_shape(font, buffer, nullptr, 0);
    unsigned glyphs;
    hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &glyphs);
    Hash hash;
    for (unsigned i = 0; i < glyphs; i++) hash(infos[i].codepoint);
    hb_set_t *characters = hb_set_create();
    hb_face_collect_unicodes(other, characters);
    printf("%u glyphs of %u, %016llx, %u characters\n", glyphs, hb_face_get_glyph_count(other),
           static_cast<unsigned long long>(hash.value), hb_set_get_population(characters));
    hb_set_destroy(characters);
    hb_buffer_destroy(buffer);
    hb_font_destroy(font);
    hb_face_destroy(other);
    hb_blob_destroy(blob);
  }
  hb_blob_destroy(file);
  hb_face_destroy(face);
}

}  // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "shape") shape();
  else if (mode == "characters") characters();
  else if (mode == "sets") sets();
  else if (mode == "names") names();
  else if (mode == "outlines") outlines();
  else if (mode == "tables") tables();
  else return 2;
}
