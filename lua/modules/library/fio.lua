-- The module `fio`: files and directories. Calls block the thread for as long as the system takes.
--
-- What fails answers with false or nil, and an error object that has the system's `errno`.

local native = ...
local failure = require('lycosa.fio_failure')
local files = require('lycosa.fio_file')(native)

local fail = failure.fail
local constants = native.constants
local type, tostring, error, select = type, tostring, error, select

local fio = {c = constants, path = {}}

local function check(condition, usage)
    if not condition then
        error('Usage: ' .. usage, 3)
    end
end

-- A path that the system can take: text without a zero byte.
local function path_of(value, usage)
    if type(value) == 'number' then
        value = tostring(value)
    end
    if type(value) ~= 'string' or value:find('%z') then
        error('Usage: ' .. usage, 3)
    end
    return value
end

-- The number of the flags given by number, by name, or as a list of names.
local function combine(value, names, kind, caller)
    if type(value) == 'number' then
        return value
    elseif type(value) ~= 'table' then
        value = {value}
    end
    local result = 0
    for _, name in ipairs(value) do
        local bits = names[name]
        if bits == nil then
            error(('fio.%s(): unknown %s: %s'):format(caller, kind, tostring(name)), 3)
        end
        result = bit.bor(result, bits)
    end
    return result
end

local DEFAULT_FILE_MODE, DEFAULT_DIRECTORY_MODE = tonumber('666', 8), tonumber('777', 8)

function fio.open(path, flags, mode)
    path = path_of(path, 'fio.open(path[, flags[, mode]])')
    flags = combine(flags or 'O_RDONLY', constants.flag, 'flag', 'open')
    mode = combine(mode or DEFAULT_FILE_MODE, constants.mode, 'mode', 'open')
    local descriptor, number = native.open(path, bit.bor(flags, constants.flag.O_CLOEXEC), mode)
    if descriptor == nil then
        return nil, fail(number)
    end
    return files.adopt(descriptor)
end

--- Text of paths.

function fio.pathjoin(...)
    local count = select('#', ...)
    local parts = {}
    for position = 1, count do
        local part = select(position, ...)
        if part == nil then
            error(('fio.pathjoin(): undefined path part %d'):format(position), 2)
        end
        part = tostring(part)
        if part ~= '' then
            parts[#parts + 1] = part
        end
    end
    local joined = table.concat(parts, '/'):gsub('/+', '/')
    if #joined > 1 then
        joined = joined:gsub('/$', '')
    end
    return joined == '' and '.' or joined
end

function fio.basename(path, suffix)
    check(type(path) == 'string', 'fio.basename(path[, suffix])')
    local name = path:match('[^/]*$')
    if type(suffix) == 'string' and name:endswith(suffix) then
        name = name:sub(1, #name - #suffix)
    end
    return name
end

function fio.dirname(path)
    check(type(path) == 'string', 'fio.dirname(path)')
    local stripped = path:gsub('/+$', '')
    if stripped == '' then
        return path:sub(1, 1) == '/' and '/' or '.'
    end
    local parent = stripped:match('^(.*)/[^/]*$')
    if parent == nil then
        return '.'
    end
    parent = parent:gsub('/+$', '')
    return parent == '' and '/' or parent
end

function fio.abspath(path)
    path = path_of(path, 'fio.abspath(path)')
    if path:sub(1, 1) ~= '/' then
        path = fio.pathjoin(fio.cwd(), path)
    end
    local parts = {}
    for part in path:gmatch('[^/]+') do
        if part == '..' then
            parts[#parts] = nil
        elseif part ~= '.' then
            parts[#parts + 1] = part
        end
    end
    return '/' .. table.concat(parts, '/')
end

--- Calls that take a path or two.

-- `negative` is what a failure answers with beside its error.
local function result_of(negative, value, number)
    if value == nil then
        return negative, fail(number)
    end
    return value
end

for _, name in ipairs({'rmdir', 'unlink'}) do
    local call, usage = native[name], ('fio.%s(path)'):format(name)
    fio[name] = function(path)
        path = path_of(path, usage)
        return result_of(false, call(path))
    end
end

for _, name in ipairs({'rename', 'symlink', 'link'}) do
    local call, usage = native[name], ('fio.%s(from, to)'):format(name)
    fio[name] = function(from, to)
        from, to = path_of(from, usage), path_of(to, usage)
        return result_of(false, call(from, to))
    end
end

function fio.readlink(path)
    path = path_of(path, 'fio.readlink(path)')
    return result_of(nil, native.readlink(path))
end

function fio.mkdir(path, mode)
    path = path_of(path, 'fio.mkdir(pathname[, mode])')
    mode = combine(mode or DEFAULT_DIRECTORY_MODE, constants.mode, 'mode', 'mkdir')
    return result_of(false, native.mkdir(path, mode))
end

function fio.chmod(path, mode)
    path = path_of(path, 'fio.chmod(path, mode)')
    check(mode ~= nil, 'fio.chmod(path, mode)')
    mode = combine(mode, constants.mode, 'mode', 'chmod')
    return result_of(false, native.chmod(path, mode))
end

-- Owners are numbers, or names that the module `pwd` knows.
function fio.chown(path, user, group)
    path = path_of(path, 'fio.chown(path, owner, group)')
    check(user ~= nil and group ~= nil, 'fio.chown(path, owner, group)')
    local pwd = require('pwd')
    if type(user) == 'string' then
        local entry = pwd.getpw(user)
        if entry == nil then
            error('fio.chown(): unknown user: ' .. user, 2)
        end
        user = entry.id
    end
    if type(group) == 'string' then
        local entry = pwd.getgr(group)
        if entry == nil then
            error('fio.chown(): unknown group: ' .. group, 2)
        end
        group = entry.id
    end
    return result_of(false, native.chown(path, user, group))
end

function fio.truncate(path, length)
    path = path_of(path, 'fio.truncate(path[, length])')
    check(length == nil or type(length) == 'number', 'fio.truncate(path[, length])')
    local file, err = fio.open(path, {'O_WRONLY'})
    if file == nil then
        return false, err
    end
    local ok, problem = file:truncate(length or 0)
    file:close()
    if not ok then
        return false, problem
    end
    return true
end

function fio.utime(path, access, change)
    path = path_of(path, 'fio.utime(filepath[, atime[, mtime]])')
    check(access == nil or type(access) == 'number', 'fio.utime(filepath[, atime[, mtime]])')
    check(change == nil or type(change) == 'number', 'fio.utime(filepath[, atime[, mtime]])')
    access = access or require('clock').realtime()
    return result_of(false, native.utime(path, access, change or access))
end

function fio.umask(mask)
    if mask == nil then
        local present = native.umask(0)
        native.umask(present)
        return present
    end
    check(type(mask) == 'number', 'fio.umask(mode)')
    return native.umask(bit.band(mask, DEFAULT_DIRECTORY_MODE))
end

function fio.sync()
    return native.sync()
end

function fio.chdir(path)
    path = path_of(path, 'fio.chdir(path)')
    return (result_of(false, native.chdir(path)))
end

function fio.cwd()
    return result_of(nil, native.cwd())
end

function fio.tempdir()
    return result_of(nil, native.tempdir())
end

--- What there is.

function fio.stat(path)
    path = path_of(path, 'fio.stat(pathname)')
    return files.status(native.status(path, true))
end

function fio.lstat(path)
    path = path_of(path, 'fio.lstat(pathname)')
    return files.status(native.status(path, false))
end

function fio.listdir(path)
    path = path_of(path, 'fio.listdir(path)')
    return result_of(nil, native.listdir(path))
end

local function add_test(name, of_link, test)
    fio.path[name] = function(path)
        local status = type(path) == 'string' and native.status(path, not of_link)
        return status ~= nil and status ~= false and (test == nil or test(files.status(status)))
    end
end

add_test('exists', false)
add_test('lexists', true)
add_test('is_file', false, function(status) return status:is_reg() end)
add_test('is_dir', false, function(status) return status:is_dir() end)
add_test('is_link', true, function(status) return status:is_link() end)

require('lycosa.fio_trees')(fio, path_of)

return fio
