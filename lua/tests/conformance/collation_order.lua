-- The order of strings under collations.
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local words = {
    'a', 'A', 'b', 'B', 'ä', 'Ä', 'z', 'Z', 'ß', 'ss', 'SS', '', 'é', 'e', 'E', '1', '-', '_', ' ', 'ab', 'a b',
    'a-b', 'ё', 'е', 'Ё', 'Е', 'я', '漢', 'ｱ', 'ア', 'ch', 'cz', 'd', 'ö', 'o', 'öf', 'of', 'ø', 'ال', 'שלום',
}
for _, collation in ipairs{'binary', 'unicode', 'unicode_ci', 'unicode_de__phonebook_s3', 'unicode_sv_s3',
        'unicode_cs_s3', 'unicode_ru_s1', 'unicode_da_s2'} do
    local ok, s = pcall(function()
        local s = box.schema.space.create(collation)
        s:create_index('pk')
        s:create_index('word', {unique = false, parts = {{2, 'string', collation = collation}}})
        return s
    end)
    if ok then
        for number, word in ipairs(words) do
            s:insert{number, word}
        end
        local order = {}
        for _, tuple in s.index.word:pairs() do
            order[#order + 1] = tuple[2]
        end
        print(collation, table.concat(order, '|'))
        show('equal to a', s.index.word:select('a'))
        show('from e', s.index.word:select('e', {iterator = 'GT', limit = 3}))
    else
        show(collation, 'unknown')
    end
end

os.exit(0)
