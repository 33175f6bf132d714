//! The machine and the build on the terminal, as `lycosa env` shows them: a group of lines for each
//! thing that one asks about. What is not known is left out.

use std::io;

use super::findings::selftest_title;
use super::page::{PLAIN, Page, RED, YELLOW};
use super::terminal::architecture;
use crate::environment::{Cache, CacheContent, Context, CoreKind, Translator, arch_title};
use crate::quantity::{Size, decimal_bytes, grouped, percent, significant};

/// Everything.
pub(crate) fn environment(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    machine(page, context)?;
    page.gap()?;
    system(page, context)?;
    page.gap()?;
    conditions(page, context)?;
    page.gap()?;
    build(page, context)
}

/// A line of what is known; none if nothing is.
fn known(page: &mut Page<'_>, label: &str, items: &[Option<String>]) -> io::Result<()> {
    let items: Vec<String> = items.iter().flatten().cloned().collect();
    if items.is_empty() {
        return Ok(());
    }
    page.labelled(PLAIN, label, &items)
}

fn machine(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    let machine = &context.machine;
    known(page, "chip", &[Some(context.cpu.clone())])?;
    let count = |count: Option<u64>, noun: &str| count.map(|count| format!("{count} {noun}"));
    let cores = [
        count(machine.cores, "in all"),
        count(machine.performance_cores, "performance"),
        count(machine.efficiency_cores, "efficiency"),
        count(machine.cpus_online, "CPUs online"),
    ];
    known(page, "cores", &cores)?;
    for (kind, label) in [
        (None, "caches"),
        (Some(CoreKind::Performance), "performance"),
        (Some(CoreKind::Efficiency), "efficiency"),
    ] {
        let of_kind = machine.caches.iter().filter(|cache| cache.core == kind);
        let items: Vec<_> = of_kind.map(|cache| Some(cache_title(cache))).collect();
        known(page, label, &items)?;
    }
    let memory = [
        machine.memory_bytes.map(decimal_bytes),
        machine
            .page_size_bytes
            .map(|bytes| format!("pages of {}", Size(bytes))),
    ];
    known(page, "memory", &memory)?;
    let hypervisor = machine.hypervisor.as_ref();
    known(
        page,
        "virtual",
        &[hypervisor.map(|name| format!("yes, under {name}"))],
    )
}

/// `L1d 32 KiB`.
pub(crate) fn cache_title(cache: &Cache) -> String {
    let holds = match cache.holds {
        CacheContent::Data => "d",
        CacheContent::Instructions => "i",
        CacheContent::Unified => "",
    };
    format!("L{}{holds} {}", cache.level, Size(cache.size_bytes))
}

fn system(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    known(page, "host", &[Some(context.host_name.clone())])?;
    known(page, "system", &[Some(context.os.clone())])?;
    // On Linux the system's title ends with the kernel.
    let kernel = context.kernel.clone();
    let kernel = kernel.filter(|kernel| !context.os.ends_with(kernel.as_str()));
    known(page, "kernel", &[kernel])?;
    let aslr = context.machine.aslr.map(|is_on| on_off(is_on).to_owned());
    known(page, "ASLR", &[aslr])?;
    let timer = context.timer;
    let timer = [
        timer.map(|timer| format!("smallest step {} ns", grouped(timer.step_ns))),
        timer.map(|timer| format!("{} ns a read", significant(timer.read_ns))),
    ];
    known(page, "clock", &timer)
}

fn conditions(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    known(page, "date", &[Some(context.date.clone())])?;
    let now = &context.conditions;
    let power = [
        now.power_source.map(|source| source.title().to_owned()),
        now.battery_percent
            .map(|percent| format!("battery at {percent} %")),
        now.low_power_mode
            .map(|is_on| format!("low-power mode {}", on_off(is_on))),
    ];
    known(page, "power", &power)?;
    let heat = [
        now.thermal_pressure
            .map(|pressure| format!("pressure {}", pressure.name())),
        now.throttle_count
            .map(|count| format!("{} slow-downs since the start", grouped(count))),
    ];
    known(page, "heat", &heat)?;
    let frequency = [
        now.governor
            .as_ref()
            .map(|governor| format!("governor {governor}")),
        now.frequency_limit_mhz
            .map(|mhz| format!("up to {} MHz", grouped(mhz))),
    ];
    known(page, "frequency", &frequency)?;
    let averages: Vec<String> = context
        .load_average
        .iter()
        .map(|load| format!("{load:.2}"))
        .collect();
    known(
        page,
        "load",
        &[(!averages.is_empty()).then(|| averages.join(" "))],
    )?;
    let floor = context.noise_floor.as_ref();
    let floor = [
        floor.map(|floor| percent(floor.relative)),
        floor.map(selftest_title),
    ];
    known(page, "noise floor", &floor)
}

fn build(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    let build = &context.build;
    let version = [
        Some(context.lycosa_version.clone()),
        Some(format!("revision {}", context.git_revision)),
    ];
    known(page, "lycosa", &version)?;
    let style = match context.translator {
        Translator::Native => PLAIN,
        _ => RED,
    };
    page.labelled(style, "architecture", &[architecture(context)])?;
    if context.binary_architectures.len() > 1 {
        let names: Vec<&str> = context
            .binary_architectures
            .iter()
            .map(|arch| arch_title(arch))
            .collect();
        known(page, "file holds", &[Some(names.join(", "))])?;
    }
    let profile = [
        Some(format!("{} build", context.profile)),
        Some(format!("optimization {}", build.opt_level)),
        Some(context.rustc.clone()),
    ];
    known(page, "compiled", &profile)?;
    let cpu = match &build.target_cpu {
        Some(cpu) => format!("for the chip {cpu}"),
        None => String::from("for any chip"),
    };
    known(page, "target", &[Some(build.target.clone()), Some(cpu)])?;
    if !build.features_beyond_baseline.is_empty() {
        let text = format!(
            "uses {}, which other chips and translators may lack",
            build.features_beyond_baseline.join(", ")
        );
        page.sentence(YELLOW, "features", &text)?;
    }
    known(page, "allocator", &[Some(build.allocator.clone())])?;
    luajit(page, context)
}

fn luajit(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    let Some(luajit) = &context.luajit else {
        return Ok(());
    };
    known(page, "Lua", &[Some(luajit.version.clone())])?;
    match (luajit.jit, luajit.machine_code) {
        (false, _) => page.labelled(YELLOW, "JIT", &[String::from("off")]),
        (true, None) => {
            let text = "on, but it gets no memory for machine code: Lua is interpreted";
            page.sentence(YELLOW, "JIT", text)
        }
        (true, Some(code)) => {
            let distance = decimal_bytes(code.distance_bytes);
            let reach = if code.distance_bytes <= code.reach_bytes {
                "within its reach"
            } else {
                "out of its reach"
            };
            let place = format!("machine code {distance} from the interpreter, {reach}");
            page.labelled(PLAIN, "JIT", &[String::from("on"), place])
        }
    }
}

fn on_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

#[cfg(test)]
mod tests {
    use lycosa_lua::worker::{LuaJit, MachineCode};
    use serde_json::json;

    use super::*;
    use crate::environment::{self, Facts, Machine, NoiseFloor, Timer};

    fn shown(context: &Context, width: usize) -> String {
        let mut out = Vec::new();
        environment(&mut Page::new(&mut out, width), context).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    /// A universal binary on a laptop, translated.
    fn laptop() -> Context {
        let machine = json!({
            "cpus_online": 8, "cores": 8, "performance_cores": 4, "efficiency_cores": 4,
            "memory_bytes": 17_179_869_184_u64, "page_size_bytes": 4096, "aslr": true,
            "caches": [
                {"level": 1, "holds": "data", "size_bytes": 131_072, "core": "performance"},
                {"level": 2, "holds": "unified", "size_bytes": 16_777_216, "core": "performance"},
                {"level": 1, "holds": "data", "size_bytes": 65_536, "core": "efficiency"},
            ],
        });
        let facts = Facts {
            os: Some(String::from("macOS 15.5")),
            kernel: Some(String::from("Darwin 24.5.0")),
            cpu: Some(String::from("Apple M2 (4P + 4E)")),
            host_arch: Some(String::from("aarch64")),
            translator: Some(Translator::Rosetta),
            machine: serde_json::from_value::<Machine>(machine).unwrap(),
            binary_architectures: vec![String::from("x86_64"), String::from("aarch64")],
            timer: Some(Timer {
                step_ns: 41,
                read_ns: 9.04,
            }),
            luajit: Some(LuaJit {
                version: String::from("LuaJIT 2.1.1"),
                jit: true,
                machine_code: Some(MachineCode {
                    distance_bytes: 45_300_000,
                    reach_bytes: 1 << 27,
                }),
            }),
            ..Facts::default()
        };
        let mut context = environment::context(&facts);
        context.binary_arch = String::from("x86_64");
        context.conditions = serde_json::from_value(json!({
            "power_source": "battery", "battery_percent": 57, "low_power_mode": false,
            "thermal_pressure": "nominal",
        }))
        .unwrap();
        context.noise_floor = Some(NoiseFloor {
            relative: 0.009,
            date: String::from("2026-11-30T12:00:00+01:00"),
            records: Some(1_000_000),
            repetitions: Some(15),
        });
        context
    }

    #[test]
    fn everything_that_is_known_stands_on_a_line_of_its_group() {
        let text = shown(&laptop(), 80);
        for line in [
            "cores         8 in all   4 performance   4 efficiency   8 CPUs online\n",
            "performance   L1d 128 KiB   L2 16 MiB\n",
            "efficiency    L1d 64 KiB\n",
            "memory        17.2 GB   pages of 4 KiB\n",
            "kernel        Darwin 24.5.0\n",
            "ASLR          on\n",
            "clock         smallest step 41 ns   9.04 ns a read\n",
            "power         battery   battery at 57 %   low-power mode off\n",
            "heat          pressure nominal\n",
            "noise floor   0.9 %   self-test of 2026-11-30, 1M x 15\n",
            "architecture  x86_64 on arm64, Rosetta\n",
            "file holds    x86_64, arm64\n",
            "JIT           on   machine code 45.3 MB from the interpreter, within its reach\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let text = shown(&environment::context(&Facts::default()), 80);
        for label in [
            "caches", "memory", "virtual", "power", "heat", "load", "noise", "JIT",
        ] {
            assert!(!text.contains(label), "{label}\n{text}");
        }
    }

    #[test]
    fn a_compiler_that_cannot_place_its_code_is_pointed_out() {
        let mut context = laptop();
        context.luajit = Some(LuaJit {
            jit: true,
            ..LuaJit::default()
        });
        assert!(shown(&context, 80).contains("gets no memory for machine code"));
    }

    #[test]
    fn this_machine_fits_on_a_narrow_terminal() {
        let mut context = environment::context(&environment::facts());
        context.conditions = environment::conditions();
        let text = shown(&context, 80);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert!(text.contains("LuaJIT 2.1"), "{text}");
    }
}
