local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Every operation inside of documents.
local space = box.schema.space.create('documents', {format = {{'id', 'unsigned'}, {'doc', 'any'}}})
space:create_index('pk')
local document = {n = 5, s = 'text', list = {10, {20, 'x'}, 30}, map = {a = 1, b = {c = 2}}, none = box.NULL}
local paths = {"'doc.n'", "'doc.s'", "'doc.list'", "'doc.list[1]'", "'doc.list[2][1]'", "'doc.list[4]'", "'doc.map.a'",
    "'doc.map.b.c'", "'doc.map.new'", "'doc.none'", "'doc.none.x'", "'doc.n.x'", "'doc.n[1]'", "'doc.s[1]'",
    "'doc.list.x'", "'doc[1]'", "'doc.missing.x'", "'[2].n'", "'[2][\"n\"]'", "'doc[\"list\"][3]'", "'doc.list[0]'",
    "'doc.list[-1]'", "'doc..n'", "'doc.'", "'doc.list['", "'doc.list[*]'", "'.doc.n'", "'[3].x'", "'id.x'"}
local function show_document(tuple)
    local doc = tuple[2]
    local json = require('json')
    return json.encode{doc.n, doc.s, doc.list, doc.map.a, doc.map.b and doc.map.b.c, doc.map.new, doc.none}
end
for _, path in ipairs(paths) do
    for _, operation in ipairs{"'=', 7", "'!', 7", "'#', 1", "'+', 7", "'|', 8", "':', 1, 1, 'X'"} do
        space:replace{1, document}
        local operator, rest = operation:match("^('.'), (.*)$")
        local list = sweep.value(('{{%s, %s, %s}}'):format(operator, path, rest))
        print(path, operation, sweep.result(function() return show_document(space:update(1, list)) end))
    end
end

os.exit(0)
