-- The module `title`: the title of the process. It is kept for those that ask, and not shown to the
-- operating system.

local title, text = {}, 'lycosa'

function title.get()
    return text
end

function title.update(values)
    if type(values) == 'string' then
        text = values
    elseif type(values) == 'table' and values.custom_title ~= nil then
        text = ('lycosa: %s'):format(tostring(values.custom_title))
    end
end

return title
