// Panics that are caught, in threads as well, and captured backtraces.
use std::backtrace::Backtrace;
use std::panic;
use std::thread;

#[inline(never)]
fn deep(n: i64) -> i64 {
    if n == 0 {
        panic!("bottom");
    }
    1 + deep(n - 1)
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let caught = (0..100).filter(|n| panic::catch_unwind(|| deep(n % 10)).is_err()).count();
    let thread = thread::spawn(|| deep(5)).join().is_err();
    let text = Backtrace::force_capture().to_string();
    println!("{} {} {}", caught, thread, text.contains("main"));
    std::process::exit(7);
}
