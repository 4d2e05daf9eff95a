fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let module = rvsdg_core::text::parse_module(&text).unwrap();
    println!("{:?}", rvsdg_gen::runs::runs(&module));
}
