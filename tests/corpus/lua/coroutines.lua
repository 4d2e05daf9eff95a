-- Coroutines: generators, producers and consumers, errors inside, wrap, close, yields across pcall and metamethods.
local function permutations(list, n)
  n = n or #list
  if n <= 1 then coroutine.yield(list) return end
  for i = 1, n do
    list[n], list[i] = list[i], list[n]
    permutations(list, n - 1)
    list[n], list[i] = list[i], list[n]
  end
end
for p in coroutine.wrap(function() permutations({ "a", "b", "c", "d" }) end) do io.write(table.concat(p), " ") end
print()

local function sieve(limit)
  local function generate() return coroutine.wrap(function() for i = 2, limit do coroutine.yield(i) end end) end
  local function filter(p, source)
    return coroutine.wrap(function() for n in source do if n % p ~= 0 then coroutine.yield(n) end end end)
  end
  local source, primes = generate(), {}
  while true do
    local p = source()
    if not p then return primes end
    primes[#primes + 1] = p
    source = filter(p, source)
  end
end
print(table.concat(sieve(200), " "))

local co = coroutine.create(function(a, b)
  local c = coroutine.yield(a + b)
  local d, e = coroutine.yield(c * 2)
  return d .. e
end)
print(coroutine.resume(co, 3, 4))
print(coroutine.status(co), coroutine.resume(co, 10))
print(coroutine.resume(co, "x", "y"))
print(coroutine.status(co), coroutine.resume(co))

local bad = coroutine.create(function() local t = nil; return t.field end)
print(coroutine.resume(bad))
print(coroutine.resume(coroutine.create(function() error({ code = 7 }) end)) == false)

local inside = coroutine.wrap(function()
  local ok, message = pcall(function()
    coroutine.yield("in pcall")
    error("thrown", 0)
  end)
  coroutine.yield(tostring(ok) .. " " .. message)
  local t = setmetatable({}, { __index = function(_, k) return coroutine.yield("index " .. k) end,
    __add = function(a, b) return coroutine.yield("add") end, __lt = function() return coroutine.yield("lt") end })
  coroutine.yield("got " .. tostring(t.key))
  coroutine.yield("got " .. tostring(t + 1))
  coroutine.yield("got " .. tostring(t < t))
  for k, v in (function() return function(_, i) if i < 3 then coroutine.yield("iter " .. i); return i + 1 end end, nil, 0 end)() do
    coroutine.yield("loop " .. k)
  end
  table.sort({ 3, 1, 2 }, function(a, b) return a < b end)
  return "end"
end)
for i = 1, 20 do
  local ok, value = pcall(inside, i)
  print(i, ok, ok and value or "dead")
  if not ok then break end
end

local closed = {}
local k = coroutine.create(function()
  local x <close> = setmetatable({}, { __close = function() closed[#closed + 1] = "closed" end })
  coroutine.yield()
end)
coroutine.resume(k)
print(coroutine.close(k), coroutine.status(k), closed[1])
print(coroutine.isyieldable(), select(2, coroutine.running()))
