"""The page about speed: every number on it was measured in the run that wrote it, but for the first build, which takes a machine
of its own and is kept in first-build.md. Standard library only."""

import datetime
import math
import os
import pathlib
import platform
import textwrap

OURS = "discretion"
FIRST_BUILD = pathlib.Path(__file__).with_name("first-build.md")


def processor():
    """What the system calls the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def filled(lines):
    """The page with no line of more than 120 characters, apart from tables."""
    text = []
    for line in lines:
        indent = "  " if line.startswith("- ") else ""
        wrapped = textwrap.wrap(line, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        text += [line] if line.startswith("|") or not line else wrapped
    return text


def verdict(met):
    return "reached" if met else "**missed**"


def peers(programs):
    return {name: figures for name, figures in programs.items() if name != OURS and figures is not None}


def comparison(name, table):
    """The lines about one table."""
    ours = table["programs"][OURS]
    lines = [f"### {name}: {table['rows']:,} rows, {table['bytes'] / 1e6:.0f} MB of CSV", ""]
    lines += ["| program | seconds | processor seconds | peak memory | seconds / ours | processor / ours | memory / ours |", "|---|---:|---:|---:|---:|---:|---:|"]
    for program, figures in table["programs"].items():
        if figures is None:
            lines.append(f"| {program} | did not finish | | | | | |")
            continue
        seconds, cpu, memory = figures
        ratios = "| | |" if program == OURS else f"{seconds / ours[0]:.1f} | {cpu / ours[1]:.1f} | {memory / ours[2]:.1f} |"
        lines.append(f"| {program} | {seconds:.3f} | {cpu:.3f} | {memory:.0f} MB | {ratios}")
    return [*lines, ""]


def targets(tables):
    """What was aimed at, and whether it was reached."""
    lines = []
    for name, table in tables.items():
        others, ours = peers(table["programs"]), table["programs"][OURS]
        if name == "adult" or not others:
            continue
        fastest = min(others, key=lambda peer: others[peer][0])
        smallest = min(others, key=lambda peer: others[peer][2])
        speed, memory = others[fastest][0] / ours[0], others[smallest][2] / ours[2]
        lines.append(
            f"- {name}: {speed:.1f} times as fast as the fastest peer ({fastest}; aim 8: {verdict(speed >= 8)}), "
            f"1/{memory:.1f} of the memory of the smallest ({smallest}; aim 1/5: {verdict(memory >= 5)})."
        )
    return lines


def slope(points):
    """The exponent of n in the time, by least squares on logarithms."""
    logs = [(math.log(n), math.log(t)) for n, t in points]
    mean = [sum(values) / len(logs) for values in zip(*logs)]
    return sum((x - mean[0]) * (y - mean[1]) for x, y in logs) / sum((x - mean[0]) ** 2 for x, _ in logs)


def growing(figures):
    """The lines about more rows."""
    lines = ["| rows | seconds | processor seconds | peak memory | `--memory 64MB`: seconds | peak memory |", "|---:|---:|---:|---:|---:|---:|"]
    for rows, held, streamed in figures:
        lines.append(f"| {rows:,} | {held[0]:.3f} | {held[1]:.3f} | {held[2]:.0f} MB | {streamed[0]:.3f} | {streamed[2]:.0f} MB |")
    (n0, first, _), (n1, last, _) = figures[0], figures[-1]
    per_row = (last[1] - first[1]) / (n1 - n0)
    large = [(n, held[1]) for n, held, _ in figures if n >= 100_000]
    return [
        *lines,
        "",
        f"By the first and the last line, processor time is {first[1] - per_row * n0:.3f} s and {1e6 * per_row:.2f} µs for each row. "
        f"From 100,000 rows on it grows as n to the power {slope(large):.2f}.",
    ]


def roofline(shape, p):
    """The lines about one pass beside what the machine can do."""
    lines = ["| pass | seconds | bytes a row | GB/s | of the triad | operations a row | Gflop/s | of the peak |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    shares = {}
    for name in ["gradient", "newton"]:
        seconds, operations = p[f"{name}_seconds"], p[f"{name}_operations"]
        bandwidth, flops = shape[0] * p["row_bytes"] / seconds, shape[0] * operations / seconds
        shares[name] = max(bandwidth / p["bandwidth"], flops / p["peak"])
        lines.append(
            f"| {name} | {seconds:.3f} | {p['row_bytes']} | {bandwidth / 1e9:.2f} | {bandwidth / p['bandwidth']:.0%} | {operations} | "
            f"{flops / 1e9:.1f} | {flops / p['peak']:.0%} |"
        )
    return lines, shares["newton"]


def parties(figures):
    """The lines about rounds of several holders and aggregators."""
    (_, first), *_ = figures
    lines = [
        f"One round of `discretion party` (`round_speed`): {first['coefficients']:,} coefficients, ε = 1 with δ = 10⁻⁶, half of the "
        "aggregators may collude. Here all of it runs in one process, one after the other. In a study holders work side by side, "
        "and so do aggregators.",
        "",
        "| holders | aggregators | bits a number | MB sent by a holder | training, ms a holder | sharing, ms a holder | checking, ms an aggregator | the round, s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (holders, aggregators), took in figures:
        lines.append(
            f"| {holders} | {aggregators} | {took['bits']} | {took['bytes'] / 1e6:.2f} | {1e3 * took['training_seconds'] / holders:.1f} | "
            f"{1e3 * took['sharing_seconds'] / holders:.1f} | {1e3 * took['checking_seconds'] / aggregators:.1f} | {took['seconds']:.2f} |"
        )
    two = [(holders, took["seconds"]) for (holders, aggregators), took in figures if aggregators == 2]
    return [*lines, "", f"With two aggregators the round grows as the number of holders to the power {slope(two):.2f}."]


def write(figures):
    """The whole page."""
    passes = figures["passes"]
    (shape, p), others = passes[0], passes[1:]
    lines, share = roofline(shape, p)
    one, ten, stopped = figures["grid"]
    repeats = max(table["repeats"] for table in figures["tables"].values())
    runs = "one run" if repeats == 1 else f"the best of {repeats} runs (one on the largest table, and one of `glm`)"
    text = [
        "# Speed and memory",
        "",
        f"Written by `make bench` on {datetime.date.today()}: {processor()}, {os.cpu_count()} cores, load {figures['load']:.1f} when it "
        "ended. If the load is higher than the number of cores, seconds are mostly waiting, and processor seconds say more. Do not edit "
        "this page; run it again.",
        "",
        "The job is a private logistic regression (ε = 1, one λ) from plain CSV to a model file. "
        f"Programs take turns, and each figure is {runs}.",
        "",
        "- **Seconds** of a peer are its work alone, without its interpreter and imports. Ours are the whole process.",
        "- newton-cholesky and lbfgs are scikit-learn's logistic regression, which is not private. Each gets rows in the form that it is "
        "faster with: sparse for lbfgs, dense for the others.",
        "- scikit-learn and diffprivlib stop at their default tolerance. Ours goes on to one that it certifies.",
        "- R's `glm` knows no λ and fits the model without a penalty (`bench/glm.R`)."
        if figures["glm"]
        else "- R's `glm` was not measured: there is no R on this machine.",
        "",
    ]
    for name, table in figures["tables"].items():
        text += comparison(name, table)
    text += ["## What was aimed at", "", *targets(figures["tables"])]
    text += [
        f"- One Newton pass over {shape[0]:,} rows reaches {share:.0%} of what the machine can do (aim 50 %: {verdict(share >= 0.5)}).",
        f"- Ten λ, one of them chosen by noisy score, take {ten[1] / one[1]:.1f} times the processor time of one, and "
        f"{ten[0] / one[0]:.1f} times the seconds (aim 4: {verdict(ten[1] / one[1] <= 4)}).",
        f"- Chosen by random stopping, which `auto` takes here, they take {stopped[1] / one[1]:.1f} times the processor time, and "
        f"{stopped[0] / one[0]:.1f} times the seconds (aim 4: {verdict(stopped[1] / one[1] <= 4)}). That trains about a hundred private "
        "models. Their number is random, so these are means of many fits.",
    ]
    text += ["", "## More rows", "", "KDD Cup, all rows, ten times over, and its first rows.", "", *growing(figures["growth"])]
    text += [
        "",
        "## A pass, and what the machine can do",
        "",
        f"{shape[0]:,} made-up rows of {shape[1]} numbers and {shape[2]} categories (KDD Cup's shape), {p['threads']} threads, best of 7 "
        f"(`pass_speed`). In the same run a triad a = b + s·c over 480 MB moves {p['bandwidth'] / 1e9:.1f} GB/s. Fused multiply-adds in "
        f"registers reach {p['peak'] / 1e9:.1f} Gflop/s in double precision and {p['single_peak'] / 1e9:.1f} in single precision. Shares "
        "are of double precision, although the Hessian's dense corner is computed in single precision.",
        "",
        *lines,
        "",
        "Bytes are those of a stored row, read once. Operations are the multiplications and additions of the distinct sums. The loss "
        "itself (an exponential a row) is not counted, nor what is computed twice for symmetry. *newton* is value, gradient and Hessian. "
        f"Ten gradients at different points in one pass took {p['ten_gradients_seconds'] / p['gradient_seconds']:.1f} times one.",
        "",
        "## Wider rows",
        "",
        "| rows | numbers | categories | d | gradient, ns a row | newton, ns a row |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for (rows, numbers, columns, values), q in others:
        each = [1e9 * q[f"{name}_seconds"] / rows for name in ["gradient", "newton"]]
        categories = f"{columns} of {values}" if columns else "–"
        text.append(f"| {rows:,} | {numbers} | {categories} | {q['dimension']} | {each[0]:.0f} | {each[1]:.0f} |")
    text += ["", "## More parties", "", *parties(figures["rounds"])]
    return "\n".join([*filled(text), "", FIRST_BUILD.read_text(encoding="utf-8")])
