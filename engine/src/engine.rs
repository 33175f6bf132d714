//! The engine as a whole: a database and the fibers that work on it.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use crate::database::{Database, DatabaseOptions};
use crate::error::Result;
use crate::fiber::{self, FiberId, RuntimeError, RuntimeOptions, Scheduler, SwitchHook};

/// A database that fibers share. It is never borrowed across a switch.
pub type SharedDatabase = Rc<RefCell<Database>>;

/// Settings of an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Limits of the database.
    pub database: DatabaseOptions,
    /// Stacks and clock of the fibers.
    pub runtime: RuntimeOptions,
}

/// A database and its fibers. Cheap to clone; all clones are the same engine.
///
/// ```
/// use lycosa_engine::{Engine, EngineOptions, IndexOptions, SpaceOptions};
/// use lycosa_engine::schema::{FieldType, KeyPart};
/// use lycosa_engine::tuple::{Encoded, Fields};
///
/// let length = Engine::run(EngineOptions::default(), |engine| {
///     let space = engine.transaction(|database| {
///         let space = database.create_space("accounts", SpaceOptions::default())?;
///         database.create_index(space, "primary", &IndexOptions::tree(vec![KeyPart::new(0, FieldType::Unsigned)]))?;
///         let tuple = Fields::new().unsigned(1).string("Ada").finish();
///         database.insert(space, Encoded::check(&tuple)?)?;
///         Ok(space)
///     })?;
///     engine.database().space(space).map(|space| space.len())
/// }).expect("the runtime starts");
/// assert_eq!(length.expect("no statement failed"), 1);
/// ```
#[derive(Clone)]
pub struct Engine {
    scheduler: Scheduler,
    database: SharedDatabase,
}

/// Hands the transaction over when fibers switch.
struct TransactionHook(SharedDatabase);

impl SwitchHook for TransactionHook {
    fn before_switch(&self, _leaving: FiberId) {
        self.0.borrow_mut().before_switch();
    }

    fn after_switch(&self, entering: FiberId) {
        self.0.borrow_mut().after_switch(entering);
    }

    fn fiber_ended(&self, _id: FiberId) {
        self.0.borrow_mut().rollback();
    }
}

impl Engine {
    /// Starts an engine, runs `main` in its main fiber, and answers with its value. A process has
    /// one engine at a time; a second one waits for the first.
    pub fn run<T, F>(options: EngineOptions, main: F) -> std::result::Result<T, RuntimeError>
    where
        F: FnOnce(&Engine) -> T + Send + 'static,
        T: Send + 'static,
    {
        let EngineOptions { database, runtime } = options;
        fiber::run(runtime, move |scheduler| {
            main(&Self::new(scheduler, Database::new(&database)))
        })
    }

    fn new(scheduler: &Scheduler, mut database: Database) -> Self {
        database.after_switch(scheduler.current().id());
        let database = Rc::new(RefCell::new(database));
        scheduler.add_switch_hook(Box::new(TransactionHook(Rc::clone(&database))));
        Self {
            scheduler: scheduler.clone(),
            database,
        }
    }

    /// The fibers.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// The database, for statements. Let go of it before the fiber yields.
    ///
    /// # Panics
    /// When it is borrowed already.
    pub fn database(&self) -> RefMut<'_, Database> {
        self.database.borrow_mut()
    }

    /// The database, to keep.
    pub fn shared(&self) -> SharedDatabase {
        Rc::clone(&self.database)
    }

    /// Runs `body` as one transaction of the current fiber: committed when it succeeds, undone
    /// when it fails. `body` cannot yield.
    pub fn transaction<R>(&self, body: impl FnOnce(&mut Database) -> Result<R>) -> Result<R> {
        let mut database = self.database();
        database.begin()?;
        match body(&mut database) {
            Ok(value) => database.commit().map(|()| value),
            Err(error) => {
                database.rollback();
                Err(error)
            }
        }
    }
}
