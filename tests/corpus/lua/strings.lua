-- Strings: patterns, gsub with every kind of replacement, format, pack, utf8, byte work, number parsing.
print(("hello world"):find("o w"), ("hello"):find("l+"), ("a.b"):find(".", 2, true), ("x"):find("y"))
print(("key = value # note"):match("^(%w+)%s*=%s*(%w+)%s*#%s*(.-)$"))
print(("2024-11-20T23:59:58"):match("(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)"))
print(("f(a(b)c)d(e)"):match("%b()"), ("THE (quick) fox"):find("%((%a+)%)"))
print(("hello world from lua"):gsub("(%w+) (%w+)", "%2 %1"))
print(("hello"):gsub("", "-"))
print(("$name is $age; $missing"):gsub("%$(%w+)", { name = "Ann", age = 30 }))
print(("abc"):gsub("%w", function(c) if c ~= "b" then return c:upper() .. c end end))
print(("x = 1, y = 22, z = 333"):gsub("%d+", function(d) return #d end, 2))
for word, number in ("a1 b22 c333"):gmatch("(%a)(%d+)") do io.write(word, "=", number, ";") end
print()
for at in ("banana"):gmatch("()an") do io.write(at, " ") end
print()
print(("THE END"):lower(), ("  trim me  "):match("^%s*(.-)%s*$") .. "|", ("%f[%w]%w+"):len())
print((("one two  three"):gsub("%f[%w]%w+", string.upper)))
print(string.format("%5d|%-5d|%05d|%+d|%x|%X|%#o|%c|%%", 42, 42, 42, 42, 255, 255, 8, 65))
print(string.format("%.3f|%10.2f|%-10.1f|%e|%g|%g|%a", 3.14159, 2.5, 2.25, 12345.678, 1e20, 0.1, 0.5))
print(string.format("%q", 'a "quoted"\n\0line\\'), string.format("%q", 1 / 3), string.format("%-8s|%8.3s|", "ab", "abcdef"))
print(("abc"):rep(3, "-"), ("abc"):reverse(), ("abc"):sub(-2), ("abc"):byte(1, -1))
print(string.char(76, 117, 97), #("\u{48}\u{20AC}\u{1F600}"), "\x41\65\z
       B", '\'')
local packed = string.pack("<i4 >i2 z s1 d B", -2, 513, "zero", "len", 1.5, 255)
print(#packed, string.unpack("<i4 >i2 z s1 d B", packed))
print(string.packsize("i4 i8 !8 d"), pcall(string.unpack, "i4", "abc"))
print(utf8.char(72, 228, 8364, 128512), utf8.len("häß€"), utf8.codepoint("€", 1), utf8.offset("aä€", 3))
for p, c in utf8.codes("aä€") do io.write(p, ":", c, " ") end
print(utf8.len("\xff"))
print(tonumber("0x1p4"), tonumber("  12  "), tonumber("1e1"), tonumber("zz", 36), tonumber("8", 8), tonumber("0x"), tonumber("1 2"))
print(10 .. 20, "10" + 5, "0x10" * 2, "3" // 1, 7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 % 2, 1e15, 2^53, 1e100)
print(math.maxinteger, math.mininteger, math.maxinteger + 1 == math.mininteger, 5 // 0.0, -5 % math.huge, 0 / 0 ~= 0 / 0)
print(3 == 3.0, math.type(3), math.type(3.0), math.type("3"), 1 < 1.5, "a" < "b", "Z" < "a", "" < "a")
print(0xff & 0x0f, 1 | 6, 5 ~ 3, ~0, 1 << 62, 1 << 64, -1 >> 60, pcall(function() return "7" & 3 end))
print(math.floor(-3.5), math.ceil(3.2), math.tointeger(4.0), math.fmod(-7, 3), math.ult(1, -1), math.abs(-4), math.max(1, 5, 3))
print(pcall(math.floor, "x"), tostring(nil), tostring(-0.0), 100000000000000, 1e14)
local long = {}
for i = 1, 300 do long[#long + 1] = string.format("%03d:%s", i, ("x"):rep(i % 17)) end
local text = table.concat(long, ",")
local n, total = 0, 0
for number, body in text:gmatch("(%d+):(x*)") do n = n + tonumber(number); total = total + #body end
print(#text, n, total, select(2, text:gsub("x+,", "")))
local h = 5381
for i = 1, #text do h = (h * 33 ~ text:byte(i)) & 0xffffffff end
print(h)
