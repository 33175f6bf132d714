//! Bank transfers between fibers, on the engine alone: no Lua, no harness.
//!
//! Ten tellers (fibers) move money between accounts, each transfer in a transaction of its own,
//! and hand the thread to the next teller after each. A transfer that would overdraw an account is
//! rolled back. At the end no money has come or gone.
//!
//! ```text
//! cargo run -p lycosa-engine --example bank
//! ```

use std::cell::Cell;
use std::rc::Rc;

use lycosa_engine::schema::{FieldDefinition, FieldType, KeyPart};
use lycosa_engine::tuple::{self, Encoded, Fields};
use lycosa_engine::{
    Database, Engine, EngineOptions, ErrorKind, IndexOptions, IteratorType, Result, Select,
    SpaceOptions, msgpack,
};

const ACCOUNTS: u64 = 100;
const TELLERS: u64 = 10;
const TRANSFERS_PER_TELLER: u64 = 200;
const OPENING_BALANCE: i64 = 50;

/// What happened to the transfers, and the money in the bank at the end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Transfers that were committed.
    pub(crate) done: u64,
    /// Transfers that were rolled back for want of money.
    pub(crate) refused: u64,
    /// Sum of all balances.
    pub(crate) total: i64,
}

/// Runs the bank and answers with what happened; the same in every run.
pub(crate) fn run() -> std::result::Result<Outcome, Box<dyn std::error::Error + Send + Sync>> {
    let outcome = Engine::run(EngineOptions::default(), |engine| -> Result<Outcome> {
        let accounts = engine.transaction(open_accounts)?;
        let (done, refused) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let mut tellers = Vec::new();
        for teller in 0..TELLERS {
            let (engine, done, refused) = (engine.clone(), Rc::clone(&done), Rc::clone(&refused));
            let name = format!("teller-{teller}");
            let body = {
                let engine = engine.clone();
                move || {
                    for step in 0..TRANSFERS_PER_TELLER {
                        let amount = (teller * 7 + step * 3) % 40 + 1;
                        let (from, to) = (
                            (teller + step * 11) % ACCOUNTS,
                            (teller * 13 + step) % ACCOUNTS,
                        );
                        let moved = engine
                            .transaction(|database| transfer(database, accounts, from, to, amount));
                        let counter = if moved.is_ok() { &done } else { &refused };
                        counter.set(counter.get() + 1);
                        // The other tellers' turn. The transaction is over, so nothing is lost.
                        let _ = engine.scheduler().yield_now();
                    }
                }
            };
            match engine.scheduler().spawn(name, body) {
                Ok(fiber) => {
                    fiber.set_joinable(true);
                    tellers.push(fiber);
                }
                Err(error) => {
                    return Err(ErrorKind::IllegalParams {
                        reason: error.to_string(),
                    }
                    .into());
                }
            }
        }
        for teller in tellers {
            // A teller has nothing to answer with; what it did is counted.
            let _ = teller.join(None);
        }
        let total = total(&mut engine.database(), accounts)?;
        Ok(Outcome {
            done: done.get(),
            refused: refused.get(),
            total,
        })
    })?;
    Ok(outcome?)
}

fn open_accounts(database: &mut Database) -> Result<u32> {
    let format = vec![
        FieldDefinition::new("id", FieldType::Unsigned),
        FieldDefinition::new("balance", FieldType::Integer),
    ];
    let accounts = database.create_space(
        "accounts",
        SpaceOptions {
            format,
            ..SpaceOptions::default()
        },
    )?;
    database.create_index(
        accounts,
        "id",
        &IndexOptions::tree(vec![KeyPart::new(0, FieldType::Unsigned)]),
    )?;
    for id in 0..ACCOUNTS {
        let account = Fields::new().unsigned(id).integer(OPENING_BALANCE).finish();
        database.insert(accounts, Encoded::check(&account)?)?;
    }
    Ok(accounts)
}

/// Moves money, or fails and leaves everything as it was.
fn transfer(database: &mut Database, accounts: u32, from: u64, to: u64, amount: u64) -> Result<()> {
    add(database, accounts, from, '-', amount)?;
    add(database, accounts, to, '+', amount)?;
    let key = Fields::new().unsigned(from).finish();
    match database.get(accounts, 0, Encoded::check(&key)?)? {
        Some(account) if balance(account.bytes()) >= 0 => Ok(()),
        _ => Err(ErrorKind::IllegalParams {
            reason: format!("account {from} has less than {amount}"),
        }
        .into()),
    }
}

/// Changes one balance in place, as Tarantool's `update(id, {{'+', 2, amount}})`.
fn add(database: &mut Database, accounts: u32, id: u64, operator: char, amount: u64) -> Result<()> {
    let key = Fields::new().unsigned(id).finish();
    let operation = Fields::new()
        .string(&operator.to_string())
        .unsigned(2)
        .unsigned(amount)
        .finish();
    let operations = Fields::new().raw(&operation)?.finish();
    database.update(
        accounts,
        0,
        Encoded::check(&key)?,
        Encoded::check(&operations)?,
        1,
    )?;
    Ok(())
}

fn total(database: &mut Database, accounts: u32) -> Result<i64> {
    let all = database.select(accounts, 0, &Select::new(IteratorType::All, Encoded::EMPTY))?;
    Ok(all.iter().map(|account| balance(account.bytes())).sum())
}

fn balance(account: &[u8]) -> i64 {
    match tuple::field(account, 1).map(msgpack::read) {
        Some(Ok((msgpack::Value::Unsigned(value), _))) => value.cast_signed(),
        Some(Ok((msgpack::Value::Negative(value), _))) => value,
        _ => 0,
    }
}

#[allow(
    dead_code,
    reason = "the tests include this file and call `run` themselves"
)]
fn main() -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let Outcome {
        done,
        refused,
        total,
    } = run()?;
    println!("{done} transfers done, {refused} refused; {total} in {ACCOUNTS} accounts");
    Ok(())
}
