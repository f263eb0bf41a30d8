#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = discretion_fuzz::events(bytes);
});
