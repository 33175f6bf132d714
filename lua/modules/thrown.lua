-- What is said of a value that was thrown, which may be anything.

local pcall, tostring, type = pcall, tostring, type

-- The text of any value. Its own `__tostring` may throw in its turn, and whoever reports an error must
-- come to the end.
local function text_of(value)
    local ok, text = pcall(tostring, value)
    return ok and text or ('%s whose __tostring fails'):format(type(value))
end

return {text_of = text_of}
