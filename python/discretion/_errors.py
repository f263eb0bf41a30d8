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


def shown(value: object) -> str:
    """A value in a message: what it is, if it is one word or number, and else its type alone.

    Messages end up in logs and notebooks that others read, and whatever holds rows may have been passed by mistake.
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # A number of numpy.
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return _cut(repr(value))
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    sized = isinstance(value, (list, tuple, set, frozenset, dict))
    return f"{article} {name} of {len(value)}" if sized else f"{article} {name}"


_LONGEST = 80


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
