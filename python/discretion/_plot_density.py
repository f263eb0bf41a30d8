"""Pictures of densities, with matplotlib, which is optional."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._plot import INK, axes, finished


def bars(name: str, cells: Any, shares: np.ndarray, private: bool, ax: Any) -> Any:
    """One column: its density over its bins, or the share of each category."""
    ax = axes(ax, width=7.0, height=4.0)
    if isinstance(cells, np.ndarray):
        # Bins of a logarithmic column are not equally wide in its own unit, so heights are densities and areas are
        # shares.
        widths = np.diff(cells)
        # Lines between many bins would leave nothing of them.
        lines = {"edgecolor": "white", "linewidth": 0.5 if len(shares) <= 64 else 0.0}
        ax.bar(cells[:-1], shares / widths, widths, align="edge", color=INK, zorder=2, **lines)
        ax.set_ylabel(f"density per unit of {name}")
    else:
        ax.bar(range(len(cells)), 100 * shares, color=INK, zorder=2)
        _categories(ax.xaxis, cells)
        ax.set_ylabel("share of the rows, %")
    ax.set_xlabel(name)
    ax.set_ylim(bottom=0.0)
    ax.grid(axis="y", color="0.92", zorder=0)
    return finished(ax, f"Distribution of {name}", private)


def cells(columns: list[tuple[str, Any]], shares: np.ndarray, private: bool, ax: Any) -> Any:
    """Two columns: the share of each cell."""
    (first, down), (second, across) = columns
    ax = axes(ax, width=7.0, height=5.0)
    ends = [_ends(across), _ends(down)]
    drawn = ax.pcolormesh(*ends, 100 * shares, cmap="Blues", vmin=0.0, edgecolors="face", linewidth=0.2)
    ax.figure.colorbar(drawn, ax=ax, label="share of the rows, %")
    for axis, names in ((ax.xaxis, across), (ax.yaxis, down)):
        if not isinstance(names, np.ndarray):
            _categories(axis, names)
    ax.set_xlabel(second)
    ax.set_ylabel(first)
    return finished(ax, f"Distribution of {first} and {second}", private)


def _ends(cells: Any) -> np.ndarray:
    return cells if isinstance(cells, np.ndarray) else np.arange(len(cells) + 1) - 0.5


def _categories(axis: Any, names: list[str]) -> None:
    axis.set_ticks(range(len(names)), names)
    if axis.axis_name == "x" and sum(map(len, names)) > 60:
        axis.set_tick_params(rotation=45)
