//! Builds LuaJIT once more for the modules in Lua that belong to it, `jit.v`, `jit.dump`, `jit.p` and their
//! like: one of them, `jit.vmdef`, is made by the build, and must be that of the version that runs. mlua links
//! the same version, and hands out nothing of its own build.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    luajit_src::Build::new().build();
}
