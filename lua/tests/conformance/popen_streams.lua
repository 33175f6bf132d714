local show = require('show')
local popen, fiber = require('popen'), require('fiber')

show('constants', popen.opts, popen.state, popen.stream, popen.signal.SIGKILL, popen.signal.SIGTERM)
local child = popen.shell('echo hello; echo problem >&2', 'rR')
show('read', child:read(), child:read({stderr = true}), child:read())
show('wait', child:wait(), child:wait())
show('close', child:close(), child:close())

child = popen.new({'/bin/cat'}, {stdin = popen.opts.PIPE, stdout = popen.opts.PIPE})
show('echo', child:write('abc\n'), child:read())
local answer, err = child:read({timeout = 0.01})
show('timeout', answer, err.type)
-- Other fibers run while one reads.
local seen
local reader = fiber.create(function() seen = child:read() end)
fiber.sleep(0.01)
show('reading', seen)
child:write('later')
while seen == nil do fiber.sleep(0.001) end
show('read', seen, reader:status())
local large = ('0123456789'):rep(20000)
local received = {}
fiber.create(function()
    child:write(large)
    child:shutdown({stdin = true})
end)
repeat
    received[#received + 1] = child:read()
until received[#received] == ''
show('large', table.concat(received) == large)
show('wait', child:wait())
local function kind(callable, ...)
    local ok, problem = pcall(callable, ...)
    return ok, not ok and problem.type or nil
end
show('write after shutdown', kind(child.write, child, 'x'))
show('no such pipe', kind(child.read, child, {stderr = true}))
show('both', kind(child.read, child, {stdout = true, stderr = true}))
show('options', kind(child.read, child, 5), kind(child.read, child, {timeout = -1}), kind(child.read, child, {timeout = 'x'}))
show('text', kind(child.write, child), kind(child.write, child, 5))
show('shutdown', kind(child.shutdown, child), kind(child.shutdown, child, {}))
child:close()
for _, name in ipairs({'read', 'write', 'wait', 'info', 'signal', 'terminate', 'kill', 'shutdown'}) do
    show('closed ' .. name, kind(child[name], child, name == 'write' and 'x' or nil))
end

os.exit(0)
