//! The native half of the module `errno`: the system's names of errors and their texts.

use std::ffi::CStr;

use mlua::{Lua, Table};

/// Lists constants of `libc` by name.
macro_rules! constants {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name as i64)),*] };
}

const NAMES: &[(&str, i64)] = constants![
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG EBUSY ECANCELED
    ECHILD ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG
    EHOSTDOWN EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR ELOOP EMFILE
    EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE ENOBUFS ENODATA
    ENODEV ENOENT ENOEXEC ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS
    ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTSOCK ENOTSUP ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EPERM
    EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMOTE EROFS ESHUTDOWN
    ESOCKTNOSUPPORT ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUSERS EWOULDBLOCK
    EXDEV
];

pub(super) use constants;

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let names = lua.create_table()?;
    for &(name, number) in NAMES {
        names.set(name, number)?;
    }
    native.set("names", names)?;
    native.set("text", lua.create_function(|_, number| Ok(text(number)))?)?;
    Ok(native)
}

/// What the C library says of an error, in its own words.
pub(super) fn text(number: i32) -> String {
    let mut buffer = [0; 256];
    // SAFETY: the C library writes no more than the buffer's length, its zero byte included.
    let status = unsafe { libc::strerror_r(number, buffer.as_mut_ptr(), buffer.len()) };
    // SAFETY: the buffer was zeroed, and its last byte is written as the end of a text at most.
    let text = unsafe { CStr::from_ptr(buffer.as_ptr()) };
    if status == 0 || !text.is_empty() {
        text.to_string_lossy().into_owned()
    } else {
        format!("Unknown error {number}")
    }
}
