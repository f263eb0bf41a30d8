"""The page about speed: every number on it was measured in the run that wrote it. Standard library only."""

import datetime
import math
import os
import platform

OURS = "discretion"


def processor():
    """What the system calls the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


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
        lines.append(f"- {name}: {speed:.1f} times as fast as the fastest peer ({fastest}; aim 8: {verdict(speed >= 8)}), ")
        lines.append(f"  1/{memory:.1f} of the memory of the smallest ({smallest}; aim 1/5: {verdict(memory >= 5)}).")
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
        f"Processor time is {first[1] - per_row * n0:.3f} s + {1e6 * per_row:.2f} µs a row through the first and the last line; from 100,000 rows on it "
        f"grows as n to the power {slope(large):.2f}.",
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
        f"One round of `discretion party`, all of it in one process (`round_speed`): {first['coefficients']:,} coefficients, ε = 1 with δ = 10⁻⁶, half of the "
        "aggregators may collude. In a study holders work side by side, and so do aggregators; here one after the other.",
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
        f"Written by `make bench` on {datetime.date.today()}: {processor()}, {os.cpu_count()} cores, load {figures['load']:.1f} from "
        "this run and others when it ended. Where that is more than there are cores, seconds are mostly waiting, and processor seconds say more. Do not edit; "
        "run it again.",
        "",
        f"Programs take turns, and each figure is {runs}. The job is a private logistic "
        "regression (ε = 1, one λ) from plain CSV to a model file. **Seconds** of a peer are its work alone, interpreter and imports not counted; "
        "ours are the whole process. scikit-learn is not private and, like diffprivlib, stops at its default tolerance; ours goes on to its certified "
        "one. lbfgs gets sparse rows, the others dense ones: what each is faster with.",
        "R's `glm` knows no λ and fits the model without a penalty (`bench/glm.R`)."
        if figures["glm"]
        else "R's `glm` was not measured: there is no R on this machine.",
        "",
    ]
    for name, table in figures["tables"].items():
        text += comparison(name, table)
    text += ["## What was aimed at", "", *targets(figures["tables"])]
    text.append(f"- One Newton pass over {shape[0]:,} rows: {share:.0%} of what binds (aim 50 %: {verdict(share >= 0.5)}).")
    text.append(
        f"- Ten λ, one chosen by noisy score, cost {ten[1] / one[1]:.1f} times one in processor time, {ten[0] / one[0]:.1f} in seconds (aim 4: "
        f"{verdict(ten[1] / one[1] <= 4)}). By random stopping, which trains about a hundred private models for ten λ and is what `auto` takes here, "
        f"they cost {stopped[1] / one[1]:.1f} times one in processor time, {stopped[0] / one[0]:.1f} in seconds (means of many fits, as the number of models is random; "
        f"aim 4: {verdict(stopped[1] / one[1] <= 4)})."
    )
    text += ["", "## More rows", "", "KDD Cup, all rows, ten times over, and its first rows.", "", *growing(figures["growth"])]
    text += [
        "",
        "## A pass, and what the machine can do",
        "",
        f"{shape[0]:,} made-up rows of {shape[1]} numbers and {shape[2]} categories (KDD Cup's shape), {p['threads']} threads, best of 7 (`pass_speed`). In the same run a "
        f"triad a = b + s·c over 480 MB moves {p['bandwidth'] / 1e9:.1f} GB/s and fused multiply-adds in registers reach {p['peak'] / 1e9:.1f} Gflop/s "
        f"in double precision, {p['single_peak'] / 1e9:.1f} in single precision. Shares are of the former; the Hessian's dense corner is computed in the latter.",
        "",
        *lines,
        "",
        "Bytes are those of a stored row, read once. Operations are the multiplications and additions of the distinct sums: the loss itself (an exponential a row) is "
        "not counted, nor what tiles compute beyond the triangle. *newton* is value, gradient and Hessian. Ten gradients at different points in one pass "
        f"took {p['ten_gradients_seconds'] / p['gradient_seconds']:.1f} times one.",
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
    return "\n".join([*text, ""])
