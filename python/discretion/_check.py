"""Checks that all parts share. What Rust checks is not checked here again."""

import numbers
import os
import re

from ._errors import Error, InputError, InputTypeError, shown


def number(name, value):
    """A number or None, as a float."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} is a number, not {shown(value)}")
    return float(value)


def whole(name, value, least=0, most=2**64 - 1):
    """A whole number from `least` on; more than 64 bits is none for Rust."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputTypeError(f"{name} is a whole number, not {shown(value)}")
    if value < least:
        raise InputError(f"{name} is a whole number from {least} on, not {value}")
    if value > most:
        raise InputError(f"{name} is at most {most}, not {value}")
    return int(value)


def budget(epsilon, delta, rho, what):
    """The triple that Rust makes a budget of. `what` says what it is for."""
    if epsilon is None and rho is None:
        raise InputError(f"epsilon= (with or without delta=) or rho= is missing: it says {what}")
    return number("epsilon", epsilon), number("delta", delta), number("rho", rho)


def path(what, value):
    """A path as a text."""
    if isinstance(value, (str, os.PathLike)) and isinstance(os.fspath(value), str):
        return os.fspath(value)
    raise InputTypeError(f"{what} is a text or a pathlib.Path, not {shown(value)}")


def seed(random_state):
    """The seed behind a random_state; None for real noise."""
    from sklearn.utils import check_random_state

    if random_state is None:
        return None
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return whole("random_state", random_state)
    return int(ours(lambda: check_random_state(random_state)).randint(2**31))


def converted(work):
    """What a conversion gives, or None if the values are none of its kind. What numpy says of them quotes them, and ends here."""
    try:
        return work()
    except Error:
        raise
    except (TypeError, ValueError):
        return None


def ours(check):
    """Runs checks of scikit-learn or numpy, and raises what they raise as errors of this family."""
    try:
        return check()
    except Error:
        raise
    except (TypeError, ValueError) as error:
        kind, said = InputTypeError if isinstance(error, TypeError) else InputError, str(error)
    # Not from the error, and without what numpy quotes: it is the value that cannot be converted.
    raise kind(_QUOTED.sub("…", said.partition(":")[0] if "convert" in said or "literal" in said else said))


_QUOTED = re.compile(r"""'[^'\n]*'|"[^"\n]*\"""")


def one_of(name, value, words):
    """Refuses what is none of these words."""
    if not isinstance(value, (str, type(None))) or value not in words:
        listed = " or ".join("None" if word is None else f'"{word}"' for word in words)
        raise InputError(f"{name} is {listed}, not {shown(value)}")
    return value
