-- Compiled while it runs: C calls back into it, errors and coroutines leave C's frames, fork() copies it.
local ffi = require("ffi")
ffi.cdef("void qsort(void *base, size_t count, size_t size, int (*compare)(const int *, const int *));"
    .. "int fork(void); int waitpid(int pid, int *status, int options); void _exit(int status);")

local function sum_up(n)
    return n == 0 and 0 or n + sum_up(n - 1)
end

local total = 0
for i = 1, 300000 do
    total = total + sum_up(i % 20)
end
print(total)

local compare = ffi.cast("int (*)(const int *, const int *)", function(left, right)
    return left[0] - right[0]
end)
for _ = 1, 50 do
    local values = ffi.new("int[100]")
    for i = 0, 99 do
        values[i] = i * 37 % 101
    end
    ffi.C.qsort(values, 100, 4, compare)
    total = values[7]
end
print(total)

local failed = 0
for i = 1, 20000 do
    local ok = pcall(function()
        string.gsub("abc", "b", function()
            if i % 3 == 0 then
                error("left")
            end
        end)
    end)
    failed = failed + (ok and 0 or 1)
end
print(failed)

local numbers = coroutine.wrap(function()
    for i = 1, 100000 do
        coroutine.yield(i)
    end
end)
for _ = 1, 100000 do
    total = numbers()
end
print(total, #debug.traceback() > 0)
io.stdout:flush()

local child, status = ffi.C.fork(), ffi.new("int[1]")
if child == 0 then
    ffi.C._exit(sum_up(10))
end
ffi.C.waitpid(child, status, 0)
print(status[0] / 256)
os.exit(6)
