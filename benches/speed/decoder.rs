//! Reading bytes: a binary format with lengths and varints, run lengths, UTF-8 by hand, hexadecimal, and a small JSON reader.

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn word(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }
}

fn records(bytes: &[u8]) -> Option<u64> {
    let mut reader = Reader { bytes };
    let mut sum = 0u64;
    while let Some(tag) = reader.byte() {
        sum = sum.wrapping_mul(31).wrapping_add(match tag & 3 {
            0 => reader.varint()?,
            1 => u64::from(reader.word()?),
            2 => {
                let length = reader.varint()? as usize;
                reader.take(length)?.iter().map(|&b| u64::from(b)).sum()
            }
            _ => 1,
        });
    }
    Some(sum)
}

fn write(out: &mut Vec<u8>) {
    let varint = |out: &mut Vec<u8>, mut v: u64| {
        while v >= 0x80 {
            out.push(v as u8 | 0x80);
            v >>= 7;
        }
        out.push(v as u8);
    };
    for i in 0..300u64 {
        out.push((i % 4) as u8);
        match i % 4 {
            0 => varint(out, i * i * i * 977),
            1 => out.extend((i as u32 * 7_919).to_be_bytes()),
            2 => {
                varint(out, i % 20);
                out.extend((0..i % 20).map(|k| k as u8));
            }
            // A tag that nothing follows.
            3.. => {}
        }
    }
}

fn decode(bytes: &[u8]) -> usize {
    let (mut at, mut sum) = (0, 0);
    while at < bytes.len() {
        let first = bytes[at];
        let (length, start) = match first {
            0..=0x7f => (1, u32::from(first)),
            0xc2..=0xdf => (2, u32::from(first & 0x1f)),
            0xe0..=0xef => (3, u32::from(first & 0x0f)),
            0xf0..=0xf4 => (4, u32::from(first & 0x07)),
            _ => return sum,
        };
        let Some(rest) = bytes.get(at + 1..at + length) else { return sum };
        let point = rest.iter().fold(start, |point, &b| point << 6 | u32::from(b & 0x3f));
        sum += char::from_u32(point).map_or(1, |c| c.len_utf8() * (point as usize % 7));
        at += length;
    }
    sum
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
        }
    }
}

fn unhex(text: &[u8]) -> Option<u64> {
    let digit = |c: u8| (c as char).to_digit(16).map(u64::from);
    text.chunks(2).try_fold(0u64, |sum, pair| {
        Some(sum.wrapping_mul(257).wrapping_add(digit(pair[0])? << 4 | digit(pair[1])?))
    })
}

fn json(bytes: &[u8], at: &mut usize) -> i64 {
    let byte = bytes[*at];
    *at += 1;
    match byte {
        b'[' | b'{' => {
            let mut sum = 1;
            while bytes[*at] != b']' && bytes[*at] != b'}' {
                if bytes[*at] == b',' || bytes[*at] == b':' || bytes[*at] == b' ' {
                    *at += 1;
                } else {
                    sum += json(bytes, at);
                }
            }
            *at += 1;
            sum
        }
        b'"' => {
            let start = *at;
            while bytes[*at] != b'"' {
                *at += 1;
            }
            *at += 1;
            (*at - start) as i64
        }
        b'-' | b'0'..=b'9' => {
            let mut value = if byte == b'-' { 0 } else { i64::from(byte - b'0') };
            while bytes[*at].is_ascii_digit() {
                value = value * 10 + i64::from(bytes[*at] - b'0');
                *at += 1;
            }
            if byte == b'-' { -value } else { value }
        }
        _ => 0,
    }
}

fn main() {
    let repeat: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let mut bytes = Vec::new();
    write(&mut bytes);
    let text = "größe, naïve, 漢字 and 🦀: ".repeat(30);
    let document: String =
        (0..40).map(|i| format!("{{\"id\": {i}, \"name\": \"n{i}\", \"at\": [{}, -{}, []]}}, ", i * 3, i * 7)).collect();
    let document = format!("[{document}]");
    let mut sum = 0u64;
    let mut scratch = Vec::new();
    for i in 0..repeat {
        bytes[3] = (i & 0x7f) as u8;
        sum = sum.wrapping_add(records(&bytes).unwrap_or(1));
        sum += decode(text.as_bytes()) as u64;
        scratch.clear();
        hex(&bytes[..500], &mut scratch);
        sum = sum.wrapping_add(unhex(&scratch).unwrap_or(1));
        sum = sum.wrapping_add(json(document.as_bytes(), &mut 0) as u64);
    }
    println!("{sum}");
}
