-- The module `compat`: Tarantool's switches between old and new behaviour. All of 3.9 are known, and
-- keep what is chosen; `yaml_pretty_multiline` changes what `yaml` does, `fiber_slice_default` how long a
-- fiber may run without a yield, and the others change nothing here.

-- In the order of Tarantool's own list: name, and the default.
local KNOWN = {
    {'json_escape_forward_slash', 'new'},
    {'yaml_pretty_multiline', 'new'},
    {'fiber_channel_close_mode', 'new'},
    {'box_cfg_replication_sync_timeout', 'new'},
    {'sql_seq_scan_default', 'new'},
    {'fiber_slice_default', 'new'},
    {'box_info_cluster_meaning', 'new'},
    {'binary_data_decoding', 'new'},
    {'box_tuple_new_vararg', 'new'},
    {'box_session_push_deprecation', 'old'},
    {'sql_priv', 'new'},
    {'c_func_iproto_multireturn', 'new'},
    {'box_space_execute_priv', 'new'},
    {'box_tuple_extension', 'new'},
    {'box_space_max', 'new'},
    {'box_error_serialize_verbose', 'old'},
    {'box_error_unpack_type_and_code', 'old'},
    {'console_session_scope_vars', 'old'},
    {'wal_cleanup_delay_deprecation', 'old'},
    {'box_consider_system_spaces_synchronous', 'old'},
    {'replication_synchro_timeout', 'old'},
}

local HELP = [[
Options choose between the old and the new behaviour of Tarantool.

    compat.help()                   this text
    compat.<option>                 what is known of the option
    compat.<option> = 'old'         choose 'old', 'new' or 'default'
    compat{<option> = 'new'}        choose several at once
    compat.dump()                   Lua code that chooses the same again
    compat.add_option{...}          add an option: name, default, brief, action
]]

local VALUES = {old = true, new = true, default = true}

local options, order = {}, {}

local function add(definition)
    if options[definition.name] == nil then
        order[#order + 1] = definition.name
    end
    local previous = options[definition.name]
    options[definition.name] = {
        default = definition.default,
        brief = definition.brief,
        obsolete = definition.obsolete,
        action = definition.action,
        chosen = previous and previous.chosen or 'default',
    }
    return options[definition.name]
end

-- What choosing a value does, where it does anything.
local ACTIONS = {
    fiber_slice_default = function(is_new)
        require('fiber').set_max_slice(is_new and {warn = 0.5, err = 1.0} or math.huge)
    end,
}

for _, known in ipairs(KNOWN) do
    add({name = known[1], default = known[2], action = ACTIONS[known[1]],
        brief = 'See Tarantool\'s documentation of compat.' .. known[1]})
end

local function find(name)
    local option = options[name]
    if option == nil then
        error(('Invalid option %s'):format(tostring(name)), 3)
    end
    return option
end

local function effective(option)
    return option.chosen == 'default' and option.default or option.chosen
end

local function choose(name, value)
    local option = find(name)
    if not VALUES[value] then
        error(('Invalid argument %s in option %s'):format(tostring(value), name), 3)
    end
    if option.obsolete ~= nil and value == 'old' then
        error(('Chosen option %s is no longer available'):format(name), 3)
    end
    local before = effective(option)
    option.chosen = value
    if option.action ~= nil and effective(option) ~= before then
        option.action(effective(option) == 'new')
    end
end

local compat = {}

function compat.help()
    return HELP
end

-- What `dump(mode)` writes for an option.
local DUMPED = {
    current = effective,
    new = function() return 'new' end,
    old = function(option) return option.obsolete == nil and 'old' or 'new' end,
    default = function() return 'default' end,
}

function compat.dump(mode)
    local value_of = mode == nil and function(option) return option.chosen end or DUMPED[mode]
    if value_of == nil then
        error("usage: compat.dump('new'/'old'/'default'/'current'/nil)", 2)
    end
    local width = 0
    for _, name in ipairs(order) do
        width = math.max(width, #name)
    end
    local lines = {"require('compat')({"}
    for _, name in ipairs(order) do
        lines[#lines + 1] = ("    %-" .. width .. "s = '%s',"):format(name, value_of(options[name]))
    end
    return table.concat(lines, '\n') .. '\n})\n\n'
end

function compat.add_option(definition)
    if type(definition) ~= 'table' then
        error("usage: compat.add_option({name = '...', default = 'new'/'old', brief = '...', " ..
            'action = func, run_action_now = true/false})', 2)
    elseif type(definition.name) ~= 'string' then
        error(('Option name must be a string (%s provided)'):format(type(definition.name)), 2)
    elseif definition.default ~= 'new' and definition.default ~= 'old' then
        error(("Invalid option table for %s, bad default ('new'/'old' is expected)")
            :format(definition.name), 2)
    elseif type(definition.action) ~= 'function' and definition.obsolete == nil then
        error(('Invalid option table for %s, bad action (function is expected)')
            :format(definition.name), 2)
    end
    local option = add(definition)
    if definition.run_action_now then
        option.action(effective(option) == 'new')
    end
end

-- Those chosen as new first, then those chosen as old, then the rest.
local function listed()
    local list = {}
    for _, wanted in ipairs({'new', 'old', 'default'}) do
        for _, name in ipairs(order) do
            local option = options[name]
            if option.chosen == wanted and option.obsolete == nil then
                local text = wanted == 'default' and ('default (%s)'):format(option.default) or wanted
                list[#list + 1] = {[name] = text}
            end
        end
    end
    return list
end

return setmetatable(compat, {
    __index = function(_, name)
        local option = find(name)
        return {
            current = option.chosen,
            default = option.default,
            brief = option.brief,
            obsolete = option.obsolete,
        }
    end,
    __newindex = function(_, name, value) choose(name, value) end,
    __call = function(_, chosen)
        if type(chosen) ~= 'table' then
            error("usage: compat({<option_name> = 'new'/'old'/'default'})", 2)
        end
        for name, value in pairs(chosen) do
            choose(name, value)
        end
    end,
    __serialize = listed,
    __tostring = function() return require('yaml').encode(listed()) end,
    __autocomplete = function() return options end,
})
