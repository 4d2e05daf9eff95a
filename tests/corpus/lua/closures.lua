-- Closures, upvalues shared and fresh per iteration, varargs, recursion, tail calls, goto.
local function accumulator(start)
  local total = start
  return function(n) total = total + n; return total end, function() return total end
end
local add, get = accumulator(10)
add(5); add(7)
print(add(1), get())

local fs = {}
for i = 1, 5 do fs[i] = function() i = i * 2; return i end end
for i = 1, 5 do io.write(fs[i](), " ", fs[i](), " ") end
print()

local function count(...) return select("#", ...), ... end
print(count(), count(nil, nil), (count(1, 2, 3)))
print(table.pack(count(nil, 4)).n, select(-1, 1, 2, 3), table.unpack({ 1, 2, 3 }, 2))

local function compose(f, ...)
  if not f then return function(...) return ... end end
  local rest = compose(...)
  return function(...) return f(rest(...)) end
end
print(compose(function(x) return x + 1 end, function(x) return x * 10 end, function(a, b) return a - b end)(9, 4))

local function sum(n, acc) if n == 0 then return acc end return sum(n - 1, acc + n) end
print(sum(100000, 0))
local function ackermann(m, n)
  if m == 0 then return n + 1 elseif n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end
print(ackermann(2, 9))

for i = 1, 3 do
  for j = 1, 3 do
    if i == j then goto next_outer end
    if j == 3 then goto continue end
    io.write(i, ":", j, " ")
    ::continue::
  end
  ::next_outer::
end
print()

do
  local function Y(f) return (function(x) return x(x) end)(function(x) return f(function(...) return x(x)(...) end) end) end
  print(Y(function(self) return function(n) return n < 2 and n or self(n - 1) + self(n - 2) end end)(15))
end

local c = new_counter(5)
print(c(), c(10), c(-3), c())
local log = {}
do
  local a <close> = setmetatable({}, { __close = function(_, e) log[#log + 1] = "a " .. tostring(e) end })
  local b <const> = 42
  local d <close> = setmetatable({}, { __close = function() log[#log + 1] = "d " .. b end })
end
print(table.concat(log, ", "))
