-- The module `csv`: comma-separated values, read and written. What is read is taken in as a whole
-- first, one byte at a time after that.

local csv = {}

local QUOTE, NEWLINE, RETURN, SPACE = ('"'):byte(), ('\n'):byte(), ('\r'):byte(), (' '):byte()
local DEFAULT_CHUNK_BYTES = 4096

local function option(options, name, default)
    local value = options[name]
    if value == nil then
        return default
    elseif type(value) ~= 'string' or value == '' then
        error(("csv: option '%s' must be a character"):format(name), 4)
    end
    return value:byte()
end

local function settings_of(options)
    if options ~= nil and type(options) ~= 'table' then
        error('csv: options must be a table', 3)
    end
    options = options or {}
    return {
        delimiter = option(options, 'delimiter', (','):byte()),
        quote = option(options, 'quote_char', QUOTE),
        skip = tonumber(options.skip_head_lines) or 0,
        chunk_bytes = tonumber(options.chunk_size) or DEFAULT_CHUNK_BYTES,
    }
end

local function whole_text(readable, chunk_bytes)
    if type(readable) == 'string' then
        return readable
    end
    local parts = {}
    while true do
        local part = readable:read(chunk_bytes)
        if part == nil or part == '' then
            return table.concat(parts)
        end
        parts[#parts + 1] = part
    end
end

-- Reads one field from `at` on. Answers with its text, the position of the byte that ended it, and
-- whether it stands within quotes that do not close. Spaces around a field are not part of it, those
-- in quotes are. Two quotes in a row are one, wherever they stand.
local function read_field(text, at, settings)
    local delimiter, quote, size = settings.delimiter, settings.quote, #text
    local parts, quoted_until, in_quotes, after_quote = {}, 0, false, false
    while at <= size and text:byte(at) == SPACE do
        at = at + 1
    end
    while at <= size do
        local byte = text:byte(at)
        if byte == quote then
            if after_quote then
                parts[#parts + 1] = string.char(quote)
            end
            after_quote = not after_quote
            in_quotes = not in_quotes
            quoted_until = #parts
        elseif not in_quotes and (byte == delimiter or byte == NEWLINE or byte == RETURN) then
            break
        else
            after_quote = false
            parts[#parts + 1] = string.char(byte)
            if in_quotes then
                quoted_until = #parts
            end
        end
        at = at + 1
    end
    local last = #parts
    while last > quoted_until and parts[last] == ' ' do
        last = last - 1
    end
    return table.concat(parts, '', 1, last), at, in_quotes
end

-- Reads one row from `at` on. Answers with its fields and where the next one begins; with nil when
-- quotes do not close.
local function read_row(text, at, settings)
    local row = {}
    while true do
        local field, ended, is_broken = read_field(text, at, settings)
        if is_broken then
            return nil
        end
        row[#row + 1] = field
        local byte = text:byte(ended)
        if byte ~= settings.delimiter then
            local is_pair = byte == RETURN and text:byte(ended + 1) == NEWLINE
            return row, ended + (is_pair and 2 or 1)
        end
        at = ended + 1
    end
end

local function next_row(source, number)
    while source.at <= #source.text do
        local row, at = read_row(source.text, source.at, source.settings)
        if row == nil then
            require('log').warn('CSV file has errors')
            source.at = #source.text + 1
            return nil
        end
        source.at = at
        if source.skip > 0 then
            source.skip = source.skip - 1
        else
            return number + 1, row
        end
    end
    return nil
end

-- Iterates over rows: number and list of fields.
function csv.iterate(readable, options)
    local is_readable = type(readable) == 'string'
        or (type(readable) ~= 'number' and readable ~= nil and readable.read ~= nil)
    if not is_readable then
        error('Usage: load(string or object with method read(num) returns string)', 2)
    end
    local settings = settings_of(options)
    local text = whole_text(readable, settings.chunk_bytes)
    return next_row, {text = text, at = 1, settings = settings, skip = settings.skip}, 0
end

function csv.load(readable, options)
    local rows = {}
    for number, row in csv.iterate(readable, options) do
        rows[number] = row
    end
    return rows
end

local function written_field(value, settings)
    local text = tostring(value)
    local quote, delimiter = string.char(settings.quote), string.char(settings.delimiter)
    local needs_quotes = text:find('[\r\n]') or text:find(delimiter, 1, true)
    local doubled = text:gsub(quote == '"' and '"' or '%' .. quote, quote .. quote)
    return needs_quotes and quote .. doubled .. quote or doubled
end

local function written_row(row, settings)
    local fields = {}
    for _, value in pairs(row) do
        fields[#fields + 1] = written_field(value, settings)
    end
    return table.concat(fields, string.char(settings.delimiter)) .. '\n'
end

-- Writes a list of rows, or one row, to an object with a method `write`, or answers with the text.
function csv.dump(rows, options, writable)
    if type(rows) ~= 'table' then
        error('Usage: dump(table[, opts, writable])', 2)
    end
    local settings = settings_of(options)
    if type(rows[1]) ~= 'table' then
        rows = {rows}
    end
    local parts = {}
    for _, row in ipairs(rows) do
        local line = written_row(row, settings)
        if writable ~= nil then
            writable:write(line)
        else
            parts[#parts + 1] = line
        end
    end
    if writable == nil then
        return table.concat(parts)
    end
end

return csv
