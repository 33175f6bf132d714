-- A fiber waits for a file descriptor while others run.
local ffi = require('ffi')
local fiber = require('fiber')
local socket = require('socket')

ffi.cdef([[
    int pipe(int descriptors[2]);
    int close(int descriptor);
    ssize_t read(int descriptor, void *buffer, size_t size);
    ssize_t write(int descriptor, const void *buffer, size_t size);
]])

local ends = ffi.new('int[2]')
assert(ffi.C.pipe(ends) == 0)
local reader, writer = ends[0], ends[1]
local buffer = ffi.new('char[16]')

print('nothing to read', '[' .. socket.iowait(reader, 'R', 0.01) .. ']')
print('room to write', socket.iowait(writer, 'W', 10), socket.iowait(writer, 'RW', 10))
print('as numbers', socket.iowait(reader, 1, 0.01), socket.iowait(writer, 2, 10), socket.iowait(writer, 3, 10))
print('in small letters', socket.iowait(writer, 'rw', 10), socket.iowait(writer, 'WR', 10))

local began = fiber.clock()
fiber.new(function()
    fiber.sleep(0.02)
    ffi.C.write(writer, 'x', 1)
end)
print('what comes later', socket.iowait(reader, 'R', 10), fiber.clock() - began < 5)
print('without a timeout', socket.iowait(reader, 'R'))
print('at once', socket.iowait(reader, 'R', 0))
ffi.C.read(reader, buffer, 16)
print('no longer', '[' .. socket.iowait(reader, 'R', 0) .. ']')

-- Others run meanwhile, even when there is nothing to wait for.
local ran = false
fiber.new(function() ran = true end)
socket.iowait(writer, 'W')
print('others run', ran)

-- Two fibers wait for one descriptor.
local both = {}
for i = 1, 2 do
    both[i] = fiber.new(socket.iowait, reader, 'R', 10)
    both[i]:set_joinable(true)
end
fiber.sleep(0.01)
ffi.C.write(writer, 'y', 1)
print('two at once', both[1]:join(), both[2]:join())
ffi.C.read(reader, buffer, 16)

-- A wait that ended early does not cut short the sleep that follows.
for _ = 1, 50 do
    local early = fiber.new(socket.iowait, reader, 'R', 0.0005)
    early:set_joinable(true)
    fiber.sleep(0.0005)
    ffi.C.write(writer, 'z', 1)
    early:join()
    ffi.C.read(reader, buffer, 16)
end
began = fiber.clock()
fiber.sleep(0.02)
print('sleeps in full', fiber.clock() - began >= 0.015)

-- A wake-up ends the wait; a cancelled fiber gets an error.
local woken = fiber.new(function() return '[' .. socket.iowait(reader, 'R') .. ']' end)
woken:set_joinable(true)
fiber.sleep(0.01)
woken:wakeup()
print('woken', woken:join())
local cancelled = fiber.new(function() return pcall(socket.iowait, reader, 'R') end)
cancelled:set_joinable(true)
fiber.sleep(0.01)
cancelled:cancel()
print('cancelled', cancelled:join())

ffi.C.close(writer)
print('the other end is gone', socket.iowait(reader, 'R', 10))
ffi.C.close(reader)
print('not open', socket.iowait(1000000, 'R', 0.1), socket.iowait(1000000, 1, 0.1))

print('a sleep', select('#', socket.iowait(nil, nil, 0.01)))
assert(ffi.C.pipe(ends) == 0)
reader, writer = ends[0], ends[1]
for _, arguments in ipairs({
    {'x', 'R', 0.01}, {true, 'R', 0.01}, {-1, 'R', 0.01}, {nil, 'R', 0.01}, {reader, 'R', 'x'}, {reader, {}, 0.01},
    {reader, 'Q', 0.01}, {reader, '', 0.01}, {reader, 0, 0.01}, {reader, 7, 0.01}, {reader, 1.5, 0.01},
    {reader, nil, 0.01}, {reader, true, 0.01},
}) do
    print(pcall(socket.iowait, unpack(arguments, 1, 3)))
end
print(pcall(socket.iowait, tostring(writer), 2, '10'))
os.exit()
