-- differs from 2.6: options come from the environment as well
local show = require('show')

-- The variables of a process do not change from within, so that another one is asked.
local function run(variables, chunk)
    local file = io.open('script.lua', 'w')
    file:write(chunk, ' os.exit(0)')
    file:close()
    local binary = arg[-1]
    local command = binary:match('lycosa[^/]*$') and binary .. ' exec' or binary
    local pipe = io.popen(('%s %s script.lua 2>/dev/null'):format(variables, command))
    local text = pipe:read('*a')
    pipe:close()
    return (text:gsub('\n$', ''))
end

local SHOW = 'box.cfg{log_level = 0} print(box.cfg.checkpoint_count, box.cfg.read_only, box.cfg.memtx_memory, type(box.cfg.listen))'
print(run('', SHOW))
print(run('TT_CHECKPOINT_COUNT=7 TT_READ_ONLY=true TT_MEMTX_MEMORY=134217728 TT_LISTEN=3301,3302', SHOW))
print(run('TT_READ_ONLY=TRUE TT_CHECKPOINT_COUNT=', SHOW))
print(run('TT_CHECKPOINT_COUNT=7', 'box.cfg{log_level = 0, checkpoint_count = 3} print(box.cfg.checkpoint_count)'))
print(run('TT_CHECKPOINT_COUNT=7', 'box.cfg{log_level = 0} box.cfg{read_only = false} print(box.cfg.checkpoint_count)'))
print(run('TT_READ_ONLY=5', 'print(pcall(box.cfg))'))
print(run('TT_CHECKPOINT_COUNT=x', 'print(pcall(box.cfg))'))
print(run('TT_CHECKPOINT_COUNT=0', 'print(pcall(box.cfg))'))
print(run('TT_LOG_LEVEL=error', 'box.cfg{} print(box.cfg.log_level)'))
show('here', os.getenv('TT_CHECKPOINT_COUNT'))

os.exit(0)
