"""Plots, with matplotlib, which is optional."""

from __future__ import annotations

from typing import Any

INK, RED = "#1d4e89", "#b3261e"


def axes(ax: Any, **size: float) -> Any:
    """The axes to draw on: the caller's, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError('plot() needs matplotlib: pip install "discretion[plot]"') from error
    return pyplot.subplots(figsize=(size["width"], size["height"]), layout="constrained")[1]


def effects(model: dict[str, Any], ax: Any, most: int | None = None) -> Any:
    """One line for each effect, the first at the top; of more than `most` those that are largest, in their order."""
    lines = model["coefficients"][1:]  # The first is the intercept.
    # An interval of which only the declared bound speaks has no estimate.
    unknown = ((model.get("intervals") or {}).get("findings") or {}).get("not_estimable", [])
    lines = [
        (_name(c), *_value(c), c["name"] not in unknown)
        for c in lines
        if c.get("effect") is not None or c["per_unit"] is None
    ]
    count = len(lines)
    if most is not None and count > most:
        least = sorted((abs(value) for _, value, _, _ in lines), reverse=True)[most - 1]
        lines = [line for line in lines if abs(line[1]) >= least][:most]
    ax = axes(ax, width=7.0, height=1.6 + 0.32 * len(lines))
    for place, (_, value, interval, is_estimable) in enumerate(lines):
        if interval is not None:
            ax.plot([interval["lower"], interval["upper"]], [place, place], color=INK, linewidth=1.5, zorder=2)
        if is_estimable:
            ax.plot([value], [place], "o", color=INK, markersize=5, zorder=3)
    ax.axvline(0.0, color="0.6", linewidth=1.0, zorder=1)
    # Long names of categories would leave no room for the effects.
    ax.set_yticks(range(len(lines)), [_short(name) for name, *_ in lines])
    ax.set_ylim(len(lines) - 0.5, -0.5)
    logistic = model["training"]["loss"] == "logistic"
    ax.set_xlabel("change of the log odds" if logistic else "change of the margin")
    facts = model.get("intervals")
    title = "Effects" if len(lines) == count else f"The {len(lines)} largest of {count} effects"
    title = title if facts is None else f"{title} with {100 * facts['level']:g} % intervals"
    ax.grid(axis="x", color="0.92", zorder=0)
    return finished(ax, title, model["privacy"]["private"])


def finished(ax: Any, title: str, private: bool) -> Any:
    """The axes with their title, which says if nothing is promised."""
    ax.set_title(title if private else f"{title}\nNOT PRIVATE: a seed was set", color="black" if private else RED)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _name(coefficient: dict[str, Any]) -> str:
    name = coefficient["of"] or coefficient["name"]
    effect = coefficient.get("effect") or {}
    if effect.get("against") is not None:
        return f"{name}  (vs {effect['against']})"
    return name if coefficient["per_unit"] is None else f"{name}  (½ range)"


def _short(name: str, letters: int = 44) -> str:
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _value(coefficient: dict[str, Any]) -> tuple[float, dict[str, float] | None]:
    effect = coefficient.get("effect")
    value, of = (coefficient["encoded"], coefficient) if effect is None else (effect["value"], effect)
    interval = of.get("interval")
    return (interval or {}).get("estimate", value), interval
