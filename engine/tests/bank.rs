//! The example of the bank, as a test.

#[path = "../examples/bank.rs"]
mod bank;

#[test]
fn transfers_between_fibers_neither_make_nor_lose_money() {
    let outcome = bank::run().expect("the bank runs");
    assert_eq!(outcome.total, 5_000);
    assert_eq!(outcome.done + outcome.refused, 2_000);
    assert!(outcome.done > 0 && outcome.refused > 0, "{outcome:?}");
}

#[test]
fn a_bank_day_is_the_same_every_time() {
    assert_eq!(
        bank::run().expect("the bank runs"),
        bank::run().expect("the bank runs")
    );
}
