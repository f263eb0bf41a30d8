"""Frames that are nothing but Parquet files: workers read those themselves.

Spark reads such files into rows, and writes the rows into Arrow columns for Python, value by value. That takes most of the time of a
first fit, and is not needed where the files have these columns already. Whatever is not plain is left to Spark: a filter, a computed
column, files that are not this machine's or a shared disk's, a column of another type. So is a file that a worker cannot open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._errors import Error

# Turns it off.
SETTING = "spark.discretion.files"
# Columns that Spark and pyarrow read alike; dates, times and decimals have a history.
_PLAIN = ("bool", "int8", "int16", "int32", "int64", "float", "double", "string")
_SQL = "org.apache.spark.sql."
_PARQUET = f"{_SQL}execution.datasources.parquet.ParquetFileFormat"

# A file, and from which byte to which it belongs to a partition.
Span = tuple[str, int, int]


# What a worker says of a file that it cannot read so. Spark knows what to do about it.
NOT_PLAIN = "a file is not what its frame looks like"


class NotPlainError(Error):
    """It is left to Spark."""

    def __init__(self) -> None:
        super().__init__(NOT_PLAIN)


def spans_of(frame: Any) -> list[list[Span]] | None:
    """The files of every partition, in Spark's order; None where they are not all that the frame is."""
    try:
        if frame.sparkSession.conf.get(SETTING, "true") != "true" or not _is_plain(frame._jdf.queryExecution().optimizedPlan()):
            return None
        return [list(_spans(partition)) for partition in frame._jdf.queryExecution().toRdd().partitions()]
    except Exception:
        # Spark Connect, or a plan of a Spark that this was not written for: its own way always works.
        return None


def _class(thing: Any) -> str:
    return thing.getClass().getName()


def _is_plain(plan: Any) -> bool:
    kind = _class(plan).rpartition(".")[2]
    if kind == "LogicalRelation":
        relation = plan.relation()
        return (
            _class(relation) == f"{_SQL}execution.datasources.HadoopFsRelation"
            and _class(relation.fileFormat()) == _PARQUET
            and relation.partitionSchema().isEmpty()
            and relation.bucketSpec().isEmpty()
        )
    children = [plan.children().apply(at) for at in range(plan.children().size())]
    if kind == "Project":
        listed = plan.projectList()
        allowed = all(_is_a_column(listed.apply(at)) for at in range(listed.size()))
    elif kind == "Union":
        # Columns of a union are told by their place: the same names must be at the same places.
        allowed = all(_names(child) == _names(plan) for child in children)
    else:
        allowed = kind == "Repartition" and not plan.shuffle()
    return allowed and all(map(_is_plain, children))


def _is_a_column(expression: Any) -> bool:
    if _class(expression).endswith(".Alias"):
        return expression.child().getClass().getName().endswith(".AttributeReference") and expression.child().name() == expression.name()
    return _class(expression).endswith(".AttributeReference")


def _names(plan: Any) -> list[str]:
    return [plan.output().apply(at).name() for at in range(plan.output().size())]


def _spans(partition: Any) -> Iterator[Span]:
    kind = _class(partition).rpartition(".")[2]
    if kind == "FilePartition":
        for file in partition.files():
            place = file.toPath().toUri()
            if place.getScheme() != "file":
                raise NotPlainError
            yield place.getPath(), file.start(), file.start() + file.length()
    elif kind == "UnionPartition":
        yield from _spans(partition.parentPartition())
    elif kind == "CoalescedRDDPartition":
        for at in range(partition.parents().size()):
            yield from _spans(partition.parents().apply(at))
    elif kind == "PartitionerAwareUnionRDDPartition":
        for parent in partition.parents():
            yield from _spans(parent)
    else:
        raise NotPlainError


def plain_columns(schema: Any) -> list[tuple[str, str]] | None:
    """Names and types of columns that can be read so; None if one cannot."""
    columns = [(field.name, str(field.type)) for field in schema]
    return columns if all(kind in _PLAIN for _, kind in columns) else None


def batches_of(spans: list[Span], columns: list[tuple[str, str]]) -> Iterator[Any]:
    """The rows of a partition, in Spark's order: a group of rows belongs to the span that its middle is in."""
    import pyarrow.parquet

    names = [name for name, _ in columns]
    for path, start, end in spans:
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                groups = [at for at in range(file.num_row_groups) if start <= _middle(file.metadata.row_group(at)) < end]
                for batch in file.iter_batches(row_groups=groups, columns=names, use_threads=False) if groups else ():
                    yield _checked(batch.select(names), columns)
        except (OSError, KeyError, pyarrow.ArrowException) as error:
            raise NotPlainError from error


def _middle(group: Any) -> int:
    columns = [group.column(at) for at in range(group.num_columns)]
    first = columns[0]
    starts = [first.data_page_offset] + ([first.dictionary_page_offset] if first.has_dictionary_page else [])
    return min(starts) + sum(column.total_compressed_size for column in columns) // 2


def _checked(batch: Any, columns: list[tuple[str, str]]) -> Any:
    # What pyarrow wrote may come back in a type of its own for texts.
    found = [(field.name, str(field.type).removeprefix("large_")) for field in batch.schema]
    if found != columns:
        raise NotPlainError
    return batch
