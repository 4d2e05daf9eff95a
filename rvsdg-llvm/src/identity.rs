//! Rewrites bodies block by block without a graph between, to test the carrier alone.

use crate::carrier::{Carrier, Ref, Writer};
use crate::module_io::{Format, LlvmModule};
use crate::opcode;
use crate::stream::{BodyStream, Operand};

fn rewrite(writer: &mut Writer<'_>, symbol: u32, body: &BodyStream) {
    writer.begin(symbol, body.first_source, body.insts, body.params);
    let mut cursor = body.cursor();
    let mut first = body.first_source;
    let blocks: Vec<u32> = (0..body.blocks)
        .map(|_| {
            let block = writer.block(first);
            for _ in 0..cursor.block() {
                cursor.inst();
                first += 1;
            }
            block
        })
        .collect();
    let mut slots: Vec<u32> = (0..body.params).collect();
    let mut cursor = body.cursor();
    let mut source = body.first_source;
    for &block in &blocks {
        for _ in 0..cursor.block() {
            let record = cursor.inst();
            slots.push(match record.opcode {
                opcode::PHI => writer.phi(block, record.ty, source, record.extra.len() as u32),
                _ => writer.take(block, source),
            });
            source += 1;
        }
    }
    let value = |operand: Operand| match operand {
        Operand::Local(number) => Ref::slot(slots[number as usize]),
        Operand::Constant(id) => Ref::constant(id),
        Operand::Block | Operand::Unsupported => Ref::KEEP,
    };
    let mut cursor = body.cursor();
    let mut next = body.params as usize;
    let mut refs = Vec::new();
    for _ in &blocks {
        for _ in 0..cursor.block() {
            let record = cursor.inst();
            let slot = slots[next];
            next += 1;
            let target = |old: u32| blocks[old as usize];
            match record.opcode {
                opcode::PHI => {
                    for (incoming, &old) in record.operands().zip(record.extra) {
                        writer.incoming(slot, value(incoming), target(old));
                    }
                }
                opcode::BR => {
                    let condition = if record.extra.len() == 2 { value(record.operand(0)) } else { Ref::KEEP };
                    let targets: Vec<u32> = record.extra.iter().map(|&old| target(old)).collect();
                    writer.branch(slot, condition, &targets);
                }
                opcode::SWITCH => {
                    let mut targets = vec![target(record.extra[0])];
                    targets.extend(record.extra[1..].chunks_exact(2).map(|case| target(case[1])));
                    writer.branch(slot, value(record.operand(0)), &targets);
                }
                _ => {
                    refs.clear();
                    refs.extend(record.operands().map(value));
                    writer.operands(slot, &refs);
                }
            }
        }
    }
    writer.end();
}

/// The bodies with instructions that the rewriting above does not know.
fn is_known(body: &BodyStream) -> bool {
    let mut cursor = body.cursor();
    (0..body.blocks).all(|_| {
        (0..cursor.block()).all(|_| {
            let opcode = cursor.inst().opcode;
            !matches!(
                opcode,
                opcode::INDIRECTBR
                    | opcode::INVOKE
                    | opcode::CLEANUPRET
                    | opcode::CATCHRET
                    | opcode::CATCHSWITCH
                    | opcode::CALLBR
            )
        })
    })
}

fn rewritten(bytes: &[u8], name: &str) -> (String, String) {
    let (mut module, _) = LlvmModule::parse(bytes, name).unwrap_or_else(|error| panic!("{error}"));
    let before = module.write(Format::Text);
    let start = std::time::Instant::now();
    let mut carrier = Carrier::new(module);
    let mut bodies = Vec::new();
    let mut insts = 0;
    for symbol in 0..carrier.symbols() {
        if let Ok(body) = BodyStream::read(&mut carrier, symbol, Vec::new()) {
            insts += body.insts;
            bodies.push((symbol, body));
        }
    }
    let read = start.elapsed();
    let start = std::time::Instant::now();
    let mut writer = Writer::new(&mut carrier);
    for (symbol, body) in &bodies {
        if is_known(body) {
            rewrite(&mut writer, *symbol, body);
        }
    }
    drop(writer);
    let write = start.elapsed();
    if insts > 10_000 {
        println!("{name}: read {} ns, write {} ns per instruction", read.as_nanos() / u128::from(insts), write.as_nanos() / u128::from(insts));
    }
    let mut module = carrier.into_module();
    module.verify().unwrap_or_else(|error| panic!("{error}"));
    let after = module.write(Format::Text);
    (normalized(&before), normalized(&after))
}

/// Text without the comments that list predecessors, whose order is that of use lists.
fn normalized(text: &[u8]) -> String {
    String::from_utf8_lossy(text)
        .lines()
        .map(|line| line.split_once("; preds = ").map_or(line, |(before, _)| before).trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The module after import and export of the control flow graphs as read.
fn reexported(bytes: &[u8], name: &str) -> (String, String) {
    let (mut module, _) = LlvmModule::parse(bytes, name).unwrap_or_else(|error| panic!("{error}"));
    let before = module.write(Format::Text);
    let start = std::time::Instant::now();
    let mut import = crate::import(module);
    let read = start.elapsed();
    let insts: u32 = import.host.bodies.iter().map(|body| body.insts).sum();
    for body in import.module.bodies.values() {
        if let rvsdg_core::module::Code::Untouched { construct } = &body.code {
            println!("{name}: {} untouched: {construct}", import.module.symbols[body.symbol].name);
        }
    }
    let mut cfgs: rustc_hash::FxHashMap<_, _> = import.cfgs.drain(..).collect();
    let start = std::time::Instant::now();
    let mut module =
        import.host.export(&import.module, |body| cfgs.remove(&body)).unwrap_or_else(|error| panic!("{error}"));
    let write = start.elapsed();
    if insts > 10_000 {
        let per = |time: std::time::Duration| time.as_nanos() / u128::from(insts);
        println!("{name}: import {} ns, export {} ns per instruction", per(read), per(write));
    }
    module.verify().unwrap_or_else(|error| panic!("{error}"));
    let after = module.write(Format::Text);
    (normalized(&before), normalized(&after))
}

fn directory(variable: &str, run: fn(&[u8], &str) -> (String, String)) {
    let Some(dir) = std::env::var_os(variable) else { return };
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut different = 0;
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let (before, after) = run(&bytes, &path.display().to_string());
        if before != after {
            different += 1;
            let (b, a) = before.lines().zip(after.lines()).find(|(b, a)| b != a).unwrap_or(("", ""));
            println!("{} differs:\n  {b}\n  {a}", path.display());
        }
    }
    assert_eq!(different, 0);
}

#[test]
fn directory_is_rewritten_identically() {
    directory("RVSDG_IDENTITY_DIR", rewritten);
}

#[test]
fn directory_is_reexported_identically() {
    directory("RVSDG_REEXPORT_DIR", reexported);
}

fn through_graphs(bytes: &[u8], name: &str, recovery: rvsdg_cfg::destruct::Recovery) {
    let (module, _) = LlvmModule::parse(bytes, name).unwrap_or_else(|error| panic!("{error}"));
    let mut import = crate::import(module);
    let options = rvsdg_cfg::restructure::Options::default();
    let mut cfgs: rustc_hash::FxHashMap<_, _> = rustc_hash::FxHashMap::default();
    for (body, cfg) in import.cfgs.drain(..) {
        let graph = rvsdg_cfg::construct::build(&cfg, &options);
        let recovered = rvsdg_cfg::destruct::destruct(&graph, cfg.contexts().len(), recovery);
        cfgs.insert(body, recovered);
    }
    let mut module =
        import.host.export(&import.module, |body| cfgs.remove(&body)).unwrap_or_else(|error| panic!("{name}: {error}"));
    if let Some(dir) = std::env::var_os("RVSDG_OUT_DIR") {
        let file = std::path::Path::new(&dir).join(std::path::Path::new(name).file_name().unwrap());
        std::fs::write(file, module.write(Format::Bitcode)).unwrap();
    }
    module.verify().unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn directory_goes_through_graphs() {
    let Some(dir) = std::env::var_os("RVSDG_GRAPH_DIR") else { return };
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failed = 0;
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        for recovery in [rvsdg_cfg::destruct::Recovery::Structured, rvsdg_cfg::destruct::Recovery::Predicative] {
            let name = path.display().to_string();
            if std::panic::catch_unwind(|| through_graphs(&bytes, &name, recovery)).is_err() {
                println!("{name} {recovery:?} FAILED");
                failed += 1;
            }
        }
    }
    assert_eq!(failed, 0);
}
