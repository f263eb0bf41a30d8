"""Learning from sensitive tables under differential privacy.

The mathematics is in Rust, and the same as on the command line: the same guarantees, the same ledger, the same model.json.
"""

from ._errors import Error, InputError, InputTypeError, Refused
from ._linear import LinearSVC, LogisticRegression

__all__ = ["Error", "InputError", "InputTypeError", "LinearSVC", "LogisticRegression", "Refused"]
