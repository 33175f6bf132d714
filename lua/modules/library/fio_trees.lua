-- Part of the module `fio`: calls on whole trees of directories, copies, and patterns of names.

local COPY_SIZE_BYTES = 1048576

return function(fio, path_of)
    function fio.mktree(path, mode)
        path = path_of(path, 'fio.mktree(path[, mode])')
        local made = path:sub(1, 1) == '/' and '/' or ''
        for part in path:gmatch('[^/]+') do
            made = fio.pathjoin(made, part)
            local status = fio.stat(made)
            if status == nil then
                local ok, err = fio.mkdir(made, mode)
                if not ok then
                    return false, ('Error creating directory %s: %s'):format(made, tostring(err))
                end
            elseif not status:is_dir() then
                local reason = require('errno').strerror(require('errno').EEXIST)
                return false, ('Error creating directory %s: %s'):format(made, reason)
            end
        end
        return true
    end

    function fio.rmtree(path)
        path = path_of(path, 'fio.rmtree(path)')
        local status, err = fio.lstat(path)
        if status == nil then
            return nil, err
        elseif not status:is_dir() then
            return fio.unlink(path)
        end
        local names
        names, err = fio.listdir(path)
        for _, name in ipairs(names or {}) do
            local ok
            ok, err = fio.rmtree(fio.pathjoin(path, name))
            if not ok then
                return nil, err
            end
        end
        if names == nil then
            return nil, err
        end
        return fio.rmdir(path)
    end

    local function copy_contents(source, target)
        while true do
            local text, err = source:read(COPY_SIZE_BYTES)
            if text == nil then
                return false, err
            elseif text == '' then
                return true
            end
            local ok
            ok, err = target:write(text)
            if not ok then
                return false, err
            end
        end
    end

    function fio.copyfile(from, to)
        local usage = 'fio.copyfile(source, destination)'
        from, to = path_of(from, usage), path_of(to, usage)
        local status, err = fio.stat(to)
        if status ~= nil and status:is_dir() then
            to = fio.pathjoin(to, fio.basename(from))
        end
        status, err = fio.stat(from)
        if status == nil then
            return false, ('failed to copy %s to %s: %s'):format(from, to, tostring(err))
        end
        local source, target
        source, err = fio.open(from)
        if source ~= nil then
            target, err = fio.open(to, {'O_WRONLY', 'O_CREAT', 'O_TRUNC'}, bit.band(status.mode, 0xfff))
        end
        local ok = false
        if target ~= nil then
            ok, err = copy_contents(source, target)
            target:close()
        end
        if source ~= nil then
            source:close()
        end
        if not ok then
            return false, ('failed to copy %s to %s: %s'):format(from, to, tostring(err))
        end
        return true
    end

    -- Copies what is in one directory into another, which is made.
    local function copy_directory(from, to)
        local names, err = fio.listdir(from)
        if names == nil then
            return false, ('failed to copy %s to %s: %s'):format(from, to, tostring(err))
        end
        local ok
        ok, err = fio.mktree(to)
        if not ok then
            return false, ('failed to copy %s to %s: %s'):format(from, to, tostring(err))
        end
        for _, name in ipairs(names) do
            local source, target = fio.pathjoin(from, name), fio.pathjoin(to, name)
            local status = fio.lstat(source)
            if status ~= nil and status:is_dir() then
                ok, err = copy_directory(source, target)
            elseif status ~= nil and status:is_link() then
                ok, err = fio.symlink(fio.readlink(source), target)
            else
                ok, err = fio.copyfile(source, target)
            end
            if not ok then
                return false, err
            end
        end
        return true
    end

    function fio.copytree(from, to)
        local usage = 'fio.copytree(source, destination)'
        from, to = path_of(from, usage), fio.abspath(path_of(to, usage))
        local status, err = fio.stat(from)
        if status == nil then
            return false, ('failed to copy %s to %s: %s'):format(from, to, tostring(err))
        elseif not status:is_dir() then
            local reason = require('errno').strerror(require('errno').ENOTDIR)
            return false, ('failed to copy %s to %s: %s'):format(from, to, reason)
        end
        return copy_directory(from, to)
    end

    -- The Lua pattern of one part of a pattern of names.
    local function pattern_of(part)
        local pattern = part:gsub('[%^%$%(%)%%%.%+%-]', '%%%0'):gsub('%*', '.*'):gsub('%?', '.')
        return '^' .. pattern:gsub('%[!', '[^') .. '$'
    end

    local function names_like(directory, part)
        local found, pattern = {}, pattern_of(part)
        for _, name in ipairs(fio.listdir(directory == '' and '.' or directory) or {}) do
            local is_hidden = name:sub(1, 1) == '.' and part:sub(1, 1) ~= '.'
            local ok, matches = pcall(string.find, name, pattern)
            if ok and matches and not is_hidden then
                found[#found + 1] = name
            end
        end
        table.sort(found)
        return found
    end

    -- The paths that fit a pattern with `*`, `?` and `[...]`, in order.
    function fio.glob(pattern)
        pattern = path_of(pattern, 'fio.glob(pattern)')
        local found = {pattern:sub(1, 1) == '/' and '/' or ''}
        for part in pattern:gmatch('[^/]+') do
            local deeper = {}
            for _, directory in ipairs(found) do
                local prefix = (directory == '' or directory == '/') and directory or directory .. '/'
                if part:find('[%*%?%[]') then
                    for _, name in ipairs(names_like(directory, part)) do
                        deeper[#deeper + 1] = prefix .. name
                    end
                elseif fio.path.lexists(prefix .. part) then
                    deeper[#deeper + 1] = prefix .. part
                end
            end
            found = deeper
        end
        return found
    end
end
