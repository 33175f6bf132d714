-- The module `tarantool`: what runs the script. The version is the one whose behaviour is followed.

local native = ...

local tarantool = {
    package = 'Lycosa',
    version = native.version,
    build = {
        target = native.target,
        options = 'cargo build',
        compiler = 'rustc',
        mod_format = native.library_suffix,
        flags = '',
        linking = 'static',
        asan = false,
        test_build = false,
        fiber_backtrace = false,
    },
}

function tarantool.pid()
    return native.pid
end

function tarantool.uptime()
    return native.uptime()
end

return tarantool
