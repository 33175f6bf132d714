-- differs from 2.6: tuples there have other members
local ok = pcall(function()
    local tuple = box.tuple.new({1, 2})
    tuple.__size = 1073741824
end)
print('size is read-only', not ok)
ok = pcall(function()
    local tuple = box.tuple.new({1, 2})
    tuple.__data[0] = 0x9f
end)
print('bytes are read-only', not ok)
