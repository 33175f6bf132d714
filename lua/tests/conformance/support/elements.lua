-- Lists the elements of an iterator object, each with all of its values.

return function(iterator)
    local gen, param, state = iterator:unwrap()
    local list = {}
    local function add(following, ...)
        if following ~= nil then
            list[#list + 1] = select('#', ...) == 1 and (...) or {...}
        end
        return following
    end
    repeat
        state = add(gen(param, state))
    until state == nil
    return list
end
