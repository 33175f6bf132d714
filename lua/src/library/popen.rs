//! The native half of the module `popen`: child processes.
//!
//! A thread for each child waits for its end, writes down how it ended, and closes a pipe: the fibers
//! that wait for the child wait for that pipe, as they wait for its output. The parent's ends of all pipes
//! never block. The end of this process kills the children that are not to be kept.

use std::ffi::{OsString, c_int};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};

use mlua::{IntoLuaMulti, Lua, LuaString, MultiValue, Table, UserData, UserDataMethods};

use super::errno::constants;

const SIGNALS: &[(&str, i64)] = constants![
    SIGABRT SIGALRM SIGBUS SIGCHLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGKILL SIGPIPE SIGPROF
    SIGQUIT SIGSEGV SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2
    SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ
];

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let signals = lua.create_table()?;
    for &(name, number) in SIGNALS {
        signals.set(name, number)?;
    }
    native.set("signals", signals)?;
    native.set("spawn", lua.create_function(spawn)?)?;
    super::file_descriptor::install(lua, &native)?;
    Ok(native)
}

/// How a child has ended, once its thread knows. While the lock is held and this is `None`, the child's
/// number is still its own.
type Ending = Arc<Mutex<Option<ExitStatus>>>;

fn locked(ending: &Ending) -> MutexGuard<'_, Option<ExitStatus>> {
    ending.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whom signals for a child go to.
struct Target {
    id: libc::pid_t,
    ending: Ending,
    signals_group: bool,
}

impl Target {
    fn signal(&self, number: c_int) -> io::Result<()> {
        let ending = locked(&self.ending);
        if ending.is_some() {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        let target = if self.signals_group {
            -self.id
        } else {
            self.id
        };
        // SAFETY: takes numbers only; the child has not been waited for, so its number is its own.
        match unsafe { libc::kill(target, number) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// The children that end with this process; those that nobody holds any more are gone already.
static NOT_KEPT: Mutex<Vec<Weak<Target>>> = Mutex::new(Vec::new());

/// Has the child killed when this process ends by itself.
fn end_with_process(target: &Arc<Target>) {
    static AT_EXIT: Once = Once::new();
    // SAFETY: the function neither unwinds nor needs anything that the end of the process takes away.
    AT_EXIT.call_once(|| unsafe {
        libc::atexit(kill_at_exit);
    });
    let mut targets = NOT_KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    targets.retain(|target| target.strong_count() > 0);
    targets.push(Arc::downgrade(target));
}

extern "C" fn kill_at_exit() {
    kill_children();
}

/// Kills the children that are not to be kept. Whoever ends the process without C's `exit` calls this.
pub(crate) fn kill_children() {
    // A thread that is just starting a child holds the lock, and may never let it go.
    if let Ok(targets) = NOT_KEPT.try_lock() {
        for target in targets.iter().filter_map(Weak::upgrade) {
            // One that has ended needs no signal.
            let _ = target.signal(libc::SIGKILL);
        }
    }
}

/// A child, the parent's ends of its three streams, and the pipe that its end closes.
struct Process {
    target: Arc<Target>,
    streams: [Option<OwnedFd>; 3],
    ended: OwnedFd,
    is_kept: bool,
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_kept {
            // One that has ended needs no signal.
            let _ = self.target.signal(libc::SIGKILL);
        }
    }
}

impl UserData for Process {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("id", |_, process, ()| Ok(process.target.id));
        methods.add_method("descriptor", |_, process, stream: usize| {
            let stream = process.streams.get(stream).and_then(Option::as_ref);
            Ok(stream.map(AsRawFd::as_raw_fd))
        });
        methods.add_method("ended", |_, process, ()| Ok(process.ended.as_raw_fd()));
        methods.add_method_mut("shut", |_, process, stream: usize| {
            Ok(process
                .streams
                .get_mut(stream)
                .and_then(Option::take)
                .is_some())
        });
        methods.add_method("signal", |_, process, number: c_int| {
            Ok(match process.target.signal(number) {
                Ok(()) => 0,
                Err(error) => error.raw_os_error().unwrap_or(libc::EINVAL),
            })
        });
        methods.add_method("ending", |_, process, ()| {
            let ending = *locked(&process.target.ending);
            Ok(ending.map_or((None, None), |status| (status.code(), status.signal())))
        });
    }
}

/// What the Lua half has checked.
#[expect(
    clippy::struct_excessive_bools,
    reason = "options of Tarantool's that know yes and no"
)]
struct Options {
    command: Command,
    closed: Vec<RawFd>,
    is_session: bool,
    restores_signals: bool,
    signals_group: bool,
    is_kept: bool,
}

fn os_string(text: &LuaString) -> OsString {
    OsString::from_vec(text.as_bytes().to_vec())
}

impl Options {
    fn from_table(table: &Table) -> mlua::Result<Self> {
        let arguments: Vec<LuaString> = table.get("arguments")?;
        let (program, rest) = arguments
            .split_first()
            .ok_or_else(|| mlua::Error::runtime("no program is named"))?;
        let mut command = Command::new(os_string(program));
        command.args(rest.iter().map(os_string));
        if let Some(variables) = table.get::<Option<Table>>("env")? {
            command.env_clear();
            for pair in variables.pairs::<LuaString, LuaString>() {
                let (name, value) = pair?;
                command.env(os_string(&name), os_string(&value));
            }
        }
        let mut options = Self {
            command,
            closed: Vec::new(),
            is_session: table.get("setsid")?,
            restores_signals: table.get("restore_signals")?,
            signals_group: table.get("group_signal")?,
            is_kept: table.get("keep_child")?,
        };
        for (stream, name) in ["stdin", "stdout", "stderr"].into_iter().enumerate() {
            let mode: String = table.get(name)?;
            let source = match mode.as_str() {
                "pipe" => Stdio::piped(),
                "devnull" => Stdio::null(),
                "close" => {
                    options.closed.push(stream as RawFd);
                    Stdio::null()
                }
                _ => Stdio::inherit(),
            };
            match stream {
                0 => options.command.stdin(source),
                1 => options.command.stdout(source),
                _ => options.command.stderr(source),
            };
        }
        Ok(options)
    }

    fn spawn(mut self) -> io::Result<Process> {
        let (closed, is_session, restores_signals) =
            (self.closed, self.is_session, self.restores_signals);
        let prepare = move || {
            // SAFETY: between fork and exec these are the calls that are allowed: system calls with
            // numbers, on memory that nobody else uses.
            unsafe {
                if is_session && libc::setsid() < 0 {
                    return Err(io::Error::last_os_error());
                }
                if restores_signals {
                    let mut none: libc::sigset_t = std::mem::zeroed();
                    libc::sigemptyset(&raw mut none);
                    libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
                    libc::signal(libc::SIGPIPE, libc::SIG_DFL);
                }
                for &descriptor in &closed {
                    libc::close(descriptor);
                }
            }
            Ok(())
        };
        // SAFETY: the closure only does what may be done there, see above.
        let mut child = unsafe { self.command.pre_exec(prepare) }.spawn()?;
        let streams = [
            child.stdin.take().map(OwnedFd::from),
            child.stdout.take().map(OwnedFd::from),
            child.stderr.take().map(OwnedFd::from),
        ];
        for stream in streams.iter().flatten() {
            let on = 1;
            // SAFETY: the descriptor is open, and the flag is read only.
            if unsafe { libc::ioctl(stream.as_raw_fd(), libc::FIONBIO, &raw const on) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        let (ended, closes_at_end) = io::pipe()?;
        let ending = Ending::default();
        let id = child.id() as libc::pid_t;
        watch(child, Arc::clone(&ending), closes_at_end)?;
        let target = Arc::new(Target {
            id,
            ending,
            signals_group: self.signals_group && is_session,
        });
        if !self.is_kept {
            end_with_process(&target);
        }
        Ok(Process {
            target,
            streams,
            ended: ended.into(),
            is_kept: self.is_kept,
        })
    }
}

/// Starts the thread that waits for the child's end.
fn watch(mut child: Child, ending: Ending, closes_at_end: io::PipeWriter) -> io::Result<()> {
    let wait = move || {
        // SAFETY: the structure is plain data, which the call fills in.
        let mut information: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // The child stays a zombie, and keeps its number, until the lock is held.
        // SAFETY: the structure is ours.
        unsafe {
            while libc::waitid(
                libc::P_PID,
                child.id(),
                &raw mut information,
                libc::WEXITED | libc::WNOWAIT,
            ) < 0
                && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
            {}
        }
        let mut slot = locked(&ending);
        *slot = Some(child.wait().unwrap_or_default());
        drop(slot);
        drop(closes_at_end);
    };
    std::thread::Builder::new()
        .name("child".to_owned())
        .stack_size(64 * 1024)
        .spawn(wait)
        .map(drop)
}

/// Starts a child: the process, or nil and the number of the system's error.
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments of Lua come by value"
)]
fn spawn(lua: &Lua, table: Table) -> mlua::Result<MultiValue> {
    match Options::from_table(&table)?.spawn() {
        Ok(process) => lua.create_userdata(process)?.into_lua_multi(lua),
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(libc::EINVAL);
            (mlua::Nil, number).into_lua_multi(lua)
        }
    }
}
