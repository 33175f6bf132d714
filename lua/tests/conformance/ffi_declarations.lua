-- Types and functions of the system are there without a declaration.
local ffi = require('ffi')

for _, name in ipairs({'pid_t', 'uid_t', 'gid_t', 'ssize_t', 'time_t', 'socklen_t'}) do
    print(name, ffi.sizeof(name), tonumber(ffi.cast(name, -1)) < 0 and 'signed' or 'unsigned')
end

print('getpid', ffi.C.getpid() > 0, ffi.C.getpid() == ffi.C.getpid())
print('getuid', ffi.C.getuid() >= 0)
print('strerror', ffi.string(ffi.C.strerror(2)))
print('setenv', ffi.C.setenv('LYCOSA_TEST', 'value', 1), os.getenv('LYCOSA_TEST'))
print('memcmp', ffi.C.memcmp('abc', 'abd', 2), ffi.C.memcmp('abc', 'abd', 3) < 0)
local text = 'find the needle'
local found = ffi.cast('const char *', ffi.C.memmem(text, #text, 'needle', 6))
print('memmem', ffi.string(found, 6), ffi.C.memmem(text, #text, 'pin', 3) == nil)
io.flush()
print('write', ffi.C.write(1, 'bytes\n', 6) == 6)

-- Scripts may declare them again, in their own words.
print('again', pcall(ffi.cdef, [[
    typedef int pid_t;
    pid_t fork(void);
    pid_t getpid(void);
    int kill(pid_t pid, int signal);
    ssize_t read(int fd, void *buf, size_t count);
    ssize_t write(int fildes, const void *buf, size_t nbyte);
]]))
print('kill', ffi.C.kill(ffi.C.getpid(), 0))
local pipe = ffi.new('int[2]')
ffi.cdef('int pipe(int fildes[2]);')
print('pipe', ffi.C.pipe(pipe), tonumber(ffi.C.write(pipe[1], 'through', 7)))
local buffer = ffi.new('char[16]')
local size = tonumber(ffi.C.read(pipe[0], buffer, 16))
print('read', size, ffi.string(buffer, size))
os.exit()
