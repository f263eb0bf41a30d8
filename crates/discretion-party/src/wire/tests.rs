use super::*;
use std::str::FromStr;

#[test]
fn keys_are_kept_in_files_of_their_owner_alone_and_never_overwritten() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("party.key");
    assert!(SecretKey::read(&path).unwrap().is_none());
    let made = SecretKey::create(&path).unwrap();
    assert_eq!(SecretKey::read(&path).unwrap().unwrap().public(), made.public());
    assert!(SecretKey::create(&path).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let text = made.public().to_string();
    assert_eq!(PublicKey::from_str(&text), Ok(made.public()));
    let secret = std::fs::read_to_string(&path).unwrap();
    let secret = secret.lines().last().unwrap();
    assert!(PublicKey::from_str(secret).unwrap_err().contains("secret"));
    for wrong in ["", "dpk_", &text[..text.len() - 1], &text.to_uppercase()] {
        assert!(PublicKey::from_str(wrong).is_err(), "{wrong}");
    }
    std::fs::write(&path, "nothing").unwrap();
    assert!(SecretKey::read(&path).is_err());
}

#[test]
fn clocks_may_differ_by_five_minutes() {
    assert_eq!(Greeting::clock_is_off(1000, 700), None);
    assert_eq!(Greeting::clock_is_off(700, 1000), None);
    assert_eq!(Greeting::clock_is_off(1001, 700).unwrap(), "5 minutes ahead of");
    assert_eq!(Greeting::clock_is_off(0, 10 * 86_400).unwrap(), "10 days behind");
}
