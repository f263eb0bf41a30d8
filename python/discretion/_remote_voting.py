"""Rows that an engine's workers hold, for a vote: every chunk's model is trained by a worker and comes here."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow

from . import _ballots, _labels, _points
from ._engine import Engine, rebatched
from ._remote import _EngineTable
from ._vote_types import VoteTypes

# A digest is Σ hash(rowᵢ)·stepⁱ modulo 2⁶⁴ for two hashes, so that it does not matter how rows are cut into pieces.
_KEYS = ("discretion: rows", "discretion: more")
_STEP = 0x9E37_79B9_7F4A_7C15
_WORD = 2**64


class VotingTable(_EngineTable):
    """Rows for a vote, as `_ballots.TrainingRows` are in memory."""

    def __init__(self, engine: Engine, frame: Any, arrow_schema: Any, target: str, classes: np.ndarray, types: VoteTypes):
        # What is wrong with the columns is found before anything runs.
        self.example = types.of(arrow_schema.empty_table().drop_columns([target])).to_pandas()
        super().__init__(engine, engine.encode(frame, partial(_encode, target, classes, types)))
        self._target, self._classes, self._types = target, classes, types
        self.columns = _points.columns_of(self.example)

    @property
    def class_counts(self) -> np.ndarray:
        """How many rows are of each class."""
        return np.sum([np.frombuffer(piece.head[16:], np.int64) for piece in self._encoded.pieces if piece.rows], axis=0)

    @property
    def digest(self) -> bytes:
        """Of the rows, for the ledger, which keeps it under its own key."""
        sums, power = [0, 0], 1
        for piece in sorted(self._encoded.pieces):
            for half in range(2):
                more = int.from_bytes(piece.head[8 * half : 8 * half + 8], "little")
                sums[half] = (sums[half] + more * power) % _WORD
            power = power * pow(_STEP, piece.rows, _WORD) % _WORD
        return repr((sums, self.rows)).encode()

    def models(self, estimator: Any, seeds: list[int], n_jobs: int | None, balanced: bool) -> list[Any]:
        """A model for each seed, trained on the rows of its chunk; None for one that failed."""
        chunks = range(len(seeds))
        self._gather(partial(_deal, len(seeds)), [chunks])
        trained = self._each(partial(_train, self._target, self._classes, self._types, estimator, seeds, balanced), chunks)
        return [pickle.loads(model) for model in trained]


def _encode(target: str, classes: np.ndarray, types: VoteTypes, batches: Iterable[Any]) -> Iterator[tuple[int, bytes, bytes]]:
    from pandas.util import hash_pandas_object

    for table in rebatched(batches):
        table = table.combine_chunks()
        types.of(table.drop_columns([target]))  # Refused before anything is charged.
        frame = table.to_pandas()
        found = _labels.places(np.asarray(frame[target]), classes, "classes=")
        powers = np.full(len(frame), _STEP, np.uint64)
        powers[0] = 1
        powers = np.multiply.accumulate(powers)
        hashes = [hash_pandas_object(frame, index=False, hash_key=key).to_numpy() for key in _KEYS]
        head = b"".join(int((one * powers).sum(dtype=np.uint64)).to_bytes(8, "little") for one in hashes)
        yield len(frame), head + _labels.counts(found, classes).tobytes(), _written(table)


def _deal(chunks: int, first: int, body: np.ndarray) -> Iterator[tuple[int, int, bytes]]:
    table = _read(body)
    for chunk in range(chunks):
        rows = np.arange((chunk - first) % chunks, table.num_rows, chunks)
        if len(rows):
            yield chunk, first + int(rows[0]), _written(table.take(rows))


def _train(
    target: str,
    classes: np.ndarray,
    types: VoteTypes,
    estimator: Any,
    seeds: list[int],
    balanced: bool,
    chunk: int,
    slices: list[tuple[int, np.ndarray]],
) -> bytes:
    table = pyarrow.concat_tables([_read(body) for _, body in slices])
    y = classes[_labels.places(np.asarray(table[target].to_pandas()), classes, "classes=")]
    rows = types.of(table.drop_columns([target])).to_pandas()
    if balanced:
        again = _ballots.copies(y)
        rows, y = _points.piece(rows, again), y[again]
    return _cloudpickle().dumps(_ballots.train_one(estimator, rows, y, seeds[chunk]))


def _cloudpickle() -> Any:
    """What can send a class that was made in a notebook; joblib brings it in one way or the other."""
    try:
        import cloudpickle
    except ImportError:
        from joblib.externals import cloudpickle
    return cloudpickle


def _written(table: Any) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def _read(body: np.ndarray) -> Any:
    with pyarrow.ipc.open_stream(pyarrow.py_buffer(body)) as stream:
        return stream.read_all()
