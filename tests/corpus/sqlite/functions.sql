-- JSON, full-text search, R-trees, dates, numbers, text, blobs, and what else is compiled in.
SELECT json('{"a": [1, 2.5, "x", null, true], "b": {"c": -7}}'), json_valid('{"a":}'), json_type('[1]', '$[0]');
SELECT json_extract('{"a": [1, 2, {"k": "v"}]}', '$.a[2].k'), '{"a": [10, 20]}' -> '$.a[1]', '{"t": "x"}' ->> 't', '[1,2,3]' ->> -1;
SELECT json_set('{"a": 1}', '$.b', json('[1,2]'), '$.a', 9), json_remove('[0,1,2,3]', '$[1]', '$[1]'), json_patch('{"a":1,"b":2}', '{"b":null,"c":3}');
SELECT key, value, type, path FROM json_tree('{"a": [true, {"b": 1.5}], "c": "d"}');
SELECT json_group_array(value * 2), json_group_object(key, value) FROM json_each('{"x": 1, "y": 2, "z": 3}');
SELECT json_error_position('[1, 2,, 3]'), json_quote('a"b'), json_array_length('[1,[2,3]]'), json('{a: 0x1F, /* five */ ''b'': .5,}');

CREATE VIRTUAL TABLE note USING fts5(title, body, tokenize = 'porter unicode61');
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
  INSERT INTO note SELECT 'note ' || i, 'graph region number ' || i || CASE i % 3 WHEN 0 THEN ' running loops' WHEN 1 THEN ' branches and states' ELSE ' Café nodes' END FROM n;
SELECT count(*) FROM note WHERE note MATCH 'run AND loop';
SELECT rowid, highlight(note, 1, '<', '>') FROM note WHERE note MATCH 'body: "number 42" OR cafe* NOT region' ORDER BY rowid LIMIT 3;
SELECT rowid, round(bm25(note), 6) FROM note WHERE note MATCH 'branch NEAR state' ORDER BY rank, rowid LIMIT 3;
SELECT snippet(note, 1, '[', ']', '…', 4) FROM note WHERE note MATCH 'states' LIMIT 2;
DELETE FROM note WHERE rowid % 5 = 0;
INSERT INTO note(note) VALUES ('optimize');
INSERT INTO note(note) VALUES ('integrity-check');
SELECT count(*) FROM note WHERE note MATCH 'loops OR nodes';
CREATE VIRTUAL TABLE old_note USING fts4(body, tokenize = porter);
INSERT INTO old_note(body) VALUES ('the quick brown fox'), ('jumps over the lazy dog'), ('quickly jumping foxes');
SELECT docid, offsets(old_note), snippet(old_note) FROM old_note WHERE old_note MATCH 'quick OR jump*';

CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
  INSERT INTO box SELECT i, i * 37 % 200, i * 37 % 200 + 5, i * 53 % 300, i * 53 % 300 + 8 FROM n;
SELECT count(*), sum(id) FROM box WHERE x0 >= 20 AND x1 <= 60 AND y0 >= 100 AND y1 <= 180;
DELETE FROM box WHERE id % 7 = 3;
SELECT id, x0, y1 FROM box WHERE x0 < 3 AND y0 < 100 ORDER BY id;
SELECT rtreecheck('box');

SELECT date('2024-02-28', '+2 days'), time('12:34:56.789', '+90 minutes'), datetime(0, 'unixepoch'), julianday('2000-01-01'), strftime('%j %W %w %s %f', '2023-07-04 01:02:03.456');
SELECT date('2024-01-31', '+1 month'), date('2024-05-15', 'start of year', 'weekday 1'), timediff('2024-03-01', '2023-12-25'), unixepoch('2001-09-09 01:46:40');
SELECT 7 / 2, -7 / 2, 7 % -3, 7.0 / 2, 1 / 0, 9223372036854775807 + 1, -9223372036854775808, 0x10, 1e3, .5, 5 << 2, -1 >> 1, ~5, 6 & 3, 6 | 3;
SELECT abs(-9), round(2.567, 2), round(-2.5), sign(-3), ceil(1.2), floor(-1.2), sqrt(2), power(2, 10), ln(10), log(2, 8), sin(1), atan2(1, 2), pi(), mod(7.5, 2), degrees(1);
SELECT CAST('12abc' AS INTEGER), CAST(3.99 AS INTEGER), CAST('1e2' AS REAL), '10' + '5', '3' || 4, 1 = '1', 'a' < 'B', 'a' < 'B' COLLATE NOCASE, NULL = NULL, NULL IS NULL;
SELECT upper('straße'), lower('ÀB'), length('häß'), length(x'0011'), substr('hello', -3, 2), replace('aXbX', 'X', '--'), trim('..a..', '.'), ltrim('  b'), char(72, 8364), soundex('Robert');
SELECT printf('%d|%5d|%-5d|%05d|%+d|%x|%o|%e|%.3f|%g|%s|%10s|%-6s|%c|%%|%q|%Q|%w|%,d', 5, 5, 5, 5, 5, 255, 8, 12345.678, 3.14159, 0.0001, 'x', 'right', 'left', 'c', 'it''s', 'it''s', 'a"b', 1234567);
SELECT hex(zeroblob(4)), hex(x'DEADbeef'), quote(x'01'), unhex('4142'), concat('a', NULL, 1), concat_ws('-', 1, 2, 3), format('%s', 1.5), like('a%', 'ABC'), glob('a*', 'abc'), octet_length('€');
SELECT group_concat(x, '') FROM (SELECT DISTINCT substr('mississippi', value, 1) AS x FROM json_each('[1,2,3,4,5,6,7,8,9,10,11]') ORDER BY x);
SELECT 0.1 + 0.2, 1e308 * 10, -1e308 * 10, 1.0, 100.0, 1e15, 1e16, 123456789012345678, 1.5e-7, 4.35, 2.675, 5e-324;
SELECT name, pageno > 0, pagetype, ncell FROM dbstat WHERE name = 'box_rowid' ORDER BY path LIMIT 3;
SELECT likelihood(1, 0.5), sqlite_source_id() <> '', changes(), last_insert_rowid(), ifnull(NULL, 'd');
SELECT count(*) > 20 FROM pragma_compile_options;
SELECT * FROM pragma_table_info('box');
SELECT total(value), string_agg(value, '+') FROM generate_series(1, 5);
