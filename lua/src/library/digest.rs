//! The native half of the module `digest`: hashes, checksums, a cipher, base64 and random bytes.

use aes::Aes256;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use md4::Md4;
use md5::Md5;
use mlua::{Lua, LuaString, Table};
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use xxhash_rust::{xxh32, xxh64};

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let hashes = lua.create_table()?;
    add_hash::<Md4>(lua, &hashes, "md4")?;
    add_hash::<Md5>(lua, &hashes, "md5")?;
    add_hash::<Sha1>(lua, &hashes, "sha1")?;
    add_hash::<Sha224>(lua, &hashes, "sha224")?;
    add_hash::<Sha256>(lua, &hashes, "sha256")?;
    add_hash::<Sha384>(lua, &hashes, "sha384")?;
    add_hash::<Sha512>(lua, &hashes, "sha512")?;
    native.set("hashes", hashes)?;
    native.set(
        "crc32",
        lua.create_function(|_, (checksum, text): (u32, LuaString)| {
            Ok(!crc32c::crc32c_append(!checksum, &text.as_bytes()))
        })?,
    )?;
    native.set("pbkdf2", lua.create_function(pbkdf2)?)?;
    native.set("encrypt", lua.create_function(encrypt)?)?;
    native.set("decrypt", lua.create_function(decrypt)?)?;
    native.set("random", lua.create_function(random)?)?;
    native.set(
        "guava",
        lua.create_function(|_, (upper, lower, buckets): (u32, u32, i32)| {
            Ok(guava(u64::from(upper) << 32 | u64::from(lower), buckets))
        })?,
    )?;
    install_murmur(lua, &native)?;
    install_xxhash(lua, &native)?;
    native.set("base64_encode", lua.create_function(base64_encode)?)?;
    native.set(
        "base64_decode",
        lua.create_function(|lua, text: LuaString| {
            lua.create_string(base64_decode(&text.as_bytes()))
        })?,
    )?;
    Ok(native)
}

fn add_hash<D: Digest>(lua: &Lua, hashes: &Table, name: &str) -> mlua::Result<()> {
    let hash = |lua: &Lua, text: LuaString| lua.create_string(D::digest(&*text.as_bytes()));
    hashes.set(name, lua.create_function(hash)?)
}

fn pbkdf2(
    lua: &Lua,
    (password, salt, iterations, size): (LuaString, LuaString, u32, usize),
) -> mlua::Result<LuaString> {
    let mut key = vec![0; size];
    pbkdf2::pbkdf2_hmac::<Sha256>(&password.as_bytes(), &salt.as_bytes(), iterations, &mut key);
    lua.create_string(key)
}

/// Encrypts with AES of 256 bits in CBC mode; the text is padded to whole blocks.
fn encrypt(
    lua: &Lua,
    (text, key, vector): (LuaString, LuaString, LuaString),
) -> mlua::Result<LuaString> {
    let cipher = cbc::Encryptor::<Aes256>::new_from_slices(&key.as_bytes(), &vector.as_bytes())
        .map_err(mlua::Error::external)?;
    lua.create_string(cipher.encrypt_padded_vec::<Pkcs7>(&text.as_bytes()))
}

/// The text, or nothing when the padding is wrong: another key, or other bytes.
fn decrypt(
    lua: &Lua,
    (bytes, key, vector): (LuaString, LuaString, LuaString),
) -> mlua::Result<Option<LuaString>> {
    let cipher = cbc::Decryptor::<Aes256>::new_from_slices(&key.as_bytes(), &vector.as_bytes())
        .map_err(mlua::Error::external)?;
    let text = cipher.decrypt_padded_vec::<Pkcs7>(&bytes.as_bytes()).ok();
    text.map(|text| lua.create_string(text)).transpose()
}

fn random(lua: &Lua, size: usize) -> mlua::Result<LuaString> {
    let mut bytes = vec![0; size];
    getrandom::fill(&mut bytes).map_err(mlua::Error::external)?;
    lua.create_string(bytes)
}

/// The bucket of a key by the consistent hashing of the Guava library: a linear congruential generator
/// jumps from bucket to bucket, and the last one below `buckets` is the answer.
fn guava(key: u64, buckets: i32) -> i32 {
    let (mut state, mut candidate) = (key, 0);
    loop {
        state = state
            .wrapping_mul(2_862_933_555_777_941_757)
            .wrapping_add(1);
        let fraction = f64::from((state >> 33) as i32 + 1) / f64::from(1_u32 << 31);
        let next = (f64::from(candidate) + 1.0) / fraction;
        if next >= f64::from(buckets) {
            return candidate;
        }
        candidate = next as i32;
    }
}

const MURMUR_FIRST: u32 = 0xcc9e_2d51;
const MURMUR_SECOND: u32 = 0x1b87_3593;

fn murmur_mix(block: u32) -> u32 {
    block
        .wrapping_mul(MURMUR_FIRST)
        .rotate_left(15)
        .wrapping_mul(MURMUR_SECOND)
}

/// `MurmurHash3` for 32 bits over whole blocks of four bytes.
fn murmur_blocks(hash: u32, bytes: &[u8]) -> u32 {
    let (blocks, _) = bytes.as_chunks::<4>();
    blocks.iter().fold(hash, |hash, &block| {
        (hash ^ murmur_mix(u32::from_le_bytes(block)))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64)
    })
}

/// Adds the last bytes, fewer than four, and the length of all.
fn murmur_finish(mut hash: u32, tail: &[u8], length: u32) -> u32 {
    let rest = tail
        .iter()
        .rev()
        .fold(0, |rest, &byte| rest << 8 | u32::from(byte));
    hash ^= murmur_mix(rest) ^ length;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

fn install_murmur(lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set(
        "murmur_blocks",
        lua.create_function(|_, (hash, text): (u32, LuaString)| {
            Ok(murmur_blocks(hash, &text.as_bytes()))
        })?,
    )?;
    native.set(
        "murmur_finish",
        lua.create_function(|_, (hash, tail, length): (u32, LuaString, f64)| {
            Ok(murmur_finish(hash, &tail.as_bytes(), length as u64 as u32))
        })?,
    )
}

/// A stream of one of the two; results of 64 bits are given in halves.
enum XxHash {
    Short(xxh32::Xxh32),
    Long(xxh64::Xxh64),
}

impl XxHash {
    fn new(bits: u32, seed: u64) -> Self {
        if bits == 32 {
            Self::Short(xxh32::Xxh32::new(seed as u32))
        } else {
            Self::Long(xxh64::Xxh64::new(seed))
        }
    }

    fn result(&self) -> (u32, u32) {
        let result = match self {
            Self::Short(stream) => u64::from(stream.digest()),
            Self::Long(stream) => stream.digest(),
        };
        ((result >> 32) as u32, result as u32)
    }
}

impl mlua::UserData for XxHash {
    fn add_methods<M: mlua::UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method_mut("update", |_, stream, text: LuaString| {
            match stream {
                Self::Short(stream) => stream.update(&text.as_bytes()),
                Self::Long(stream) => stream.update(&text.as_bytes()),
            }
            Ok(())
        });
        methods.add_method("result", |_, stream, ()| Ok(stream.result()));
        methods.add_method("copy", |_, stream, ()| {
            Ok(match stream {
                Self::Short(stream) => Self::Short(stream.clone()),
                Self::Long(stream) => Self::Long(stream.clone()),
            })
        });
    }
}

fn install_xxhash(lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set(
        "xxhash",
        lua.create_function(|_, (bits, upper, lower): (u32, u32, u32)| {
            Ok(XxHash::new(bits, u64::from(upper) << 32 | u64::from(lower)))
        })?,
    )
}

/// Length of the lines of wrapped base64. A line that ends in padding has no newline.
const LINE: usize = 72;

#[expect(
    clippy::unnecessary_wraps,
    reason = "a function of Lua answers with a result"
)]
fn base64_encode(
    _: &Lua,
    (text, pads, wraps, is_url_safe): (LuaString, bool, bool, bool),
) -> mlua::Result<String> {
    let bytes = text.as_bytes();
    let engine = match (is_url_safe, pads) {
        (true, _) => &URL_SAFE_NO_PAD,
        (false, true) => &STANDARD,
        (false, false) => &STANDARD_NO_PAD,
    };
    let encoded = engine.encode(&*bytes);
    if !wraps {
        return Ok(encoded);
    }
    let full_lines = bytes.len() / (LINE / 4 * 3);
    let mut wrapped = String::with_capacity(encoded.len() + full_lines);
    for (line, start) in (0..encoded.len()).step_by(LINE).enumerate() {
        wrapped.push_str(&encoded[start..encoded.len().min(start + LINE)]);
        if line < full_lines {
            wrapped.push('\n');
        }
    }
    Ok(wrapped)
}

/// Decodes both alphabets; passes over what is in neither, and drops bits that make no byte.
fn base64_decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0);
    for &character in text {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
