local show = require('show')
local t = show.try
for _, f in ipairs({'ljust', 'rjust', 'center'}) do
    t(f, string[f], 'ab', 6)
    t(f..' odd', string[f], 'ab', 5)
    t(f..' odd2', string[f], 'abc', 6, '*')
    t(f..' short', string[f], 'abcdef', 3)
    t(f..' neg', string[f], 'abcdef', -3)
    t(f..' 0', string[f], 'abcdef', 0)
    t(f..' char', string[f], 'ab', 6, '*')
    t(f..' longchar', string[f], 'ab', 6, '**')
    t(f..' emptychar', string[f], 'ab', 6, '')
    t(f..' chartype', string[f], 'ab', 6, 5)
    t(f..' frac', string[f], 'ab', 6.5)
    t(f..' width', string[f], 'ab', 'x')
    t(f..' nowidth', string[f], 'ab')
    t(f..' type', string[f], 5, 5)
end
for _, f in ipairs({'startswith', 'endswith'}) do
    t(f, string[f], 'hello', 'he')
    t(f, string[f], 'hello', 'lo')
    t(f, string[f], 'hello', '')
    t(f, string[f], '', '')
    t(f, string[f], '', 'a')
    t(f, string[f], 'hello', 'hellohello')
    for _, r in ipairs{{1}, {2}, {2, 3}, {-3}, {-3,-1}, {1, 100}, {0, 4}, {3, 1}, {-100}, {-100, 100}, {'a'}, {1, 'a'}, {10, 20}, {1,-2}} do
        t(f..' '..show.text(r), string[f], 'hello', 'el', unpack(r))
        t(f..' ll '..show.text(r), string[f], 'hello', 'll', unpack(r))
        t(f..' lo'..show.text(r), string[f], 'hello', 'lo', unpack(r))
    end
end
t('hex', string.hex, 'hello\0\255')
t('hex empty', string.hex, '')
t('hex type', string.hex, 5)
t('fromhex', string.fromhex, '68656c6c6F00ff')
t('fromhex empty', string.fromhex, '')
t('fromhex odd', string.fromhex, '686')
t('fromhex bad', string.fromhex, '6x')
t('fromhex type', string.fromhex, 5)
t('method', function() return ('a b'):split(), ('ab'):hex(), (' a'):strip(), ('abc'):startswith('a') end)
for _, f in ipairs({'startswith', 'endswith'}) do
    show.fails(f .. ' number', string[f], 5, '5')
    show.fails(f .. ' number', string[f], '5', 5)
    show.fails(f .. ' nil', string[f], '5')
end

os.exit(0)
