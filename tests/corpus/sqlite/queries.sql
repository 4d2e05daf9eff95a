-- Joins, indexes, aggregates, subqueries, set operations, window functions and recursive queries.
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author(id), title TEXT, year INTEGER, price REAL);
CREATE TABLE sale (book INTEGER, day TEXT, amount INTEGER);
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
  INSERT INTO author SELECT i, 'Author ' || char(65 + i * 7 % 26) || i, 1900 + i * 13 % 100 FROM n;
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
  INSERT INTO book SELECT i, 1 + i * 31 % 67, printf('Book %04d %s', i, substr('abcdefghij', i % 10, 3)), 1950 + i * 17 % 70, i * 7 % 100 / 4.0 FROM n;
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
  INSERT INTO sale SELECT 1 + i * 7919 % 1500, date('2020-01-01', (i % 730) || ' days'), i % 9 FROM n;

SELECT count(*), sum(price), avg(price), min(title), max(year), total(year), group_concat(DISTINCT year / 10) FROM book WHERE id < 40;
SELECT a.name, count(*), round(avg(b.price), 3) FROM author a JOIN book b ON b.author = a.id GROUP BY a.id HAVING count(*) > 22 ORDER BY 2 DESC, 1 LIMIT 8;
SELECT count(*) FROM book b LEFT JOIN author a ON a.id = b.author WHERE a.id IS NULL;
SELECT count(*) FROM author a FULL JOIN book b ON b.author = a.id;
CREATE INDEX book_author ON book(author, year DESC);
CREATE INDEX book_title ON book(title COLLATE NOCASE) WHERE year > 1980;
CREATE UNIQUE INDEX sale_place ON sale(book, day, amount, rowid) ;
CREATE INDEX sale_day ON sale(day, amount);
CREATE INDEX book_expression ON book(price * 2 + year);
ANALYZE;
EXPLAIN QUERY PLAN SELECT a.name FROM author a JOIN book b ON b.author = a.id WHERE b.year > 2000 AND a.born < 1950;
EXPLAIN QUERY PLAN SELECT title FROM book WHERE year > 1990 AND title = 'x' COLLATE NOCASE;
SELECT a.name, b.title, sum(s.amount) FROM author a JOIN book b ON b.author = a.id JOIN sale s ON s.book = b.id
  WHERE b.year BETWEEN 1990 AND 1999 AND s.day >= '2020-06-01' GROUP BY b.id ORDER BY 3 DESC, 2 LIMIT 6;
SELECT id FROM book WHERE price * 2 + year = 2000.5 ORDER BY id LIMIT 5;
SELECT year, count(*) FROM book WHERE author IN (SELECT id FROM author WHERE born < 1910) GROUP BY year ORDER BY year LIMIT 5;
SELECT name FROM author a WHERE NOT EXISTS (SELECT 1 FROM book b WHERE b.author = a.id AND b.price > 24) ORDER BY name LIMIT 4;
SELECT (SELECT max(title) FROM book b WHERE b.author = a.id), a.id FROM author a WHERE a.id IN (3, 5, 7) ORDER BY a.id DESC;
SELECT year FROM book WHERE id < 50 EXCEPT SELECT year FROM book WHERE id BETWEEN 20 AND 50 UNION SELECT 1 INTERSECT SELECT year FROM book ORDER BY 1;
SELECT CASE WHEN price < 5 THEN 'cheap' WHEN price < 15 THEN 'fair' ELSE 'dear' END AS class, count(*) FROM book GROUP BY class ORDER BY class;

SELECT id, price, rank() OVER w, dense_rank() OVER w, row_number() OVER w, ntile(3) OVER w, lag(id, 1, -1) OVER w, lead(price) OVER w
  FROM book WHERE id < 12 WINDOW w AS (ORDER BY price, id);
SELECT year, sum(price) OVER (PARTITION BY year % 3 ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW),
  first_value(id) OVER (PARTITION BY year % 3 ORDER BY id), nth_value(id, 2) OVER (PARTITION BY year % 3 ORDER BY id),
  percent_rank() OVER (ORDER BY year), cume_dist() OVER (ORDER BY year) FROM book WHERE id < 15;
SELECT sum(amount) FILTER (WHERE amount > 4) OVER (ORDER BY day RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM sale WHERE book = 77;

WITH RECURSIVE fib(a, b) AS (VALUES(0, 1) UNION ALL SELECT b, a + b FROM fib WHERE b < 1000000) SELECT group_concat(a, ' ') FROM fib;
WITH RECURSIVE edge(x, y) AS (VALUES(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)), reach(n) AS (VALUES(1) UNION SELECT y FROM edge JOIN reach ON x = n)
  SELECT group_concat(n) FROM (SELECT n FROM reach ORDER BY n);
WITH RECURSIVE
  xaxis(x) AS (VALUES(-2.0) UNION ALL SELECT x + 0.1 FROM xaxis WHERE x < 1.0),
  yaxis(y) AS (VALUES(-1.0) UNION ALL SELECT y + 0.2 FROM yaxis WHERE y < 1.0),
  m(iter, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM xaxis, yaxis UNION ALL
    SELECT iter + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m WHERE (x * x + y * y) < 4.0 AND iter < 20),
  m2(iter, cx, cy) AS (SELECT max(iter), cx, cy FROM m GROUP BY cx, cy),
  a(t) AS (SELECT group_concat(substr(' .+*#', 1 + min(iter / 5, 4), 1), '') FROM m2 GROUP BY cy)
  SELECT rtrim(t) FROM a;

CREATE VIEW recent AS SELECT b.*, a.name FROM book b JOIN author a ON a.id = b.author WHERE year > 2010;
SELECT count(*), min(name), max(title) FROM recent WHERE price > 10;
SELECT product(id), checksum(group_concat(title)) FROM book WHERE id < 9;
SELECT title FROM book WHERE id < 30 ORDER BY title COLLATE backwards LIMIT 3;
SELECT name FROM author WHERE name LIKE '%r _3%' ESCAPE '\' OR name GLOB '*[X-Z]?' ORDER BY name;
SELECT * FROM nowhere;
SELECT nothing FROM book;
SELECT 1 +;
SELECT max(1, 2, 3), coalesce(NULL, 4), iif(1 > 2, 'a', 'b'), nullif(3, 3), typeof(1.0), quote('it''s'), hex('az'), instr('hello', 'l'), unicode('€');
SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name;
