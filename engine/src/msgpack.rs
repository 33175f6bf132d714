//! MsgPack.
