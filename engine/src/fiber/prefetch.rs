//! Fetches memory into the caches before it is needed. Nothing is read: any address will do.

/// Bytes of a cache line; where lines are longer, some are asked for twice.
const LINE_BYTES: usize = 64;

/// Fetches `count` lines from the one that holds `address`.
#[inline]
pub(super) fn lines(address: usize, count: usize) {
    for number in 0..count {
        line(address.wrapping_add(number * LINE_BYTES));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn line(address: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint, which faults at no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address)) };
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn line(address: usize) {
    // SAFETY: a hint, which faults at no address and changes no register.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline]
fn line(_address: usize) {}
