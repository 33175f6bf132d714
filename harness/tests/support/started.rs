//! A command as a terminal starts it, whose lines are watched and which Ctrl-C can stop.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// Long enough for any machine; nothing waits this long unless it is broken.
const PATIENCE: Duration = Duration::from_mins(1);

/// A run in a process group of its own, as a terminal starts it, and the lines that it shows.
pub(crate) struct Started {
    /// There until its end has been waited for.
    child: Option<Child>,
    lines: Receiver<String>,
}

impl Started {
    /// `lycosa run` without a cold repetition.
    pub(crate) fn run(arguments: &[&str]) -> Self {
        Self::lycosa(&[&["run", "--cold", "0"], arguments].concat())
    }

    pub(crate) fn lycosa(arguments: &[&str]) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
            .args(arguments)
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child: Some(child),
            lines: receiver,
        }
    }

    /// Waits for a line on standard error that contains a text.
    pub(crate) fn wait_for(&self, text: &str) {
        let mut seen = Vec::new();
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("no line with {text:?} came; {seen:?}");
            };
            if line.contains(text) {
                return;
            }
            seen.push(line);
        }
    }

    /// What the terminal does to all of the group.
    pub(crate) fn ctrl_c(&self) {
        let group = format!("-{}", self.child.as_ref().unwrap().id());
        let sent = Command::new("kill").args(["-INT", "--", &group]).status();
        assert!(sent.unwrap().success());
    }

    /// Exit code, standard output, and what is left of standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        let errors: Vec<String> = self.lines.iter().collect();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            errors.join("\n"),
        )
    }
}

/// A test that failed leaves nothing behind: workers end with the command that started them.
impl Drop for Started {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
