"""One peer, from CSV to model, in a process of its own: what a Python user would write for the same study.

    python bench/peers.py newton-cholesky WORK_DIR/adult/study.toml
    {"peer": "newton-cholesky", "work_seconds": 0.31, "work_cpu_seconds": 0.4, "rows": 32561, "columns": 104, "iterations": 6}

The work is pandas.read_csv, a ColumnTransformer (numbers clipped and scaled to the declared bounds, categories one-hot over the
declared values) and a fit at default tolerance with the C of the same objective. `work_seconds` starts when the imports are done;
the time with them is for the caller to take. Peers: newton-cholesky and lbfgs (scikit-learn, not private), diffprivlib
(private, epsilon of the study).
"""

import argparse
import json
import os
import time
import tomllib

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

PEERS = ["newton-cholesky", "lbfgs", "diffprivlib"]


def to_bounds(columns, names):
    """A transformer that clips the columns to their declared bounds and maps them to [-1, 1]; missing is the middle."""
    low = np.array([columns[name]["min"] for name in names], dtype=float)
    high = np.array([columns[name]["max"] for name in names], dtype=float)
    log = np.array([columns[name].get("scale") == "log" for name in names])

    def transform(frame):
        v = frame.to_numpy(dtype=float, copy=True)  # then in place: the peer's memory should be the peer's, not ours
        np.clip(v, low, high, out=v)
        v -= low
        v[:, log] = np.log1p(v[:, log])
        v /= np.where(log, np.log1p(high - low), high - low) / 2
        v -= 1
        return np.nan_to_num(v, copy=False)

    return FunctionTransformer(transform)


def encoder(study, sparse):
    """The ColumnTransformer of a study file."""
    columns = {name: column for name, column in study["columns"].items() if not column.get("drop")}
    numeric = [name for name, column in columns.items() if "min" in column]
    categories = [name for name, column in columns.items() if "values" in column]
    one_hot = OneHotEncoder(
        categories=[columns[name]["values"] for name in categories], handle_unknown="ignore", sparse_output=sparse
    )
    parts = [("numeric", to_bounds(columns, numeric), numeric)]
    if categories:
        parts.append(("categories", one_hot, categories))
    return ColumnTransformer(parts), numeric, categories


def read(path, study, numeric, categories):
    """The used columns and the target as a boolean array."""
    target = study["data"]["target"]
    frame = pd.read_csv(
        path,
        usecols=[target, *numeric, *categories],
        dtype={name: str for name in [target, *categories]},
        keep_default_na=False,
        na_values={name: [""] for name in numeric},
    )
    return frame, (frame[target] == study["data"]["positive"]).to_numpy()


def learner(peer, study, rows, used):
    """The estimator. Our rows are the same ones times 1/norm, so lambda becomes lambda * norm^2 in these units."""
    norm = np.sqrt(used + 1)  # of a row with its intercept
    c = 1 / (rows * study["model"]["lambda"] * norm**2)
    if peer == "diffprivlib":
        from diffprivlib.models import LogisticRegression as PrivateLogisticRegression

        return PrivateLogisticRegression(epsilon=study["spend"]["epsilon"], data_norm=norm, C=c, max_iter=1000)
    return LogisticRegression(C=c, solver=peer, max_iter=1000)


def main():
    parser = argparse.ArgumentParser(description="Runs one Python peer from CSV to model and prints what it took as JSON.")
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("study", help="study file; its data path must be a CSV file with one positive value")
    arguments = parser.parse_args()
    if arguments.peer == "diffprivlib":
        import diffprivlib.models  # noqa: F401  (imports are not part of the work)

    start, cpu = time.perf_counter(), time.process_time()
    with open(arguments.study, "rb") as file:
        study = tomllib.load(file)
    # Each solver gets the form it is faster with: lbfgs takes sparse rows, the others need or prefer dense ones.
    transformer, numeric, categories = encoder(study, sparse=arguments.peer == "lbfgs")
    path = os.path.join(os.path.dirname(arguments.study), study["data"]["path"])
    frame, y = read(path, study, numeric, categories)
    X = transformer.fit_transform(frame)
    model = learner(arguments.peer, study, len(y), len(numeric) + len(categories)).fit(X, y)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu

    report = {"peer": arguments.peer, "work_seconds": seconds, "work_cpu_seconds": cpu, "rows": X.shape[0], "columns": X.shape[1]}
    print(json.dumps(report | {"iterations": int(np.max(model.n_iter_))}))


if __name__ == "__main__":
    main()
