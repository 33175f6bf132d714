-- Where `require` looks: beside LuaJIT's own places, the search root (the working directory until
-- `package.setsearchroot`), the script's folder, and `.rocks` in the search root and all folders above.

local native = ...

local LIBRARY_SUFFIX = jit.os == 'OSX' and 'dylib' or 'so'
local LUA_TEMPLATES = {'?.lua', '?/init.lua'}
local LIBRARY_TEMPLATES = {'?.' .. LIBRARY_SUFFIX}
local ROCKS_LUA_TEMPLATES = {'.rocks/share/tarantool/?.lua', '.rocks/share/tarantool/?/init.lua'}
local ROCKS_LIBRARY_TEMPLATES = {'.rocks/lib/tarantool/?.' .. LIBRARY_SUFFIX}

-- Tarantool's own modules; what is not among ours is named as missing.
local OF_TARANTOOL = [[ box buffer checks clock compat config console crypto csv datetime decimal digest errno
    experimental.config.utils.schema experimental.connpool fiber fio fun help http.client iconv
    internal.argparse jit.bc jit.dump jit.p jit.v jit.vmdef jit.zone json key_def log luadebug memprof merger
    metrics misc.getmetrics misc.memprof misc.sysprof msgpack msgpackffi net.box pickle popen pwd socket strict
    swim sysprof tap tarantool title trigger ulid uri utf8 uuid varbinary xlog yaml ]]

local root, script_folder

local function absolute(path)
    if path:sub(1, 1) ~= '/' then
        path = native.working_directory() .. '/' .. path
    end
    path = path:gsub('/%./', '/'):gsub('/%.$', ''):gsub('/+$', '')
    return path == '' and '/' or path
end

local function search_root()
    return root or native.working_directory()
end

local function add_templates(places, folder, templates)
    for _, template in ipairs(templates) do
        places[#places + 1] = (folder == '/' and '' or folder) .. '/' .. template
    end
end

local function add_beside_script(places, templates)
    if script_folder ~= nil and script_folder ~= search_root() then
        add_templates(places, script_folder, templates)
    end
end

local function in_root(templates)
    return function()
        local places = {}
        add_templates(places, search_root(), templates)
        add_beside_script(places, templates)
        return places
    end
end

local function in_folders_above(templates)
    return function()
        local places = {}
        local folder = search_root()
        while folder ~= '' and folder ~= '/' do
            add_templates(places, folder, templates)
            folder = folder:match('^(.*)/[^/]*$')
        end
        add_templates(places, '/', templates)
        add_beside_script(places, templates)
        return places
    end
end

local function open_name(name)
    return 'luaopen_' .. name:gsub('^[^-]*%-', ''):gsub('%.', '_')
end

local function load_lua(file)
    return loadfile(file)
end

local function load_library(file, name)
    return package.loadlib(file, open_name(name))
end

local function searcher(places_of)
    return function(name)
        return package.searchpath(name, table.concat(places_of(), ';'))
    end
end

local function loader(search, load_file)
    return function(name)
        local file, tried = search(name)
        if file == nil then
            return tried
        end
        local chunk, message = load_file(file, name)
        if chunk == nil then
            error(("error loading module '%s' from file '%s':\n\t%s"):format(name, file, message), 0)
        end
        return chunk
    end
end

local function explain(name)
    local names = OF_TARANTOOL:gsub('%s+', ' ')
    if names:find(' ' .. name .. ' ', 1, true) or name:match('^[^.]+') == 'experimental' then
        return ("\n\tthe module '%s' is part of Tarantool; Lycosa does not have it"):format(name)
    end
    return ("\n\tif it is a rock: tt rocks install %s; if it is a file: add its folder to LUA_PATH")
        :format(name:match('^[^.]*'))
end

local function set_paths()
    local home = os.getenv('HOME')
    local lua, libraries = {}, {}
    local function add(list, folder, templates)
        for _, template in ipairs(templates) do
            list[#list + 1] = folder .. '/' .. template
        end
    end
    if home ~= nil then
        for _, folder in ipairs({'lua/5.1', 'lua'}) do
            add(lua, home .. '/.luarocks/share/' .. folder, LUA_TEMPLATES)
            add(libraries, home .. '/.luarocks/lib/' .. folder, LIBRARY_TEMPLATES)
        end
    end
    for _, folder in ipairs({'tarantool', 'lua/5.1'}) do
        for _, prefix in ipairs({'/usr/local', '/usr'}) do
            add(lua, prefix .. '/share/' .. folder, LUA_TEMPLATES)
            add(libraries, prefix .. '/lib/' .. folder, LIBRARY_TEMPLATES)
        end
    end
    local function with_environment(variable, list)
        local standard = table.concat(list, ';') .. ';'
        local given = os.getenv(variable)
        if given == nil then
            return standard
        end
        return (given:gsub(';;', function() return ';' .. standard .. ';' end))
    end
    package.path = with_environment('LUA_PATH', lua)
    package.cpath = with_environment('LUA_CPATH', libraries)
end

local searchers = {
    searcher(in_root(LUA_TEMPLATES)),
    searcher(in_root(LIBRARY_TEMPLATES)),
    searcher(in_folders_above(ROCKS_LUA_TEMPLATES)),
    searcher(in_folders_above(ROCKS_LIBRARY_TEMPLATES)),
    function(name) return package.searchpath(name, package.path) end,
    function(name) return package.searchpath(name, package.cpath) end,
}

set_paths()
table.insert(package.loaders, 2, loader(searchers[1], load_lua))
table.insert(package.loaders, 3, loader(searchers[2], load_library))
table.insert(package.loaders, 4, loader(searchers[3], load_lua))
table.insert(package.loaders, 5, loader(searchers[4], load_library))
table.insert(package.loaders, explain)

function package.search(name)
    if name == nil then
        return 'empty name of module'
    end
    for _, search in ipairs(searchers) do
        local file = search(name)
        if file ~= nil then
            return file
        end
    end
    return nil
end

package.searchroot = search_root

-- Without an argument, the caller's folder; with `box.NULL`, the working directory again.
function package.setsearchroot(...)
    local path = ...
    if path == nil and type(path) == 'cdata' then
        root = nil
        return
    elseif path == nil then
        path = debug.sourcedir(3)
    elseif type(path) ~= 'string' then
        error('Search root must be a string', 2)
    end
    root = absolute(path)
end

local function set_script(script)
    script_folder = absolute(script):match('^(.*)/[^/]*$')
end

return {set_script = set_script}
