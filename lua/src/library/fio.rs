//! The native half of the module `fio`: calls of the operating system on files and directories.
//!
//! Each answers with its result, or with nil and the number of the system's error. They block the
//! thread, as fiber switches cannot help a process with one thread.

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use mlua::{IntoLuaMulti, Lua, LuaString, MultiValue, Table};

use super::errno::constants;
use super::file_descriptor;

const FLAGS: &[(&str, i64)] = constants![
    O_APPEND O_ASYNC O_CLOEXEC O_CREAT O_DIRECTORY O_DSYNC O_EXCL O_NOCTTY O_NOFOLLOW O_NONBLOCK
    O_RDONLY O_RDWR O_SYNC O_TRUNC O_WRONLY
];

const MODES: &[(&str, i64)] = constants![
    S_IRGRP S_IROTH S_IRUSR S_IRWXG S_IRWXO S_IRWXU S_IWGRP S_IWOTH S_IWUSR S_IXGRP S_IXOTH S_IXUSR
    S_ISGID S_ISUID S_ISVTX S_IFMT S_IFSOCK S_IFLNK S_IFREG S_IFBLK S_IFDIR S_IFCHR S_IFIFO
];

const SEEKS: &[(&str, i64)] = constants![SEEK_SET SEEK_CUR SEEK_END];

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let constants = lua.create_table()?;
    for (name, values) in [("flag", FLAGS), ("mode", MODES), ("seek", SEEKS)] {
        let table = lua.create_table()?;
        for &(name, value) in values {
            table.set(name, value)?;
        }
        constants.set(name, table)?;
    }
    native.set("constants", constants)?;
    install_on_paths(lua, &native)?;
    install_links(lua, &native)?;
    install_on_process(lua, &native)?;
    file_descriptor::install(lua, &native)?;
    Ok(native)
}

/// A call on one path, and one on two.
type OnPath = fn(PathBuf) -> io::Result<()>;
type OnPaths = fn(PathBuf, PathBuf) -> io::Result<()>;

fn path(text: &LuaString) -> PathBuf {
    PathBuf::from(OsString::from_vec(text.as_bytes().to_vec()))
}

/// What a call answers with: its value, or nil and the error's number.
fn answer<T: IntoLuaMulti>(lua: &Lua, result: io::Result<T>) -> mlua::Result<MultiValue> {
    match result {
        Ok(value) => value.into_lua_multi(lua),
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(libc::EINVAL);
            (mlua::Nil, number).into_lua_multi(lua)
        }
    }
}

fn done(lua: &Lua, result: io::Result<()>) -> mlua::Result<MultiValue> {
    answer(lua, result.map(|()| true))
}

fn install_on_paths(lua: &Lua, native: &Table) -> mlua::Result<()> {
    let open = |lua: &Lua, (name, flags, mode): (LuaString, i32, u32)| {
        let (access, rest) = (flags & libc::O_ACCMODE, flags & !libc::O_ACCMODE);
        let file = fs::OpenOptions::new()
            .read(access != libc::O_WRONLY)
            .write(access != libc::O_RDONLY)
            .custom_flags(rest)
            .mode(mode)
            .open(path(&name));
        answer(lua, file.map(IntoRawFd::into_raw_fd))
    };
    native.set("open", lua.create_function(open)?)?;
    let mkdir = |lua: &Lua, (name, mode): (LuaString, u32)| {
        done(lua, fs::DirBuilder::new().mode(mode).create(path(&name)))
    };
    native.set("mkdir", lua.create_function(mkdir)?)?;
    let on_one: [(&str, OnPath); 3] = [
        ("rmdir", |path| fs::remove_dir(path)),
        ("unlink", |path| fs::remove_file(path)),
        ("chdir", |path| std::env::set_current_dir(path)),
    ];
    for (name, act) in on_one {
        let call = move |lua: &Lua, name: LuaString| done(lua, act(path(&name)));
        native.set(name, lua.create_function(call)?)?;
    }
    let status = |lua: &Lua, (name, follow): (LuaString, bool)| {
        let read = if follow {
            fs::metadata(path(&name))
        } else {
            fs::symlink_metadata(path(&name))
        };
        match read {
            Ok(metadata) => status_table(lua, &metadata)?.into_lua_multi(lua),
            Err(error) => answer::<()>(lua, Err(error)),
        }
    };
    native.set("status", lua.create_function(status)?)?;
    let chmod = |lua: &Lua, (name, mode): (LuaString, u32)| {
        done(
            lua,
            fs::set_permissions(path(&name), fs::Permissions::from_mode(mode)),
        )
    };
    native.set("chmod", lua.create_function(chmod)?)?;
    let chown = |lua: &Lua, (name, user, group): (LuaString, u32, u32)| {
        done(
            lua,
            std::os::unix::fs::chown(path(&name), Some(user), Some(group)),
        )
    };
    native.set("chown", lua.create_function(chown)?)?;
    native.set("listdir", lua.create_function(listdir)?)?;
    native.set("utime", lua.create_function(utime)?)?;
    Ok(())
}

fn install_links(lua: &Lua, native: &Table) -> mlua::Result<()> {
    let on_two: [(&str, OnPaths); 3] = [
        ("rename", |from, to| fs::rename(from, to)),
        ("symlink", |target, link| {
            std::os::unix::fs::symlink(target, link)
        }),
        ("link", |target, link| fs::hard_link(target, link)),
    ];
    for (name, act) in on_two {
        let call = move |lua: &Lua, (first, second): (LuaString, LuaString)| {
            done(lua, act(path(&first), path(&second)))
        };
        native.set(name, lua.create_function(call)?)?;
    }
    let readlink = |lua: &Lua, name: LuaString| match fs::read_link(path(&name)) {
        Ok(target) => lua
            .create_string(target.as_os_str().as_bytes())?
            .into_lua_multi(lua),
        Err(error) => answer::<()>(lua, Err(error)),
    };
    native.set("readlink", lua.create_function(readlink)?)
}

fn install_on_process(lua: &Lua, native: &Table) -> mlua::Result<()> {
    let cwd = |lua: &Lua, ()| match std::env::current_dir() {
        Ok(directory) => lua
            .create_string(directory.as_os_str().as_bytes())?
            .into_lua_multi(lua),
        Err(error) => answer::<()>(lua, Err(error)),
    };
    native.set("cwd", lua.create_function(cwd)?)?;
    // SAFETY: only sets and answers with a number of the process.
    let umask = |_: &Lua, mask: u32| Ok(i64::from(unsafe { libc::umask(mask as libc::mode_t) }));
    native.set("umask", lua.create_function(umask)?)?;
    // SAFETY: takes and gives nothing.
    let sync = |_: &Lua, ()| {
        unsafe { libc::sync() };
        Ok(true)
    };
    native.set("sync", lua.create_function(sync)?)?;
    native.set("tempdir", lua.create_function(tempdir)?)
}

pub(super) fn status_table(lua: &Lua, metadata: &fs::Metadata) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let fields = [
        ("dev", metadata.dev()),
        ("ino", metadata.ino()),
        ("mode", u64::from(metadata.mode())),
        ("nlink", metadata.nlink()),
        ("uid", u64::from(metadata.uid())),
        ("gid", u64::from(metadata.gid())),
        ("rdev", metadata.rdev()),
        ("size", metadata.size()),
        ("blksize", metadata.blksize()),
        ("blocks", metadata.blocks()),
    ];
    for (name, value) in fields {
        table.set(name, value as f64)?;
    }
    let seconds = |whole: i64, nanoseconds: i64| whole as f64 + nanoseconds as f64 / 1e9;
    table.set("atime", seconds(metadata.atime(), metadata.atime_nsec()))?;
    table.set("mtime", seconds(metadata.mtime(), metadata.mtime_nsec()))?;
    table.set("ctime", seconds(metadata.ctime(), metadata.ctime_nsec()))?;
    Ok(table)
}

fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::from_raw_os_error(libc::ENOENT))
}

fn names_in(name: &LuaString) -> io::Result<Vec<OsString>> {
    fs::read_dir(path(name))?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments of Lua come by value"
)]
fn listdir(lua: &Lua, name: LuaString) -> mlua::Result<MultiValue> {
    match names_in(&name) {
        Ok(names) => {
            let names = names.iter().map(|name| lua.create_string(name.as_bytes()));
            let names: Vec<LuaString> = names.collect::<mlua::Result<_>>()?;
            lua.create_sequence_from(names)?.into_lua_multi(lua)
        }
        Err(error) => answer::<()>(lua, Err(error)),
    }
}

/// Access and change times, in seconds since 1970.
fn utime(lua: &Lua, (name, access, change): (LuaString, f64, f64)) -> mlua::Result<MultiValue> {
    let time = |seconds: f64| libc::timespec {
        tv_sec: seconds.floor() as libc::time_t,
        tv_nsec: ((seconds - seconds.floor()) * 1e9) as _,
    };
    let times = [time(access), time(change)];
    let result = c_string(&name.as_bytes()).and_then(|name| {
        // SAFETY: a text that ends in zero and two times, which the call only reads.
        match unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), times.as_ptr(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    });
    done(lua, result)
}

fn tempdir(lua: &Lua, (): ()) -> mlua::Result<MultiValue> {
    let mut template = std::env::temp_dir().into_os_string().into_vec();
    template.extend_from_slice(b"/XXXXXX");
    let made = c_string(&template).and_then(|template| {
        let raw = template.into_raw();
        // SAFETY: a text of our own that ends in zero; the call changes its letters, not its length.
        let (is_made, template) =
            unsafe { (!libc::mkdtemp(raw).is_null(), CString::from_raw(raw)) };
        if is_made {
            Ok(template)
        } else {
            Err(io::Error::last_os_error())
        }
    });
    match made {
        Ok(name) => lua
            .create_string(OsStr::from_bytes(name.as_bytes()).as_bytes())?
            .into_lua_multi(lua),
        Err(error) => answer::<()>(lua, Err(error)),
    }
}
