//! What `json` and `msgpack` share: the options of their encoders, and values that say by themselves
//! what is to be written for them.

use std::ffi::c_int;

use mlua::ffi;

use crate::state_boundary::{Boundary, push_reference, throw_text};

/// Options of an encoder, as `serializer.lua` passes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Containers inside one another deeper than this are an error.
    pub(crate) max_depth: u32,
    /// Significant digits of a number in text.
    pub(crate) precision: usize,
    sparse_ratio: f64,
    sparse_safe: f64,
    flags: u32,
}

/// However deep the options let values nest, no encoder and no decoder goes deeper: it would run out
/// of a fiber's stack.
pub(crate) const DEEPEST: u32 = 250;

/// Significant digits of a number at most, and by default.
const DIGITS: usize = 14;

pub(crate) const SPARSE_CONVERT: u32 = 1;
pub(crate) const INVALID_NUMBERS: u32 = 2;
pub(crate) const USE_TOSTRING: u32 = 4;
pub(crate) const INVALID_AS_NIL: u32 = 8;
pub(crate) const DEEP_AS_NIL: u32 = 16;
pub(crate) const LOAD_METATABLES: u32 = 32;
pub(crate) const ERROR_AS_EXTENSION: u32 = 64;

impl Default for Options {
    fn default() -> Self {
        Self {
            max_depth: 128,
            precision: DIGITS,
            sparse_ratio: 2.0,
            sparse_safe: 10.0,
            flags: SPARSE_CONVERT | INVALID_NUMBERS | LOAD_METATABLES | ERROR_AS_EXTENSION,
        }
    }
}

impl Options {
    /// Reads five arguments of the running function, from `first` on.
    ///
    /// # Safety
    ///
    /// They must be numbers.
    pub(crate) unsafe fn from_arguments(state: *mut ffi::lua_State, first: c_int) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            Self {
                max_depth: (ffi::lua_tonumber(state, first) as u32).min(DEEPEST),
                precision: Some(ffi::lua_tonumber(state, first + 1) as usize)
                    .filter(|digits| (1..=DIGITS).contains(digits))
                    .unwrap_or(DIGITS),
                sparse_ratio: ffi::lua_tonumber(state, first + 2),
                sparse_safe: ffi::lua_tonumber(state, first + 3),
                flags: ffi::lua_tonumber(state, first + 4) as u32,
            }
        }
    }

    pub(crate) fn has(self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The same with `flag` set.
    pub(crate) fn with(self, flag: u32) -> Self {
        Self {
            flags: self.flags | flag,
            ..self
        }
    }

    /// Whether an array with `count` elements up to `largest` is written as a map; throws when such
    /// arrays are not allowed.
    ///
    /// # Safety
    ///
    /// As for [`throw_text`].
    pub(crate) unsafe fn is_sparse(
        self,
        state: *mut ffi::lua_State,
        largest: f64,
        count: f64,
    ) -> bool {
        let is_sparse = self.sparse_ratio > 0.0
            && largest > self.sparse_safe
            && largest > count * self.sparse_ratio;
        if is_sparse && !self.has(SPARSE_CONVERT) {
            // SAFETY: as the caller promises.
            unsafe { throw_text(state, format_args!("excessively sparse array")) };
        }
        is_sparse
    }
}

/// What stands for a userdata or a cdata of unknown type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Substitute {
    /// Nothing: it cannot be written.
    None,
    /// The value on the top of the stack.
    Value,
    /// The `MsgPack` in the string on the top of the stack.
    Encoded,
}

/// Asks `values.lua` what stands for the value at `index`; pushes that, or nothing. Lua code may run.
///
/// # Safety
///
/// Four stack slots must be free.
pub(crate) unsafe fn substitute(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    index: c_int,
) -> Substitute {
    // SAFETY: the referenced function takes the value and answers with a kind and what stands for it.
    unsafe {
        push_reference(state, boundary.references.substitute);
        ffi::lua_pushvalue(state, index);
        ffi::lua_call(state, 1, 2);
        let kind = ffi::lua_tonumber(state, -2) as u32;
        ffi::lua_remove(state, -2);
        match kind {
            1 => Substitute::Value,
            2 => Substitute::Encoded,
            _ => {
                ffi::lua_pop(state, 1);
                Substitute::None
            }
        }
    }
}
