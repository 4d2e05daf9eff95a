-- Big numbers, matrices, primes and other arithmetic in plain Lua: long loops over integers and floats.
local BASE = 10000000
local function big(n) local r = {} repeat r[#r + 1] = n % BASE; n = n // BASE until n == 0 return r end
local function add(a, b)
  local r, carry = {}, 0
  for i = 1, math.max(#a, #b) do
    local s = (a[i] or 0) + (b[i] or 0) + carry
    r[i] = s % BASE; carry = s // BASE
  end
  if carry > 0 then r[#r + 1] = carry end
  return r
end
local function mul(a, b)
  local r = {}
  for i = 1, #a + #b do r[i] = 0 end
  for i = 1, #a do
    local carry = 0
    for j = 1, #b do
      local p = a[i] * b[j] + r[i + j - 1] + carry
      r[i + j - 1] = p % BASE; carry = p // BASE
    end
    r[i + #b] = r[i + #b] + carry
  end
  while #r > 1 and r[#r] == 0 do r[#r] = nil end
  return r
end
local function show(a)
  local parts = { tostring(a[#a]) }
  for i = #a - 1, 1, -1 do parts[#parts + 1] = string.format("%07d", a[i]) end
  return table.concat(parts)
end
local factorial = big(1)
for i = 2, 120 do factorial = mul(factorial, big(i)) end
print(show(factorial))
local x, y = big(0), big(1)
for _ = 1, 500 do x, y = y, add(x, y) end
print(show(x))
local power = big(3)
for _ = 1, 8 do power = mul(power, power) end
print(show(power))

local function digits_of_pi(count)
  local length = count * 10 // 3 + 1
  local a, out, nines, pending = {}, {}, 0, 0
  for i = 1, length do a[i] = 2 end
  for _ = 1, count do
    local q = 0
    for i = length, 1, -1 do
      local v = 10 * a[i] + q * i
      a[i] = v % (2 * i - 1); q = v // (2 * i - 1)
    end
    a[1] = q % 10; q = q // 10
    if q == 9 then nines = nines + 1
    elseif q == 10 then
      out[#out + 1] = pending + 1
      for _ = 1, nines do out[#out + 1] = 0 end
      pending, nines = 0, 0
    else
      out[#out + 1] = pending
      for _ = 1, nines do out[#out + 1] = 9 end
      pending, nines = q, 0
    end
  end
  return table.concat(out)
end
print(digits_of_pi(120))

local n = 24
local m1, m2, m3 = {}, {}, {}
for i = 1, n do
  m1[i], m2[i], m3[i] = {}, {}, {}
  for j = 1, n do m1[i][j] = (i * j) % 7 + 0.5; m2[i][j] = (i + j) % 5 - 1.25 end
end
for i = 1, n do
  for j = 1, n do
    local s = 0
    for k = 1, n do s = s + m1[i][k] * m2[k][j] end
    m3[i][j] = s
  end
end
local trace = 0
for i = 1, n do trace = trace + m3[i][i] end
print(trace, m3[1][n], m3[n][1])

local composite, primes = {}, 0
for i = 2, 30000 do
  if not composite[i] then
    primes = primes + 1
    for j = i * i, 30000, i do composite[j] = true end
  end
end
print("primes", primes)

local function queens(n)
  local solutions, columns, up, down = 0, {}, {}, {}
  local function place(row)
    if row > n then solutions = solutions + 1 return end
    for c = 1, n do
      if not columns[c] and not up[row + c] and not down[row - c + n] then
        columns[c], up[row + c], down[row - c + n] = true, true, true
        place(row + 1)
        columns[c], up[row + c], down[row - c + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return solutions
end
print("queens", queens(7))

local seed = 1
local inside = 0
for _ = 1, 20000 do
  seed = (seed * 6364136223846793005 + 1442695040888963407)
  local u = (seed >> 11) / (1 << 53)
  seed = (seed * 6364136223846793005 + 1442695040888963407)
  local v = (seed >> 11) / (1 << 53)
  if u * u + v * v < 1 then inside = inside + 1 end
end
print(inside, math.sqrt(2), math.sin(1), math.exp(1), math.log(10, 2), math.pi, 2^0.5, math.atan(1, 2))
print(7 // 0.3, 7 % 0.3, -2^2, 2^-1, 1e308 * 10, -1e308 * 10)
for i = 3, 1, -1 do io.write(i, " ") end
for i = 1.0, 2.0, 0.25 do io.write(i, " ") end
for i = math.maxinteger - 1, math.maxinteger do io.write(i, " ") end
print(pcall(function() for i = 1, 2, 0 do end end))
