-- Tables and metatables: classes, operators, proxies, weak tables, sorting, moving, garbage collection.
local Vector = {}
Vector.__index = Vector
function Vector.new(...) return setmetatable({ ... }, Vector) end
function Vector.__add(a, b) local r = {} for i = 1, #a do r[i] = a[i] + b[i] end return Vector.new(table.unpack(r)) end
function Vector.__mul(a, b)
  if type(a) == "number" then a, b = b, a end
  if type(b) == "number" then local r = {} for i = 1, #a do r[i] = a[i] * b end return Vector.new(table.unpack(r)) end
  local s = 0 for i = 1, #a do s = s + a[i] * b[i] end return s
end
Vector.__unm = function(a) return a * -1 end
Vector.__eq = function(a, b) for i = 1, math.max(#a, #b) do if a[i] ~= b[i] then return false end end return true end
Vector.__lt = function(a, b) return a * a < b * b end
Vector.__le = function(a, b) return a * a <= b * b end
Vector.__tostring = function(a) return "(" .. table.concat(a, ", ") .. ")" end
Vector.__concat = function(a, b) return tostring(a) .. tostring(b) end
Vector.__len = function(a) return 3 end
Vector.__call = function(a, i) return rawget(a, i) end
Vector.__idiv = function() return "idiv" end
Vector.__band = function() return "band" end
Vector.__shl = function() return "shl" end
Vector.__bnot = function() return "bnot" end
local a, b = Vector.new(1, 2, 3), Vector.new(4, 5, 6)
print(tostring(a + b), a * b, tostring(2 * a), tostring(-a), a == Vector.new(1, 2, 3), a < b, a >= b, a .. b, a .. "!", a(2))
print(a // 1, a & 1, 1 << a, ~a, #a, rawlen(a), rawequal(a, a), a.missing)

local Animal = {} Animal.__index = Animal
function Animal.new(name) return setmetatable({ name = name }, Animal) end
function Animal:speak() return self.name .. " makes " .. self:sound() end
function Animal:sound() return "a noise" end
local Dog = setmetatable({}, { __index = Animal }) Dog.__index = Dog
function Dog.new(name) return setmetatable(Animal.new(name), Dog) end
function Dog:sound() return "woof" end
print(Animal.new("it"):speak(), Dog.new("Rex"):speak())

local seen = {}
local proxy = setmetatable({}, {
  __index = function(_, k) seen[#seen + 1] = "get " .. tostring(k); return k end,
  __newindex = function(t, k, v) seen[#seen + 1] = "set " .. tostring(k); rawset(t, k, v) end,
  __pairs = function() return function(_, k) k = (k or 0) + 1; if k < 4 then return k, k * k end end, nil, nil end,
})
local _ = proxy.x; proxy.y = 1; proxy.y = 2; _ = proxy[1]
for k, v in pairs(proxy) do seen[#seen + 1] = k .. "=" .. v end
print(table.concat(seen, " "))

local state = 42
local function random(n) state = (state * 1103515245 + 12345) & 0x7fffffff; return state % n + 1 end
local list = {}
for i = 1, 2000 do list[i] = random(100000) end
local copy = table.move(list, 1, #list, 1, {})
table.sort(copy)
for i = 2, #copy do assert(copy[i - 1] <= copy[i]) end
local words = {}
for i = 1, 200 do words[i] = string.char(96 + random(26), 96 + random(26)) .. i end
table.sort(words, function(x, y) if x:sub(1, 1) ~= y:sub(1, 1) then return x:sub(1, 1) > y:sub(1, 1) end return x < y end)
print(copy[1], copy[1000], copy[2000], words[1], words[100], words[200])
print(pcall(table.sort, { 3, 1, "x" }))

local function quicksort(t, lo, hi)
  if lo >= hi then return end
  local pivot, i, j = t[(lo + hi) // 2], lo, hi
  while i <= j do
    while t[i] < pivot do i = i + 1 end
    while t[j] > pivot do j = j - 1 end
    if i <= j then t[i], t[j] = t[j], t[i]; i = i + 1; j = j - 1 end
  end
  quicksort(t, lo, j); quicksort(t, i, hi)
end
quicksort(list, 1, #list)
local same = true
for i = 1, #list do same = same and list[i] == copy[i] end
print("sorted alike", same)

local t = { 10, 20, 30, nil, 50, n = 5 }
table.insert(t, 1, 5); table.remove(t, 2)
print(t[1], t[2], #{ 1, 2, 3 }, next({}), table.concat({ 1, 2, 3 }, "-", 2, 3), table.unpack({ 1, 2 }, 1, 3))
local mixed = {}
for i = 1, 100 do mixed[i] = i; mixed["k" .. i] = i; mixed[i + 0.5] = i end
for i = 1, 100, 3 do mixed[i] = nil; mixed["k" .. i] = nil end
local count, sum = 0, 0
for _, v in pairs(mixed) do count = count + 1; sum = sum + v end
print(count, sum)

local weak = setmetatable({}, { __mode = "k" })
local finalized = 0
for i = 1, 100 do
  local key = setmetatable({}, { __gc = function() finalized = finalized + 1 end })
  weak[key] = i
end
collectgarbage(); collectgarbage()
print("finalized", finalized, "left", next(weak))
collectgarbage("generational")
local keep = {}
for round = 1, 30 do
  local garbage = {}
  for i = 1, 500 do garbage[i] = { i, tostring(i), { round } } end
  keep[round] = garbage[round]
end
collectgarbage("incremental")
collectgarbage("step", 100)
print(keep[7][1], keep[7][2], keep[30][3][1], collectgarbage("count") < 20000)
