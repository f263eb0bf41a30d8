"""What `pip install .` builds the package with: maturin. Without Rust maturin says so in eighty lines, so this asks first."""

import os
import shutil
import sys

_C = (os.environ.get("CC", "cc").split() or ["cc"])[0]
_NEEDED = {
    os.environ.get("CARGO", "cargo"): "Rust (https://rustup.rs)",
    _C: "a C compiler (Debian: apt install build-essential)",
}
_MISSING = [what for program, what in _NEEDED.items() if not shutil.which(program)]
if _MISSING:
    sys.exit(f"to build discretion, install {' and '.join(_MISSING)} and try again; a wheel of discretion needs neither")

from maturin import (  # noqa: E402, F401
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
