"""The extension, which is Rust. What people call is in the modules beside it."""

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

# epsilon, delta and rho, as far as they are given.
_Numbers = tuple[float | None, float | None, float | None]
_Cap = tuple[float | None, float | None, float | None, str | None]
# A seed, or an account: its ledger, its name and its cap.
_Account = tuple["Ledger", str, _Cap | None]
_Payer = int | _Account
# Whether what was released before will do, and who is told something before the charge.
_Repeat = tuple[bool, Callable[[str], object]]

class Ledger:
    @staticmethod
    def open(path: str | PathLike[str] | None = None) -> Ledger: ...
    @staticmethod
    def in_memory() -> Ledger: ...
    @property
    def path(self) -> PathLike[str] | None: ...
    def accounts(self) -> str: ...
    def standing(self, name: str, cap: _Cap | None = None) -> str: ...
    def history(self, name: str, cap: _Cap | None = None) -> str: ...
    def raise_cap(self, name: str, cap: _Cap, reason: str) -> None: ...
    def verify(self, noted: str | None = None) -> tuple[int, str]: ...

class Encoded:
    @staticmethod
    def of_frame(
        frame: Any,
        schema: str,
        labels: NDArray[np.bool_] | None,
        accept_check: bool = False,
        persons: list[str] | None = None,
        classes: NDArray[np.uint16] | None = None,
        weights: tuple[NDArray[np.float64], float] | None = None,
        unlabelled: NDArray[np.bool_] | None = None,
    ) -> Encoded: ...
    @staticmethod
    def of_array(
        array: NDArray[np.float64],
        schema: str,
        labels: NDArray[np.bool_] | None,
        accept_check: bool = False,
        persons: list[str] | None = None,
        classes: NDArray[np.uint16] | None = None,
        weights: tuple[NDArray[np.float64], float] | None = None,
    ) -> Encoded: ...

class EncodedNumber:
    @staticmethod
    def of_frame(
        frame: Any, schema: str, outcomes: NDArray[np.float64], accept_check: bool, persons: list[str] | None = None
    ) -> EncodedNumber: ...
    @staticmethod
    def of_array(
        array: NDArray[np.float64],
        schema: str,
        outcomes: NDArray[np.float64],
        accept_check: bool,
        persons: list[str] | None = None,
    ) -> EncodedNumber: ...

class NumberModel:
    @staticmethod
    def from_json(json: str) -> NumberModel: ...
    def to_json(self) -> str: ...
    def uncovered(self, reason: str) -> NumberModel: ...
    def summary(self) -> str: ...
    def save(self, path: str | PathLike[str], ledger: Ledger | None = None) -> str | None: ...
    def report(self, path: str | PathLike[str], model: str | PathLike[str], ledger: Ledger | None = None) -> None: ...
    def predict_frame(self, frame: Any) -> NDArray[np.float64]: ...
    def predict_array(self, array: NDArray[np.float64]) -> NDArray[np.float64]: ...

def fit_number(
    encoded: EncodedNumber | RemoteRows,
    *,
    payer: _Payer,
    huber: bool,
    lam: float | None,
    spend: _Numbers,
    level: float,
    repeat: _Repeat,
    method: str = "auto",
    evaluate: tuple[float, str | None] | None = None,
) -> tuple[NumberModel, list[str]]: ...

class RemoteRows:
    def __init__(
        self, schema: str, pieces: list[tuple[int, bytes]], workers: Any, accept_check: bool = False
    ) -> None: ...

class RemoteColumns:
    def __init__(
        self,
        schema: str,
        names: list[str] | None,
        rows: int,
        workers: Any,
        heads: list[bytes] = ...,
        accept_check: bool = False,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...

# A schema, the number of all rows, the share of them that validates, and where persons go, if rows belong to them.
_DealArguments = tuple[str, int, float | None, str | None]

def encode_piece(frame: Any, schema: str, outcomes: NDArray[np.float64] | None = None) -> tuple[int, bytes, bytes]: ...
def deal_piece(dealt: _DealArguments, first: int, piece: NDArray[np.uint8]) -> list[tuple[int, int, int, bytes]]: ...

class Part:
    def __init__(self, dealt: _DealArguments, table: int, slices: list[NDArray[np.uint8]]) -> None: ...
    def sample(self, part: int) -> bytes: ...
    def answer(self, ask: bytes) -> bytes: ...

def describe_piece(frame: Any, schema: str, names: list[str] | None) -> tuple[int, bytes, bytes]: ...
def tally_pieces(
    wanted: str, schema: str, names: list[str] | None, pieces: list[tuple[int, NDArray[np.uint8]]]
) -> bytes: ...

class Model:
    @staticmethod
    def from_json(json: str) -> Model: ...
    def to_json(self) -> str: ...
    def uncovered(self, reason: str) -> Model: ...
    def summary(self) -> str: ...
    def save(self, path: str | PathLike[str], ledger: Ledger | None = None) -> str | None: ...
    def report(
        self, path: str | PathLike[str], model: str | PathLike[str], ledger: Ledger | None = None
    ) -> None: ...
    def margins_of_frame(self, frame: Any) -> NDArray[np.float64]: ...
    def margins_of_array(self, array: NDArray[np.float64]) -> NDArray[np.float64]: ...

class Session:
    def __init__(
        self,
        *,
        payer: _Payer,
        spend: _Numbers,
        queries: int,
        answer: str,
        confidence: float | None,
        unstable: int,
        chunks: int | None,
        agreement: float | None,
        miss: float,
        score_bins: int | None,
        balanced: bool,
        expected_share: float | None,
        classes: int,
        rows: int,
        of_persons: bool,
        key: str,
        digest: bytes,
    ) -> None: ...
    @property
    def chunks(self) -> int: ...
    @property
    def advice(self) -> str | None: ...
    def open(self, new: bool) -> str: ...
    def answer(
        self, names: list[str], votes: NDArray[np.uint16] | NDArray[np.float32]
    ) -> tuple[list[float | None], list[bool], list[bool], int, int]: ...

def persons_in_order(*, payer: _Payer, persons: list[str]) -> tuple[list[int], list[int], bytes]: ...
def schema_of_study(path: str) -> str: ...
def class_names(target: str) -> list[str]: ...
def date_columns(name: str, declared: str) -> str: ...
def settled(schema: str, rows: int | list[str], spend: tuple[float | None, float | None, float | None]) -> str: ...
def check_fit_on_cluster(
    schema: str,
    *,
    loss: str,
    lam: float | list[float] | None,
    method: str,
    spend: _Numbers,
    level: float | None,
    columns: list[str] | None = None,
    evaluate: tuple[float, str | None] | None = None,
    base_rate: bool = False,
    largest_effect: float | None = None,
) -> None: ...
def check_number_on_cluster(
    schema: str, *, huber: bool, spend: _Numbers, evaluate: tuple[float, str | None] | None = None
) -> None: ...
def fit(
    encoded: Encoded | RemoteRows,
    *,
    payer: _Payer,
    loss: str,
    lam: float | list[float] | None,
    method: str,
    spend: _Numbers,
    level: float | None,
    repeat: _Repeat,
    columns: list[str] | None = None,
    evaluate: tuple[float, str | None] | None = None,
    reference: int | None = None,
    base_rate: bool = False,
    largest_effect: float | None = None,
) -> tuple[Model, list[str]]: ...

class Described:
    @staticmethod
    def of_frame(
        frame: Any, schema: str, names: list[str] | None = None, accept_check: bool = False
    ) -> Described: ...
    @staticmethod
    def of_array(array: NDArray[np.float64], schema: str, accept_check: bool = False) -> Described: ...
    @property
    def names(self) -> list[str]: ...

class Density:
    @staticmethod
    def from_json(json: str) -> Density: ...
    def to_json(self) -> str: ...
    def uncovered(self, reason: str) -> Density: ...
    def summary(self) -> str: ...
    def save(self, path: str | PathLike[str], ledger: Ledger | None = None) -> str | None: ...
    def report(self, path: str | PathLike[str], density: str | PathLike[str], ledger: Ledger | None = None) -> None: ...
    def marginal(self, column: int) -> NDArray[np.float64]: ...
    def log_densities_of_frame(self, frame: Any) -> NDArray[np.float64]: ...
    def log_densities_of_array(self, array: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def sample(self, rows: int, seed: int | None) -> list[NDArray[np.float64] | list[str]]: ...

def fit_density(
    described: Described | RemoteColumns, *, payer: _Payer, bins: list[int] | None, spend: _Numbers, repeat: _Repeat
) -> tuple[Density, list[str]]: ...
def plan(
    *,
    study: str | None,
    rows: int,
    coefficients: int | None,
    lam: float | None,
    lam_given: bool,
    spend: _Numbers | None,
    account: _Account | None,
    loss: str | None,
    method: str | None,
) -> tuple[str, str]: ...
def plan_fit(
    *,
    schema: str,
    rows: int,
    lam: float | list[float] | None,
    method: str,
    loss: str,
    spend: _Numbers,
    level: float | None,
    account: _Account | None,
    columns: list[str] | None = None,
    evaluate: tuple[float, str | None] | None = None,
    base_rate: bool = False,
) -> tuple[str, str]: ...
def plan_number(
    *,
    schema: str,
    rows: int,
    huber: bool,
    lam: float | None,
    spend: _Numbers,
    level: float,
    method: str = "auto",
    evaluate: tuple[float, str | None] | None = None,
) -> tuple[str, str]: ...
def plan_vote(
    *,
    study: str | None,
    spend: _Numbers | None,
    queries: int | None,
    answer: str | None,
    confidence: float | None,
    unstable: int | None,
    miss: float | None,
    agreement: float | None,
    scores: bool,
    rows: int | None,
    chunks: int | None,
) -> tuple[str, str]: ...
def audit_shipped(
    *,
    mechanism: str | None,
    spend: _Numbers | None,
    rows: int | None,
    exact: bool,
    trials: int,
    confidence: float,
    seed: int | None,
) -> tuple[str, str, list[str]]: ...
def audit_callable(
    runs: Any,
    *,
    name: str,
    neighbours: str,
    spend: _Numbers,
    batch: int,
    trials: int,
    confidence: float,
    seed: int | None,
) -> tuple[str, str, list[str]]: ...
def release(
    study: PathLike[str],
    folder: PathLike[str],
    ledger: PathLike[str] | None,
    seed: int | None,
    allowed: dict[str, bool],
) -> tuple[PathLike[str], list[str]]: ...
