"""One family of errors."""


class Error(Exception):
    """Anything that discretion will not do. The message says what would work."""


class InputError(Error, ValueError):
    """A value has to be repaired."""


class InputTypeError(Error, TypeError):
    """A value is of the wrong type."""


class Refused(Error, RuntimeError):
    """Understood, and not done: the account cannot pay, or the machine failed. Nothing was released."""
