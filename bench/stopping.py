"""Do intervals hold after random stopping? Measured with the program itself.

    python bench/prepare.py DATA_DIR WORK_DIR
    python bench/stopping.py WORK_DIR --binary target/release/discretion --runs 40

A few columns of Adult are the population. Each run draws as many rows with replacement and lets random stopping choose among
three values of lambda. Intervals of all effects are compared with what they are for at the lambda that was chosen: the
population's effect with as many steps away from the penalty. Beside it the same with lambda given, trained once.
"""

import argparse
import pathlib
import re
import tempfile

import numpy as np
import pandas as pd
from encode import Encoder
from intervals import BUDGETS, effects, fit, minimise, stepped

COLUMNS = ["age", "education-num", "hours-per-week", "capital-gain", "sex", "race"]
LAMBDAS = [3e-4, 1e-3, 3e-3]
WAYS = {
    "random stopping": (str(LAMBDAS), '[tune]\nrule = "random-stopping"\n[intervals]'),
    "trained once": ("1e-3", "[intervals]"),
}


def narrowed(text):
    """The study with all other columns dropped."""
    before, _, rest = text.partition("[columns]\n")
    lines, _, after = rest.partition("[model]")
    found = re.findall(r"(?m)^([\w-]+) = (\{.*\})", lines)
    kept = [f"{name} = {what if name in COLUMNS else '{ drop = true }'}" for name, what in found]
    return f"{before}[columns]\n" + "\n".join(kept) + f"\n[model]{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--binary", type=lambda path: str(pathlib.Path(path).resolve()), default="target/release/discretion")
    parser.add_argument("--budgets", nargs="+", choices=BUDGETS, default=list(BUDGETS))
    parser.add_argument("--runs", type=int, default=40)
    options = parser.parse_args()
    folder = options.work / "adult"
    text = narrowed((folder / "study.toml").read_text(encoding="utf-8"))
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as study:
        study.write(text)
        study.flush()
        encoder = Encoder(pathlib.Path(study.name))
    X, y = encoder.read(folder / "train.csv")
    X = X.astype(float)
    frame = pd.read_csv(folder / "train.csv", dtype=str, keep_default_na=False)
    truths = {}

    def truth(lam, steps):
        if (lam, steps) not in truths:
            penalised = minimise(X, y, lam)
            truths[lam, steps] = stepped(X, y, penalised, lam, steps)[1] @ penalised
        return truths[lam, steps]

    print("| budget | way | runs | covered | error over reported deviation | lambda chosen |")
    print("|---|---|---:|---:|---:|---|", flush=True)
    for budget in options.budgets:
        for way, (lam, settings) in WAYS.items():
            held, errors, chosen = [], [], []
            for run in range(options.runs):
                rows = np.random.default_rng(run).integers(0, len(frame), len(frame))
                model = fit(options.binary, BUDGETS[budget], frame.iloc[rows], text, lam, settings)
                if isinstance(model, str):
                    print(f"| {budget} | {way} | refused: {model} |", flush=True)
                    break
                W, intervals = effects(model, encoder)
                used = model["training"]["lambda"]
                aim = W @ truth(used, model["intervals"]["steps"])
                held.append(((intervals["lower"] <= aim) & (aim <= intervals["upper"])).mean())
                deviation = np.hypot(intervals["sampling_deviation"], intervals["privacy_deviation"])
                errors.append((intervals["estimate"] - aim) / deviation)
                chosen.append(used)
            else:
                counts = ", ".join(f"{value:g}: {chosen.count(value)}" for value in sorted(set(chosen)))
                print(
                    f"| {budget} | {way} | {options.runs} | {np.mean(held):.3f} (±{np.std(held) / len(held) ** 0.5:.3f}) | "
                    f"{np.sqrt(np.mean(np.square(errors))):.2f} | {counts} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
