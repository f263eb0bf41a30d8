"""One family of errors, and one of warnings."""


class Error(Exception):
    """Anything that discretion will not do. The message says what would work."""


class InputError(Error, ValueError):
    """A value has to be repaired."""


class InputTypeError(Error, TypeError):
    """A value is of the wrong type."""


class Refused(Error, RuntimeError):
    """Understood, and not done: the account cannot pay, or the machine failed. Nothing was released."""


class FailedAfterCharge(Refused):
    """The run failed after its account was charged. The charge stays, and running it again is charged again."""


class NotRemembered(UserWarning):
    """No account was named: what a run spent is forgotten with the process."""


class Note(UserWarning):
    """Something that the user should know and that is no failure."""
