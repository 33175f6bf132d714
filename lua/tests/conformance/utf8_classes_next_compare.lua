local show = require('show')
local t = show.try
local utf8 = require('utf8')
for _, c in ipairs{'a', 'Z', 'б', '5', '٣', ' ', 'ß', '_', 'ab', '', 'я', 65, 0x431,-1, 0x110000, '\xff', 1.5} do
    for _, f in ipairs({'isalpha', 'isdigit', 'islower', 'isupper'}) do
        t(f..' '..tostring(c), utf8[f], c)
    end
end
t('isalpha', utf8.isalpha)
t('isalpha', utf8.isalpha, {})
t('char', utf8.char, 65, 0x431, 0x1F600, 0x20AC)
t('char', utf8.char)
t('char', utf8.char, 0xD800)
t('char', utf8.char, 'x')
t('char', utf8.char, 1.5)
t('char', utf8.char, 0)
t('next', utf8.next, 'aбв')
t('next', utf8.next, 'aбв', 1)
t('next', utf8.next, 'aбв', 2)
t('next', utf8.next, 'aбв', 3)
t('next', utf8.next, 'aбв', 4)
t('next', utf8.next, 'aбв', 6)
t('next', utf8.next, 'aбв', 7)
t('next', utf8.next, 'aбв', 0)
t('next', utf8.next, 'aбв', -1)
t('next', utf8.next, 'aбв', -2)
t('next', utf8.next, '')
t('next', utf8.next, 'a\xff',2)
t('next', utf8.next, 5)
t('next', utf8.next, 'a', 'x')
for pos, code in utf8.next, 'aб€😀' do print(pos, code) end
for _, p in ipairs{{'a', 'b'}, {'b', 'a'}, {'a', 'a'}, {'a', 'A'}, {'A', 'a'}, {'é', 'e'}, {'e', 'é'}, {'é', 'f'}, {'ё', 'е'}, {'Я', 'я'}, {'10', '9'}, {'', ''}, {'', 'a'}, {'e\u{301}', 'é'}, {'e\xcc\x81', 'é'}, {'ß', 'ss'}, {'a b', 'ab'}, {'a-b', 'ab'}, {'я', 'a'}, {'\xff', 'a'}, {'a', '\xff'}, {'\xff', '\xfe'}, {'abc', 'ABD'}, {'_', 'a'}, {'1', 'a'}, {'.', '1'}, {5, 'a'}, {'a', 5}, {'a'}, {'co-op', 'coop'}, {'résumé', 'Resume'}, {'日本', '日'}, {'z', 'ä'}, {'Ö', 'o'}, {'Ö', 'P'}} do
    t('cmp '..tostring(p[1])..' '..tostring(p[2]), utf8.cmp, p[1], p[2])
    t('casecmp '..tostring(p[1])..' '..tostring(p[2]), utf8.casecmp, p[1], p[2])
end

os.exit(0)
