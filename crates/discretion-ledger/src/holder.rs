//! Who holds a lock that we waited for in vain.

use std::path::Path;

/// The processes that write to the ledger or, if nobody does, that read it, as far as the system
/// tells: "python3 (process 4711)".
#[cfg(target_os = "linux")]
pub(crate) fn lock_holders(ledger: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt;

    let mut inodes = Vec::new();
    // An earlier program locks its index, -shm.
    for suffix in ["", "-shm"] {
        let mut name = ledger.as_os_str().to_owned();
        name.push(suffix);
        inodes.extend(std::fs::metadata(name).map(|metadata| metadata.ino()));
    }
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let of_kind = |kind: &str| -> Vec<u32> {
        locks
            .lines()
            .filter_map(|line| holder(line, kind, &inodes))
            .filter(|&process| process != std::process::id())
            .collect()
    };
    let mut holders = of_kind("WRITE");
    if holders.is_empty() {
        holders = of_kind("READ");
    }
    holders.sort_unstable();
    holders.dedup();
    holders
        .into_iter()
        .map(|process| {
            let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
            format!("{} (process {process})", name.trim_end())
        })
        .collect()
}

/// The process of a line of /proc/locks that has a lock of this kind on one of `inodes`:
/// "1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF".
#[cfg(target_os = "linux")]
fn holder(line: &str, kind: &str, inodes: &[u64]) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let place = fields.iter().position(|&field| field == kind)?;
    // A line with "->" is of someone who waits too.
    if fields.contains(&"->") {
        return None;
    }
    let inode: u64 = fields.get(place + 2)?.rsplit(':').next()?.parse().ok()?;
    inodes.contains(&inode).then(|| fields.get(place + 1)?.parse().ok())?
}

/// Other systems do not say.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lock_holders(_ledger: &Path) -> Vec<String> {
    Vec::new()
}
