//! Uses much of the standard library, which is part of the module: files, sockets, processes, time, threads, text, collections.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, LinkedList, VecDeque};
use std::fmt::Write as _;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};
use std::{char, env, fs, panic, str, thread};

fn files() -> io::Result<()> {
    let folder = Path::new("made");
    fs::create_dir_all(folder.join("deep/deeper"))?;
    let path = folder.join("deep").join("numbers.txt");
    let mut writer = BufWriter::new(fs::File::create(&path)?);
    for n in 0..2000_u32 {
        writeln!(writer, "{n} {:#x} {:>8.3}", n.wrapping_mul(2654435761), f64::from(n).sqrt())?;
    }
    writer.into_inner()?.sync_all()?;
    let mut file = fs::OpenOptions::new().read(true).append(true).open(&path)?;
    file.write_all("äöü ∑ 𝄞\n".as_bytes())?;
    file.seek(SeekFrom::Start(17))?;
    let mut start = [0; 20];
    file.read_exact(&mut start)?;
    println!("{:?}", str::from_utf8(&start));
    let lines = BufReader::new(fs::File::open(&path)?).lines().collect::<io::Result<Vec<_>>>()?;
    println!("{} lines, the last {:?}, {} bytes", lines.len(), lines.last(), fs::metadata(&path)?.len());
    fs::rename(&path, folder.join("moved.txt"))?;
    let mut names: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
    names.sort();
    println!("{names:?}");
    for path in ["made/none.txt", "made", "made/moved.txt/x"] {
        match fs::read_to_string(path) {
            Ok(text) => println!("{} bytes", text.len()),
            Err(error) => println!("{path}: {:?} {error}", error.kind()),
        }
    }
    fs::remove_dir_all(folder)
}

fn sockets() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || -> io::Result<usize> {
        let (stream, _) = listener.accept()?;
        let mut count = 0;
        for line in BufReader::new(&stream).lines() {
            writeln!(&stream, "{}", line?.chars().rev().collect::<String>())?;
            count += 1;
        }
        Ok(count)
    });
    let client = TcpStream::connect(address)?;
    client.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut answers = BufReader::new(client.try_clone()?).lines();
    for word in ["stressed", "λόγος", ""] {
        writeln!(&client, "{word}")?;
        println!("{word:?} becomes {:?}", answers.next().transpose()?);
    }
    client.shutdown(std::net::Shutdown::Write)?;
    println!("{:?} lines", server.join().map(|count| count.ok()));
    Ok(())
}

fn processes() -> io::Result<()> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "tr a-z A-Z; echo $WORD >&2; exit 3"])
        .env("WORD", "said")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child.stdin.take().expect("it is piped").write_all(b"shout\n")?;
    let output = child.wait_with_output()?;
    println!("{} {:?} {:?}", output.status, String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{:?}", Command::new("/no/such/program").spawn().map_err(|error| error.kind()).err());
    println!("{} {:?}", env::args().count(), env::var("NO_SUCH_VARIABLE"));
    Ok(())
}

fn text() {
    let mut out = String::new();
    for value in [0.1, 1.0 / 3.0, 5e-324, f64::MAX, -0.0, f64::NAN, 123456789.125, 1e21] {
        write!(out, "{value} {value:?} {value:e} {value:.3} {value:+010.2};").expect("a string takes every text");
    }
    println!("{out}");
    for number in ["1e400", "-1.5e-7", "0x10", "3.14159265358979323846264338327950288", "inf", "", "179769313486231580793e289"] {
        println!("{number}: {:?} {:?} {:?}", number.parse::<f64>(), number.parse::<f32>(), number.parse::<i128>());
    }
    println!("{} {} {}", u128::MAX, i128::MIN, u128::MAX / 1_000_000_007 % 998_244_353);
    println!("{:?} {:?}", "Straße ǅ İ".to_uppercase(), "ΟΔΥΣΣΕΥΣ İ".to_lowercase());
    println!("{:?}", "a\u{301}\u{1F600}\t\"\\\u{7f}".escape_debug().to_string());
    println!("{:?}", "eins, zwei;drei".split([',', ';']).map(str::trim).rev().collect::<Vec<_>>());
    println!("{:?} {:?}", "mississippi".rmatch_indices("ss").collect::<Vec<_>>(), "mississippi".find("sip"));
    println!("{:?}", String::from_utf8(vec![b'a', 0xff, 0xe2, 0x82]).map_err(|error| error.to_string()));
    println!("{:?}", "𝄞music".encode_utf16().collect::<Vec<_>>());
    println!("{:?}", ('a'..='e').chain(char::from_u32(0x1F980)).collect::<String>());
    println!("{:?} {:?}", "::ffff:1.2.3.4".parse::<Ipv6Addr>(), "1.2.3".parse::<IpAddr>().map_err(|e| e.to_string()));
    println!("{:?}", "[fe80::1%7]:80".parse::<SocketAddr>());
    println!("{:?}", Path::new("/a/./b/../c.tar.gz").components().collect::<Vec<_>>());
}

fn collections() {
    let mut map: HashMap<String, Vec<u32>, BuildHasherDefault<DefaultHasher>> = HashMap::default();
    for n in 0..500_u32 {
        map.entry(format!("key {}", n * n % 37)).or_default().push(n);
    }
    map.retain(|_, list| list.len() > 14);
    let ordered: BTreeMap<_, _> = map.iter().map(|(key, list)| (key, list.iter().sum::<u32>())).collect();
    println!("{ordered:?}");
    let mut tree: BTreeSet<u64> = (0..300).map(|n| n * 7919 % 1009).collect();
    tree.retain(|n| n % 3 != 0);
    let large = tree.split_off(&500);
    println!("{:?} {}", tree.range(100..140).collect::<Vec<_>>(), large.len());
    let mut heap: BinaryHeap<_> = (0..40).map(|n: i32| (n * 31 % 41, n)).collect();
    let top: Vec<_> = std::iter::from_fn(|| heap.pop()).take(5).collect();
    println!("{top:?}");
    let mut queue: VecDeque<_> = (0..10).collect();
    queue.rotate_left(3);
    queue.extend([99, 98]);
    queue.make_contiguous().sort_by_key(|n| std::cmp::Reverse(n % 5));
    println!("{queue:?}");
    let list: LinkedList<_> = queue.iter().filter(|n| *n % 2 == 0).collect();
    let mut hasher = DefaultHasher::new();
    (list, "hash", 1.5_f32.to_bits()).hash(&mut hasher);
    println!("{:016x}", hasher.finish());
    let mut words: Vec<String> = (0..400).map(|n| format!("{:b}", n * 2654435761_u64 % 1013)).collect();
    words.sort();
    words.dedup_by_key(|word| word.len());
    words.truncate(20);
    println!("{words:?} {:?}", words.binary_search(&"1".to_owned()));
}

fn threads() {
    let (sender, receiver) = mpsc::sync_channel::<Result<u64, String>>(4);
    let workers: Vec<_> = (0..4_u64)
        .map(|index| {
            let sender = sender.clone();
            thread::Builder::new().name(format!("worker {index}")).spawn(move || {
                let result = panic::catch_unwind(|| (1..=25).map(|n| if n == 20 + 2 * index { panic!("at {n}") } else { n * index }).sum());
                sender.send(result.map_err(|p| p.downcast_ref::<String>().cloned().unwrap_or_default())).expect("there is a receiver");
            })
        })
        .collect::<io::Result<_>>()
        .expect("threads can be started");
    drop(sender);
    let mut results: Vec<_> = receiver.iter().collect();
    results.sort();
    println!("{results:?} {}", workers.into_iter().all(|worker| worker.join().is_ok()));
    let mut data = vec![1_u32; 1000];
    thread::scope(|scope| data.chunks_mut(300).for_each(|part| drop(scope.spawn(move || part.fill(part.len() as u32)))));
    println!("{}", data.iter().sum::<u32>());
}

fn main() {
    panic::set_hook(Box::new(|info| {
        let trace = std::backtrace::Backtrace::force_capture().to_string();
        assert!(!trace.is_empty());
        let _ = info.location();
    }));
    let start = (Instant::now(), SystemTime::now());
    for (name, work) in [("files", files as fn() -> io::Result<()>), ("sockets", sockets), ("processes", processes)] {
        println!("--- {name}");
        if let Err(error) = work() {
            println!("{error}");
        }
    }
    for (name, work) in [("text", text as fn()), ("collections", collections), ("threads", threads)] {
        println!("--- {name}");
        work();
    }
    assert!(start.0.elapsed() < Duration::from_secs(3600) && start.1.elapsed().is_ok());
    println!("--- {:?}", panic::catch_unwind(|| [1, 2, 3][std::hint::black_box(7)]).is_err());
    std::process::exit(io::stdout().flush().is_err().into());
}
